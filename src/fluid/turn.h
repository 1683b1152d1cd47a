/// The rotation that fits a neighbourhood best: w_i that makes
///   sum_j k_ij |a_ij - w_i x x_ij|^2
/// least, of any a_ij, is the inverse of sum_j k_ij (r^2 - x_ij x_ij^T) times
/// sum_j k_ij x_ij x a_ij. Pair forces k_ij (a_ij - (w_i + w_j) / 2 x x_ij), with k the same
/// from both sides, have no torque between them all.
#ifndef PX_FLUID_TURN_H
#define PX_FLUID_TURN_H

#include <stddef.h>
#include <string.h>

/// Inverse of that matrix, from s = sum k (xx, yy, zz, xy, xz, yz) and in the same order; 0 where
/// there is nobody. Particles in a row do not say how they turn about it; for them, a
/// millionth part added says that they do not. (For all it would slow down what turns: by
/// 1.2 per cent in 0.1 s, for a ball of 10 kPa s.)
static inline void px_turn_invert(const double s[6], float out[6])
{
    double a = s[1] + s[2], b = s[0] + s[2], c = s[0] + s[1], third = (a + b + c) / 3;
    double d = -s[3], e = -s[4], f = -s[5];
    memset(out, 0, 6 * sizeof *out);
    if (!(third > 0))
        return;
    double m0 = b * c - f * f, m1 = e * f - d * c, m2 = d * f - b * e;
    double determinant = a * m0 + d * m1 + e * m2;
    if (determinant < 1e-6 * third * third * third) {
        a += 1e-6 * third;
        b += 1e-6 * third;
        c += 1e-6 * third;
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

/// out = part of that inverse times b.
static inline void px_turn_apply(const float m[6], float part, float bx, float by, float bz,
                                 float out[3])
{
    out[0] = part * (m[0] * bx + m[3] * by + m[4] * bz);
    out[1] = part * (m[3] * bx + m[1] * by + m[5] * bz);
    out[2] = part * (m[4] * bx + m[5] * by + m[2] * bz);
}

#endif
