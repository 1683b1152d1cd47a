/// Bending by the curvature of triangles: the plate element of Morley (1968) on angles.
///
/// Every edge has a normal of its own, which leans by alpha from the mean of its triangles'
/// normals. Seen from a triangle, the edge i of length l_i and outward normal n_i in the plane of
/// the rest shape is turned by
///     beta_i = (theta_i - theta_0i) / 2 +- alpha_i,
/// theta the angle between both triangles and theta_0 that at rest, + for the first of them and -
/// for the second. Then
///     kappa = 1/A sum l_i beta_i n_i n_i^T,     E = 1/2 A kappa : C kappa,
///     C kappa = (D_u kappa_uu, D_v kappa_vv, sqrt(D_u D_v) kappa_uv)
/// (no Poisson's ratio; the twist after Huber). The angles alpha are those of least energy: moments
/// across an edge are equal on both sides, and 0 at a border. This element reproduces any constant
/// curvature in any mesh, and is in balance with it, which energies of single hinges are not
/// (Grinspun et al. 2006 on normals of edges; docs/decisions.md has figures).
///
/// Where a handle holds all corners of a triangle, the triangle does not bend: its edges have its
/// own normal. A sheet is thereby clamped exactly where it is held, at any size of the triangles.
///
/// The matrix of alpha is constant, so a few steps of the Chebyshev iteration with a known bound of
/// its eigenvalues, from the angles of the last step, follow them. They have no inertia, and lower
/// the energy only. Moments of hinges are the exact slopes of this energy; their stiffness in the
/// matrix of the cloth is that of single hinges, times FIRM, which is between 0.76 and 5.7 times
/// the exact one in the patterns of `phyxel make cloth`: it affects vibrations that a step does not
/// resolve.
#include "cloth/cloth.h"

#include <math.h>
#include <string.h>

#define BLOCK 256u
#define SWEEPS 4
#define FIRM 1.25
/* Eigenvalues of the matrix, scaled such that rows have the sum 1, are in [LEAST, 1]: 0.17 for
 * right triangles, 0.33 for equilateral ones. */
#define LEAST 0.15

static bool is_plate(const PxClothStep *s, uint32_t face)
{
    return s->law[s->system->of_face[face]].bending == PX_CLOTH_PLATE;
}

/* l n n^T of the three edges of a triangle, uu, vv, uv: with the gradient g of the opposite corner,
 * l n = -2 A g. */
static void rows_of(const PxClothFace *face, double row[3][3])
{
    double g[3][2];
    px_cloth_gradients(face, g);
    for (int k = 0; k < 3; ++k) {
        const double *o = g[(k + 2) % 3];
        double scale = 2 * face->area / sqrt(o[0] * o[0] + o[1] * o[1]);
        row[k][0] = scale * o[0] * o[0];
        row[k][1] = scale * o[1] * o[1];
        row[k][2] = scale * o[0] * o[1];
    }
}

/* Moments of a curvature: uu, vv, and twice uv, which belongs to both of kappa_uv and kappa_vu. */
static void moments_of(const PxClothLaw *law, const double kappa[3], double out[3])
{
    out[0] = law->bend[0] * kappa[0];
    out[1] = law->bend[1] * kappa[1];
    out[2] = 2 * sqrt(law->bend[0] * law->bend[1]) * kappa[2];
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- what depends on laws and saturations alone ---------------------------------------------- */

/* Second derivatives of the energy of a triangle by beta. */
static void plate_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    for (uint32_t t = begin; t < end; ++t) {
        const PxClothFace *face = &s->system->face[t];
        PxClothPlate *plate = &s->system->seen->plate[t];
        double row[3][3], c[3];
        PxClothLaw wet;
        *plate = (PxClothPlate){{0}, {0}, {0}};
        for (int k = 0; k < 3; ++k)
            plate->sign[k] = s->system->edges_of[face->edge[k]].face[0] == t ? 1 : -1;
        if (!is_plate(s, t))
            continue;
        rows_of(face, row);
        for (int i = 0; i < 3; ++i) {
            moments_of(px_cloth_law_at(s, s->system->of_face[t], face->corner, 3, &wet), row[i], c);
            plate->own[i] = dot3(c, row[i]) / face->area;
            plate->other[i] = dot3(c, row[(i + 1) % 3]) / face->area;
        }
    }
}

static double row_sum(const PxClothPlate *p, uint32_t side)
{
    return p->own[side] + fabs(p->other[side]) + fabs(p->other[(side + 2) % 3]);
}

/* One over the sums of the rows of the matrix of alpha; 0 where no angle is free. */
static void scale_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothSystem *y = s->system;
    for (uint32_t k = begin; k < end; ++k) {
        const PxClothEdge *e = &y->edges_of[k];
        double sum = row_sum(&y->seen->plate[e->face[0]], e->side[0]);
        if (e->face[1] != UINT32_MAX)
            sum += row_sum(&y->seen->plate[e->face[1]], e->side[1]);
        y->seen->scale[k] = sum > 0 ? 1 / sum : 0;
    }
}

/* ---- angles and moments ---------------------------------------------------------------------- */

/* What two triangles give an edge: a of the first, b of the second. */
static void of_edge(const PxClothStep *s, const PxClothEdge *e, double *a, double *b)
{
    const double *m = s->system->seen->moment;
    *a = m[3 * (size_t)e->face[0] + e->side[0]];
    *b = e->face[1] != UINT32_MAX ? m[3 * (size_t)e->face[1] + e->side[1]] : 0;
}

static bool is_held(const PxClothStep *s, uint32_t face)
{
    const uint8_t *held = s->system->seen->held;
    const uint32_t *c = s->system->face[face].corner;
    return held[c[0]] && held[c[1]] && held[c[2]];
}

static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothSystem *y = s->system;
    PxClothSeen *seen = y->seen;
    for (uint32_t k = begin; k < end; ++k) {
        const PxClothEdge *e = &y->edges_of[k];
        seen->half[k] = e->hinge != UINT32_MAX ? 0.5 * s->hinge[e->hinge].angle : 0;
        seen->lean[k] = seen->from[k];
        seen->move[k] = 0;
        seen->by[k] = seen->scale[k];
        if (seen->any_held) {
            bool first = is_held(s, e->face[0]);
            bool second = e->face[1] != UINT32_MAX && is_held(s, e->face[1]);
            if (first || second) {
                seen->lean[k] = first && second ? 0 : first ? -seen->half[k] : seen->half[k];
                seen->by[k] = 0;
            }
        }
    }
}

/* Angle of side k of a triangle. */
static double beta_of(const PxClothSystem *y, uint32_t face, int k)
{
    uint32_t edge = y->face[face].edge[k];
    return y->seen->half[edge] + y->seen->plate[face].sign[k] * y->seen->lean[edge];
}

/* Moments of the edges of triangles. */
static void moment_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothSystem *y = s->system;
    for (uint32_t t = begin; t < end; ++t) {
        const PxClothPlate *p = &y->seen->plate[t];
        double *moment = y->seen->moment + 3 * (size_t)t;
        double b0 = beta_of(y, t, 0), b1 = beta_of(y, t, 1), b2 = beta_of(y, t, 2);
        moment[0] = p->own[0] * b0 + p->other[0] * b1 + p->other[2] * b2;
        moment[1] = p->other[0] * b0 + p->own[1] * b1 + p->other[1] * b2;
        moment[2] = p->other[2] * b0 + p->other[1] * b1 + p->own[2] * b2;
    }
}

static void energy_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothSystem *y = s->system;
    moment_block(user, begin, end, thread);
    for (uint32_t t = begin; t < end; ++t) {
        const double *moment = y->seen->moment + 3 * (size_t)t;
        double sum = 0;
        for (int k = 0; k < 3; ++k)
            sum += beta_of(y, t, k) * moment[k];
        y->seen->bent[t] = 0.5 * sum;
        s->face[t].energy += 0.5 * sum;
    }
}

typedef struct Sweep {
    const PxClothStep *s;
    double by, keep; /* factors of the residual and of the last change */
} Sweep;

static void lean_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sweep *sweep = user;
    const PxClothSystem *y = sweep->s->system;
    for (uint32_t e = begin; e < end; ++e) {
        double a, b;
        of_edge(sweep->s, &y->edges_of[e], &a, &b);
        double move = sweep->keep * y->seen->move[e] + sweep->by * y->seen->by[e] * (b - a);
        y->seen->move[e] = move;
        y->seen->lean[e] += move;
    }
}

static void hinge_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothSystem *y = s->system;
    for (uint32_t h = begin; h < end; ++h) {
        double a, b;
        if (!is_plate(s, y->hinge[h].face[0]))
            continue;
        of_edge(s, &y->edges_of[y->edge_of_hinge[h]], &a, &b);
        s->hinge[h].moment = 0.5 * (a + b);
        if (y->seen->any_held) { /* the normal follows the triangle that is held */
            bool first = is_held(s, y->hinge[h].face[0]), second = is_held(s, y->hinge[h].face[1]);
            if (first != second)
                s->hinge[h].moment = first ? b : a;
        }
        s->hinge[h].stiff *= FIRM;
        s->hinge[h].energy = 0;
        for (int k = 0; k < 2; ++k) /* of a collapsed triangle */
            if (!(px_length(s->hinge[h].slope[2 + k]) > 0))
                s->hinge[h].moment = 0;
    }
}

void px_cloth_plates(PxClothStep *s, bool same_law)
{
    const PxClothSystem *y = s->system;
    const PxThreads *threads = s->threads;
    bool any = false;
    for (uint32_t k = 0; k < y->cloths; ++k)
        any = any || s->law[k].bending == PX_CLOTH_PLATE;
    if (!any)
        return;
    if (!same_law) {
        px_parallel_for(threads, y->faces, BLOCK, plate_block, s);
        px_parallel_for(threads, y->edges, BLOCK, scale_block, s);
    }
    px_parallel_for(threads, y->edges, BLOCK, begin_block, s);
    /* Chebyshev iteration (Golub and Varga 1961) */
    double middle = 0.5 * (1 + LEAST), half = 0.5 * (1 - LEAST), rho = half / middle;
    Sweep sweep = {s, 1 / middle, 0};
    for (int k = 0; k < SWEEPS; ++k) {
        px_parallel_for(threads, y->faces, BLOCK, moment_block, s);
        px_parallel_for(threads, y->edges, BLOCK, lean_block, &sweep);
        double next = 1 / (2 * middle / half - rho);
        sweep.keep = next * rho;
        sweep.by = 2 * next / half;
        rho = next;
    }
    px_parallel_for(threads, y->faces, BLOCK, energy_block, s);
    px_parallel_for(threads, y->hinges, BLOCK, hinge_block, s);
}
