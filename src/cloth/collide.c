#include "cloth/collide.h"

#include "base/union_find.h"

#include "cloth/bodies.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 128u
#define ADVANCES 100 /* most parts of a way */
#define LEAST 0.1    /* thicknesses, or half the distance, that must be left at the end of a step */
#define TINY 1e-3    /* thicknesses: pairs this near come no nearer */
#define STIFF 2.0    /* stiffness of contacts, masses of a vertex over the square of the step */
#define SKEW 0.05    /* sine of the angle below which edges count as parallel by degrees */
#define FLAT 0.1     /* gradient of the length of an intersection that is 0 but for rounding */
#define DRAW 0.2     /* thicknesses by which crossed cloth is drawn apart in a step */
#define THIN 0.25    /* part of the edges: what is thinner is drawn apart as fast as that */
#define TIE 1000.0   /* strength of a tie, masses of its vertices */
#define STRONGER 4.0 /* factor from round to round: the body that presses may be much heavier */
#define HARDEST 10.0 /* factor by which bodies make contacts between layers steeper, at most */
#define EDGES (1u << 31)

/* ---- pairs ----------------------------------------------------------------------------------- */

/* A pair of the search, and how it comes near. */
typedef struct PxClothFound {
    PxClothNear near;
    uint32_t at;      /* of the list */
    double weight[4]; /* of the closest points, of both signs: their sum is 0 */
    PxVec3 normal;    /* from the second to the first */
    double gap;       /* distance along the normal at the start, m */
    double moment;    /* part of the way */
} PxClothFound;

/* What to look for. */
typedef enum Aim { NEAR, CROSSING } Aim;

typedef struct Job {
    PxClothCollision *c;
    Aim aim;
    _Atomic uint32_t found;
} Job;

/* Does the distance of a pair fall to `stop` on the way? d is that at the start, below or above.
 * Then the moment, and weights and vector between the closest points there. */
static bool falls(bool edges, const PxVec3 x[4], const PxVec3 way[4], double reach, double d,
                  const double stop[2], double *moment, double w[4], PxVec3 *apart)
{
    double t = 0;
    for (int n = 0; n < ADVANCES; ++n) {
        t += fmax(0.9 * (d - stop[1]), 1e-4 * stop[1]) / reach;
        if (t >= 1)
            return false;
        PxVec3 at[4];
        for (int k = 0; k < 4; ++k)
            at[k] = px_mad(x[k], way[k], t);
        d = px_cloth_pair_distance(edges, at, w, apart);
        *moment = t;
        if (d <= stop[0])
            return true;
    }
    return true; /* it is not clear after so many parts of the way */
}

/* Distance that a pair is to keep, and down to which it may come. */
static double keep_of(const PxClothCollision *c, const PxClothNear *n)
{
    return 0.5 * (c->search.thick[n->cloth[0] & ~EDGES] + c->search.thick[n->cloth[1]]);
}

/* The distance at which the way ends, and a lower one that it does not reach. In a crowd under load
 * a pair may lose half of its distance in every step: from TINY on it loses hardly any more. */
static void stop_of(const Job *j, const PxClothNear *n, double keep, double stop[2])
{
    double d = n->distance;
    stop[0] = j->aim == CROSSING ? fmin(0.5 * d, LEAST * keep) : keep;
    stop[1] = 0.5 * stop[0];
    if (j->aim == CROSSING && d < TINY * keep) {
        stop[0] = 0.995 * d;
        stop[1] = 0.99 * d;
    }
}

/* Is a pair too far away, by what is known of it? Ways relative to their mean are others than those
 * of the search by up to twice what single ones are, on each side. */
static bool is_far(const Job *j, const PxClothNear *n)
{
    const float *off = j->c->off;
    float most = off[n->vertex[0]];
    for (int k = 1; k < 4; ++k)
        most = off[n->vertex[k]] > most ? off[n->vertex[k]] : most;
    double reach = (1 + 1e-6) * ((double)n->reach + 4 * (double)most);
    double stop[2];
    stop_of(j, n, keep_of(j->c, n), stop);
    return n->distance - reach > stop[0];
}

static bool test(const Job *j, PxClothFound *p)
{
    const PxClothCollision *c = j->c;
    const PxClothNear *n = &p->near;
    bool edges = (n->cloth[0] & EDGES) != 0;
    double keep = keep_of(c, n);
    PxVec3 x[4], way[4], apart;
    bool tangled[2] = {false, false};
    for (int k = 0; k < 4; ++k) {
        uint32_t i = n->vertex[k];
        x[k] = c->step->x[i];
        way[k] = c->way[i];
        tangled[edges ? k / 2 : k > 0] |= c->tangled[i] != 0;
    }
    double reach = px_cloth_pair_reach(edges, way), d = n->distance, first[4];
    double stop[2];
    stop_of(j, n, keep, stop);
    if (d - reach > stop[0] || (tangled[0] && tangled[1]) || !(d > 1e-12 * keep))
        return false; /* the last: crossed, or about to be, and no side is known */
    px_cloth_pair_distance(edges, x, first, &apart);
    memcpy(p->weight, first, sizeof first);
    p->normal = px_scale(apart, 1 / d);
    p->gap = d;
    p->moment = 0;
    if (d <= stop[0])
        return true;
    if (!(reach > 0))
        return false;
    double w[4];
    if (!falls(edges, x, way, reach, d, stop, &p->moment, w, &apart))
        return false;
    PxVec3 normal = px_normalized(apart, p->normal), start = px_vec(0, 0, 0);
    for (int k = 0; k < 4; ++k)
        start = px_mad(start, x[k], w[k]);
    if (px_dot(start, normal) > 0.5 * stop[0]) { /* how it is at the moment of touch */
        memcpy(p->weight, w, sizeof w);
        p->normal = normal;
        p->gap = px_dot(start, normal);
    }
    return true;
}

static void test_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *j = user;
    for (uint32_t k = begin; k < end; ++k) {
        const PxClothNear *n = &j->c->search.near[k];
        if ((j->aim == NEAR && n->touches) || is_far(j, n))
            continue;
        PxClothFound p = {.near = *n, .at = k};
        if (!test(j, &p))
            continue;
        uint32_t at = atomic_fetch_add_explicit(&j->found, 1, memory_order_relaxed);
        if (at < j->c->most)
            j->c->found[at] = p;
    }
}

/* Are the pairs of the search still all that may touch? Otherwise marks the vertices whose ways
 * differ by more than the slack allows. */
static bool still_holds(PxClothCollision *c)
{
    double most = 0.25 * c->search.slack * c->search.slack;
    bool holds = true;
    for (uint32_t i = 0; i < c->step->system->vertices; ++i) {
        PxVec3 d = px_sub(c->way[i], c->seen[i]);
        double square = px_dot(d, d);
        c->off[i] = (float)sqrt(square);
        c->search.fresh[i] = !(square <= most);
        if (!c->search.fresh[i])
            continue;
        c->off[i] = 0;
        c->seen[i] = c->way[i];
        holds = false;
    }
    return holds;
}

/* Finds all pairs of a kind on the present way; their order is not certain. */
static PxStatus find(PxClothCollision *c, Aim aim, uint32_t *count)
{
    PxClothStep *s = c->step;
    Job j = {.c = c, .aim = aim};
    if (!still_holds(c))
        PX_TRY(px_cloth_search(&c->search));
    for (;;) {
        atomic_store(&j.found, 0);
        px_parallel_for(s->threads, c->search.count, BLOCK, test_block, &j);
        *count = atomic_load(&j.found);
        if (*count <= c->most)
            return PX_OK;
        c->most = 2 * *count;
        c->found = PX_ARENA_ARRAY(s->scratch, PxClothFound, c->most);
        if (c->found == NULL)
            return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", c->most);
    }
}

static int compare_found(const void *a, const void *b)
{
    const PxClothNear *x = a, *y = b;
    if ((x->cloth[0] ^ y->cloth[0]) & EDGES)
        return x->cloth[0] & EDGES ? 1 : -1;
    return memcmp(x->vertex, y->vertex, sizeof x->vertex);
}

static void follow(PxClothCollision *c)
{
    for (uint32_t i = 0; i < c->step->system->vertices; ++i)
        c->way[i] = px_scale(c->step->w[i], c->step->dt);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* Nearly parallel edges have closest points that jump: they push the less, the nearer to parallel
 * they are; their ends push as vertices (Li et al. 2020, section 5.2). */
static double skew(const PxClothStep *s, const uint32_t v[4])
{
    PxVec3 a = px_sub(s->x[v[1]], s->x[v[0]]), b = px_sub(s->x[v[3]], s->x[v[2]]);
    PxVec3 n = px_cross(a, b);
    double q = px_dot(n, n) / (px_dot(a, a) * px_dot(b, b) * SKEW * SKEW);
    return q < 1 ? q * (2 - q) : 1;
}

static PxClothContact contact_of(const PxClothCollision *c, const PxClothFound *p)
{
    const PxClothStep *s = c->step;
    uint32_t a = p->near.cloth[0] & ~EDGES, b = p->near.cloth[1];
    bool edges = (p->near.cloth[0] & EDGES) != 0;
    PxClothContact out = {.kind = edges ? PX_CLOTH_EDGE_EDGE : PX_CLOTH_VERTEX_FACE,
                          .normal = p->normal,
                          .gap = p->gap,
                          .keep = 0.5 * (c->search.thick[a] + c->search.thick[b]),
                          .stiff = 0.5 * (c->stiff[a] + c->stiff[b]),
                          .friction = sqrt(s->law[a].friction * s->law[b].friction),
                          .load = -1};
    memcpy(out.vertex, p->near.vertex, sizeof p->near.vertex);
    memcpy(out.weight, p->weight, sizeof p->weight);
    if (edges)
        out.stiff *= skew(s, out.vertex);
    double loaded = fmax(c->loaded[a], c->loaded[b]);
    if (loaded > out.stiff)
        px_cloth_contact_harden(&out, fmin(loaded / out.stiff, HARDEST));
    return out;
}

static bool is_known(const PxClothContacts *c, uint32_t before, const PxClothFound *p)
{
    PxClothContactKind kind = p->near.cloth[0] & EDGES ? PX_CLOTH_EDGE_EDGE : PX_CLOTH_VERTEX_FACE;
    uint32_t low = 0, high = before;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const PxClothContact *own = &c->contact[middle];
        int order = own->kind != kind ? (own->kind < kind ? -1 : 1)
                                      : memcmp(own->vertex, p->near.vertex, sizeof p->near.vertex);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

PxStatus px_cloth_collide_find(PxClothCollision *c, uint32_t *found)
{
    uint32_t count;
    *found = 0;
    if (!c->any)
        return PX_OK;
    follow(c);
    PX_TRY(find(c, NEAR, &count));
    uint32_t before = c->step->contacts->count;
    for (uint32_t k = 0; k < count; ++k) {
        c->search.near[c->found[k].at].touches = true;
        if (is_known(c->step->contacts, before, &c->found[k]))
            continue;
        PxClothContact own = contact_of(c, &c->found[k]);
        PX_TRY(px_cloth_contacts_add(c->step, &own));
        ++*found;
    }
    return px_cloth_contacts_sort(c->step);
}

PxStatus px_cloth_collide_crossing(PxClothCollision *c, uint32_t *found)
{
    *found = 0;
    if (!c->any)
        return PX_OK;
    follow(c);
    return find(c, CROSSING, found);
}

void px_cloth_collide_join(const PxClothCollision *c, uint32_t found, uint32_t *up)
{
    for (uint32_t k = 0; k < found; ++k)
        for (int n = 1; n < 4; ++n)
            px_join(up, c->found[k].near.vertex[0], c->found[k].near.vertex[n]);
}

PxStatus px_cloth_collide_tie(PxClothCollision *c, uint32_t *found)
{
    PX_TRY(px_cloth_collide_crossing(c, found));
    if (*found == 0)
        return PX_OK;
    qsort(c->found, *found, sizeof *c->found, compare_found);
    double strength = TIE * pow(STRONGER, c->tied++);
    for (uint32_t k = 0; k < *found; ++k)
        for (int a = 0; a < 3; ++a) {
            PxClothContact tie = {.kind = PX_CLOTH_TIE, .weight = {1, -1}, .load = -1};
            tie.vertex[0] = c->found[k].near.vertex[a];
            tie.vertex[1] = c->found[k].near.vertex[a + 1];
            tie.stiff = strength * (c->step->mass[tie.vertex[0]] + c->step->mass[tie.vertex[1]]);
            PX_TRY(px_cloth_contacts_add(c->step, &tie));
        }
    return px_cloth_contacts_sort(c->step);
}

/* Cuts displacements. Pieces of cloth that are in contact in this step, directly or through other
 * pieces, are cut by the same factor, so that their momentum is kept. */
static PxStatus cut_ways(PxClothCollision *c, uint32_t count)
{
    const PxClothStep *s = c->step;
    const PxClothSystem *y = s->system;
    uint32_t *of = PX_ARENA_ARRAY(s->scratch, uint32_t, y->pieces + 1);
    double *part = c->part = PX_ARENA_ARRAY(s->scratch, double, y->pieces + 1);
    if (of == NULL || part == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u pieces", y->pieces);
    for (uint32_t k = 0; k < y->pieces; ++k) {
        of[k] = k;
        part[k] = 1;
    }
    for (uint32_t k = 0; k < s->contacts->count; ++k) {
        const PxClothContact *touch = &s->contacts->contact[k];
        for (int n = 1; n < px_cloth_contact_corners(touch); ++n)
            px_join(of, y->piece[touch->vertex[0]], y->piece[touch->vertex[n]]);
    }
    for (uint32_t k = 0; k < count; ++k)
        for (int n = 0; n < 4; ++n) {
            uint32_t own = px_root_of(of, y->piece[c->found[k].near.vertex[n]]);
            part[own] = fmin(part[own], c->found[k].moment);
        }
    for (uint32_t k = 0; k < y->pieces; ++k)
        part[k] = part[px_root_of(of, k)];
    return PX_OK;
}

/* Finds what would cross on the straight ways from x to `at`. */
static PxStatus find_on(PxClothCollision *c, const PxVec3 *at, uint32_t *count)
{
    for (uint32_t i = 0; i < c->step->system->vertices; ++i)
        c->way[i] = px_sub(at[i], c->step->x[i]);
    return find(c, CROSSING, count);
}

PxStatus px_cloth_collide_back(PxClothCollision *c, PxVec3 *at, const PxVec3 *safe, uint32_t *back)
{
    uint32_t before = UINT32_MAX;
    *back = 0;
    while (c->any && before != *back) {
        uint32_t count;
        before = *back;
        PX_TRY(find_on(c, at, &count));
        for (uint32_t k = 0; k < count; ++k)
            for (int n = 0; n < 4; ++n) {
                uint32_t i = c->found[k].near.vertex[n];
                *back += px_length(px_sub(at[i], safe[i])) > 0;
                at[i] = safe[i];
            }
    }
    return PX_OK;
}

PxStatus px_cloth_collide_stop(PxClothCollision *c, const PxVec3 *at)
{
    uint32_t count;
    c->part = NULL;
    if (!c->any)
        return PX_OK;
    PX_TRY(find_on(c, at, &count));
    return count == 0 ? PX_OK : cut_ways(c, count);
}

/* ---- what starts crossed --------------------------------------------------------------------- */

/* Adds the direction in which an edge has to move against a triangle for the intersection of that
 * triangle with one triangle of the edge to become shorter (Volino and Magnenat-Thalmann 2006). */
static PxVec3 shorter(const PxClothStep *s, const PxClothCut *cut, const uint32_t *own, PxVec3 n)
{
    PxVec3 a = s->x[cut->edge[0]], b = s->x[cut->edge[1]], e = px_normalized(px_sub(b, a), n);
    uint32_t other = own[0];
    for (int k = 1; k < 3; ++k)
        if (other == cut->edge[0] || other == cut->edge[1])
            other = own[k];
    PxVec3 inward = px_sub(s->x[other], a), m = px_cross(e, inward);
    inward = px_mad(inward, e, -px_dot(inward, e));
    PxVec3 r = px_normalized(px_cross(n, m), px_vec(0, 0, 0));
    if (px_dot(r, inward) < 0)
        r = px_scale(r, -1);
    double slope = px_dot(e, n);
    return px_mad(r, n, fabs(slope) > 0.01 ? -2 * px_dot(e, r) / slope : 0);
}

static int compare_cuts(const void *a, const void *b)
{
    const PxClothCut *x = a, *y = b;
    int order = memcmp(x->edge, y->edge, sizeof x->edge);
    return order != 0 ? order : (x->face > y->face) - (x->face < y->face);
}

/* Two pieces that cross each other, the first one lower. */
typedef struct Crossing {
    uint32_t piece[2];
    uint32_t cuts;
    PxVec3 sum; /* of the places of the cuts, m */
} Crossing;

static PxVec3 cut_place(const PxClothStep *s, const PxClothCut *cut)
{
    return px_mad(px_scale(s->x[cut->edge[0]], 1 - cut->part), s->x[cut->edge[1]], cut->part);
}

static Crossing *crossing_of(const PxClothStep *s, const PxClothCut *cut, Crossing *list,
                             uint32_t *count)
{
    const PxClothSystem *y = s->system;
    uint32_t a = y->piece[cut->edge[0]], b = y->piece[y->face[cut->face].corner[0]];
    uint32_t low = a < b ? a : b, high = a < b ? b : a, k = 0;
    while (k < *count && (list[k].piece[0] != low || list[k].piece[1] != high))
        ++k;
    if (k == *count)
        list[(*count)++] = (Crossing){.piece = {low, high}};
    return &list[k];
}

static PxStatus list_crossings(PxClothCollision *c, Crossing **out, PxVec3 **middle)
{
    const PxClothStep *s = c->step;
    const PxClothSystem *y = s->system;
    uint32_t count = 0;
    double *mass = PX_ARENA_ARRAY(s->scratch, double, y->pieces + 1);
    Crossing *list = *out = PX_ARENA_ARRAY(s->scratch, Crossing, c->search.cuts + 1);
    *middle = PX_ARENA_ARRAY(s->scratch, PxVec3, y->pieces + 1);
    if (mass == NULL || list == NULL || *middle == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u crossings", c->search.cuts);
    for (uint32_t k = 0; k < y->pieces; ++k) {
        mass[k] = 0;
        (*middle)[k] = px_vec(0, 0, 0);
    }
    for (uint32_t i = 0; i < y->vertices; ++i) {
        mass[y->piece[i]] += s->mass[i];
        (*middle)[y->piece[i]] = px_mad((*middle)[y->piece[i]], s->x[i], s->mass[i]);
    }
    for (uint32_t k = 0; k < y->pieces; ++k)
        (*middle)[k] = px_scale((*middle)[k], 1 / mass[k]);
    for (uint32_t k = 0; k < c->search.cuts; ++k) {
        Crossing *own = crossing_of(s, &c->search.cut[k], list, &count);
        ++own->cuts;
        own->sum = px_add(own->sum, cut_place(s, &c->search.cut[k]));
    }
    c->crossings = count;
    return PX_OK;
}

/* Inside two sheets that cross, the intersection becomes no shorter whichever way they move. The
 * higher piece then moves through the lower one to the side on which its middle is; if that is on
 * neither, along the normal. `n` is that of the triangle, `edge_n` that of the edge's. */
static PxVec3 aside(const PxClothStep *s, const PxClothCut *cut, const Crossing *own,
                    const PxVec3 *middle, PxVec3 n, PxVec3 edge_n)
{
    const PxClothSystem *y = s->system;
    if (own->piece[0] == own->piece[1])
        return px_vec(0, 0, 0);
    bool edge_is_low = y->piece[cut->edge[0]] == own->piece[0];
    PxVec3 normal = edge_is_low ? edge_n : n;
    PxVec3 from = px_sub(middle[own->piece[1]], px_scale(own->sum, 1.0 / own->cuts));
    double side = px_dot(from, normal) < -1e-6 * px_length(from) ? -1 : 1;
    return px_scale(normal, edge_is_low ? -side : side);
}

static PxStatus untangle(PxClothCollision *c)
{
    PxClothStep *s = c->step;
    const PxClothSystem *y = s->system;
    c->crossed = c->search.cuts;
    if (c->search.cuts == 0) /* there is no array */
        return PX_OK;
    Crossing *crossing;
    PxVec3 *middle;
    qsort(c->search.cut, c->search.cuts, sizeof *c->search.cut, compare_cuts);
    PX_TRY(list_crossings(c, &crossing, &middle));
    for (uint32_t k = 0; k < c->search.cuts; ++k) {
        const PxClothCut *cut = &c->search.cut[k];
        const uint32_t *face = y->face[cut->face].corner;
        PxVec3 n =
            px_cross(px_sub(s->x[face[1]], s->x[face[0]]), px_sub(s->x[face[2]], s->x[face[0]]));
        PxVec3 sum = px_vec(0, 0, 0), edge_n = sum;
        n = px_normalized(n, sum);
        for (uint32_t u = y->first_face[cut->edge[0]]; u < y->first_face[cut->edge[0] + 1]; ++u) {
            const uint32_t *own = y->face[y->faces_of[u].of].corner;
            if (own[0] == cut->edge[1] || own[1] == cut->edge[1] || own[2] == cut->edge[1]) {
                sum = px_add(sum, shorter(s, cut, own, n));
                edge_n = px_add(edge_n, px_cross(px_sub(s->x[own[1]], s->x[own[0]]),
                                                 px_sub(s->x[own[2]], s->x[own[0]])));
            }
        }
        if (px_length(sum) < FLAT) {
            const Crossing *own = crossing_of(s, cut, crossing, &c->crossings);
            sum = aside(s, cut, own, middle, n, px_normalized(edge_n, px_vec(0, 0, 0)));
        }
        uint32_t a = y->of_face[cut->of], b = y->of_face[cut->face];
        double size = fmax(0.5 * (c->search.thick[a] + c->search.thick[b]),
                           THIN * 0.5 * (y->edge[a] + y->edge[b]));
        PxClothContact out = {
            .kind = PX_CLOTH_UNTANGLE,
            .vertex = {cut->edge[0], cut->edge[1], face[0], face[1], face[2]},
            .weight = {1 - cut->part, cut->part, -cut->weight[0], -cut->weight[1], -cut->weight[2]},
            .normal = px_normalized(sum, px_vec(0, 0, 0)),
            .keep = DRAW * size,
            .stiff = 5 * (c->stiff[a] + c->stiff[b]),
            .load = -1};
        for (int v = 0; v < 5; ++v)
            c->tangled[out.vertex[v]] = 1;
        PX_TRY(px_cloth_contacts_add(s, &out));
    }
    return PX_OK;
}

/* Contact is a kink in the motion of a vertex, also that of the last step. Where nothing is held,
 * all vertices of a piece end their past together, since momentum is kept only between vertices of
 * the same integration. */
static PxStatus end_pasts(PxClothCollision *c)
{
    PxClothStep *s = c->step;
    const PxClothSystem *y = s->system;
    enum { TOUCHES = 1, HELD = 2 };
    uint8_t *how = PX_ARENA_ARRAY(s->scratch, uint8_t, y->cloths + 1);
    if (how == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u pieces", y->cloths);
    memset(how, 0, y->cloths);
    for (uint32_t i = 0; i < y->vertices; ++i)
        how[y->of_vertex[i]] |= (s->in_contact[i] || !px_cloth_has_past(s, i) ? TOUCHES : 0) |
                                (s->hold[i] != PX_CLOTH_FREE ? HELD : 0);
    for (uint32_t i = 0; i < y->vertices; ++i)
        if (s->in_contact[i] || how[y->of_vertex[i]] == TOUCHES)
            px_cloth_restart(s, i);
    return PX_OK;
}

/* Rigid bodies press cloth against walls, and its layers must carry them: contacts between layers
 * resist being closed further as much as those of the bodies that press on the pile. */
static PxStatus carry_bodies(PxClothCollision *c)
{
    const PxClothStep *s = c->step;
    const PxClothSystem *y = s->system;
    bool any = false;
    for (uint32_t k = 0; s->bodies != NULL && k < s->contacts->count; ++k) {
        const PxClothContact *p = &s->contacts->contact[k];
        if (p->kind != PX_CLOTH_BOUNDARY || p->body == 0 || s->bodies->body[p->body - 1].point)
            continue;
        double *own = &c->loaded[y->of_vertex[p->vertex[0]]];
        *own = fmax(*own, p->stiff);
        any = true;
    }
    uint32_t *pile = PX_ARENA_ARRAY(s->scratch, uint32_t, y->cloths + 1);
    uint8_t *lies = PX_ARENA_ARRAY(s->scratch, uint8_t, y->cloths + 1);
    if (pile == NULL || lies == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u pieces", y->cloths);
    if (!any)
        return PX_OK;
    for (uint32_t k = 0; k < y->cloths; ++k)
        pile[k] = k;
    for (uint32_t k = 0; k < c->search.count; ++k)
        px_join(pile, c->search.near[k].cloth[0] & ~EDGES, c->search.near[k].cloth[1]);
    memset(lies, 0, y->cloths);
    for (uint32_t i = 0; i < y->vertices; ++i)
        if (s->hold[i] != PX_CLOTH_FREE && (s->handle == NULL || s->handle[i] == 0))
            lies[px_root_of(pile, y->of_vertex[i])] = 1; /* on a wall */
    for (uint32_t k = 0; k < y->cloths; ++k) {
        double *whole = &c->loaded[px_root_of(pile, k)];
        *whole = fmax(*whole, c->loaded[k]);
    }
    for (uint32_t k = 0; k < y->cloths; ++k) {
        uint32_t root = px_root_of(pile, k);
        c->loaded[k] = lies[root] ? c->loaded[root] : 0;
    }
    return PX_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

PxStatus px_cloth_collide_begin(PxClothCollision *c, PxClothStep *s)
{
    const PxClothSystem *y = s->system;
    PxArena *m = s->scratch;
    *c = (PxClothCollision){.step = s};
    for (uint32_t k = 0; k < y->cloths; ++k)
        c->any = c->any || s->law[k].collides;
    if (!c->any)
        return PX_OK;
    c->way = PX_ARENA_ARRAY(m, PxVec3, y->vertices + 1);
    c->seen = PX_ARENA_ARRAY(m, PxVec3, y->vertices + 1);
    c->off = PX_ARENA_ARRAY(m, float, y->vertices + 1);
    c->tangled = PX_ARENA_ARRAY(m, uint8_t, y->vertices + 1);
    c->stiff = PX_ARENA_ARRAY(m, double, y->cloths + 1);
    c->loaded = PX_ARENA_ARRAY(m, double, y->cloths + 1);
    c->most = y->vertices + 64;
    c->found = PX_ARENA_ARRAY(m, PxClothFound, c->most);
    c->search = (PxClothSearch){.step = s, .thick = PX_ARENA_ARRAY(m, double, y->cloths + 1)};
    if (c->way == NULL || c->seen == NULL || c->off == NULL || c->tangled == NULL ||
        c->stiff == NULL || c->loaded == NULL || c->found == NULL || c->search.thick == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for contacts of %u triangles", y->faces);
    memset(c->tangled, 0, y->vertices);
    double least = INFINITY;
    for (uint32_t k = 0; k < y->cloths; ++k) {
        const PxClothLaw *law = &s->law[k];
        c->search.thick[k] = fmin(law->thickness, 0.4 * y->edge[k]);
        c->loaded[k] = 0;
        c->stiff[k] = STIFF * law->mass * y->edge[k] * y->edge[k] / (law->step * law->step);
        least = fmin(least, c->search.thick[k]);
    }
    c->search.slack = 0.5 * least;
    follow(c);
    memcpy(c->seen, c->way, y->vertices * sizeof *c->seen);
    c->search.way = c->seen;
    c->search.first = true;
    PX_TRY(px_cloth_search(&c->search));
    c->search.first = false;
    PX_TRY(untangle(c));
    PX_TRY(carry_bodies(c));
    uint32_t found;
    PX_TRY(px_cloth_collide_find(c, &found));
    return end_pasts(c);
}

PxStatus px_cloth_cuts(PxClothStep *s, PxClothCut **cut, uint32_t *cuts)
{
    uint32_t vertices = s->system->vertices, cloths = s->system->cloths;
    PxVec3 *way = PX_ARENA_ARRAY(s->scratch, PxVec3, vertices + 1);
    PxClothSearch search = {.step = s,
                            .way = way,
                            .thick = PX_ARENA_ARRAY(s->scratch, double, cloths + 1),
                            .first = true};
    if (way == NULL || search.thick == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", vertices);
    memset(way, 0, vertices * sizeof *way);
    for (uint32_t k = 0; k < cloths; ++k)
        search.thick[k] = 0;
    PX_TRY(px_cloth_search(&search));
    if (search.cuts > 0)
        qsort(search.cut, search.cuts, sizeof *search.cut, compare_cuts);
    *cut = search.cut;
    *cuts = search.cuts;
    return PX_OK;
}
