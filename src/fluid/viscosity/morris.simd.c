/// Explicit viscosity after Morris, Fox and Zhu (1997). With 004 Eq. 2.38,
///
///   m_i a_i = sum_j 2 mu_ij V_i V_j (v_i - v_j) (x_ij . grad W) / (r^2 + 0.01 h^2)
///
/// with mu_ij = sqrt(mu_i mu_j) and h the smoothing length. x_ij . grad W = r dW/dr < 0.
#include "fluid/viscosity/explicit_viscosity.h"

#include <math.h>

/* Product of square roots, which are taken once per particle, not once per pair. */
PX_INLINE PxF8 pair_viscosity(PxF8 mu, PxF8 mu_j)
{
    return mu * mu_j;
}

static void block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxExplicitViscosity *job = user;
    px_viscosity_explicit(job, begin, end, px_morris_weight, pair_viscosity,
                          2.0f * job->fluid->kernel.norm_slope);
}

static void parts_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxExplicitViscosity *job = user;
    px_viscosity_parts(job, begin, end, px_morris_weight, pair_viscosity,
                       2.0f * job->fluid->kernel.norm_slope);
}

static PxStatus solve(PxFluid *f)
{
    PxExplicitViscosity job;
    PX_TRY(px_viscosity_explicit_begin(&job, f, sqrt, 1.0f));
    PX_TRY(px_viscosity_explicit_bound(&job, parts_block));
    px_parallel_for(f->threads, f->count, PX_BLOCK, block, &job);
    return PX_OK;
}

extern const PxViscosityModel PX_ISA_NAME(px_morris);
const PxViscosityModel PX_ISA_NAME(px_morris) = {
    .info = {"morris", "explicit, after Morris", NULL, 0, NULL},
    .step_limit = px_viscosity_explicit_limit,
    .solve = solve,
};
