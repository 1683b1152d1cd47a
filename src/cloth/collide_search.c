/// Pairs of vertices, triangles and edges of cloth that may touch in a step.
#include "cloth/collide_visit.h"

#include <math.h>
#include <string.h>

#define BLOCK 128u
#define MIXED UINT32_MAX

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Does a seam join a vertex of the first `split` of `all` ones to a later one? */
static bool are_sewn(const PxClothStep *s, const uint32_t *vertex, int split, int all)
{
    for (int a = 0; s->sewn_first != NULL && a < split; ++a)
        for (uint32_t k = s->sewn_first[vertex[a]]; k < s->sewn_first[vertex[a] + 1]; ++k)
            for (int b = split; b < all; ++b)
                if (s->sewn[k] == vertex[b])
                    return true;
    return false;
}

void px_cloth_visit_add(PxClothVisit *j, const uint32_t v[4], bool edges, uint32_t f, uint32_t g)
{
    const uint8_t *fresh = j->out->fresh;
    if (!fresh[v[0]] && !fresh[v[1]] && !fresh[v[2]] && !fresh[v[3]])
        return; /* it is known */
    for (int a = 0; a < 4; ++a)
        for (int b = a + 1; b < 4; ++b)
            if (v[a] == v[b])
                return;
    uint32_t c[2] = {j->y->of_face[f], j->y->of_face[g]};
    PxVec3 x[4], way[4], apart;
    for (int k = 0; k < 4; ++k) {
        x[k] = j->s->x[v[k]];
        way[k] = j->out->way[v[k]];
    }
    double w[4], keep = 0.5 * (j->out->thick[c[0]] + j->out->thick[c[1]]);
    double d = px_cloth_pair_distance(edges, x, w, &apart);
    /* other ways, relative to their mean, differ by up to a slack on each side */
    double reach = px_cloth_pair_reach(edges, way);
    if (d - reach - 2 * j->out->slack > keep || are_sewn(j->s, v, edges ? 2 : 1, 4))
        return;
    uint32_t at = atomic_fetch_add_explicit(&j->found, 1, memory_order_relaxed);
    if (at >= j->out->most)
        return;
    j->out->near[at] = (PxClothNear){
        {v[0], v[1], v[2], v[3]}, {c[0] | (edges ? 1u << 31 : 0), c[1]}, d, (float)reach, false};
}

/* Where the edge pq crosses a triangle, if it does: the part of the edge, and weights of corners.
 */
static bool crosses(PxVec3 p, PxVec3 q, const PxVec3 t[3], double *part, double weight[3])
{
    PxVec3 n = px_cross(px_sub(t[1], t[0]), px_sub(t[2], t[0]));
    double a = px_dot(px_sub(p, t[0]), n), b = px_dot(px_sub(q, t[0]), n);
    if ((a > 0) == (b > 0) || !(fabs(a - b) > 0))
        return false;
    *part = a / (a - b);
    PxVec3 at = px_mad(p, px_sub(q, p), *part);
    double size = px_dot(n, n);
    for (int k = 0; k < 3; ++k) {
        PxVec3 u = px_sub(t[(k + 1) % 3], at), v = px_sub(t[(k + 2) % 3], at);
        weight[k] = px_dot(px_cross(u, v), n) / size;
        if (!(weight[k] >= 0))
            return false;
    }
    return true;
}

void px_cloth_visit_cut(PxClothVisit *j, uint32_t f, uint32_t g)
{
    const PxClothSystem *y = j->y;
    const uint32_t *a = y->face[f].corner, *b = y->face[g].corner;
    const PxVec3 *x = j->s->x, t[3] = {x[b[0]], x[b[1]], x[b[2]]};
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t e[2] = {a[k], a[(k + 1) % 3]};
        if (!(y->owns[f] & (8u << k)) || e[0] == b[0] || e[0] == b[1] || e[0] == b[2] ||
            e[1] == b[0] || e[1] == b[1] || e[1] == b[2])
            continue;
        PxClothCut own = {.edge = {e[0], e[1]}, .of = f, .face = g};
        if (!crosses(x[e[0]], x[e[1]], t, &own.part, own.weight) ||
            are_sewn(j->s, (uint32_t[5]){e[0], e[1], b[0], b[1], b[2]}, 2, 5))
            continue;
        uint32_t at = atomic_fetch_add_explicit(&j->cuts, 1, memory_order_relaxed);
        if (at < j->out->most_cuts)
            j->out->cut[at] = own;
    }
}

/* ---- the hierarchy --------------------------------------------------------------------------- */

/* A node or the surroundings of a vertex that no longer face one way: what is in it may meet now
 * although it has not moved further than the slack. */
static void freshen(const PxClothVisit *j, uint32_t face)
{
    for (int k = 0; k < 3; ++k)
        j->out->fresh[j->y->face[face].corner[k]] = 1;
}

/* Hulls and masks of nodes with fresh vertices. */
static void update_nodes(const PxClothVisit *j)
{
    const PxClothSystem *y = j->y;
    for (uint32_t n = y->nodes; n-- > 0;) {
        if (y->node[n].face != UINT32_MAX) {
            const uint32_t *c = y->face[y->node[n].face].corner;
            j->fresh[n] = j->out->fresh[c[0]] | j->out->fresh[c[1]] | j->out->fresh[c[2]];
            continue;
        }
        uint32_t second = y->node[n + 1].next, before = j->mask[n];
        j->fresh[n] = j->fresh[n + 1] | j->fresh[second];
        if (!j->fresh[n])
            continue;
        PX_ISA_PICK(j->s->isa, px_cloth_visit_join)(j, n);
        j->mask[n] = j->mask[n + 1] & j->mask[second];
        for (uint32_t k = n; k < y->node[n].next && j->known && before != 0 && j->mask[n] == 0 &&
                             y->node[n].piece != MIXED;
             ++k)
            if (y->node[k].face != UINT32_MAX)
                freshen(j, y->node[k].face);
    }
}

static void update_corners(const PxClothVisit *j)
{
    const PxClothSystem *y = j->y;
    for (uint32_t i = 0; i < y->vertices; ++i) {
        uint32_t before = j->around[i];
        j->around[i] = UINT32_MAX;
        for (uint32_t u = y->first_face[i]; u < y->first_face[i + 1]; ++u)
            j->around[i] &= j->mask[y->leaf_of[y->faces_of[u].of]];
        for (uint32_t u = y->first_face[i];
             u < y->first_face[i + 1] && j->known && before != 0 && j->around[i] == 0; ++u)
            freshen(j, y->faces_of[u].of);
    }
}

/* Nodes with vertices that became fresh because of others. */
static void mark_nodes(const PxClothVisit *j)
{
    const PxClothSystem *y = j->y;
    for (uint32_t n = y->nodes; n-- > 0;)
        if (y->node[n].face != UINT32_MAX) {
            const uint32_t *c = y->face[y->node[n].face].corner;
            j->fresh[n] = j->out->fresh[c[0]] | j->out->fresh[c[1]] | j->out->fresh[c[2]];
        } else {
            j->fresh[n] = j->fresh[n + 1] | j->fresh[y->node[n + 1].next];
        }
}

static double largest_place(const PxClothVisit *j)
{
    double most = 0;
    for (uint32_t i = 0; i < j->y->vertices; ++i) {
        PxVec3 x = px_sub(j->s->x[i], j->origin), to = px_add(x, j->out->way[i]);
        double a = px_dot(x, x), b = px_dot(to, to);
        most = a > most ? a : most;
        most = b > most ? b : most;
    }
    return sqrt(most);
}

static PxStatus no_room(uint32_t count)
{
    return px_fail(PX_ERR_MEMORY, "cloth: no room for %u pairs of triangles", count);
}

/* Takes the arrays of a visit from scratch. */
static PxStatus begin(PxClothSearch *out)
{
    const PxClothSystem *y = out->step->system;
    PxArena *m = out->step->scratch;
    PxClothVisit *j = out->visit = PX_ARENA_ARRAY(m, PxClothVisit, 1);
    if (j == NULL)
        return no_room(y->faces);
    *j = (PxClothVisit){.out = out,
                        .s = out->step,
                        .y = y,
                        .place = PX_ARENA_ARRAY(m, float, 16 * (size_t)y->vertices + 16),
                        .hull = PX_ARENA_ARRAY(m, float, 32 * (size_t)y->nodes + 32),
                        .mask = PX_ARENA_ARRAY(m, uint32_t, y->nodes + 1),
                        .around = PX_ARENA_ARRAY(m, uint32_t, y->vertices + 1),
                        .fresh = PX_ARENA_ARRAY(m, uint8_t, y->nodes + 1),
                        .most = y->faces / 4 + 64};
    j->task = PX_ARENA_ARRAY(m, PxClothTask, j->most);
    out->fresh = PX_ARENA_ARRAY(m, uint8_t, y->vertices + 1);
    out->most = *y->pairs + *y->pairs / 4;
    out->near = PX_ARENA_ARRAY(m, PxClothNear, out->most + 1);
    if (j->place == NULL || j->hull == NULL || j->mask == NULL || j->around == NULL ||
        j->fresh == NULL || j->task == NULL || out->fresh == NULL || out->near == NULL)
        return no_room(y->faces);
    memset(out->fresh, 1, y->vertices);
    for (uint32_t i = 0; i < y->vertices; ++i)
        j->origin = px_mad(j->origin, out->step->x[i], 1.0 / y->vertices);
    return PX_OK;
}

/* Leaves the known pairs without fresh vertices at the beginning of the list. */
static uint32_t keep_known(PxClothSearch *out)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < out->count; ++k) {
        const uint32_t *v = out->near[k].vertex;
        if (!out->fresh[v[0]] && !out->fresh[v[1]] && !out->fresh[v[2]] && !out->fresh[v[3]])
            out->near[kept++] = out->near[k];
    }
    return kept;
}

static PxStatus make_room(PxClothSearch *out, uint32_t kept)
{
    PxArena *m = out->step->scratch;
    if (out->count > out->most) {
        out->most = out->count + out->count / 4;
        PxClothNear *near = PX_ARENA_ARRAY(m, PxClothNear, out->most);
        if (near == NULL)
            return no_room(out->most);
        if (kept > 0)
            memcpy(near, out->near, kept * sizeof *near);
        out->near = near;
    }
    if (out->cuts > out->most_cuts) {
        out->most_cuts = 2 * out->cuts;
        out->cut = PX_ARENA_ARRAY(m, PxClothCut, out->most_cuts);
        if (out->cut == NULL)
            return no_room(out->most_cuts);
    }
    return PX_OK;
}

PxStatus px_cloth_search(PxClothSearch *out)
{
    const PxClothStep *s = out->step;
    const PxClothSystem *y = s->system;
    if (out->visit == NULL)
        PX_TRY(begin(out));
    PxClothVisit *j = out->visit;
    double largest = largest_place(j);
    if (!j->known || largest > 2 * j->largest) { /* every place is fresh */
        j->largest = largest;
        j->rounding = 1e-6 * largest;
        memset(out->fresh, 1, y->vertices);
    }
    px_parallel_for(s->threads, y->vertices, 4 * BLOCK, PX_ISA_PICK(s->isa, px_cloth_visit_places),
                    j);
    px_parallel_for(s->threads, y->faces, 4 * BLOCK, PX_ISA_PICK(s->isa, px_cloth_visit_faces), j);
    update_nodes(j);
    update_corners(j);
    mark_nodes(j);
    j->known = true;
    for (;;) {
        PX_ISA_PICK(s->isa, px_cloth_visit_divide)(j);
        if (j->tasks <= j->most)
            break;
        j->most = j->tasks;
        j->task = PX_ARENA_ARRAY(s->scratch, PxClothTask, j->most);
        if (j->task == NULL)
            return no_room(j->most);
    }
    uint32_t kept = keep_known(out);
    for (;;) {
        atomic_store(&j->found, kept);
        atomic_store(&j->cuts, 0);
        px_parallel_for(s->threads, j->tasks, 4, PX_ISA_PICK(s->isa, px_cloth_visit_tasks), j);
        out->count = atomic_load(&j->found);
        if (out->first)
            out->cuts = atomic_load(&j->cuts);
        if (out->count <= out->most && out->cuts <= out->most_cuts)
            break;
        PX_TRY(make_room(out, kept));
    }
    *y->pairs = out->count;
    return PX_OK;
}
