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

/* Sums of the rows of the matrix of alpha, by edge of a triangle. */
static void sum_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    for (uint32_t t = begin; t < end; ++t) {
        const PxClothFace *face = &s->system->face[t];
        double row[3][3], c[3];
        PxClothLaw wet;
        const PxClothLaw *law = px_cloth_law_at(s, s->system->of_face[t], face->corner, 3, &wet);
        if (!is_plate(s, t))
            continue;
        rows_of(face, row);
        for (int i = 0; i < 3; ++i) {
            double sum = 0;
            moments_of(law, row[i], c);
            for (int k = 0; k < 3; ++k)
                sum += fabs(dot3(c, row[k]));
            s->system->seen->moment[3 * (size_t)t + (size_t)i] = sum / face->area;
        }
    }
}

/* What two triangles give an edge: a of the first, b of the second. */
static void of_edge(const PxClothStep *s, const PxClothEdge *e, double *a, double *b)
{
    const double *m = s->system->seen->moment;
    *a = m[3 * (size_t)e->face[0] + e->side[0]];
    *b = e->face[1] != UINT32_MAX ? m[3 * (size_t)e->face[1] + e->side[1]] : 0;
}

static void scale_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothSystem *y = s->system;
    for (uint32_t e = begin; e < end; ++e) {
        double a, b;
        uint32_t hinge = y->edges_of[e].hinge;
        if (!is_plate(s, y->edges_of[e].face[0]))
            continue;
        of_edge(s, &y->edges_of[e], &a, &b);
        y->seen->scale[e] = a + b > 0 ? 1 / (a + b) : 0;
        y->seen->half[e] = hinge != UINT32_MAX ? 0.5 * s->hinge[hinge].angle : 0;
        y->seen->lean[e] = y->seen->from[e];
        y->seen->move[e] = 0;
    }
}

static double sign_of(const PxClothEdge *e, uint32_t face)
{
    return e->face[0] == face ? 1 : -1;
}

/* Moments of the edges of triangles; with them their energy. */
static void moment_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothSystem *y = s->system;
    for (uint32_t t = begin; t < end; ++t) {
        const PxClothFace *face = &y->face[t];
        double row[3][3], beta[3], kappa[3] = {0}, c[3], *moment = y->seen->moment + 3 * (size_t)t;
        if (!is_plate(s, t))
            continue;
        rows_of(face, row);
        for (int k = 0; k < 3; ++k) {
            const PxClothEdge *e = &y->edges_of[face->edge[k]];
            beta[k] = y->seen->half[face->edge[k]] + sign_of(e, t) * y->seen->lean[face->edge[k]];
            for (int n = 0; n < 3; ++n)
                kappa[n] += beta[k] * row[k][n] / face->area;
        }
        PxClothLaw wet;
        moments_of(px_cloth_law_at(s, y->of_face[t], y->face[t].corner, 3, &wet), kappa, c);
        for (int k = 0; k < 3; ++k)
            moment[k] = dot3(c, row[k]);
        y->seen->bent[t] = 0.5 * dot3(beta, moment);
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
    const PxClothStep *s = sweep->s;
    const PxClothSystem *y = s->system;
    for (uint32_t e = begin; e < end; ++e) {
        double a, b;
        if (!is_plate(s, y->edges_of[e].face[0]))
            continue;
        of_edge(s, &y->edges_of[e], &a, &b);
        double move = sweep->keep * y->seen->move[e] + sweep->by * y->seen->scale[e] * (b - a);
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
        s->hinge[h].stiff *= FIRM;
        s->hinge[h].energy = 0;
        for (int k = 0; k < 2; ++k) /* of a collapsed triangle */
            if (!(px_length(s->hinge[h].slope[2 + k]) > 0))
                s->hinge[h].moment = 0;
    }
}

void px_cloth_plates(PxClothStep *s)
{
    const PxClothSystem *y = s->system;
    const PxThreads *threads = s->threads;
    bool any = false;
    for (uint32_t k = 0; k < y->cloths; ++k)
        any = any || s->law[k].bending == PX_CLOTH_PLATE;
    if (!any)
        return;
    px_parallel_for(threads, y->faces, BLOCK, sum_block, s);
    px_parallel_for(threads, y->edges, BLOCK, scale_block, s);
    px_parallel_for(threads, y->faces, BLOCK, moment_block, s);
    /* Chebyshev iteration (Golub and Varga 1961) */
    double middle = 0.5 * (1 + LEAST), half = 0.5 * (1 - LEAST), rho = half / middle;
    Sweep sweep = {s, 1 / middle, 0};
    for (int k = 0; k < SWEEPS; ++k) {
        px_parallel_for(threads, y->edges, BLOCK, lean_block, &sweep);
        px_parallel_for(threads, y->faces, BLOCK, moment_block, s);
        double next = 1 / (2 * middle / half - rho);
        sweep.keep = next * rho;
        sweep.by = 2 * next / half;
        rho = next;
    }
    px_parallel_for(threads, y->hinges, BLOCK, hinge_block, s);
    for (uint32_t t = 0; t < y->faces; ++t)
        if (is_plate(s, t))
            s->face[t].energy += y->seen->bent[t];
}
