/// Matrix-free products with the tangent stiffness (001 Appendix B).
#include "solid/implicit_euler.h"
#include "solid/law8.h"
#include "solid/passes.h"

PxStatus PX_ISA_NAME(px_tangent_take)(PxTangent *t)
{
    t->stress = PX_ARENA_ARRAY(t->solid->scratch, float, 6 * ((size_t)t->solid->count + 8));
    if (t->stress == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", t->solid->count);
    return PX_OK;
}

/* Shifts the diagonal so that the matrix is positive semidefinite, by Gershgorin's bound on its
 * smallest eigenvalue. */
PX_INLINE void at_least_none(PxF8 s[6])
{
    PxF8 zero = px_f8(0.0f);
    PxF8 xy = px_f8_max(s[3], -s[3]), yz = px_f8_max(s[4], -s[4]), zx = px_f8_max(s[5], -s[5]);
    PxF8 least = px_f8_min(s[0] - xy - zx, px_f8_min(s[1] - xy - yz, s[2] - yz - zx));
    PxF8 more = px_f8_max(-least, zero);
    for (int k = 0; k < 3; ++k)
        s[k] += more;
}

static void stress_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxTangent *t = user;
    const PxSolid *s = t->solid;
    for (uint32_t base = begin; base < end; base += 8) {
        PxF8 h[9], e[6], stress[6];
        for (int k = 0; k < 9; ++k)
            h[k] = px_f8_load(s->gradient + px_solid_at(base, k, 9));
        px_green8(h, e);
        for (int k = 0; s->strained && k < 6; ++k)
            e[k] -= px_load_some8(s->columns.plastic[k], base, end);
        px_hooke8(s, base, e, stress);
        if (t->definite)
            at_least_none(stress);
        for (int k = 0; k < 6; ++k)
            px_f8_store(t->stress + px_solid_at(base, k, 6), stress[k]);
    }
}

void PX_ISA_NAME(px_tangent_begin)(PxTangent *t)
{
    px_parallel_for(t->solid->threads, t->solid->count, PX_BLOCK, stress_block, t);
}

void PX_ISA_NAME(px_tangent_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxTangent *t = user;
    /* local copies: stores cannot alias them, so they stay in registers */
    const PxSolid here = *t->solid, *s = &here;
    const PxSolidLists lists = *s->lists, *l = &lists;
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    PxF8 one = px_f8(1.0f), half = px_f8(0.5f);
    for (uint32_t base = begin; base < end; base += 8) {
        PxF8 dh[9], left[3], h[9], j[9], cof[9], de[6], ds[6], stress[6], dp[9];
        px_solid_gradients(l, t->quad, base, end, dh, left);
        for (int k = 0; k < 9; ++k)
            h[k] = px_f8_load(s->gradient + px_solid_at(base, k, 9));
        px_jacobian8(h, j);
        px_cofactors8(j, cof);
        for (int k = 0; k < 6; ++k) {
            int a = at[k][0], b = at[k][1];
            de[k] = half * (j[a] * dh[b] + j[3 + a] * dh[3 + b] + j[6 + a] * dh[6 + b] +
                            dh[a] * j[b] + dh[3 + a] * j[3 + b] + dh[6 + a] * j[6 + b]);
            stress[k] = px_f8_load(t->stress + px_solid_at(base, k, 6));
        }
        px_hooke8(s, base, de, ds);
        PxF8 bulk = px_load_some8(s->columns.bulk, base, end);
        PxF8 over = bulk * (j[0] * cof[0] + j[1] * cof[1] + j[2] * cof[2]) - one;
        PxF8 stiff = px_f8_load(s->volume + base), growth = px_f8(0.0f);
        for (int k = 0; k < 9; ++k)
            growth += cof[k] * dh[k];
        PxF8 push = t->definite ? px_f8(0.0f) : stiff * bulk * over;
        growth = stiff * bulk * bulk * growth;
        for (int a = 0; a < 3; ++a) {
            PxF8 x = dh[3 * a], y = dh[3 * a + 1], z = dh[3 * a + 2];
            PxF8 jx = j[3 * a], jy = j[3 * a + 1], jz = j[3 * a + 2];
            dp[3 * a] = x * stress[0] + y * stress[3] + z * stress[5] + jx * ds[0] + jy * ds[3] +
                        jz * ds[5] + growth * cof[3 * a];
            dp[3 * a + 1] = x * stress[3] + y * stress[1] + z * stress[4] + jx * ds[3] +
                            jy * ds[1] + jz * ds[4] + growth * cof[3 * a + 1];
            dp[3 * a + 2] = x * stress[5] + y * stress[4] + z * stress[2] + jx * ds[5] +
                            jy * ds[4] + jz * ds[2] + growth * cof[3 * a + 2];
        }
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
                dp[3 * a + b] +=
                    push * (dh[3 * a1 + b1] * j[3 * a2 + b2] + j[3 * a1 + b1] * dh[3 * a2 + b2] -
                            dh[3 * a1 + b2] * j[3 * a2 + b1] - j[3 * a1 + b2] * dh[3 * a2 + b1]);
            }
        PxF8 held = px_solid_fourths(s->u, base);
        PxF8 volume = px_f8_load(s->cell + base);
        for (int k = 0; k < 9; ++k)
            dp[k] *= volume;
        for (int k = 0; k < 3; ++k)
            left[k] *= held;
        px_solid_record(s->record, base, dp, left);
    }
}
