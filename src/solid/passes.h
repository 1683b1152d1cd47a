/// The two neighbour loops shared by elastic forces, their tangent, and viscosity.
///
/// Gradient and residual of the displacements at i are sums over its rest neighbours (fit.h):
///   H_i = sum_j (u_j - u_i) g_ij^T,   L_i = sum_j c_ij (u_j - u_i)
/// With the energy U = sum_i V_i psi(H_i) + s_i / 2 |L_i|^2 and P = d psi / d H the force on i is
///   f_i = sum_j (Q_i g_ij - Q_j g_ji) + sum_j (s_i L_i c_ij - s_j L_j c_ji),   Q_i = V_i P_i
/// (001 Eqs. 17-25; because j is in the list of i if i is in that of j, the sum over the cells that
/// contain i is a sum over i's own neighbours). Each Q_i acts on i and, with the opposite sign, on
/// its neighbours, so linear momentum is conserved. The first terms are Q_i times the sum of g_ij,
/// so a pair costs one product with Q_j and L_j.
///
/// The energy of L is the fit residual energy. Nodal integration has zero-energy modes:
/// displacements that alternate from particle to particle have no gradient and hence no force. L
/// sees them; it vanishes for linear displacements, so it does not change the moduli; its energy is
/// rotation-invariant, so angular momentum is conserved. (The hourglass force of Ganzenmueller 2015
/// acts along the pair and has no potential.)
#ifndef PX_SOLID_PASSES_H
#define PX_SOLID_PASSES_H

#include "solid/lists.h"

/// Quad of a list entry: `other` is 16 times the row, the quad's offset in bytes.
PX_INLINE const float *px_solid_quad(const float *quad, uint32_t other)
{
    return (const float *)(const void *)((const char *)quad + other);
}

/// H and L of 8 rows from `base` on, for quads q in place of u; h[3 a + b] is d q_a / d X_b. Lanes
/// from `end` on are 0.
PX_INLINE void px_solid_gradients(const PxSolidLists *l, const float *quad, uint32_t base,
                                  uint32_t end, PxF8 h[9], PxF8 left[3])
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
        PxF8 x = px_f8(0.0f), y = x, z = x, c = x;
        for (const uint32_t *last = l->other + l->start[base + k + 1]; other < last; other += 2) {
            PxF8 g = px_f8_load(pair);
            PxF8 d =
                px_f8_load_two(px_solid_quad(quad, other[0]), px_solid_quad(quad, other[1])) - own;
            x += d * px_f8_spread(g, 0);
            y += d * px_f8_spread(g, 1);
            z += d * px_f8_spread(g, 2);
            c += d * px_f8_spread(g, 3);
            pair += 8;
        }
        px_f4_store(sum[0][k], px_f8_join(x));
        px_f4_store(sum[1][k], px_f8_join(y));
        px_f4_store(sum[2][k], px_f8_join(z));
        px_f4_store(sum[3][k], px_f8_join(c));
    }
    for (uint32_t k = rows; k < 8; ++k)
        for (int b = 0; b < 4; ++b)
            px_f4_store(sum[b][k], px_f4(0.0f));
    PxF8 rest;
    for (int b = 0; b < 3; ++b)
        px_f8_load_quads(sum[b][0], next, &h[b], &h[3 + b], &h[6 + b], &rest);
    px_f8_load_quads(sum[3][0], next, &left[0], &left[1], &left[2], &rest);
}

/// Fourth elements of 8 quads.
PX_INLINE PxF8 px_solid_fourths(const float *quad, uint32_t base)
{
    static const uint32_t next[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    PxF8 fourth, unused[3];
    px_f8_load_quads(quad + 4 * (size_t)base, next, &unused[0], &unused[1], &unused[2], &fourth);
    return fourth;
}

/// Writes the records of 8 rows: the three columns of Q, then s L; 16 floats, one cache line.
/// Padding rows are written too.
PX_INLINE void px_solid_record(float *record, uint32_t base, const PxF8 q[9], const PxF8 left[3])
{
    float *out = record + 16 * (size_t)base;
    PxF8 zero = px_f8(0.0f);
    for (int b = 0; b < 3; ++b)
        px_f8_store_quads(out + 4 * b, 16, q[b], q[3 + b], q[6 + b], zero);
    px_f8_store_quads(out + 12, 16, left[0], left[1], left[2], zero);
}

/// Product of a record with the weights of one entry: columns 0 and 2 in the low half, 1 and 3 in
/// the high half.
PX_INLINE PxF8 px_solid_pull(const float *weight, const float *record)
{
    PxF8 w = px_f8_load_two(weight, weight);
    return px_f8_load(record) * px_f8_spread_two(w, 0, 1) +
           px_f8_load(record + 8) * px_f8_spread_two(w, 2, 3);
}

/// Force on i from the records.
PX_INLINE PxF4 px_solid_force(const PxSolidLists *l, const float *record, uint32_t i)
{
    PxF8 even = px_solid_pull(l->own + 4 * (size_t)i, record + 16 * (size_t)i), odd = px_f8(0.0f);
    const float *back = l->back + 4 * (size_t)l->start[i];
    const uint32_t *other = l->other + l->start[i], *last = l->other + l->start[i + 1];
    for (; other < last; other += 2, back += 8) {
        even += px_solid_pull(back, record + other[0]);
        odd += px_solid_pull(back + 4, record + other[1]);
    }
    return px_f8_join(even + odd);
}

#endif
