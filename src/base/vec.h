/// Arithmetic on PxVec3 and PxQuat in double precision, for set-up and bodies;
/// particle loops use floats (base/simd.h).
#ifndef PX_BASE_VEC_H
#define PX_BASE_VEC_H

#include "phyxel/vector.h"

#include <math.h>
#include <stdbool.h>

static inline PxVec3 px_vec(double x, double y, double z)
{
    return (PxVec3){x, y, z};
}

static inline PxVec3 px_add(PxVec3 a, PxVec3 b)
{
    return px_vec(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline PxVec3 px_sub(PxVec3 a, PxVec3 b)
{
    return px_vec(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline PxVec3 px_scale(PxVec3 a, double s)
{
    return px_vec(a.x * s, a.y * s, a.z * s);
}

/// a + s b
static inline PxVec3 px_mad(PxVec3 a, PxVec3 b, double s)
{
    return px_vec(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

static inline double px_dot(PxVec3 a, PxVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline PxVec3 px_cross(PxVec3 a, PxVec3 b)
{
    return px_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double px_length(PxVec3 a)
{
    return sqrt(px_dot(a, a));
}

static inline bool px_finite(PxVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// a / |a|, or `otherwise` when |a| is 0 or not finite.
static inline PxVec3 px_normalized(PxVec3 a, PxVec3 otherwise)
{
    double length = px_length(a);
    return length > 0 && isfinite(length) ? px_scale(a, 1.0 / length) : otherwise;
}

static inline PxQuat px_quat_identity(void)
{
    return (PxQuat){0, 0, 0, 1};
}

/// Unit quaternion; the identity for a zero or non-finite one.
static inline PxQuat px_quat_normalized(PxQuat q)
{
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 0) || !isfinite(length))
        return px_quat_identity();
    return (PxQuat){q.x / length, q.y / length, q.z / length, q.w / length};
}

/// Rotation by `radians` about `axis` (any length but 0).
static inline PxQuat px_quat_turn(PxVec3 axis, double radians)
{
    PxVec3 a = px_normalized(axis, px_vec(0, 1, 0));
    double s = sin(0.5 * radians);
    return (PxQuat){a.x * s, a.y * s, a.z * s, cos(0.5 * radians)};
}

/// The rotation b followed by a.
static inline PxQuat px_quat_multiply(PxQuat a, PxQuat b)
{
    return (PxQuat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                    a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                    a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/// Rotation vector of a unit quaternion: its axis times the angle, at most pi.
static inline PxVec3 px_quat_rotation(PxQuat q)
{
    PxVec3 v = px_vec(q.x, q.y, q.z);
    double s = px_length(v), angle = 2 * atan2(s, fabs(q.w));
    return px_scale(v, (q.w < 0 ? -angle : angle) / (s > 0 ? s : 1));
}

static inline PxQuat px_quat_conjugate(PxQuat q)
{
    return (PxQuat){-q.x, -q.y, -q.z, q.w};
}

/// v rotated by the unit quaternion q.
static inline PxVec3 px_rotate(PxQuat q, PxVec3 v)
{
    PxVec3 u = px_vec(q.x, q.y, q.z);
    PxVec3 t = px_scale(px_cross(u, v), 2.0);
    return px_add(px_mad(v, t, q.w), px_cross(u, t));
}

static inline PxBounds px_bounds_empty(void)
{
    return (PxBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void px_bounds_add(PxBounds *b, PxVec3 p)
{
    b->low = px_vec(fmin(b->low.x, p.x), fmin(b->low.y, p.y), fmin(b->low.z, p.z));
    b->high = px_vec(fmax(b->high.x, p.x), fmax(b->high.y, p.y), fmax(b->high.z, p.z));
}

/// Is x inside the bounds, or nearer to each of their sides than `reach`?
static inline bool px_bounds_near(const PxBounds *b, PxVec3 x, double reach)
{
    return x.x > b->low.x - reach && x.x < b->high.x + reach && x.y > b->low.y - reach &&
           x.y < b->high.y + reach && x.z > b->low.z - reach && x.z < b->high.z + reach;
}

static inline bool px_bounds_contain(PxBounds b, PxVec3 p)
{
    return p.x >= b.low.x && p.x <= b.high.x && p.y >= b.low.y && p.y <= b.high.y &&
           p.z >= b.low.z && p.z <= b.high.z;
}

static inline PxBounds px_bounds_join(PxBounds a, PxBounds b)
{
    px_bounds_add(&a, b.low);
    px_bounds_add(&a, b.high);
    return a;
}

#endif
