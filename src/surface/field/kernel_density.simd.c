/// The field `density`: a sum of Wendland kernels weighted by particle volumes.
///
///   phi(x) = sum_j V_j W(|x - x_j|, h),   V_j = 1 / sum_k W(|x_j - x_k|, h)
///
/// (004 Eq. 5.1; 000 Eq. 4.13). 004 weights with masses. Inside a fluid that differs only in units.
/// With masses a lone particle reaches only 0.42 of the rest density at h = 2 spacings and has no
/// surface; with volumes it is a drop as large as its share of the fluid.
///
/// 004 states a support of h = 1.55 spacings (in the equation) and of 2h = 3.1 (in the text);
/// `radius` is the support.
#include "surface/field/splat.h"

PX_INLINE void kernel(const PxPotential *f, const PxPotentialSource *s, PxF8 dx, PxF8 dy, PxF8 dz,
                      PxI8 mask, PxF8 *sum)
{
    PxF8 q = px_f8_sqrt(dx * dx + dy * dy + dz * dz) * px_f8(1.0f / f->radius);
    sum[0] += px_f8_where(mask, px_f8(s->weight) * px_wendland8(q));
}

PX_POTENTIAL_LOOPS(kernel, 1)

extern const PxPotentialModel PX_ISA_NAME(px_potential_density);
const PxPotentialModel PX_ISA_NAME(px_potential_density) = {
    PX_POTENTIAL_INFO("density", "sum of kernels, one a particle (004 Eq. 5.1): for measuring"),
    .field.radius = 3,
    .field.iso = 0.5,
    .field.smoothing = 0,
    .stretch = 1,
    .gather = 1,
    .weigh = px_wendland_weigh,
    .add = add,
    .add_points = add_points,
    .finish = px_sum_is_raw,
};
