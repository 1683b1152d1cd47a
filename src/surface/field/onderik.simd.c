/// The field `onderik`: distance to the weighted mean of the neighbours, with a radius that
/// decreases where there are few (Onderik et al. 2011; 004 Eqs. 5.2, 5.3).
///
///   phi(x) = |x - C(x)| - R f(S(x)),   C(x) = sum_j x_j W_j / sum_j W_j,   S(x) = sum_j W_j,
///
/// W_j = V_j n (1 - r^2/h^2)^3 with the norm n, so that S is 1 inside a fluid and about 1/2 at its
/// surface; V_j is the w_j^-1 of Eq. 5.3. 004 does not print the decay function. Here it is that of
/// Solenthaler et al. (2007), f = g^3 - 3 g^2 + 3 g, with g = min(S / S_full, 1) instead of an
/// eigenvalue. S is small in cavities and between drops, where the mean C may be outside the fluid.
#include "surface/field/splat.h"

/* S_full: a lone particle has S = 0.3 at 0.6 spacings (h = 2), a flat surface 0.5, so both keep
 * their radius. Halfway between two drops 2 spacings apart S is 0.16. */
#define FULL 0.3f

PX_POTENTIAL_LOOPS(px_mean_kernel, 4)

/* The integral of (1 - q^2)^3 over the ball of radius h is 64 pi h^3 / 315. */
static float weigh(const PxPotential *f, float volume)
{
    return volume * (float)(315.0 / (64.0 * 3.14159265358979323846)) /
           (f->radius * f->radius * f->radius);
}

static void finish(const PxPotential *f, float *const sum[PX_POTENTIAL_SUMS], float *raw,
                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 8) {
        PxF8 w, one = px_f8(1.0f);
        PxI8 any;
        PxF8 way = px_mean_distance(sum, i, 1e-9f, &w, &any);
        PxF8 rest = one - px_f8_min(w * px_f8(1.0f / FULL), one);
        PxF8 decay = one - rest * rest * rest;
        px_mean_store(f, raw + i, way / decay, any); /* inside where |x - C| < R f */
    }
}

extern const PxPotentialModel PX_ISA_NAME(px_potential_onderik);
const PxPotentialModel PX_ISA_NAME(px_potential_onderik) = {
    PX_POTENTIAL_INFO("onderik",
                      "the same with a radius that decays where particles are few (004 Eq. 5.2)"),
    .field.radius = 2.5,
    .field.iso = 0.5,
    .field.smoothing = 0,
    .stretch = 1,
    .gather = 1,
    .weigh = weigh,
    .add = add,
    .add_points = add_points,
    .finish = finish,
};
