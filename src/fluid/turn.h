/// Least-squares rotation of a neighbourhood. The w_i that minimises
///   sum_j k_ij |a_ij - w_i x x_ij|^2
/// for given a_ij is the inverse of sum_j k_ij (r^2 - x_ij x_ij^T) times sum_j k_ij x_ij x a_ij.
/// Pair forces k_ij (a_ij - (w_i + w_j) / 2 x x_ij) with symmetric k have no net torque.
#ifndef PX_FLUID_TURN_H
#define PX_FLUID_TURN_H

#include "base/simd.h"

#include <stddef.h>
#include <string.h>

/// Inverse of that matrix, from s = sum k (xx, yy, zz, xy, xz, yz) and in the same order; 0
/// without neighbours. Nearly collinear neighbours leave the rotation about their line
/// undetermined; only then a part of the mean diagonal is added, which makes it 0. (Added for all
/// particles it would damp rotation.) With less than PX_TURN_LEAST, rounding errors of the float
/// sums make the viscous forces of threads of particles create energy.
#define PX_TURN_LEAST 1e-3
static inline void px_turn_invert(const double s[6], float out[6])
{
    double a = s[1] + s[2], b = s[0] + s[2], c = s[0] + s[1], third = (a + b + c) / 3;
    double d = -s[3], e = -s[4], f = -s[5];
    memset(out, 0, 6 * sizeof *out);
    if (!(third > 0))
        return;
    double m0 = b * c - f * f, m1 = e * f - d * c, m2 = d * f - b * e;
    double determinant = a * m0 + d * m1 + e * m2;
    if (determinant < PX_TURN_LEAST * third * third * third) {
        a += PX_TURN_LEAST * third;
        b += PX_TURN_LEAST * third;
        c += PX_TURN_LEAST * third;
        m0 = b * c - f * f;
        m1 = e * f - d * c;
        m2 = d * f - b * e;
        determinant = a * m0 + d * m1 + e * m2;
    }
    double scale = 1 / determinant;
    out[0] = (float)(m0 * scale);
    out[1] = (float)((a * c - e * e) * scale);
    out[2] = (float)((a * b - d * d) * scale);
    out[3] = (float)(m1 * scale);
    out[4] = (float)(m2 * scale);
    out[5] = (float)((d * e - a * f) * scale);
}

/// out = part times that inverse times b.
static inline void px_turn_apply(const float m[6], float part, float bx, float by, float bz,
                                 float out[3])
{
    out[0] = part * (m[0] * bx + m[3] * by + m[4] * bz);
    out[1] = part * (m[3] * bx + m[1] * by + m[5] * bz);
    out[2] = part * (m[4] * bx + m[5] * by + m[2] * bz);
}

/// Both sums over the neighbours of one particle, 8 at a time.
typedef struct PxTurn8 {
    PxF8 xx, yy, zz, xy, xz, yz; ///< k x x
    PxF8 bx, by, bz;             ///< x cross k a
} PxTurn8;

/// Adds b of 8 pairs with x_ij = (x, y, z) and k a = (u, v, w).
PX_INLINE void px_turn_add_b8(PxTurn8 *t, PxF8 x, PxF8 y, PxF8 z, PxF8 u, PxF8 v, PxF8 w)
{
    t->bx += y * w - z * v;
    t->by += z * u - x * w;
    t->bz += x * v - y * u;
}

/// Adds the matrix of 8 pairs.
PX_INLINE void px_turn_add8(PxTurn8 *t, PxF8 k, PxF8 x, PxF8 y, PxF8 z)
{
    t->xx += k * x * x;
    t->yy += k * y * y;
    t->zz += k * z * z;
    t->xy += k * x * y;
    t->xz += k * x * z;
    t->yz += k * y * z;
}

/// px_turn_invert() of the matrix.
PX_INLINE void px_turn_inverse8(const PxTurn8 *t, float out[6])
{
    const double s[6] = {(double)px_f8_sum(t->xx), (double)px_f8_sum(t->yy),
                         (double)px_f8_sum(t->zz), (double)px_f8_sum(t->xy),
                         (double)px_f8_sum(t->xz), (double)px_f8_sum(t->yz)};
    px_turn_invert(s, out);
}

/// out = part times the inverse times b.
PX_INLINE void px_turn_apply8(const PxTurn8 *t, const float inverse[6], float part, float out[3])
{
    px_turn_apply(inverse, part, px_f8_sum(t->bx), px_f8_sum(t->by), px_f8_sum(t->bz), out);
}

#endif
