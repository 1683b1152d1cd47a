/// Elastic forces of displacements: Green's strain, Hooke's law, the volume term.
///
/// E = (J^T J - I) / 2 with J = I + H (001 Eq. 3, with the factor 1/2 so that Young's modulus has
/// its usual meaning), S = C (E - E_plastic), P = J S. The volume term has the energy
/// k/2 (det J - 1)^2 (001 Eq. 7) and P = k (det J - 1) cof J (001 Eq. 22), with bulk det J in
/// place of det J (absorb.c).
#include "solid/elastic.h"

#include "base/mat3.h"
#include "solid/law8.h"
#include "solid/passes.h"

#include <math.h>

/* Coplanar rest neighbours leave J n undetermined along their normal n. The normal is assumed to
 * stay perpendicular to the deformed plane with constant length: J n = cof(J) n / |cof(J) n|. */
static void complete_normal(const PxSolidLists *l, uint32_t base, uint32_t end, PxF8 h[9])
{
    uint32_t rows = end - base < 8 ? end - base : 8;
    for (uint32_t k = 0; k < rows; ++k) {
        float n[3] = {l->normal[0][base + k], l->normal[1][base + k], l->normal[2][base + k]};
        if (n[0] == 0.0f && n[1] == 0.0f && n[2] == 0.0f)
            continue;
        float j[3][3], c[3];
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                j[a][b] = h[3 * a + b][k] + (a == b ? 1.0f : 0.0f);
        for (int a = 0; a < 3; ++a) { /* cof(J) n */
            int b = (a + 1) % 3, d = (a + 2) % 3;
            c[a] = (j[b][1] * j[d][2] - j[b][2] * j[d][1]) * n[0] +
                   (j[b][2] * j[d][0] - j[b][0] * j[d][2]) * n[1] +
                   (j[b][0] * j[d][1] - j[b][1] * j[d][0]) * n[2];
        }
        float length = sqrtf(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        if (!(length > 0.0f))
            continue;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                h[3 * a + b][k] += (c[a] / length - n[a]) * n[b];
    }
}

/* Chain rule for the normal of complete_normal(): J n = c / |c| with c = J t x J b depends on the
 * in-plane columns (t, b, n orthonormal), so P n adds (P n) . d(c / |c|) to dW. Without this term
 * layers one particle thick have forces without a potential, and gain energy. */
static void add_normal_stress(const PxSolidLists *l, uint32_t base, uint32_t end, const PxF8 j8[9],
                              PxF8 p8[9])
{
    uint32_t rows = end - base < 8 ? end - base : 8;
    for (uint32_t k = 0; k < rows; ++k) {
        PxVec3 n = {(double)l->normal[0][base + k], (double)l->normal[1][base + k],
                    (double)l->normal[2][base + k]};
        if (n.x == 0 && n.y == 0 && n.z == 0)
            continue;
        PxMat3 j, p;
        for (int c = 0; c < 9; ++c) {
            j.m[c / 3][c % 3] = (double)j8[c][k];
            p.m[c / 3][c % 3] = (double)p8[c][k];
        }
        PxVec3 t = fabs(n.x) < 0.7 ? px_vec(1, 0, 0) : px_vec(0, 1, 0);
        t = px_normalized(px_mad(t, n, -px_dot(t, n)), t);
        PxVec3 b = px_cross(n, t), jt = px_mat3_apply(j, t), jb = px_mat3_apply(j, b);
        PxVec3 c = px_cross(jt, jb), push = px_mat3_apply(p, n);
        double length = px_length(c);
        if (!(length > 0))
            continue;
        c = px_scale(c, 1 / length);
        PxVec3 w = px_scale(px_mad(push, c, -px_dot(push, c)), 1 / length);
        p = px_mat3_add(px_mat3_outer(px_cross(jb, w), t), px_mat3_outer(px_cross(w, jt), b));
        for (int m = 0; m < 9; ++m)
            p8[m][k] += (float)p.m[m / 3][m % 3];
    }
}

PX_INLINE void strain_rows(const PxElasticPass *pass, uint32_t begin, uint32_t end, bool measure,
                           PxPart *part)
{
    /* local copies: stores cannot alias them, so they stay in registers */
    const PxSolid here = *pass->solid, *s = &here;
    const PxSolidLists lists = *s->lists, *l = &lists;
    PxF8 stretch = px_f8(0.0f), spread = stretch, largest = stretch;
    for (uint32_t base = begin; base < end; base += 8) {
        PxF8 h[9], left[3], e[6], stress[6], p[9];
        px_solid_gradients(l, s->u, base, end, h, left);
        if (l->flat)
            complete_normal(l, base, end, h);
        px_green8(h, e);
        /* tr(J^T J) = 3 + 2 tr E; padding lanes have J = I */
        PxF8 trace = e[0] + e[1] + e[2];
        stretch = px_f8_max(s->stretch_weight != NULL ? trace * px_f8_load(s->stretch_weight + base)
                                                      : trace,
                            stretch);
        for (int k = 0; s->strained && k < 6; ++k)
            e[k] -= px_load_some8(s->columns.plastic[k], base, end);
        px_hooke8(s, base, e, stress);
        PxF8 j[9], cof[9];
        px_jacobian8(h, j);
        px_cofactors8(j, cof);
        PxF8 bulk = px_load_some8(s->columns.bulk, base, end);
        PxF8 areas = cof[0] * cof[0];
        for (int k = 1; k < 9; ++k)
            areas += cof[k] * cof[k];
        areas = bulk * bulk * areas - px_f8(3.0f);
        spread = px_f8_max(s->stretch_weight != NULL ? areas * px_f8_load(s->stretch_weight + base)
                                                     : areas,
                           spread);
        PxF8 over = bulk * (j[0] * cof[0] + j[1] * cof[1] + j[2] * cof[2]) - px_f8(1.0f);
        PxF8 stiff = px_f8_load(s->volume + base);
        PxF8 volume = px_f8_load(s->cell + base);
        PxF8 push = stiff * bulk * over;
        for (int a = 0; a < 3; ++a) {
            PxF8 x = j[3 * a], y = j[3 * a + 1], z = j[3 * a + 2];
            p[3 * a] = x * stress[0] + y * stress[3] + z * stress[5] + push * cof[3 * a];
            p[3 * a + 1] = x * stress[3] + y * stress[1] + z * stress[4] + push * cof[3 * a + 1];
            p[3 * a + 2] = x * stress[5] + y * stress[4] + z * stress[2] + push * cof[3 * a + 2];
        }
        if (l->flat)
            add_normal_stress(l, base, end, j, p);
        PxF8 held = px_solid_fourths(s->u, base), squares = px_f8(0.0f);
        for (int k = 0; k < 9; ++k) {
            p[k] *= volume;
            px_f8_store(s->gradient + px_solid_at(base, k, 9), h[k]);
        }
        for (int k = 0; k < 3; ++k) {
            squares += left[k] * left[k];
            left[k] *= held;
        }
        px_solid_record(s->record, base, p, left);
        if (!measure)
            continue;
        PxF8 half = px_f8(0.5f), work = half * stiff * over * over;
        for (int k = 0; k < 6; ++k)
            work += (k < 3 ? half : px_f8(1.0f)) * stress[k] * e[k];
        work = volume * work + half * held * squares;
        largest = px_f8_max(px_f8_max(work, -work), largest); /* 0 in padding lanes */
        for (uint32_t k = 0; k < 8 && base + k < end; ++k)
            pass->energy[base + k] = work[k];
    }
    float longest = 0, widest = 0, most = 0;
    for (int k = 0; k < 8; ++k) {
        longest = stretch[k] > longest ? stretch[k] : longest;
        widest = spread[k] > widest ? spread[k] : widest;
        most = largest[k] > most ? largest[k] : most;
    }
    part->most[PX_ELASTIC_STRETCH] = (double)longest;
    part->most[PX_ELASTIC_SPREAD] = (double)widest;
    part->most[PX_ELASTIC_ENERGY] = (double)most;
}

void PX_ISA_NAME(px_elastic_strain)(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    strain_rows(user, begin, end, false, part);
}

void PX_ISA_NAME(px_elastic_measure)(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    strain_rows(user, begin, end, true, part);
}

void PX_ISA_NAME(px_elastic_force)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxElasticPass *pass = user;
    const PxSolid here = *pass->solid, *s = &here;
    const PxSolidLists lists = *s->lists, *l = &lists;
    for (uint32_t i = begin; i < end; ++i) {
        PxF4 f = px_solid_force(l, s->record, i);
        PxF4 a = f * px_f4(s->inverse_mass[i]) + px_f4_load(s->pull + 4 * (size_t)i);
        a[3] = 0.0f;
        px_f4_store(s->a + 4 * (size_t)i, a);
    }
}
