/// The two loops over neighbours that everything elastic is made of.
///
/// The gradient of the displacement at i is the linear map that fits its neighbours best, with
/// weights w and ways X in the rest shape (001 Eqs. 13-15):
///   H_i = (sum_j w (u_j - u_i) X^T) A_i^-1,   A_i = sum_j w X X^T
/// With the energy U = sum_i V_i psi(H_i) and P = d psi / d H the force on i is
///   f_i = sum_j w (Q_i + Q_j) X,   Q_i = V_i P_i A_i^-1
/// (001 Eqs. 17-25; the sum over the cells of j that i is a neighbour in is written as one
/// over i's own neighbours, since lists are symmetric). Pairs pull each other with opposite
/// forces, so momentum is kept.
///
/// What nodal integration does not see: displacements that alternate from particle to particle have
/// no gradient, and no force. Beside the strain, each cell therefore resists what the fit leaves
/// out, e = u_j - u_i - H_i X, with the energy  s_i / 2 sum_j w |e|^2. Because H_i is the best fit
/// to just that sum, it need not be differentiated: the force is
///   f_i += sum_j w ((s_i + s_j) (u_j - u_i) - (s_i H_i + s_j H_j) X)
/// and costs one term a pair, with Q_i - s_i H_i in place of Q_i. It is 0 for every linear
/// displacement, so measured moduli stay what they are; it is rotation-invariant, so angular
/// momentum is kept; and it has an energy, so that is kept, too. (Ganzenmueller 2015 has a
/// force of this kind along the pair, which has no energy of its own.)
#ifndef PX_SOLID_PASSES_H
#define PX_SOLID_PASSES_H

#include "solid/lists.h"

/// sum_j w (q_j - q_i) X^T of 8 rows from `base` on, for quads q; out[3 a + b] is component a
/// times X_b. Lanes from `end` on are 0. `left`, if not NULL: sum_j w |q_j - q_i|^2.
PX_INLINE void px_solid_moments(const PxSolidLists *l, const float *quad, uint32_t base,
                                uint32_t end, PxF8 out[9], PxF8 *left)
{
    float lane[9][8] = {{0}}, squares[8] = {0};
    uint32_t rows = end - base < 8 ? end - base : 8;
    for (uint32_t k = 0; k < rows; ++k) {
        uint32_t i = base + k;
        const float *own_quad = quad + 4 * (size_t)i;
        PxF8 own = px_f8_load_two(own_quad, own_quad);
        PxF8 x = px_f8(0.0f), y = x, z = x, square = x;
        const float *pair = l->pair + 4 * (size_t)l->start[i];
        const uint32_t *row = l->row + l->start[i], *last = l->row + l->start[i + 1];
        for (; row < last; row += 2, pair += 8) {
            PxF8 w = px_f8_load(pair);
            PxF8 d = px_f8_load_two(quad + 4 * (size_t)row[0], quad + 4 * (size_t)row[1]) - own;
            x += d * px_f8_spread(w, 0);
            y += d * px_f8_spread(w, 1);
            z += d * px_f8_spread(w, 2);
            if (left != NULL)
                square += d * d * px_f8_spread(w, 3);
        }
        PxF4 sx = px_f8_join(x), sy = px_f8_join(y), sz = px_f8_join(z), s2 = px_f8_join(square);
        for (int a = 0; a < 3; ++a) {
            lane[3 * a][k] = sx[a];
            lane[3 * a + 1][k] = sy[a];
            lane[3 * a + 2][k] = sz[a];
        }
        squares[k] = s2[0] + s2[1] + s2[2];
    }
    for (int c = 0; c < 9; ++c)
        out[c] = px_f8_load(lane[c]);
    if (left != NULL)
        *left = px_f8_load(squares);
}

/// out = in A^-1, rows `base` on.
PX_INLINE void px_solid_invert(const PxSolidLists *l, uint32_t base, const PxF8 in[9], PxF8 out[9])
{
    PxF8 xx = px_f8_load(l->inverse[0] + base), yy = px_f8_load(l->inverse[1] + base),
         zz = px_f8_load(l->inverse[2] + base), xy = px_f8_load(l->inverse[3] + base),
         yz = px_f8_load(l->inverse[4] + base), zx = px_f8_load(l->inverse[5] + base);
    for (int a = 0; a < 3; ++a) {
        PxF8 x = in[3 * a], y = in[3 * a + 1], z = in[3 * a + 2];
        out[3 * a] = x * xx + y * xy + z * zx;
        out[3 * a + 1] = x * xy + y * yy + z * yz;
        out[3 * a + 2] = x * zx + y * yz + z * zz;
    }
}

/// Writes the columns of 8 matrices and the quads of their rows into their records.
PX_INLINE void px_solid_record(float *record, const float *quad, uint32_t base, uint32_t end,
                               const PxF8 q[9])
{
    float lane[9][8];
    for (int c = 0; c < 9; ++c)
        px_f8_store(lane[c], q[c]);
    uint32_t rows = end - base < 8 ? end - base : 8;
    for (uint32_t k = 0; k < rows; ++k) {
        float *out = record + 16 * (size_t)(base + k);
        for (int b = 0; b < 3; ++b)
            px_f4_store(out + 4 * b, (PxF4){lane[b][k], lane[3 + b][k], lane[6 + b][k], 0.0f});
        memcpy(out + 12, quad + 4 * (size_t)(base + k), 4 * sizeof(float));
    }
}

/// The force on i from the records: see above.
PX_INLINE PxF4 px_solid_force(const PxSolidLists *l, const float *record, uint32_t i)
{
    const float *own = record + 16 * (size_t)i;
    PxF8 u = px_f8_load_two(own + 12, own + 12), s = px_f8(own[15]), f = px_f8(0.0f);
    const float *pair = l->pair + 4 * (size_t)l->start[i];
    const uint32_t *row = l->row + l->start[i], *last = l->row + l->start[i + 1];
    for (; row < last; row += 2, pair += 8) {
        const float *p = record + 16 * (size_t)row[0], *q = record + 16 * (size_t)row[1];
        PxF8 w = px_f8_load(pair), other = px_f8_load_two(p + 12, q + 12);
        PxF8 pull = (s + px_f8_spread(other, 3)) * px_f8_spread(w, 3);
        f += px_f8_load_two(p, q) * px_f8_spread(w, 0) +
             px_f8_load_two(p + 4, q + 4) * px_f8_spread(w, 1) +
             px_f8_load_two(p + 8, q + 8) * px_f8_spread(w, 2) + (other - u) * pull;
    }
    return px_f8_join(f) + px_f4_load(own) * px_f4(l->sum[0][i]) +
           px_f4_load(own + 4) * px_f4(l->sum[1][i]) + px_f4_load(own + 8) * px_f4(l->sum[2][i]);
}

#endif
