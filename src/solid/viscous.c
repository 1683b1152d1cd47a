#include "solid/viscous.h"

#include "base/stop.h"

#include <float.h>
#include <math.h>

/* Largest eta dt / (rho s^2) of an explicit pass (s: spacing). On lattice blocks the fastest decay
 * rate is 5.9 eta / (rho s^2) at rest, so that 2 / 5.9 is the limit there. */
#define STABLE 0.05
/* A stretch t raises the rate by t^2, which is at most tr(J^T J): largest product of it and
 * eta dt / (rho s^2). Stretched solids get more passes, and beyond MOST_PASSES a lower viscosity in
 * the cells that are stretched too far. */
#define STABLE_STRETCHED 0.2
#define MOST_PASSES 100
/* Below this viscosity has no visible effect and is skipped. */
#define NOTHING 1e-4

/* rho s^2 of a body, kg/m, with the spacing of its smallest particle; a body has one material. */
static double inertia(const PxSolid *s, const PxSolidFrame *frame, const PxMaterialDef *d)
{
    float least = s->columns.volume[frame->begin];
    for (uint32_t i = frame->begin; i < frame->end; ++i)
        least = s->columns.volume[i] < least ? s->columns.volume[i] : least;
    double size = cbrt((double)least);
    return d->density * size * size;
}

/* Largest eta dt / (rho s^2) of all bodies. */
static double strength(const PxSolid *s)
{
    double most = 0;
    if (s->flows)
        return 0; /* the fluid stages solve viscosity for all matter */
    for (uint32_t k = 0; k < s->frames; ++k) {
        const PxMaterialDef *d = &s->material[s->particles->material[s->frame[k].begin]].def;
        if (d->viscosity > 0)
            most = fmax(most, d->viscosity * s->dt / inertia(s, &s->frame[k], d));
    }
    return most;
}

/* Largest eta V tr(J^T J) of each row in passes of length dt. */
static void bound_rows(const PxSolid *s, double dt, float *most)
{
    for (uint32_t k = 0; k < s->frames; ++k) {
        const PxSolidFrame *f = &s->frame[k];
        const PxMaterialDef *d = &s->material[s->particles->material[f->begin]].def;
        double eta = STABLE_STRETCHED * inertia(s, f, d) / dt;
        for (uint32_t i = f->begin; i < f->end; ++i)
            most[i] = (float)fmin(eta * (double)s->columns.volume[i], (double)FLT_MAX);
    }
    for (uint32_t i = s->count; i < s->count + 8; ++i)
        most[i] = 0.0f;
}

static void pack_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxViscousPass *pass = user;
    const PxSolid *s = pass->solid;
    for (uint32_t i = begin; i < end; ++i) {
        const float *v = s->v + 4 * (size_t)i;
        float *q = pass->quad + 4 * (size_t)i, spread = s->lists->spread[i];
        double eta = s->material[s->particles->material[i]].def.viscosity;
        for (int k = 0; k < 3; ++k)
            q[k] = v[k];
        q[3] = spread > 0.0f ? (float)eta * s->columns.volume[i] / spread : 0.0f;
    }
}

bool px_solid_is_viscous(const PxSolid *s)
{
    return strength(s) >= NOTHING;
}

PxStatus px_solid_viscosity(PxSolid *s)
{
    double strong = strength(s);
    if (strong < NOTHING)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(s->scratch);
    /* Stronger viscosity is reduced to what MOST_PASSES stable passes give. PxSolid.stretch is
     * tr(J^T J) - 2 of the most stretched cell. */
    double more = fmax(1, (s->stretch + 2) * STABLE / STABLE_STRETCHED);
    double steps = fmin(ceil(strong * more / STABLE), MOST_PASSES);
    double part = fmin(1, steps * STABLE / strong);
    PxViscousPass pass = {.solid = s,
                          .quad = PX_ARENA_ARRAY(s->scratch, float, 4 * ((size_t)s->count + 8)),
                          .most = PX_ARENA_ARRAY(s->scratch, float, (size_t)s->count + 8),
                          .dt = (float)(part * s->dt / steps)};
    if (pass.quad == NULL || pass.most == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    for (size_t k = 4 * (size_t)s->count; k < 4 * ((size_t)s->count + 8); ++k)
        pass.quad[k] = 0.0f;
    bound_rows(s, (double)pass.dt, pass.most);
    for (double k = 0; k < steps; ++k) {
        PX_TRY(px_stop_check(s->threads));
        px_parallel_for(s->threads, s->count, PX_BLOCK, pack_block, &pass);
        px_parallel_for(s->threads, s->count, 256, PX_ISA_PICK(s->isa, px_viscous_stress), &pass);
        px_parallel_for(s->threads, s->count, 256, PX_ISA_PICK(s->isa, px_viscous_force), &pass);
    }
    px_arena_release(s->scratch, mark);
    return PX_OK;
}
