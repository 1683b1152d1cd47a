#include "solid/viscous.h"

#include <math.h>

/* Largest eta dt / (rho s^2) of an explicit pass (s: spacing). On lattice blocks the fastest decay
 * rate is 7.1 eta / (rho s^2), so that 2 / 7.1 is the limit at rest; a stretch t raises the rate by
 * t^2, so this is stable up to t = 2.4. */
#define STABLE 0.05
#define MOST_PASSES 100
/* Below this viscosity has no visible effect and is skipped. */
#define NOTHING 1e-4

/* Largest eta dt / (rho s^2) of all bodies; a body has one material. */
static double strength(const PxSolid *s)
{
    double most = 0;
    if (s->flows)
        return 0; /* the fluid stages solve viscosity for all matter */
    for (uint32_t k = 0; k < s->frames; ++k) {
        const PxMaterialDef *d = &s->material[s->particles->material[s->frame[k].begin]].def;
        float least = s->columns.volume[s->frame[k].begin];
        for (uint32_t i = s->frame[k].begin; d->viscosity > 0 && i < s->frame[k].end; ++i)
            least = s->columns.volume[i] < least ? s->columns.volume[i] : least;
        double size = cbrt((double)least);
        most = fmax(most, d->viscosity * s->dt / (d->density * size * size));
    }
    return most;
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
    /* Stronger viscosity is reduced to what MOST_PASSES stable passes give. */
    double steps = fmin(ceil(strong / STABLE), MOST_PASSES);
    double part = fmin(1, steps * STABLE / strong);
    PxViscousPass pass = {s, PX_ARENA_ARRAY(s->scratch, float, 4 * ((size_t)s->count + 8)),
                          (float)(part * s->dt / steps)};
    if (pass.quad == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    for (size_t k = 4 * (size_t)s->count; k < 4 * ((size_t)s->count + 8); ++k)
        pass.quad[k] = 0.0f;
    for (double k = 0; k < steps; ++k) {
        px_parallel_for(s->threads, s->count, PX_BLOCK, pack_block, &pass);
        px_parallel_for(s->threads, s->count, 256, PX_ISA_PICK(s->isa, px_viscous_stress), &pass);
        px_parallel_for(s->threads, s->count, 256, PX_ISA_PICK(s->isa, px_viscous_force), &pass);
    }
    px_arena_release(s->scratch, mark);
    return PX_OK;
}
