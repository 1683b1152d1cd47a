/// The elastic law for vectors of 8 rows.
#ifndef PX_SOLID_LAW8_H
#define PX_SOLID_LAW8_H

#include "solid/solid.h"

/* Green's strain: xx, yy, zz, xy, yz, zx. E = (H + H^T + H^T H) / 2, because J^T J - I loses small
 * strains to cancellation. */
PX_INLINE void px_green8(const PxF8 h[9], PxF8 e[6])
{
    PxF8 half = px_f8(0.5f);
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    for (int k = 0; k < 6; ++k) {
        int a = at[k][0], b = at[k][1];
        e[k] = half * (h[3 * a + b] + h[3 * b + a] +
                       (h[a] * h[b] + h[3 + a] * h[3 + b] + h[6 + a] * h[6 + b]));
    }
}

PX_INLINE void px_hooke8(const PxSolid *s, uint32_t base, const PxF8 e[6], PxF8 stress[6])
{
    if (s->orthotropic) {
        PxF8 c[9];
        for (int k = 0; k < 9; ++k)
            c[k] = px_f8_load(s->stiff[k] + base);
        stress[0] = c[0] * e[0] + c[3] * e[1] + c[5] * e[2];
        stress[1] = c[3] * e[0] + c[1] * e[1] + c[4] * e[2];
        stress[2] = c[5] * e[0] + c[4] * e[1] + c[2] * e[2];
        for (int k = 3; k < 6; ++k)
            stress[k] = (c[k + 3] + c[k + 3]) * e[k];
        return;
    }
    PxF8 two_mu = px_f8_load(s->stiff[1] + base);
    PxF8 mean = px_f8_load(s->stiff[0] + base) * (e[0] + e[1] + e[2]);
    for (int k = 0; k < 6; ++k)
        stress[k] = two_mu * e[k] + (k < 3 ? mean : px_f8(0.0f));
}

/* Loads 8 rows; those from `end` on are 0, since columns of the table are undefined there. */
PX_INLINE PxF8 px_load_some8(const float *from, uint32_t base, uint32_t end)
{
    if (base + 8 <= end)
        return px_f8_load(from + base);
    PxF8 v = px_f8(0.0f);
    for (uint32_t k = 0; base + k < end; ++k)
        v[k] = from[base + k];
    return v;
}

PX_INLINE void px_jacobian8(const PxF8 h[9], PxF8 j[9])
{
    for (int k = 0; k < 9; ++k)
        j[k] = k % 4 == 0 ? h[k] + px_f8(1.0f) : h[k];
}

PX_INLINE void px_cofactors8(const PxF8 j[9], PxF8 cof[9])
{
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
            cof[3 * a + b] = j[3 * a1 + b1] * j[3 * a2 + b2] - j[3 * a1 + b2] * j[3 * a2 + b1];
        }
}

#endif
