#include "fluid/pressure/reported.h"

#include <math.h>

typedef struct Job {
    PxFluid *fluid;
    const float *force;
    float *quad; /* positions and P */
} Job;

static void stress_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxFluid *f = job->fluid;
    const PxKernel kernel = f->kernel;
    const float per_cell = (float)(1 / (f->spacing * f->spacing * f->spacing));
    PxF8 ux = px_f8((float)f->up.x), uy = px_f8((float)f->up.y), uz = px_f8((float)f->up.z);
    PxF8 tiny = px_f8(1e-12f * kernel.h);
    for (uint32_t i = begin; i < end; ++i) {
        if (f->solid_fraction != NULL && f->solid_fraction[i] > 0.0f)
            continue;
        PxPlace8 at = px_place8(job->quad, i);
        PxF8 own = px_f8(job->force[i]), sum = px_f8(0.0f);
        PX_FOR_NEIGHBOURS(f->pairs, i, j)
        {
            PxF8 x, y, z, force;
            px_f8_load_ways(job->quad, j, &at, &x, &y, &z, &force);
            PxF8 r = px_f8_sqrt(x * x + y * y + z * z), along = x * ux + y * uy + z * uz;
            PxF8 slope = px_kernel_slope8(&kernel, px_f8_max(r, tiny)); /* negative */
            sum -= slope * (own + force) * along * along;
        }
        float stress = 0.5f * kernel.norm_slope * px_f8_sum(sum);
        stress += job->force[i] * f->wall_lift[i] * per_cell;
        f->particles->pressure[i] = stress / f->volume[i];
    }
}

PxStatus PX_ISA_NAME(px_report_pressure)(PxFluid *f, const float *force)
{
    const PxParticles *p = f->particles;
    if (!(px_dot(f->up, f->up) > 0) || f->emits)
        return PX_OK;
    Job job = {f, force, PX_ARENA_ARRAY(f->scratch, float, px_quads_floats(px_fluid_visible(f)))};
    if (job.quad == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    px_fluid_pack(f, job.quad, p->x, p->y, p->z, force);
    px_parallel_for(f->threads, f->count, PX_BLOCK, stress_block, &job);
    return PX_OK;
}
