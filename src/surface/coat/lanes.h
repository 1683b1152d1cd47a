/// Vector helpers for the loops of a coat: one point of a bunch (neighbours.h) in each of 8 lanes.
#ifndef PX_SURFACE_COAT_LANES_H
#define PX_SURFACE_COAT_LANES_H

#include "surface/coat/coat_parts.h"

/* fminf() and fmaxf() compile to calls since they handle NaN. */
PX_INLINE float px_min(float a, float b)
{
    return a < b ? a : b;
}

PX_INLINE float px_max(float a, float b)
{
    return a > b ? a : b;
}

PX_INLINE PxI8 px_lanes_all(uint32_t v)
{
    int32_t k = (int32_t)v;
    return (PxI8){k, k, k, k, k, k, k, k};
}

PX_INLINE PxI8 px_lanes_load_u32(const uint32_t *from)
{
    PxI8 v;
    memcpy(&v, from, sizeof v);
    return v;
}

/// a where the mask is set, else b.
PX_INLINE PxF8 px_lanes_select(PxI8 mask, PxF8 a, PxF8 b)
{
    return (PxF8)(((PxI8)a & mask) | ((PxI8)b & ~mask));
}

PX_INLINE PxF8 px_lanes_dot(const PxF8 a[3], const PxF8 b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

PX_INLINE PxF8 px_lanes_length(const PxF8 v[3])
{
    return px_f8_sqrt(px_lanes_dot(v, v));
}

PX_INLINE PxF8 px_lanes_clamp(PxF8 v, float most)
{
    return px_f8_min(px_f8_max(v, px_f8(-most)), px_f8(most));
}

/// Mask of the first `n` lanes.
PX_INLINE PxI8 px_lanes_first(uint32_t n)
{
    const PxI8 number = {0, 1, 2, 3, 4, 5, 6, 7};
    return number < px_lanes_all(n);
}

PX_INLINE void px_lanes_load(PxF8 to[3], float *const from[3], uint32_t i)
{
    for (int k = 0; k < 3; ++k)
        to[k] = px_f8_load(from[k] + i);
}

/// Stores the first n lanes only: the memory after them belongs to another bunch.
PX_INLINE void px_lanes_store(float *to, PxF8 v, uint32_t n)
{
    if (n == 8)
        px_f8_store(to, v);
    else
        for (uint32_t k = 0; k < n; ++k)
            to[k] = v[k];
}

/// The vectors from a point of the quads to 8 points.
PX_INLINE void px_lanes_offset(const float *quad, uint32_t row, const PxF8 at[3], PxF8 way[3])
{
    const float *from = quad + 4 * (size_t)row;
    for (int k = 0; k < 3; ++k)
        way[k] = at[k] - px_f8(from[k]);
}

/// 1 - r^2/h^2, or 0 for r > h.
PX_INLINE PxF8 px_lanes_falloff(const PxF8 way[3])
{
    const PxF8 per = px_f8(1.0f / (PX_COAT_H * PX_COAT_H));
    return px_f8_max(px_f8(1.0f) - px_lanes_dot(way, way) * per, px_f8(0.0f));
}

/// The colour field at 8 points, each summed over its own component: value, gradient, and the
/// attracting force (Eq. 6.29) divided by the sum of the weights.
typedef struct PxCoatValue {
    PxF8 value, gradient[3], attract[3];
} PxCoatValue;

PX_INLINE PxCoatValue px_coat_value(const PxCoatField *f, const PxCoatLists *lists, uint32_t bunch,
                                    const PxF8 at[3], PxF8 component, bool attract)
{
    const float per = 1.0f / (PX_COAT_H * PX_COAT_H);
    const PxF8 zero = px_f8(0.0f);
    PxF8 value = zero, g[3] = {zero, zero, zero}, pull[3] = {zero, zero, zero}, weights = zero;
    PX_COAT_FOR_NEAR(lists, bunch, j)
    {
        PxF8 way[3];
        px_lanes_offset(f->quad, *j, at, way);
        PxF8 q = px_lanes_dot(way, way) * px_f8(per), t = px_f8_max(px_f8(1.0f) - q, zero);
        t = px_f8_where(px_f8(f->component_quad[4 * (size_t)*j + 3]) == component, t);
        PxF8 tt = t * t, s = px_f8(f->quad[4 * (size_t)*j + 3]) * tt;
        value += s * t;
        for (int k = 0; k < 3; ++k)
            g[k] += s * way[k];
        if (attract) {
            /* -w r + 3 q t^2 r, with r from the particle to the point */
            PxF8 c = px_f8(3.0f) * q * tt - tt * t;
            for (int k = 0; k < 3; ++k)
                pull[k] += c * way[k];
            weights += tt * t;
        }
    }
    PxCoatValue v = {.value = value};
    PxF8 share = px_f8_where(weights > px_f8(1e-6f), px_f8(1.0f) / weights);
    for (int k = 0; k < 3; ++k) {
        v.gradient[k] = px_f8(-6.0f * per) * g[k];
        if (attract)
            v.attract[k] = share * pull[k];
    }
    return v;
}

#endif
