#include "contact/solid_fluid.h"

#include "contact/solid_fluid_pass.h"

#include <string.h>

static void pack_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidFluidJob *job = user;
    const PxParticles *p = job->fluid->particles;
    float dt = (float)job->fluid->dt;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t row = job->row[i];
        if (row == PX_ELSEWHERE)
            continue;
        float q[4] = {p->x[row], p->y[row], p->z[row], 0.0f};
        const float v[4] = {p->vx[row] + dt * p->ax[row], p->vy[row] + dt * p->ay[row],
                            p->vz[row] + dt * p->az[row], 0.0f};
        if (job->fill != NULL && (double)p->radius[row] > 0.75 * job->fluid->spacing)
            q[0] = q[1] = q[2] = PX_FAR_AWAY; /* coarse: see `fill` */
        memcpy(job->quad + 4 * (size_t)i, q, sizeof q);
        memcpy(job->velocity + 4 * (size_t)i, v, sizeof v);
    }
}

PxStatus px_solid_fluid_own(PxFluid *f, const PxSolid *s, const uint32_t *row, const float *fill)
{
    PxSolidFluidJob job = {f,
                           s,
                           row,
                           fill,
                           PX_ARENA_ARRAY(f->scratch, float, 4 * (size_t)s->count),
                           PX_ARENA_ARRAY(f->scratch, float, 4 * (size_t)s->count)};
    if (job.quad == NULL || job.velocity == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    memset(f->own_compression, 0, f->count * sizeof *f->own_compression);
    px_parallel_for(f->threads, s->count, 4 * PX_BLOCK, pack_block, &job);
    for (int k = 0; k < 2; ++k) {
        PxDistArray quads = {k == 0 ? job.quad : job.velocity, 4 * sizeof(float),
                             4 * sizeof(float)};
        PX_TRY(px_dist_share(f->dist, quads, row, s->count, f->scratch));
    }
    px_parallel_for(f->threads, s->count, PX_BLOCK, PX_ISA_PICK(s->isa, px_solid_fluid_own_block),
                    &job);
    return PX_OK;
}
