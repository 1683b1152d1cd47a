#include "cloth/collide.h"

#include "base/mat3.h"
#include "base/stop.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 128u
#define ROUNDS 3     /* of impulses */
#define SWEEPS 10    /* of Gauss-Seidel in one round */
#define MERGES 12    /* rounds in which zones grow */
#define ADVANCES 100 /* most parts of a way */
#define NEAR 0.5     /* pairs that approach stop at this part of the thickness */
#define RELAX 0.1    /* part of a lack of distance that is restored in a step */
#define EDGES (1u << 31)

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

typedef struct Work {
    PxClothStep *s;
    PxClothSearch search;
    PxVec3 *seen; /* velocities that the search saw */
    Pair *pair;
    uint32_t most;
    _Atomic uint32_t pairs;
    bool last;     /* only what crosses */
    uint32_t *up;  /* by vertex: another one of its zone; NULL: there are no zones */
    double *weigh; /* inverse masses */
} Work;

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
static bool touches(const Work *j, Pair *p, double keep)
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
    bool hit = reach > 0; /* also if it is not clear after so many parts of the way */
    for (int n = 0; n < ADVANCES && reach > 0; ++n) {
        t += fmax(0.9 * (d - 0.5 * stop), 1e-4 * stop) / reach;
        if (t >= 1) {
            hit = false;
            break;
        }
        for (int k = 0; k < 4; ++k)
            at[k] = px_mad(x[k], way[k], t);
        d = distance(p, at, w, &apart);
        if (d <= stop)
            break;
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

/* What moves as one does not cross. Zones are flat when this is called: up[] is the root. */
static bool same_zone(const uint32_t *up, const uint32_t vertex[4])
{
    return up[vertex[0]] == up[vertex[1]] && up[vertex[0]] == up[vertex[2]] &&
           up[vertex[0]] == up[vertex[3]];
}

static void test_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Work *j = user;
    const PxClothLaw *law = j->s->law;
    for (uint32_t k = begin; k < end; ++k) {
        const PxClothNear *n = &j->search.near[k];
        uint32_t a = n->cloth[0] & ~EDGES, b = n->cloth[1];
        double keep = 0.5 * (j->search.thick[a] + j->search.thick[b]);
        if (j->up != NULL && same_zone(j->up, n->vertex))
            continue;
        Pair p = {.edges = (n->cloth[0] & EDGES) != 0};
        memcpy(p.vertex, n->vertex, sizeof p.vertex);
        if (!touches(j, &p, keep))
            continue;
        p.friction = sqrt(law[a].friction * law[b].friction);
        uint32_t at = atomic_fetch_add_explicit(&j->pairs, 1, memory_order_relaxed);
        if (at < j->most)
            j->pair[at] = p;
    }
}

static int compare_pairs(const void *a, const void *b)
{
    const Pair *x = a, *y = b;
    if (x->edges != y->edges)
        return x->edges ? 1 : -1;
    return memcmp(x->vertex, y->vertex, sizeof x->vertex);
}

/* Are the pairs that were found still all that may touch? */
static bool still_holds(const Work *j)
{
    const PxClothStep *s = j->s;
    double most = 0;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        PxVec3 d = px_sub(s->w[i], j->seen[i]);
        most = fmax(most, px_dot(d, d));
    }
    return sqrt(most) * s->dt <= 0.5 * j->search.slack;
}

/* Finds all pairs that touch; their order depends on nothing but themselves. */
static PxStatus find(Work *j)
{
    PxClothStep *s = j->s;
    if (j->search.near == NULL || !still_holds(j)) {
        memcpy(j->seen, s->w, s->system->vertices * sizeof *j->seen);
        PX_TRY(px_cloth_search(&j->search));
    }
    for (;;) {
        atomic_store(&j->pairs, 0);
        px_parallel_for(s->threads, j->search.count, BLOCK, test_block, j);
        uint32_t found = atomic_load(&j->pairs);
        if (found <= j->most)
            break;
        j->most = 2 * found;
        j->pair = PX_ARENA_ARRAY(s->scratch, Pair, j->most);
        if (j->pair == NULL)
            return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", j->most);
    }
    qsort(j->pair, j->pairs, sizeof *j->pair, compare_pairs);
    return PX_OK;
}

/* ---- impulses -------------------------------------------------------------------------------- */

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
    for (int k = 0; k < 4; ++k) {
        uint32_t i = p->vertex[k];
        s->w[i] = px_mad(s->w[i], change, p->weight[k] * weigh[i]);
    }
}

static void sweep(Work *j)
{
    for (int k = 0; k < SWEEPS; ++k)
        for (uint32_t n = 0; n < j->pairs; ++n)
            push_apart(j->s, &j->pair[n], j->weigh);
}

/* ---- zones ----------------------------------------------------------------------------------- */

typedef struct Zone {
    double mass;
    PxVec3 middle, momentum, spin; /* spin: angular momentum, then angular velocity */
    PxMat3 inertia;
    bool held;
} Zone;

static uint32_t root_of(uint32_t *up, uint32_t i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

static void add_inertia(PxMat3 *m, PxVec3 r, double mass)
{
    const double a[3] = {r.x, r.y, r.z}, square = px_dot(r, r);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            m->m[i][k] += mass * ((i == k ? square : 0) - a[i] * a[k]);
}

/* The motion of a zone at a place that turns with it. */
static PxVec3 motion_of(const Zone *z, PxVec3 x, double dt)
{
    PxVec3 arm = px_sub(x, z->middle), drift = px_scale(z->momentum, 1 / z->mass);
    double rate = px_length(z->spin);
    if (!(rate > 0))
        return drift;
    PxQuat turn = px_quat_turn(px_scale(z->spin, 1 / rate), rate * dt);
    return px_mad(drift, px_sub(px_rotate(turn, arm), arm), 1 / dt);
}

/* Joins the vertices of pairs that cross, and gives each zone the rigid motion of its momentum and
 * angular momentum, or of its held vertices. */
static void merge(Work *j, uint32_t *up, Zone *zone)
{
    PxClothStep *s = j->s;
    uint32_t n = s->system->vertices;
    for (uint32_t k = 0; k < j->pairs; ++k)
        for (int c = 1; c < 4; ++c) {
            uint32_t a = root_of(up, j->pair[k].vertex[0]), b = root_of(up, j->pair[k].vertex[c]);
            up[a > b ? a : b] = a > b ? b : a;
        }
    memset(zone, 0, n * sizeof *zone);
    for (uint32_t i = 0; i < n; ++i)
        zone[root_of(up, i)].held |= !(j->weigh[i] > 0);
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t i = 0; i < n; ++i) {
            Zone *z = &zone[root_of(up, i)];
            if (z->held && j->weigh[i] > 0)
                continue;
            if (pass == 0) {
                z->mass += s->mass[i];
                z->middle = px_mad(z->middle, s->x[i], s->mass[i]);
                z->momentum = px_mad(z->momentum, s->w[i], s->mass[i]);
                continue;
            }
            PxVec3 arm = px_sub(s->x[i], px_scale(z->middle, 1 / z->mass));
            add_inertia(&z->inertia, arm, s->mass[i]);
            z->spin = px_add(z->spin, px_cross(arm, px_scale(s->w[i], s->mass[i])));
        }
    for (uint32_t i = 0; i < n; ++i)
        if (up[i] == i && zone[i].mass > 0) {
            PxMat3 inverse;
            zone[i].middle = px_scale(zone[i].middle, 1 / zone[i].mass);
            zone[i].spin = px_mat3_inverse(zone[i].inertia, &inverse)
                               ? px_mat3_apply(inverse, zone[i].spin)
                               : px_vec(0, 0, 0);
        }
    for (uint32_t i = 0; i < n; ++i) {
        up[i] = root_of(up, i);
        const Zone *z = &zone[up[i]];
        if (z->mass > s->mass[i])
            s->w[i] = motion_of(z, s->x[i], s->dt);
    }
}

static PxStatus make_zones(Work *j, PxClothCollision *out)
{
    PxClothStep *s = j->s;
    uint32_t n = s->system->vertices, *up = PX_ARENA_ARRAY(s->scratch, uint32_t, n + 1);
    Zone *zone = PX_ARENA_ARRAY(s->scratch, Zone, n + 1);
    if (up == NULL || zone == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for zones of %u vertices", n);
    for (uint32_t i = 0; i < n; ++i)
        up[i] = i;
    for (int round = 0; round < MERGES && j->pairs > 0; ++round) {
        PX_TRY(px_stop_check(s->threads));
        merge(j, up, zone);
        j->up = up;
        PX_TRY(find(j));
    }
    for (uint32_t i = 0; i < n; ++i)
        out->zones += root_of(up, i) != i;
    return PX_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static PxStatus begin(PxClothStep *s, Work *j)
{
    const PxClothSystem *y = s->system;
    PxArena *m = s->scratch;
    *j = (Work){.s = s,
                .search = {.step = s, .thick = PX_ARENA_ARRAY(m, double, y->cloths + 1)},
                .seen = PX_ARENA_ARRAY(m, PxVec3, y->vertices + 1),
                .weigh = PX_ARENA_ARRAY(m, double, y->vertices + 1),
                .most = y->vertices + 64};
    j->pair = PX_ARENA_ARRAY(m, Pair, j->most);
    if (j->seen == NULL || j->search.thick == NULL || j->weigh == NULL || j->pair == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for contacts of %u triangles", y->faces);
    double least = INFINITY;
    for (uint32_t c = 0; c < y->cloths; ++c) {
        j->search.thick[c] = fmin(s->law[c].thickness, 0.4 * y->edge[c]);
        least = fmin(least, j->search.thick[c]);
    }
    j->search.slack = least;
    for (uint32_t i = 0; i < y->vertices; ++i)
        j->weigh[i] = s->hold[i] == PX_CLOTH_FREE ? 1 / s->mass[i] : 0;
    return PX_OK;
}

static bool collides(const PxClothStep *s)
{
    for (uint32_t k = 0; k < s->system->cloths; ++k)
        if (s->law[k].collides)
            return true;
    return false;
}

PxStatus px_cloth_collide(PxClothStep *s, PxClothCollision *out)
{
    Work j;
    *out = (PxClothCollision){0};
    if (!collides(s))
        return PX_OK;
    PX_TRY(begin(s, &j));
    for (int round = 0; round < ROUNDS; ++round) {
        PX_TRY(px_stop_check(s->threads));
        PX_TRY(find(&j));
        sweep(&j);
        out->touching = 0;
        for (uint32_t k = 0; k < j.pairs; ++k)
            out->touching += j.pair[k].load > 0;
        if (out->touching == 0)
            break;
    }
    j.last = true;
    PX_TRY(find(&j));
    if (j.pairs > 0)
        PX_TRY(make_zones(&j, out));
    out->crossed = j.pairs;
    return PX_OK;
}
