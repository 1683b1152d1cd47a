#include "fluid/cohesion.h"

#include <math.h>

double px_fluid_cohesion_limit(const PxFluid *f)
{
    /* Pulled by P over a distance h, matter gets as fast as sqrt(2 P / rho). */
    double limit = INFINITY, h = 0.5 * (double)f->kernel.h;
    for (uint32_t m = 0; m < f->materials; ++m) {
        const PxMaterialDef *def = &f->material[m].def;
        if (def->cohesion > 0)
            limit = fmin(limit, f->courant * h * sqrt(def->density / (2 * def->cohesion)));
    }
    return limit;
}

static void kind_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxFluid *f = user;
    for (uint32_t i = begin; i < end; ++i) /* exact: there are no more than 1000 materials */
        f->quad[4 * (size_t)i + 3] = (float)f->particles->material[i];
}

void px_fluid_cohesion(PxFluid *f)
{
    bool any = false;
    for (uint32_t m = 0; m < f->materials; ++m)
        any |= f->material[m].def.cohesion > 0;
    if (!any)
        return;
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, kind_block, f);
    px_parallel_for(f->threads, f->count, PX_BLOCK, PX_ISA_PICK(f->isa, px_cohesion_block), f);
}
