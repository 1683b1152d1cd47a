/// What the vector loops of a coat share: a bunch of up to 8 points, one a lane (neighbours.h).
#ifndef PX_SURFACE_COAT_LANES_H
#define PX_SURFACE_COAT_LANES_H

#include "surface/coat/inner.h"

/* fminf() and fmaxf() are calls, unless NaN does not matter. */
PX_INLINE float px_less(float a, float b)
{
    return a < b ? a : b;
}

PX_INLINE float px_more(float a, float b)
{
    return a > b ? a : b;
}

PX_INLINE PxI8 px_lanes_whole(uint32_t v)
{
    int32_t k = (int32_t)v;
    return (PxI8){k, k, k, k, k, k, k, k};
}

PX_INLINE PxI8 px_lanes_numbers(const uint32_t *from)
{
    PxI8 v;
    memcpy(&v, from, sizeof v);
    return v;
}

/// a where the mask is, else b.
PX_INLINE PxF8 px_lanes_pick(PxI8 mask, PxF8 a, PxF8 b)
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

/// The first `n` lanes are real points.
PX_INLINE PxI8 px_lanes_real(uint32_t n)
{
    const PxI8 number = {0, 1, 2, 3, 4, 5, 6, 7};
    return number < px_lanes_whole(n);
}

PX_INLINE void px_lanes_load(PxF8 to[3], float *const from[3], uint32_t i)
{
    for (int k = 0; k < 3; ++k)
        to[k] = px_f8_load(from[k] + i);
}

/// Only lanes that are points: what is behind belongs to others.
PX_INLINE void px_lanes_store(float *to, PxF8 v, uint32_t n)
{
    if (n == 8)
        px_f8_store(to, v);
    else
        for (uint32_t k = 0; k < n; ++k)
            to[k] = v[k];
}

/// The ways from a row of quads to 8 places.
PX_INLINE void px_lanes_ways(const float *quad, uint32_t row, const PxF8 at[3], PxF8 way[3])
{
    const float *from = quad + 4 * (size_t)row;
    for (int k = 0; k < 3; ++k)
        way[k] = at[k] - px_f8(from[k]);
}

/// 1 - r^2/h^2, or 0 beyond.
PX_INLINE PxF8 px_lanes_near(const PxF8 way[3])
{
    const PxF8 per = px_f8(1.0f / (PX_COAT_H * PX_COAT_H));
    return px_f8_max(px_f8(1.0f) - px_lanes_dot(way, way) * per, px_f8(0.0f));
}

/// The colour field at 8 places, each of its own part: value and gradient (outwards the value
/// falls), and what attracts to the particles (Eq. 6.29) over the sum of the weights.
typedef struct PxCoatValue {
    PxF8 value, gradient[3], attract[3];
} PxCoatValue;

PX_INLINE PxCoatValue px_coat_value(const PxCoatField *f, const PxCoatLists *lists, uint32_t bunch,
                                    const PxF8 at[3], PxF8 part, bool attract)
{
    const float per = 1.0f / (PX_COAT_H * PX_COAT_H);
    const PxF8 zero = px_f8(0.0f);
    PxF8 value = zero, g[3] = {zero, zero, zero}, pull[3] = {zero, zero, zero}, weights = zero;
    PX_COAT_FOR_NEAR(lists, bunch, j)
    {
        PxF8 way[3];
        px_lanes_ways(f->quad, *j, at, way);
        PxF8 q = px_lanes_dot(way, way) * px_f8(per), t = px_f8_max(px_f8(1.0f) - q, zero);
        t = px_f8_where(px_f8(f->part_quad[4 * (size_t)*j + 3]) == part, t);
        PxF8 tt = t * t, s = px_f8(f->quad[4 * (size_t)*j + 3]) * tt;
        value += s * t;
        for (int k = 0; k < 3; ++k)
            g[k] += s * way[k];
        if (attract) {
            /* -w r + 3 q t^2 r with r from the particle to here */
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
