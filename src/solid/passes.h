/// The two neighbour loops shared by elastic forces, their tangent, and viscosity.
///
/// The displacement gradient at i is the MLS fit to its rest neighbours, with weights w and
/// X = X_j - X_i in the rest shape (001 Eqs. 13-15):
///   H_i = (sum_j w (u_j - u_i) X^T) A_i^-1,   A_i = sum_j w X X^T
/// With the energy U = sum_i V_i psi(H_i) and P = d psi / d H the force on i is
///   f_i = sum_j w (Q_i + Q_j) X,   Q_i = V_i P_i A_i^-1
/// (001 Eqs. 17-25; because the lists are symmetric, the sum over the cells that contain i is a
/// sum over i's own neighbours). Pair forces are opposite, so linear momentum is conserved.
///
/// Nodal integration has zero-energy modes: displacements that alternate from particle to particle
/// have no gradient and hence no force. The fit residual e = u_j - u_i - H_i X therefore has an
/// energy of its own,  s_i / 2 sum_j w |e|^2. H_i minimises this sum, so its derivative drops out
/// and the force is
///   f_i += sum_j w ((s_i + s_j) (u_j - u_i) - (s_i H_i + s_j H_j) X)
/// which costs one term a pair, with Q_i - s_i H_i in place of Q_i. It vanishes for linear
/// displacements, so it does not change the moduli; it is rotation-invariant and has a potential,
/// so angular momentum and energy are conserved. (The hourglass force of Ganzenmueller 2015 acts
/// along the pair and has no potential.)
#ifndef PX_SOLID_PASSES_H
#define PX_SOLID_PASSES_H

#include "solid/lists.h"

/// Quad of a list entry: `other` is 16 times the row, the quad's offset in bytes.
PX_INLINE const float *px_solid_quad(const float *quad, uint32_t other)
{
    return (const float *)(const void *)((const char *)quad + other);
}

/// sum_j w (q_j - q_i) X^T of 8 rows from `base` on, for quads q; out[3 a + b] is component a
/// times X_b. Lanes from `end` on are 0. `left` (may be NULL) gets sum_j w |q_j - q_i|^2.
PX_INLINE void px_solid_moments(const PxSolidLists *l, const float *quad, uint32_t base,
                                uint32_t end, PxF8 out[9], PxF8 *left)
{
    static const uint32_t next[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    /* [b][row][a]; stored as whole quads, because partial stores stall the loads below (failed
     * store forwarding) */
    _Alignas(32) float sum[4][8][4];
    uint32_t rows = end - base < 8 ? end - base : 8;
    const uint32_t *other = l->other + l->start[base];
    const float *pair = l->pair + 4 * (size_t)l->start[base];
    for (uint32_t k = 0; k < rows; ++k) {
        const float *own_quad = quad + 4 * (size_t)(base + k);
        PxF8 own = px_f8_load_two(own_quad, own_quad);
        PxF8 x = px_f8(0.0f), y = x, z = x, square = x;
        for (const uint32_t *last = l->other + l->start[base + k + 1]; other < last; other += 2) {
            PxF8 w = px_f8_load(pair);
            PxF8 d =
                px_f8_load_two(px_solid_quad(quad, other[0]), px_solid_quad(quad, other[1])) - own;
            x += d * px_f8_spread(w, 0);
            y += d * px_f8_spread(w, 1);
            z += d * px_f8_spread(w, 2);
            if (left != NULL)
                square += d * d * px_f8_spread(w, 3);
            pair += 8;
        }
        px_f4_store(sum[0][k], px_f8_join(x));
        px_f4_store(sum[1][k], px_f8_join(y));
        px_f4_store(sum[2][k], px_f8_join(z));
        if (left != NULL)
            px_f4_store(sum[3][k], px_f8_join(square));
    }
    for (uint32_t k = rows; k < 8; ++k)
        for (int b = 0; b < 4; ++b)
            px_f4_store(sum[b][k], px_f4(0.0f));
    PxF8 rest;
    for (int b = 0; b < 3; ++b)
        px_f8_load_quads(sum[b][0], next, &out[b], &out[3 + b], &out[6 + b], &rest);
    if (left != NULL) {
        PxF8 square[3];
        px_f8_load_quads(sum[3][0], next, &square[0], &square[1], &square[2], &rest);
        *left = square[0] + square[1] + square[2];
    }
}

/// out = in A^-1 for the 8 rows from `base` on.
PX_INLINE void px_solid_invert(const PxSolidLists *l, uint32_t base, const PxF8 in[9], PxF8 out[9])
{
    const float *inverse = l->inverse + px_solid_at(base, 0, 6);
    PxF8 xx = px_f8_load(inverse), yy = px_f8_load(inverse + 8), zz = px_f8_load(inverse + 16),
         xy = px_f8_load(inverse + 24), yz = px_f8_load(inverse + 32),
         zx = px_f8_load(inverse + 40);
    for (int a = 0; a < 3; ++a) {
        PxF8 x = in[3 * a], y = in[3 * a + 1], z = in[3 * a + 2];
        out[3 * a] = x * xx + y * xy + z * zx;
        out[3 * a + 1] = x * xy + y * yy + z * yz;
        out[3 * a + 2] = x * zx + y * yz + z * zz;
    }
}

/// Writes the records of 8 rows: the three columns of Q, then the row's quad; 16 floats, one cache
/// line. The fourth of the last column is 1, the factor that px_solid_pull() needs. Padding rows
/// of the last 8 have records too.
PX_INLINE void px_solid_record(float *record, const float *quad, uint32_t base, const PxF8 q[9])
{
    float *out = record + 16 * (size_t)base;
    for (int b = 0; b < 3; ++b)
        px_f8_store_quads(out + 4 * b, 16, q[b], q[3 + b], q[6 + b], px_f8(b < 2 ? 0.0f : 1.0f));
    for (size_t k = 0; k < 8; ++k)
        px_f4_store(out + 16 * k + 12, px_f4_load(quad + 4 * (base + k)));
}

/// Contribution of one list entry to the force on i. sum[0] holds w X_x and w X_y times the first
/// two columns of Q_j; sum[1] holds w X_z times the third, and w (s_i + s_j) (u_j - u_i). The
/// fourths of the quads add up to s_i + s_j.
PX_INLINE void px_solid_pull(const float *pair, const float *other, PxF8 own, PxF8 sum[2])
{
    PxF8 w = px_f8_load_two(pair, pair), last = px_f8_load(other + 8) - own;
    sum[0] += px_f8_load(other) * px_f8_spread_two(w, 0, 1);
    sum[1] += last * (px_f8_spread_two(w, 2, 3) * px_f8_spread(last, 3));
}

/// Force on i from the records; the terms of Q_i are added once, with sum_j w X.
PX_INLINE PxF4 px_solid_force(const PxSolidLists *l, const float *record, uint32_t i)
{
    const float *own = record + 16 * (size_t)i;
    static const float zero[4], sign[4] = {1.0f, 1.0f, 1.0f, -1.0f};
    float minus[4];
    px_f4_store(minus, px_f4_load(own + 12) * px_f4_load(sign));
    PxF8 self = px_f8_load_two(zero, minus);
    PxF8 even[2] = {px_f8(0.0f), px_f8(0.0f)}, odd[2] = {px_f8(0.0f), px_f8(0.0f)};
    const float *pair = l->pair + 4 * (size_t)l->start[i];
    const uint32_t *other = l->other + l->start[i], *last = l->other + l->start[i + 1];
    for (; other < last; other += 2, pair += 8) {
        px_solid_pull(pair, record + other[0], self, even);
        px_solid_pull(pair + 4, record + other[1], self, odd);
    }
    return px_f8_join((even[0] + odd[0]) + (even[1] + odd[1])) +
           px_f4_load(own) * px_f4(l->sum[0][i]) + px_f4_load(own + 4) * px_f4(l->sum[1][i]) +
           px_f4_load(own + 8) * px_f4(l->sum[2][i]);
}

#endif
