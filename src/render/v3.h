/// Vectors of three floats, for rays, normals and colours.
///
/// Floats suffice: the scenery is translated so that the camera's target is at the origin, where
/// they are most precise.
#ifndef PX_RENDER_V3_H
#define PX_RENDER_V3_H

#include "phyxel/vector.h"

#include <math.h>

#define PX_PI_F 3.14159265358979f

typedef struct PxV3 {
    float x, y, z;
} PxV3;

static inline PxV3 px_v3(float x, float y, float z)
{
    return (PxV3){x, y, z};
}

static inline PxV3 px_v3_all(float s)
{
    return (PxV3){s, s, s};
}

static inline PxV3 px_v3_from(PxVec3 a)
{
    return (PxV3){(float)a.x, (float)a.y, (float)a.z};
}

static inline PxV3 px_v3_add(PxV3 a, PxV3 b)
{
    return (PxV3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline PxV3 px_v3_sub(PxV3 a, PxV3 b)
{
    return (PxV3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline PxV3 px_v3_mul(PxV3 a, PxV3 b)
{
    return (PxV3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline PxV3 px_v3_scale(PxV3 a, float s)
{
    return (PxV3){a.x * s, a.y * s, a.z * s};
}

/// a + s b
static inline PxV3 px_v3_mad(PxV3 a, PxV3 b, float s)
{
    return (PxV3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

/// a + (b - a) t
static inline PxV3 px_v3_mix(PxV3 a, PxV3 b, float t)
{
    return px_v3_mad(a, px_v3_sub(b, a), t);
}

static inline float px_v3_dot(PxV3 a, PxV3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline PxV3 px_v3_cross(PxV3 a, PxV3 b)
{
    return (PxV3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float px_v3_length(PxV3 a)
{
    return sqrtf(px_v3_dot(a, a));
}

/// a / |a|; the zero vector stays zero.
static inline PxV3 px_v3_unit(PxV3 a)
{
    float length = px_v3_length(a);
    return length > 0 ? px_v3_scale(a, 1.0f / length) : a;
}

static inline float px_v3_max(PxV3 a)
{
    return fmaxf(a.x, fmaxf(a.y, a.z));
}

/// Luminance of a linear sRGB colour [IEC 61966-2-1].
static inline float px_v3_luminance(PxV3 a)
{
    return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z;
}

static inline PxV3 px_v3_exp(PxV3 a)
{
    return (PxV3){expf(a.x), expf(a.y), expf(a.z)};
}

/// An orthonormal basis around the unit vector n [Duff et al. 2017].
static inline void px_v3_frame(PxV3 n, PxV3 *s, PxV3 *t)
{
    float sign = copysignf(1.0f, n.z), a = -1.0f / (sign + n.z), b = n.x * n.y * a;
    *s = px_v3(1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x);
    *t = px_v3(b, sign + n.y * n.y * a, -n.y);
}

/// Local to world: x s + y t + z n, with s and t of px_v3_frame(n).
static inline PxV3 px_v3_local(PxV3 n, float x, float y, float z)
{
    PxV3 s, t;
    px_v3_frame(n, &s, &t);
    return px_v3_mad(px_v3_mad(px_v3_scale(n, z), s, x), t, y);
}

static inline float px_clampf(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/// Smoothstep: 0 below a, 1 above b.
static inline float px_smoothf(float a, float b, float x)
{
    float t = px_clampf((x - a) / (b - a), 0, 1);
    return t * t * (3 - 2 * t);
}

#endif
