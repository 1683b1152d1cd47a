#include "fluid/viscosity.h"

#include <math.h>

double px_fluid_viscosity_limit(const PxFluid *f)
{
    /* Morris, Fox and Zhu (1997), Eq. 22: dt <= 0.125 h^2 / nu, h half the support. */
    double limit = INFINITY, h = 0.5 * (double)f->kernel.h;
    for (uint32_t m = 0; m < f->materials; ++m) {
        const PxMaterialDef *def = &f->material[m].def;
        if (def->viscosity > 0)
            limit = fmin(limit, 0.125 * h * h * def->density / def->viscosity);
    }
    return limit;
}

typedef struct Weight {
    const PxFluid *fluid;
    float *weight;
} Weight;

static void weight_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Weight *w = user;
    const PxFluid *f = w->fluid;
    for (uint32_t i = begin; i < end; ++i) {
        float mu = (float)f->material[f->particles->material[i]].def.viscosity;
        w->weight[i] = f->volume[i] * sqrtf(mu);
    }
}

PxStatus px_fluid_viscosity(PxFluid *f)
{
    bool any = false;
    for (uint32_t m = 0; m < f->materials; ++m)
        any |= f->material[m].def.viscosity > 0;
    if (!any)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(f->scratch);
    float *weight = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (weight == NULL)
        return px_fail(PX_ERR_MEMORY, "viscosity: no room for %u weights", f->count);
    Weight w = {f, weight};
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, weight_block, &w);
    float *kept = f->quad_velocity;
    PX_TRY(px_fluid_pack_velocity(f, weight));
    PxViscosityJob job = {f, weight};
    px_parallel_for(f->threads, f->count, PX_BLOCK, PX_ISA_PICK(f->isa, px_viscosity_block), &job);
    f->quad_velocity = kept;
    px_arena_release(f->scratch, mark);
    return PX_OK;
}
