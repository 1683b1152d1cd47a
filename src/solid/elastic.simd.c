/// From displacements to forces: Green's strain, Hooke's law, the volume term.
///
/// E = (J^T J - I) / 2 with J = I + H (001 Eq. 3, with the factor 1/2 that makes the modulus a
/// scene states the one a test measures), S = C (E - E_plastic), P = J S. The volume term's
/// energy is k/2 (det J - 1)^2 (001 Eq. 7), its P is k (det J - 1) cof J (001 Eq. 22).
#include "solid/elastic.h"

#include "solid/law8.h"
#include "solid/passes.h"

#include <math.h>

/* Where all neighbours lie in a plane nothing is known of the way across it. It is taken
 * to stay square to the plane and as long as it is. */
static void complete(const PxSolidLists *l, uint32_t base, uint32_t end, PxF8 h[9])
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

/* That way turns with the plane, which no force of the fit knows of. Along itself it does not get
 * longer, so a stress there does no work, but a shear across the plane would: strain that a body
 * brought along from another rest shape has some, and single particles at the edge of a jet turned
 * faster and faster. It has nothing to act on, so it is left out. */
static void release(const PxSolidLists *l, uint32_t base, uint32_t end, PxF8 stress[6])
{
    static const int at[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    uint32_t rows = end - base < 8 ? end - base : 8;
    for (uint32_t k = 0; k < rows; ++k) {
        float n[3] = {l->normal[0][base + k], l->normal[1][base + k], l->normal[2][base + k]};
        if (n[0] == 0.0f && n[1] == 0.0f && n[2] == 0.0f)
            continue;
        float across[3], along = 0.0f; /* S n, and what of it is not along n */
        for (int a = 0; a < 3; ++a) {
            across[a] = stress[at[a][0]][k] * n[0] + stress[at[a][1]][k] * n[1] +
                        stress[at[a][2]][k] * n[2];
            along += across[a] * n[a];
        }
        for (int a = 0; a < 3; ++a)
            across[a] -= along * n[a];
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b)
                stress[at[a][b]][k] -= across[a] * n[b] + n[a] * across[b];
    }
}

PX_INLINE void strain_rows(PxElasticPass *pass, uint32_t begin, uint32_t end, bool measure)
{
    /* copies, or they would be read again after each store */
    const PxSolid here = *pass->solid, *s = &here;
    const PxSolidLists lists = *s->lists, *l = &lists;
    PxF8 stretch = px_f8(0.0f), largest = px_f8(0.0f);
    for (uint32_t base = begin; base < end; base += 8) {
        PxF8 moment[9], h[9], e[6], stress[6], p[9], q[9], squares = px_f8(0.0f);
        px_solid_moments(l, s->u, base, end, moment, measure ? &squares : NULL);
        px_solid_invert(l, base, moment, h);
        if (l->flat)
            complete(l, base, end, h);
        px_green8(h, e);
        /* the squares of J add up to 3 + 2 tr E; lanes that are not there have J = 1 */
        PxF8 trace = e[0] + e[1] + e[2];
        stretch =
            px_f8_max(s->counts != NULL ? trace * px_f8_load(s->counts + base) : trace, stretch);
        for (int k = 0; s->strained && k < 6; ++k)
            e[k] -= px_load_some8(s->columns.plastic[k], base, end);
        px_hooke8(s, base, e, stress);
        if (l->flat)
            release(l, base, end, stress);
        PxF8 j[9], cof[9];
        px_jacobian8(h, j);
        px_cofactors8(j, cof);
        PxF8 bulk = px_load_some8(s->columns.bulk, base, end);
        PxF8 over = bulk * (j[0] * cof[0] + j[1] * cof[1] + j[2] * cof[2]) - px_f8(1.0f);
        PxF8 stiff = px_f8_load(s->volume + base);
        PxF8 volume = px_load_some8(s->columns.volume, base, end) * px_f8_load(l->whole + base);
        PxF8 push = stiff * bulk * over;
        for (int a = 0; a < 3; ++a) {
            PxF8 x = j[3 * a], y = j[3 * a + 1], z = j[3 * a + 2];
            p[3 * a] = x * stress[0] + y * stress[3] + z * stress[5] + push * cof[3 * a];
            p[3 * a + 1] = x * stress[3] + y * stress[1] + z * stress[4] + push * cof[3 * a + 1];
            p[3 * a + 2] = x * stress[5] + y * stress[4] + z * stress[2] + push * cof[3 * a + 2];
        }
        px_solid_invert(l, base, p, q);
        PxF8 held, unused[3];
        static const uint32_t next[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        px_f8_load_quads(s->u + 4 * (size_t)base, next, &unused[0], &unused[1], &unused[2], &held);
        for (int k = 0; k < 9; ++k) {
            q[k] = volume * q[k] - held * h[k];
            px_f8_store(s->gradient + px_solid_at(base, k, 9), h[k]);
        }
        px_solid_record(s->record, s->u, base, q);
        if (!measure)
            continue;
        PxF8 half = px_f8(0.5f), work = half * stiff * over * over;
        for (int k = 0; k < 6; ++k)
            work += (k < 3 ? half : px_f8(1.0f)) * stress[k] * e[k];
        for (int k = 0; k < 9; ++k)
            squares -= moment[k] * h[k];
        work = volume * work + half * held * squares;
        largest = px_f8_max(px_f8_max(work, -work), largest); /* lanes that are not there have 0 */
        for (uint32_t k = 0; k < 8 && base + k < end; ++k)
            pass->energy[base + k] = work[k];
    }
    float longest = 0, most = 0;
    for (int k = 0; k < 8; ++k) {
        longest = stretch[k] > longest ? stretch[k] : longest;
        most = largest[k] > most ? largest[k] : most;
    }
    px_join_begin();
    pass->stretch = longest > pass->stretch ? longest : pass->stretch;
    pass->most = most > pass->most ? most : pass->most;
    px_join_end();
}

void PX_ISA_NAME(px_elastic_strain)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    strain_rows(user, begin, end, false);
}

void PX_ISA_NAME(px_elastic_measure)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    strain_rows(user, begin, end, true);
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
