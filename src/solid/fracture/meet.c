#include "solid/fracture/meet.h"

#include <math.h>
#include <string.h>

/* A front stops if an existing sheet, nearly parallel to its own, is this near ahead; in cells. */
#define DONE_AHEAD 0.7

bool px_segment_crosses(PxVec3 a, PxVec3 b, const PxVec3 corner[3], PxVec3 *at)
{
    PxVec3 p = px_sub(corner[1], corner[0]), q = px_sub(corner[2], corner[0]);
    PxVec3 normal = px_cross(p, q), way = px_sub(b, a);
    double da = px_dot(normal, px_sub(a, corner[0])), db = px_dot(normal, px_sub(b, corner[0]));
    if ((da > 0) == (db > 0) || da == db)
        return false;
    *at = px_mad(a, way, da / (da - db));
    /* The point has the coordinates u, v, 1 - u - v in the triangle. Edges belong to both
     * triangles at them: nothing slips through between. */
    PxVec3 r = px_sub(*at, corner[0]);
    double square = px_dot(normal, normal), slack = 1e-7 * square;
    double u = px_dot(normal, px_cross(r, q)), v = px_dot(normal, px_cross(p, r));
    return square > 0 && u >= -slack && v >= -slack && u + v <= square + slack;
}

static void corners_of(const PxCracks *c, const PxCrackTriangle *t, PxVec3 corner[3])
{
    for (int k = 0; k < 3; ++k)
        corner[k] = px_crack_place(c, t->corner[k]);
}

/* Is the triangle beside the box of the segment? */
static bool is_beside(const PxCracks *c, const PxCrackTriangle *t, PxVec3 from, PxVec3 to)
{
    double a[3] = {from.x, from.y, from.z}, b[3] = {to.x, to.y, to.z};
    const float *p = c->vertices.data[t->corner[0]].x, *q = c->vertices.data[t->corner[1]].x,
                *r = c->vertices.data[t->corner[2]].x;
    for (int k = 0; k < 3; ++k) {
        float low = fminf(p[k], fminf(q[k], r[k])), high = fmaxf(p[k], fmaxf(q[k], r[k]));
        if ((double)high < fmin(a[k], b[k]) || (double)low > fmax(a[k], b[k]))
            return true;
    }
    return false;
}

/* Where a triangle is crossed, as a part of the way; INFINITY: nowhere. */
static double meets_triangle(const PxCracks *c, const PxCrackTriangle *t, uint32_t body,
                             uint32_t crack, PxVec3 from, PxVec3 to)
{
    PxVec3 corner[3], at;
    /* of its own sheet the part that no front is near to any more */
    if ((t->crack == crack && t->young) || c->list.data[t->crack].body != body ||
        is_beside(c, t, from, to))
        return INFINITY;
    corners_of(c, t, corner);
    if (!px_segment_crosses(from, to, corner, &at))
        return INFINITY;
    PxVec3 way = px_sub(to, from);
    return fmax(px_dot(px_sub(at, from), way) / px_dot(way, way), 0);
}

bool px_crack_meets(const PxCrackGrowth *g, uint32_t body, uint32_t crack, PxVec3 from, PxVec3 *to)
{
    const PxCracks *c = g->cracks;
    PxVec3 a = px_front_place(g, body, from), b = px_front_place(g, body, *to);
    PxCrackSearch search =
        px_crack_search(&g->sheets->cells, px_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)),
                        px_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)));
    uint32_t k;
    double first = INFINITY;
    while (px_crack_next(&search, &k))
        first = fmin(first, meets_triangle(c, &c->triangles.data[k], body, crack, from, *to));
    if (first < INFINITY)
        *to = px_mad(from, px_sub(*to, from), first);
    return first < INFINITY;
}

static bool touches(const PxCrackTriangle *t, const uint32_t own[6])
{
    for (int n = 0; n < 3; ++n)
        for (int k = 0; k < 6; ++k)
            if (t->corner[n] == own[k])
                return true;
    return false;
}

bool px_crack_is_done(const PxCrackGrowth *g, uint32_t body, PxVec3 way, PxVec3 normal, double cell,
                      const uint32_t own[6], PxVec3 *to)
{
    const PxCracks *c = g->cracks;
    PxVec3 ahead = px_normalized(way, px_vec(0, 0, 0)), at = *to;
    double least = DONE_AHEAD * cell;
    uint32_t k, best = UINT32_MAX;
    PxCrackSearch search =
        px_crack_search_ball(&g->sheets->cells, px_front_place(g, body, at), least);
    while (px_crack_next(&search, &k)) {
        const PxCrackTriangle *t = &c->triangles.data[k];
        PxVec3 corner[3];
        if (c->list.data[t->crack].body != body || touches(t, own))
            continue;
        corners_of(c, t, corner);
        PxVec3 middle = px_scale(px_add(px_add(corner[0], corner[1]), corner[2]), 1.0 / 3);
        PxVec3 r = px_sub(middle, at);
        double far = px_length(r), off = fabs(px_dot(r, normal));
        PxVec3 face = px_cross(px_sub(corner[1], corner[0]), px_sub(corner[2], corner[0]));
        bool nearer = far < least || (far <= least && k < best && best != UINT32_MAX);
        if (!nearer || px_dot(r, ahead) < 0.3 * far || off > 0.5 * DONE_AHEAD * cell ||
            fabs(px_dot(face, normal)) < 0.7 * px_length(face))
            continue;
        least = far;
        best = k;
        *to = middle;
    }
    return best != UINT32_MAX;
}

/* ---- merging ------------------------------------------------------------------------ */

typedef struct Front {
    uint32_t first, size;
    bool closed, gone;
} Front;

static PxVec3 way_of(const PxCrackNode *node)
{
    return px_vec((double)node->way[0], (double)node->way[1], (double)node->way[2]);
}

/* Do the last node of a front and the first of another, or of itself, come together? */
static bool meet(const PxCrackGrowth *g, const PxCrackNode *last, const PxCrackNode *first)
{
    const PxCracks *c = g->cracks;
    uint32_t body = c->list.data[last->crack].body;
    if (c->list.data[first->crack].body != body || (last->kind & PX_NODE_BLOCKED) ||
        (first->kind & PX_NODE_BLOCKED))
        return false;
    PxVec3 x = px_crack_place(c, last->vertex), y = px_crack_place(c, first->vertex);
    PxVec3 apart = px_sub(y, x), closing = px_sub(way_of(last), way_of(first));
    double distance = px_length(apart);
    /* two ends that a split has left side by side move the same way */
    if (!(distance > 0) || !(px_dot(closing, apart) > 0) || px_dot(way_of(last), way_of(first)) > 0)
        return false;
    if (distance > PX_CRACK_NODES_APART * (double)g->field->largest_cell)
        return false;
    PxFractureSample s = px_fracture_outline(g->field, body, x);
    return s.nearest != UINT32_MAX &&
           distance < PX_CRACK_NODES_APART * (double)g->field->cell[s.nearest];
}

/* Both vertices move to their mean. */
static void join(PxCracks *c, uint32_t a, uint32_t b)
{
    float *x = c->vertices.data[a].x, *y = c->vertices.data[b].x;
    for (int k = 0; k < 3; ++k)
        x[k] = y[k] = 0.5f * (x[k] + y[k]);
}

/* Appends front a, and b behind it if that is another, as one front. */
static bool write_merged(PxCrackGrowth *g, const PxCrackNode *old, const Front *a, const Front *b)
{
    size_t begin = g->room->count;
    bool closed = a == b;
    uint32_t front = begin > 0 ? g->room->data[begin - 1].front + 1 : 0;
    const PxCrackNode *last = &old[a->first + a->size - 1];
    uint32_t body = g->cracks->list.data[last->crack].body;
    join(g->cracks, last->vertex, old[b->first].vertex);
    if (!px_front_note(g, body, px_crack_place(g->cracks, last->vertex)))
        return false;
    for (uint32_t k = closed ? 1 : 0; k < a->size; ++k)
        if (!px_front_push(g->room, old[a->first + k]))
            return false;
    for (uint32_t k = 1; !closed && k < b->size; ++k)
        if (!px_front_push(g->room, old[b->first + k]))
            return false;
    PxCrackNode *node = g->room->data + begin;
    uint32_t n = (uint32_t)(g->room->count - begin);
    for (uint32_t k = 0; k < n; ++k) {
        bool end = !closed && (k == 0 || k == n - 1);
        node[k].front = front;
        node[k].crack = old[a->first].crack;
        node[k].kind = closed ? PX_NODE_CLOSED : end ? node[k].kind : 0;
    }
    ++g->events.merged;
    /* the vertex of the other end stays where they met */
    const PxCrackNode *after = closed ? &old[a->first + 1] : &old[b->first + 1];
    return px_crack_add_triangle(g->cracks, node[0].crack, last->vertex, old[b->first].vertex,
                                 after->vertex);
}

static bool copy_front(PxCrackGrowth *g, const PxCrackNode *old, const Front *f)
{
    uint32_t front = g->room->count > 0 ? g->room->data[g->room->count - 1].front + 1 : 0;
    for (uint32_t k = 0; k < f->size; ++k) {
        PxCrackNode node = old[f->first + k];
        node.front = front;
        if (!px_front_push(g->room, node))
            return false;
    }
    return true;
}

bool px_fronts_merge(PxCrackGrowth *g)
{
    PxCracks *c = g->cracks;
    PxArena *scratch = g->field->solid->scratch;
    uint32_t fronts = c->nodes.count > 0 ? c->nodes.data[c->nodes.count - 1].front + 1 : 0, n = 0;
    Front *front = PX_ARENA_ARRAY(scratch, Front, (size_t)fronts + 1);
    if (front == NULL)
        return false;
    for (uint32_t k = 0; k < c->nodes.count; k += front[n++].size)
        front[n] = (Front){k, px_crack_front_size(c, k),
                           (c->nodes.data[k].kind & PX_NODE_CLOSED) != 0, false};
    g->room->count = 0;
    const PxCrackNode *old = c->nodes.data;
    for (uint32_t a = 0; a < n; ++a) {
        uint32_t with = n;
        const PxCrackNode *last = &old[front[a].first + front[a].size - 1];
        if (front[a].gone)
            continue;
        front[a].gone = true;
        for (uint32_t b = a; b < n && with == n && !front[a].closed; ++b) {
            bool free = b == a ? front[a].size > 4 : !front[b].gone && !front[b].closed;
            if (free && meet(g, last, &old[front[b].first]))
                with = b;
        }
        if (with == n) {
            if (!copy_front(g, old, &front[a]))
                return false;
            continue;
        }
        front[with].gone = true;
        if (!write_merged(g, old, &front[a], &front[with]))
            return false;
    }
    PxCrackNodes nodes = c->nodes;
    c->nodes = *g->room;
    *g->room = nodes;
    return true;
}
