/// Loops over sources and nodes that all models share, 8 nodes at a time. A model supplies the
/// contribution of one source to 8 points; for *.simd.c files only.
#ifndef PX_SURFACE_FIELD_SPLAT_H
#define PX_SURFACE_FIELD_SPLAT_H

#include "surface/field/potential.h"

#include <math.h>

/// Adds the contribution of a source at the offsets (dx, dy, dz) to sum[0 .. PX_POTENTIAL_SUMS),
/// where `mask` is set.
typedef void PxSourceKernel(const PxPotential *field, const PxPotentialSource *source, PxF8 dx,
                            PxF8 dy, PxF8 dz, PxI8 mask, PxF8 *sum);

PX_INLINE PxI8 px_lanes(void)
{
    return (PxI8){0, 1, 2, 3, 4, 5, 6, 7};
}

/// Range [*first, *end) of the nodes of a row of 8 that lie within `reach` of x.
PX_INLINE void px_node_range(float x, float reach, float inverse_cell, int *first, int *end)
{
    float low = ceilf((x - reach) * inverse_cell), high = floorf((x + reach) * inverse_cell);
    *first = low > 0.0f ? (int)low : 0;
    *end = high < PX_BLOCK_EDGE - 1 ? (int)high + 1 : PX_BLOCK_EDGE;
}

/// Adds all sources of a block; the model uses the first `sums` sums.
PX_INLINE void px_splat_block(const PxPotential *f, const PxPotentialBlock *b,
                              PxSourceKernel *kernel, int sums)
{
    float reach = f->reach, reach2 = reach * reach, cell = b->cell, inverse = 1.0f / cell;
    PxI8 lane = px_lanes(), bit = (PxI8){1, 2, 4, 8, 16, 32, 64, 128}, all = lane >= 0;
    PxF8 x = (PxF8){0, 1, 2, 3, 4, 5, 6, 7} * px_f8(cell);
    for (uint32_t s = 0; s < b->sources; ++s) {
        const PxPotentialSource *source = &b->source[s];
        int y0, y1, z0, z1;
        px_node_range(source->y, source->shape[6], inverse, &y0, &y1);
        px_node_range(source->z, source->shape[7], inverse, &z0, &z1);
        PxF8 dx = x - px_f8(source->x);
        for (int k = z0; k < z1; ++k) {
            float dz = (float)k * cell - source->z;
            for (int j = y0; j < y1; ++j) {
                float dy = (float)j * cell - source->y;
                if (!(dy * dy + dz * dz < reach2))
                    continue;
                int row = PX_BLOCK_EDGE * k + j;
                PxI8 mask = all;
                if (b->visible != NULL)
                    mask = (((PxI8){0} + (int32_t)b->visible[s][row]) & bit) != 0;
                PxF8 sum[PX_POTENTIAL_SUMS];
                for (int n = 0; n < sums; ++n)
                    sum[n] = px_f8_load(b->sum[n] + PX_BLOCK_EDGE * row);
                kernel(f, source, dx, px_f8(dy), px_f8(dz), mask, sum);
                for (int n = 0; n < sums; ++n)
                    px_f8_store(b->sum[n] + PX_BLOCK_EDGE * row, sum[n]);
            }
        }
    }
}

PX_INLINE void px_splat_points(const PxPotential *f, const float *x, const float *y, const float *z,
                               const PxPotentialSource *source, uint32_t sources, float (*sums)[8],
                               PxSourceKernel *kernel, int used)
{
    PxF8 px = px_f8_load(x), py = px_f8_load(y), pz = px_f8_load(z), sum[PX_POTENTIAL_SUMS];
    PxI8 all = px_lanes() >= 0;
    for (int n = 0; n < used; ++n)
        sum[n] = px_f8_load(sums[n]);
    for (uint32_t s = 0; s < sources; ++s)
        kernel(f, &source[s], px - px_f8(source[s].x), py - px_f8(source[s].y),
               pz - px_f8(source[s].z), all, sum);
    for (int n = 0; n < used; ++n)
        px_f8_store(sums[n], sum[n]);
}

/// Wendland's C2 kernel without its norm: (1 - q)^4 (1 + 4 q), 0 for q >= 1.
PX_INLINE PxF8 px_wendland8(PxF8 q)
{
    PxF8 t = px_f8_max(px_f8(1.0f) - q, px_f8(0.0f)), t2 = t * t;
    return t2 * t2 * (px_f8(1.0f) + px_f8(4.0f) * q);
}

/// Its norm for a support h: 21 / (2 pi h^3).
PX_INLINE float px_wendland_norm(float h)
{
    return (float)(21.0 / (2.0 * 3.14159265358979323846) / ((double)h * (double)h * (double)h));
}

/// (1 - q^2)^3, 0 for q >= 1, as a function of q^2.
PX_INLINE PxF8 px_poly8(PxF8 q2)
{
    PxF8 u = px_f8_max(px_f8(1.0f) - q2, px_f8(0.0f));
    return u * u * u;
}

/// Defines a model's functions `add` and `add_points`.
#define PX_POTENTIAL_LOOPS(kernel, sums)                                                           \
    static void add(const PxPotential *f, const PxPotentialBlock *block)                           \
    {                                                                                              \
        px_splat_block(f, block, kernel, sums);                                                    \
    }                                                                                              \
    static void add_points(const PxPotential *f, const float x[8], const float y[8],               \
                           const float z[8], const PxPotentialSource *source, uint32_t sources,    \
                           float sum[PX_POTENTIAL_SUMS][8])                                        \
    {                                                                                              \
        px_splat_points(f, x, y, z, source, sources, sum, kernel, sums);                           \
    }

/// Sums for a weighted mean: the weight and the weighted offsets of the particles.
PX_INLINE void px_mean_kernel(const PxPotential *f, const PxPotentialSource *s, PxF8 dx, PxF8 dy,
                              PxF8 dz, PxI8 mask, PxF8 *sum)
{
    float per_h = 1.0f / f->radius;
    PxF8 q2 = (dx * dx + dy * dy + dz * dz) * px_f8(per_h * per_h);
    PxF8 w = px_f8_where(mask, px_f8(s->weight) * px_poly8(q2));
    sum[0] += w;
    sum[1] -= w * dx;
    sum[2] -= w * dy;
    sum[3] -= w * dz;
}

/// Distance to the weighted mean at 8 points, from the sums of px_mean_kernel(). Where the weight
/// is below `least` the quotient is noise, and *any is false.
PX_INLINE PxF8 px_mean_distance(float *const sum[PX_POTENTIAL_SUMS], uint32_t i, float least,
                                PxF8 *weight, PxI8 *any)
{
    PxF8 w = px_f8_load(sum[0] + i), x = px_f8_load(sum[1] + i), y = px_f8_load(sum[2] + i),
         z = px_f8_load(sum[3] + i);
    *any = w > px_f8(least);
    *weight = px_f8_max(w, px_f8(least));
    return px_f8_sqrt(x * x + y * y + z * z) / *weight;
}

/// Stores -depth, at most the radius; where *any is false the value is that at the rim.
PX_INLINE void px_mean_store(const PxPotential *f, float *raw, PxF8 depth, PxI8 any)
{
    PxF8 far = px_f8(f->radius);
    px_f8_store(raw,
                px_f8_where(any, px_f8(0.0f) - px_f8_min(depth, far)) - px_f8_where(~any, far));
}

/// For models that are a sum of Wendland kernels: the weight of a volume; the raw value is the sum.
static inline float px_wendland_weigh(const PxPotential *f, float volume)
{
    return volume * px_wendland_norm(f->radius);
}

static inline void px_sum_is_raw(const PxPotential *f, float *const sum[PX_POTENTIAL_SUMS],
                                 float *raw, uint32_t count)
{
    (void)f;
    memcpy(raw, sum[0], count * sizeof *raw);
}

#endif
