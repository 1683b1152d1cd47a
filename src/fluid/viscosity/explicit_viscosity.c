#include "fluid/viscosity/explicit_viscosity.h"

#include <math.h>

double px_viscosity_explicit_limit(const PxMaterialDef *material, double h)
{
    /* Morris, Fox and Zhu (1997), Eq. 22. The fastest mode of a lattice allows 0.23 with their
     * weights and 0.29 with the laplacian's; the margin is for walls and disorder. */
    return material->viscosity > 0 ? 0.125 * h * h * material->density / material->viscosity
                                   : INFINITY;
}

static void mu_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxExplicitViscosity *job = user;
    const PxFluid *f = job->fluid;
    for (uint32_t i = begin; i < end; ++i) {
        double mu = px_fluid_mu(f, i);
        job->mu[i] = (float)(job->of != NULL ? job->of(mu) : mu);
    }
}

PxStatus px_viscosity_explicit_begin(PxExplicitViscosity *job, PxFluid *f, double (*of)(double mu),
                                     float share)
{
    *job = (PxExplicitViscosity){.fluid = f, .of = of};
    job->mu = PX_ARENA_ARRAY(f->scratch, float, f->count);
    job->volume = px_viscosity_volume(f, share);
    if (job->mu == NULL || job->volume == NULL)
        return px_fail(PX_ERR_MEMORY, "viscosity: no room for %u particles", f->count);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, mu_block, job);
    px_fluid_pack_w(f, f->quad, job->mu);
    return px_fluid_pack_velocity(f, job->volume);
}

static void scale_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxExplicitViscosity *job = user;
    for (uint32_t i = begin; i < end; ++i)
        job->volume[i] *= job->part[i];
}

PxStatus px_viscosity_explicit_bound(PxExplicitViscosity *job, PxBlockFunction *parts)
{
    PxFluid *f = job->fluid;
    if (parts != NULL) {
        job->part = PX_ARENA_ARRAY(f->scratch, float, f->count);
        if (job->part == NULL)
            return px_fail(PX_ERR_MEMORY, "viscosity: no room for %u particles", f->count);
        px_parallel_for(f->threads, f->count, PX_BLOCK, parts, job);
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, scale_block, job);
        PX_TRY(px_fluid_pack_velocity(f, job->volume));
    }
    px_fluid_give_drag(f, NULL, job->part);
    return PX_OK;
}
