/// The field `zhu-bridson`: distance to the weighted mean of the neighbours (Zhu and Bridson 2005).
///
///   phi(x) = |x - C(x)| - R,   C(x) = sum_j x_j W(|x - x_j|) / sum_j W(|x - x_j|),
///
/// with W = (1 - r^2/h^2)^3 (004 below Eq. 5.3). R follows from `iso`. In cavities and between
/// drops that approach each other C may be outside the fluid, and blobs appear there; the field
/// `onderik` avoids that.
#include "surface/field/splat.h"

PX_POTENTIAL_LOOPS(px_mean_kernel, 4)

static float weigh(const PxPotential *f, float volume)
{
    (void)f;
    (void)volume;
    return 1.0f;
}

static void finish(const PxPotential *f, float *const sum[PX_POTENTIAL_SUMS], float *raw,
                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 8) {
        PxF8 w;
        PxI8 any;
        PxF8 way = px_mean_distance(sum, i, 1e-12f, &w, &any);
        px_mean_store(f, raw + i, way, any);
    }
}

extern const PxPotentialModel PX_ISA_NAME(px_potential_zhu_bridson);
const PxPotentialModel PX_ISA_NAME(px_potential_zhu_bridson) = {
    PX_POTENTIAL_INFO("zhu-bridson",
                      "distance to the mean of the particles around (Zhu and Bridson 2005)"),
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
