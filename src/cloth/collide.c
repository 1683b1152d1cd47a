#include "cloth/collide.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 64u
#define ROUNDS 3    /* of impulses */
#define SWEEPS 10   /* of Gauss-Seidel in one round */
#define MERGES 12   /* rounds in which zones grow */
#define ADVANCES 40 /* most parts of a way */
#define NEAR 0.5    /* pairs that approach stop at this part of the thickness */
#define RELAX 0.1   /* part of a lack of distance that is restored in a step */

/* ---- closest points ------------------------------------------------------------------------ */

/* After Ericson, Real-Time Collision Detection (2004), 5.1.5. */
double px_cloth_point_triangle(PxVec3 p, const PxVec3 t[3], double w[3])
{
    PxVec3 ab = px_sub(t[1], t[0]), ac = px_sub(t[2], t[0]), ap = px_sub(p, t[0]);
    double d1 = px_dot(ab, ap), d2 = px_dot(ac, ap);
    PxVec3 bp = px_sub(p, t[1]), cp = px_sub(p, t[2]);
    double d3 = px_dot(ab, bp), d4 = px_dot(ac, bp), d5 = px_dot(ab, cp), d6 = px_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    w[0] = w[1] = w[2] = 0;
    if (d1 <= 0 && d2 <= 0) {
        w[0] = 1;
    } else if (d3 >= 0 && d4 <= d3) {
        w[1] = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        w[2] = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        w[1] = d1 / (d1 - d3);
        w[0] = 1 - w[1];
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        w[2] = d2 / (d2 - d6);
        w[0] = 1 - w[2];
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        w[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        w[1] = 1 - w[2];
    } else {
        double sum = 1 / (va + vb + vc);
        w[1] = vb * sum;
        w[2] = vc * sum;
        w[0] = 1 - w[1] - w[2];
    }
    PxVec3 q = px_mad(px_mad(px_scale(t[0], w[0]), t[1], w[1]), t[2], w[2]);
    return px_length(px_sub(p, q));
}

static double clamp(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* The same, 5.1.9. */
double px_cloth_edge_edge(const PxVec3 a[2], const PxVec3 b[2], double *s, double *t)
{
    PxVec3 d1 = px_sub(a[1], a[0]), d2 = px_sub(b[1], b[0]), r = px_sub(a[0], b[0]);
    double aa = px_dot(d1, d1), ee = px_dot(d2, d2), f = px_dot(d2, r), c = px_dot(d1, r);
    double bb = px_dot(d1, d2), denom = aa * ee - bb * bb;
    *s = denom > 1e-12 * aa * ee ? clamp((bb * f - c * ee) / denom) : 0;
    *t = (bb * *s + f) / ee;
    if (*t < 0) {
        *t = 0;
        *s = clamp(-c / aa);
    } else if (*t > 1) {
        *t = 1;
        *s = clamp((bb - c) / aa);
    }
    return px_length(px_sub(px_mad(a[0], d1, *s), px_mad(b[0], d2, *t)));
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Vertex 0 against triangle 1, 2, 3, or edge 0, 1 against edge 2, 3. */
typedef struct Pair {
    uint32_t vertex[4];
    bool edges;
    double weight[4]; /* of the closest points, of both signs: their sum is 0 */
    PxVec3 normal;    /* from the second to the first */
    double gap;       /* distance along the normal at the start, m */
    double wanted;    /* least velocity along the normal, m/s */
    double friction, load;
    PxVec3 rubbed;
} Pair;

typedef struct Search {
    PxClothStep *s;
    PxBounds *box; /* by node */
    double *thick; /* by cloth: distance that is kept, m */
    Pair *pair;
    uint32_t most;
    _Atomic uint32_t pairs;
    bool last;     /* only what crosses */
    double *weigh; /* inverse masses */
} Search;

/* Distance at time t of the step, with weights; *apart is the vector between the closest points. */
static double distance(const Pair *p, const PxVec3 x[4], double w[4], PxVec3 *apart)
{
    double d;
    if (p->edges) {
        double s, t;
        d = px_cloth_edge_edge(x, x + 2, &s, &t);
        w[0] = 1 - s;
        w[1] = s;
        w[2] = t - 1;
        w[3] = -t;
    } else {
        d = px_cloth_point_triangle(x[0], x + 1, w + 1);
        w[0] = 1;
        for (int k = 1; k < 4; ++k)
            w[k] = -w[k];
    }
    *apart = px_vec(0, 0, 0);
    for (int k = 0; k < 4; ++k)
        *apart = px_mad(*apart, x[k], w[k]);
    return d;
}

/* Does the pair touch in the step? Then fills in how. */
static bool touches(const Search *j, Pair *p, double keep)
{
    const PxClothStep *s = j->s;
    PxVec3 x[4], way[4], apart, mean = px_vec(0, 0, 0);
    double w[4], dt = s->dt;
    for (int k = 0; k < 4; ++k) {
        x[k] = s->x[p->vertex[k]];
        way[k] = px_scale(s->w[p->vertex[k]], dt);
        mean = px_mad(mean, way[k], 0.25);
    }
    /* No two points of the pair approach by more than the sum of the longest ways of both. */
    double most[2] = {0, 0};
    for (int k = 0; k < 4; ++k) {
        way[k] = px_sub(way[k], mean);
        int side = p->edges ? k / 2 : k > 0;
        most[side] = fmax(most[side], px_length(way[k]));
    }
    double reach = most[0] + most[1], d = distance(p, x, w, &apart), stop = j->last ? 0.05 : NEAR;
    double start = d;
    stop *= fmin(keep, d);
    if (d - reach > stop && (j->last || d >= keep))
        return false;
    bool near = !j->last && d < keep;
    double t = 0;
    PxVec3 at[4], first = apart;
    double weight[4];
    memcpy(weight, w, sizeof w);
    bool hit = false;
    for (int n = 0; n < ADVANCES && reach > 0; ++n) {
        t += fmax(0.9 * (d - 0.5 * stop), 1e-4 * stop) / reach;
        if (t >= 1)
            break;
        for (int k = 0; k < 4; ++k)
            at[k] = px_mad(x[k], way[k], t);
        d = distance(p, at, w, &apart);
        if (d <= stop) {
            hit = true;
            break;
        }
    }
    if (!hit && !near)
        return false;
    if (j->last)
        return hit;
    if (hit && !near) { /* how it is at the moment of touch */
        memcpy(weight, w, sizeof w);
        first = apart;
    }
    p->normal = px_normalized(first, px_vec(0, 0, 0));
    PxVec3 gap = px_vec(0, 0, 0);
    for (int k = 0; k < 4; ++k) {
        p->weight[k] = weight[k];
        gap = px_mad(gap, x[k], weight[k]);
    }
    p->gap = px_dot(gap, p->normal);
    if (!(px_length(p->normal) > 0) || !(p->gap > 0))
        return false;
    p->wanted =
        near ? RELAX * (keep - fmin(p->gap, keep)) / dt : (NEAR * fmin(keep, start) - p->gap) / dt;
    p->load = 0;
    p->rubbed = px_vec(0, 0, 0);
    return true;
}

static void add_pair(Search *j, const Pair *p)
{
    uint32_t at = atomic_fetch_add(&j->pairs, 1);
    if (at < j->most)
        j->pair[at] = *p;
}

static bool apart(const Pair *p)
{
    for (int a = 0; a < 4; ++a)
        for (int b = a + 1; b < 4; ++b)
            if (p->vertex[a] == p->vertex[b])
                return false;
    return true;
}

static void test(Search *j, Pair *p, double keep)
{
    if (apart(p) && touches(j, p, keep))
        add_pair(j, p);
}

static void test_faces(Search *j, uint32_t f, uint32_t g)
{
    const PxClothSystem *y = j->s->system;
    const uint32_t *a = y->face[f].corner, *b = y->face[g].corner;
    const PxClothLaw *la = &j->s->law[y->of_face[f]], *lb = &j->s->law[y->of_face[g]];
    double keep = 0.5 * (j->thick[y->of_face[f]] + j->thick[y->of_face[g]]);
    double mu = sqrt(la->friction * lb->friction);
    if (!la->collides || !lb->collides)
        return;
    for (int k = 0; k < 3; ++k) {
        if (y->owns[f] & (1u << k))
            test(j, &(Pair){.vertex = {a[k], b[0], b[1], b[2]}, .friction = mu}, keep);
        if (y->owns[g] & (1u << k))
            test(j, &(Pair){.vertex = {b[k], a[0], a[1], a[2]}, .friction = mu}, keep);
        for (int l = 0; l < 3; ++l)
            if ((y->owns[f] & (8u << k)) && (y->owns[g] & (8u << l)))
                test(j,
                     &(Pair){.vertex = {a[k], a[(k + 1) % 3], b[l], b[(l + 1) % 3]},
                             .edges = true,
                             .friction = mu},
                     keep);
    }
}

static bool overlap(const PxBounds *a, const PxBounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static void search_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Search *j = user;
    const PxClothSystem *y = j->s->system;
    for (uint32_t f = begin; f < end; ++f) {
        const PxBounds *own = &j->box[y->leaf_of[f]];
        for (uint32_t n = 0; n < y->nodes;) {
            if (!overlap(own, &j->box[n])) {
                n = y->node[n].next;
                continue;
            }
            if (y->node[n].face != UINT32_MAX && y->node[n].face > f)
                test_faces(j, f, y->node[n].face);
            ++n;
        }
    }
}

static void box_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Search *j = user;
    const PxClothStep *s = j->s;
    const PxClothSystem *y = s->system;
    for (uint32_t f = begin; f < end; ++f) {
        PxBounds b = px_bounds_empty();
        for (int k = 0; k < 3; ++k) {
            uint32_t i = y->face[f].corner[k];
            px_bounds_add(&b, s->x[i]);
            px_bounds_add(&b, px_mad(s->x[i], s->w[i], s->dt));
        }
        double more = 0.5 * j->thick[y->of_face[f]];
        PxVec3 by = px_vec(more, more, more);
        j->box[y->leaf_of[f]] = (PxBounds){px_sub(b.low, by), px_add(b.high, by)};
    }
}

static int compare_pairs(const void *a, const void *b)
{
    const Pair *x = a, *y = b;
    if (x->edges != y->edges)
        return x->edges ? 1 : -1;
    return memcmp(x->vertex, y->vertex, sizeof x->vertex);
}

/* Finds all pairs that touch; their order depends on nothing but themselves. */
static PxStatus search(Search *j)
{
    const PxClothSystem *y = j->s->system;
    px_parallel_for(j->s->threads, y->faces, 4 * BLOCK, box_block, j);
    for (uint32_t n = y->nodes; n-- > 0;)
        if (y->node[n].face == UINT32_MAX) {
            uint32_t second = y->node[n + 1].next;
            j->box[n] = px_bounds_join(j->box[n + 1], j->box[second]);
        }
    for (;;) {
        j->pairs = 0;
        px_parallel_for(j->s->threads, y->faces, BLOCK, search_block, j);
        if (j->pairs <= j->most)
            break;
        j->most = 2 * j->pairs;
        j->pair = PX_ARENA_ARRAY(j->s->scratch, Pair, j->most);
        if (j->pair == NULL)
            return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", j->most);
    }
    qsort(j->pair, j->pairs, sizeof *j->pair, compare_pairs);
    return PX_OK;
}

/* ---- impulses -------------------------------------------------------------------------------- */

static void give(PxClothStep *s, const Pair *p, const double *weigh, PxVec3 impulse)
{
    for (int k = 0; k < 4; ++k) {
        uint32_t i = p->vertex[k];
        s->w[i] = px_mad(s->w[i], impulse, p->weight[k] * weigh[i]);
    }
}

static void push_apart(PxClothStep *s, Pair *p, const double *weigh)
{
    PxVec3 u = px_vec(0, 0, 0);
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
        u = px_mad(u, s->w[p->vertex[k]], p->weight[k]);
        sum += p->weight[k] * p->weight[k] * weigh[p->vertex[k]];
    }
    if (!(sum > 0))
        return;
    double normal = px_dot(u, p->normal), load = fmax(p->load + (p->wanted - normal) / sum, 0);
    PxVec3 along = px_mad(u, p->normal, -normal);
    PxVec3 rubbed = px_mad(p->rubbed, along, -1 / sum);
    double size = px_length(rubbed), most = p->friction * load;
    if (size > most)
        rubbed = px_scale(rubbed, size > 0 ? most / size : 0);
    PxVec3 change = px_add(px_scale(p->normal, load - p->load), px_sub(rubbed, p->rubbed));
    p->load = load;
    p->rubbed = rubbed;
    give(s, p, weigh, change);
}

/* ---- zones ------------------------------------------------------------------------------------
 */

static uint32_t root_of(uint32_t *up, uint32_t i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

/* Joins the vertices of pairs that cross, and gives each zone the velocity of its momentum, or that
 * of its held vertices. */
static void merge(Search *j, uint32_t *up, PxVec3 *momentum, double *mass, uint8_t *held)
{
    PxClothStep *s = j->s;
    uint32_t n = s->system->vertices;
    for (uint32_t k = 0; k < j->pairs; ++k)
        for (int c = 1; c < 4; ++c) {
            uint32_t a = root_of(up, j->pair[k].vertex[0]), b = root_of(up, j->pair[k].vertex[c]);
            up[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t i = 0; i < n; ++i) {
        momentum[i] = px_vec(0, 0, 0);
        mass[i] = 0;
        held[i] = 0;
    }
    for (uint32_t i = 0; i < n; ++i)
        held[root_of(up, i)] |= !(j->weigh[i] > 0);
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t r = root_of(up, i);
        if (held[r] && j->weigh[i] > 0)
            continue;
        momentum[r] = px_mad(momentum[r], s->w[i], s->mass[i]);
        mass[r] += s->mass[i];
    }
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t r = root_of(up, i);
        if (r != i || up[i] != i || mass[r] > s->mass[i])
            s->w[i] = px_scale(momentum[r], 1 / mass[r]);
    }
}

/* ---- all ---------------------------------------------------------------------------------------
 */

static PxStatus begin(PxClothStep *s, Search *j)
{
    const PxClothSystem *y = s->system;
    *j = (Search){.s = s,
                  .box = PX_ARENA_ARRAY(s->scratch, PxBounds, y->nodes + 1),
                  .thick = PX_ARENA_ARRAY(s->scratch, double, y->cloths + 1),
                  .weigh = PX_ARENA_ARRAY(s->scratch, double, y->vertices + 1),
                  .most = 4 * y->vertices + 64};
    j->pair = PX_ARENA_ARRAY(s->scratch, Pair, j->most);
    if (j->box == NULL || j->thick == NULL || j->weigh == NULL || j->pair == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for contacts of %u triangles", y->faces);
    for (uint32_t c = 0; c < y->cloths; ++c)
        j->thick[c] = fmin(s->law[c].thickness, 0.4 * y->edge[c]);
    for (uint32_t i = 0; i < y->vertices; ++i)
        j->weigh[i] = s->hold[i] == PX_CLOTH_FREE ? 1 / s->mass[i] : 0;
    return PX_OK;
}

PxStatus px_cloth_collide(PxClothStep *s, PxClothCollision *out)
{
    Search j;
    uint32_t n = s->system->vertices;
    *out = (PxClothCollision){0};
    PX_TRY(begin(s, &j));
    for (int round = 0; round < ROUNDS; ++round) {
        PX_TRY(search(&j));
        bool moved = false;
        for (int sweep = 0; sweep < SWEEPS; ++sweep)
            for (uint32_t k = 0; k < j.pairs; ++k) {
                push_apart(s, &j.pair[k], j.weigh);
                moved = moved || j.pair[k].load > 0;
            }
        out->touching = 0;
        for (uint32_t k = 0; k < j.pairs; ++k)
            out->touching += j.pair[k].load > 0;
        if (!moved)
            break;
    }
    j.last = true;
    PX_TRY(search(&j));
    if (j.pairs == 0)
        return PX_OK;
    uint32_t *up = PX_ARENA_ARRAY(s->scratch, uint32_t, n + 1);
    PxVec3 *momentum = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
    double *mass = PX_ARENA_ARRAY(s->scratch, double, n + 1);
    uint8_t *held = PX_ARENA_ARRAY(s->scratch, uint8_t, n + 1);
    if (up == NULL || momentum == NULL || mass == NULL || held == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for zones of %u vertices", n);
    for (uint32_t i = 0; i < n; ++i)
        up[i] = i;
    for (int round = 0; round < MERGES && j.pairs > 0; ++round) {
        merge(&j, up, momentum, mass, held);
        PX_TRY(search(&j));
    }
    for (uint32_t i = 0; i < n; ++i)
        out->zones += root_of(up, i) != i;
    out->crossed = j.pairs;
    return PX_OK;
}
