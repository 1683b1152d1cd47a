#include "fluid/cohesion.h"

#include <math.h>

double px_fluid_cohesion_limit(const PxFluid *f)
{
    /* The pressure P accelerates matter up to sqrt(2 P / rho) over a distance h. */
    double limit = INFINITY, h = 0.5 * (double)f->kernel.h;
    for (uint32_t m = 0; m < f->materials; ++m)
        for (int k = 0; k < px_melt_states(&f->material[m]); ++k) {
            PxMaterial at = px_melt_state(&f->material[m], k);
            if (at.def.cohesion > 0)
                limit = fmin(limit, f->courant * h * sqrt(at.def.density / (2 * at.def.cohesion)));
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

static void pull_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCohesionJob *job = user;
    const PxFluid *f = job->fluid;
    const PxMaterialDef *def = &f->material[job->slot].def;
    for (uint32_t i = begin; i < end; ++i)
        f->quad[4 * (size_t)i + 3] =
            f->particles->material[i] == job->slot
                ? (float)px_fluid_between(f, i, def->cohesion, def->melts.into.cohesion)
                : -1.0f;
}

static bool has_cohesion(const PxMaterialDef *def)
{
    return def->cohesion > 0 || (def->melts.melts && def->melts.into.cohesion > 0);
}

/* With melting: one material at a time, with a cohesion per particle. */
static void cohesion_of_molten(PxFluid *f)
{
    for (uint32_t m = 0; m < f->materials; ++m) {
        PxCohesionJob job = {f, m};
        if (!has_cohesion(&f->material[m].def))
            continue;
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, pull_block, &job);
        px_fluid_refresh_w(f, f->quad);
        px_parallel_for(f->threads, f->count, PX_BLOCK,
                        PX_ISA_PICK(f->isa, px_cohesion_molten_block), &job);
    }
}

void px_fluid_cohesion(PxFluid *f)
{
    bool any = false;
    for (uint32_t m = 0; m < f->materials; ++m)
        any |= has_cohesion(&f->material[m].def);
    if (!any)
        return;
    if (f->melted != NULL) {
        cohesion_of_molten(f);
        return;
    }
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, kind_block, f);
    px_fluid_refresh_w(f, f->quad);
    px_parallel_for(f->threads, f->count, PX_BLOCK, PX_ISA_PICK(f->isa, px_cohesion_block), f);
}
