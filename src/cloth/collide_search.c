/// Pairs of vertices, triangles and edges of cloth that may touch in a step.
#include "cloth/collide.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define BLOCK 128u
#define SMALL 64u  /* nodes below which a task is not divided further */
#define FACING 0.3 /* cosine up to which a normal counts as one of a direction */
#define MIXED UINT32_MAX

/* Two nodes; the same one twice: all pairs within it. */
typedef struct Task {
    uint32_t a, b;
} Task;

/* A ball around a part of cloth at the start, with half the thickness and the slack; all of the
 * part stays in it if it moves by `way`. */
typedef struct Ball {
    PxVec3 middle, way;
    double radius;
} Ball;

typedef struct Search {
    PxClothSearch *out;
    const PxClothStep *s;
    const PxClothSystem *y;
    PxBounds *box;  /* by node */
    uint32_t *mask; /* by node: directions, of 26, that all its normals have in common */
    uint32_t
        *around; /* by vertex: directions, of 26, that the normals of all its triangles share */
    PxBounds *vertex;
    Ball *face;   /* by face */
    PxVec3 drift; /* mean of all ways, relative to which boxes are */
    Task *task;
    uint32_t tasks, most;
    _Atomic uint32_t found, cuts;
} Search;

/* px_bounds_join() for numbers, without calls of fmin(). */
static PxBounds join(PxBounds a, PxBounds b)
{
    return (PxBounds){{a.low.x < b.low.x ? a.low.x : b.low.x, a.low.y < b.low.y ? a.low.y : b.low.y,
                       a.low.z < b.low.z ? a.low.z : b.low.z},
                      {a.high.x > b.high.x ? a.high.x : b.high.x,
                       a.high.y > b.high.y ? a.high.y : b.high.y,
                       a.high.z > b.high.z ? a.high.z : b.high.z}};
}

/* The ball of `count` vertices. */
static Ball ball_of(const PxClothSearch *s, const uint32_t *vertex, uint32_t count, uint32_t cloth)
{
    Ball b = {.radius = 0.5 * (s->thick[cloth] + s->slack)};
    double far = 0, off = 0;
    for (uint32_t k = 0; k < count; ++k) {
        b.middle = px_mad(b.middle, s->step->x[vertex[k]], 1.0 / count);
        b.way = px_mad(b.way, s->way[vertex[k]], 1.0 / count);
    }
    for (uint32_t k = 0; k < count; ++k) {
        PxVec3 x = px_sub(s->step->x[vertex[k]], b.middle), w = px_sub(s->way[vertex[k]], b.way);
        double xx = px_dot(x, x), ww = px_dot(w, w);
        far = xx > far ? xx : far;
        off = ww > off ? ww : off;
    }
    b.radius += sqrt(far) + sqrt(off);
    return b;
}

/* Do two balls stay apart? */
static bool stay_apart(const Ball *a, const Ball *b)
{
    PxVec3 d = px_sub(b->middle, a->middle), w = px_sub(b->way, a->way);
    double along = -px_dot(d, w), square = px_dot(w, w), both = a->radius + b->radius;
    if (along > 0)
        d = px_mad(d, w, along < square ? along / square : 1);
    return px_dot(d, d) > both * both;
}

static void vertex_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Search *j = user;
    for (uint32_t i = begin; i < end; ++i) {
        double more = 0.5 * (j->out->thick[j->y->of_vertex[i]] + j->out->slack);
        PxVec3 by = px_vec(more, more, more), x = j->s->x[i];
        PxVec3 to = px_add(x, px_sub(j->out->way[i], j->drift));
        j->vertex[i] = join((PxBounds){px_sub(x, by), px_add(x, by)},
                            (PxBounds){px_sub(to, by), px_add(to, by)});
    }
}

/* Bits of the directions, the axes and the diagonals of a cube, within which a normal is. */
static uint32_t directions(PxVec3 n)
{
    double size = px_length(n);
    const double r2 = FACING * sqrt(2.0) * size, r3 = FACING * sqrt(3.0) * size;
    const double r1 = FACING * size;
    const double along[13] = {n.x,
                              n.y,
                              n.z,
                              n.x + n.y,
                              n.x - n.y,
                              n.x + n.z,
                              n.x - n.z,
                              n.y + n.z,
                              n.y - n.z,
                              n.x + n.y + n.z,
                              n.x + n.y - n.z,
                              n.x - n.y + n.z,
                              n.x - n.y - n.z};
    uint32_t bits = 0;
    for (uint32_t k = 0; k < 13; ++k) {
        double least = k < 3 ? r1 : k < 9 ? r2 : r3;
        bits |= (uint32_t)(along[k] > least) << k | (uint32_t)(along[k] < -least) << (k + 13);
    }
    return bits;
}

static void face_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Search *j = user;
    for (uint32_t f = begin; f < end; ++f) {
        const uint32_t *c = j->y->face[f].corner;
        PxVec3 x[3], to[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = j->s->x[c[k]];
            to[k] = px_add(x[k], j->out->way[c[k]]);
        }
        uint32_t n = j->y->leaf_of[f];
        j->box[n] = join(join(j->vertex[c[0]], j->vertex[c[1]]), j->vertex[c[2]]);
        j->face[f] = ball_of(j->out, c, 3, j->y->of_face[f]);
        j->mask[n] = directions(px_cross(px_sub(x[1], x[0]), px_sub(x[2], x[0]))) &
                     directions(px_cross(px_sub(to[1], to[0]), px_sub(to[2], to[0])));
    }
}

static bool overlap(const PxBounds *a, const PxBounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* ---- pairs of two triangles --------------------------------------------------------------------
 */

static void add(Search *j, const uint32_t vertex[4], bool edges, uint32_t f, uint32_t g)
{
    for (int a = 0; a < 4; ++a)
        for (int b = a + 1; b < 4; ++b)
            if (vertex[a] == vertex[b])
                return;
    uint32_t c[2] = {j->y->of_face[f], j->y->of_face[g]};
    Ball first = ball_of(j->out, vertex, edges ? 2 : 1, c[0]);
    Ball second = edges ? ball_of(j->out, vertex + 2, 2, c[1]) : j->face[g];
    if (stay_apart(&first, &second))
        return;
    PxVec3 x[4], way[4], apart;
    for (int k = 0; k < 4; ++k) {
        x[k] = j->s->x[vertex[k]];
        way[k] = j->out->way[vertex[k]];
    }
    double w[4], keep = 0.5 * (j->out->thick[c[0]] + j->out->thick[c[1]]);
    double d = px_cloth_pair_distance(edges, x, w, &apart);
    /* other ways, relative to their mean, differ by up to a slack on each side */
    if (d - px_cloth_pair_reach(edges, way) - 2 * j->out->slack > keep)
        return;
    uint32_t at = atomic_fetch_add_explicit(&j->found, 1, memory_order_relaxed);
    if (at >= j->out->most)
        return;
    j->out->near[at] = (PxClothNear){
        {vertex[0], vertex[1], vertex[2], vertex[3]}, {c[0] | (edges ? 1u << 31 : 0), c[1]}, d};
}

/* Have two triangles a corner around which all normals have a direction in common? Then they do not
 * meet. */
static bool share_flat_corner(const Search *j, const uint32_t *a, const uint32_t *b)
{
    for (int k = 0; k < 3; ++k)
        if ((a[k] == b[0] || a[k] == b[1] || a[k] == b[2]) && j->around[a[k]] != 0)
            return true;
    return false;
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

/* Does an own edge of f cross g at the start? */
static void cut(Search *j, uint32_t f, uint32_t g)
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
        if (!crosses(x[e[0]], x[e[1]], t, &own.part, own.weight))
            continue;
        uint32_t at = atomic_fetch_add_explicit(&j->cuts, 1, memory_order_relaxed);
        if (at < j->out->most_cuts)
            j->out->cut[at] = own;
    }
}

static void pair_faces(Search *j, uint32_t m, uint32_t n)
{
    const PxClothSystem *y = j->y;
    uint32_t f = y->node[m].face, g = y->node[n].face;
    const uint32_t *a = y->face[f].corner, *b = y->face[g].corner;
    if (!j->s->law[y->of_face[f]].collides || !j->s->law[y->of_face[g]].collides)
        return;
    if (stay_apart(&j->face[f], &j->face[g]) || share_flat_corner(j, a, b))
        return;
    if (j->out->first) {
        cut(j, f, g);
        cut(j, g, f);
    }
    for (int k = 0; k < 3; ++k) {
        if (y->owns[f] & (1u << k))
            add(j, (uint32_t[4]){a[k], b[0], b[1], b[2]}, false, f, g);
        if (y->owns[g] & (1u << k))
            add(j, (uint32_t[4]){b[k], a[0], a[1], a[2]}, false, g, f);
        for (int l = 0; l < 3; ++l)
            if ((y->owns[f] & (8u << k)) && (y->owns[g] & (8u << l)))
                add(j, (uint32_t[4]){a[k], a[(k + 1) % 3], b[l], b[(l + 1) % 3]}, true, f, g);
    }
}

/* ---- pairs of nodes ----------------------------------------------------------------------------
 */

static bool is_leaf(const Search *j, uint32_t n)
{
    return j->y->node[n].face != UINT32_MAX;
}

static uint32_t size_of(const Search *j, uint32_t n)
{
    return j->y->node[n].next - n;
}

static void visit_two(Search *j, uint32_t a, uint32_t b, bool divide);

/* All pairs within a node. With `divide`, small parts become tasks. */
static void visit_one(Search *j, uint32_t n, bool divide)
{
    if (is_leaf(j, n) || (j->mask[n] != 0 && j->y->node[n].piece != MIXED))
        return;
    if (divide && size_of(j, n) <= SMALL) {
        if (j->tasks < j->most)
            j->task[j->tasks] = (Task){n, n};
        ++j->tasks;
        return;
    }
    uint32_t second = j->y->node[n + 1].next;
    visit_one(j, n + 1, divide);
    visit_one(j, second, divide);
    visit_two(j, n + 1, second, divide);
}

static void visit_two(Search *j, uint32_t a, uint32_t b, bool divide)
{
    if (!overlap(&j->box[a], &j->box[b]))
        return;
    if (divide && size_of(j, a) + size_of(j, b) <= 2 * SMALL) {
        if (j->tasks < j->most)
            j->task[j->tasks] = (Task){a, b};
        ++j->tasks;
        return;
    }
    if (is_leaf(j, a) && is_leaf(j, b)) {
        pair_faces(j, a, b);
        return;
    }
    if (is_leaf(j, a) || (!is_leaf(j, b) && size_of(j, b) > size_of(j, a))) {
        visit_two(j, a, b + 1, divide);
        visit_two(j, a, j->y->node[b + 1].next, divide);
    } else {
        visit_two(j, a + 1, b, divide);
        visit_two(j, j->y->node[a + 1].next, b, divide);
    }
}

static void task_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Search *j = user;
    for (uint32_t k = begin; k < end; ++k)
        if (j->task[k].a == j->task[k].b)
            visit_one(j, j->task[k].a, false);
        else
            visit_two(j, j->task[k].a, j->task[k].b, false);
}

static void around_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Search *j = user;
    const PxClothSystem *y = j->y;
    for (uint32_t i = begin; i < end; ++i) {
        j->around[i] = UINT32_MAX;
        for (uint32_t u = y->first_face[i]; u < y->first_face[i + 1]; ++u)
            j->around[i] &= j->mask[y->leaf_of[y->faces_of[u].of]];
    }
}

/* Boxes and masks of all nodes. */
static void update(Search *j)
{
    const PxClothSystem *y = j->y;
    px_parallel_for(j->s->threads, y->vertices, 4 * BLOCK, vertex_block, j);
    px_parallel_for(j->s->threads, y->faces, 4 * BLOCK, face_block, j);
    px_parallel_for(j->s->threads, y->vertices, 4 * BLOCK, around_block, j);
    for (uint32_t n = y->nodes; n-- > 0;)
        if (!is_leaf(j, n)) {
            uint32_t second = y->node[n + 1].next;
            j->box[n] = join(j->box[n + 1], j->box[second]);
            j->mask[n] = j->mask[n + 1] & j->mask[second];
        }
}

static PxStatus no_room(uint32_t count)
{
    return px_fail(PX_ERR_MEMORY, "cloth: no room for %u pairs of triangles", count);
}

PxStatus px_cloth_search(PxClothSearch *out)
{
    const PxClothStep *s = out->step;
    const PxClothSystem *y = s->system;
    PxArena *m = s->scratch;
    Search j = {.out = out,
                .s = s,
                .y = y,
                .box = PX_ARENA_ARRAY(m, PxBounds, y->nodes + 1),
                .mask = PX_ARENA_ARRAY(m, uint32_t, y->nodes + 1),
                .around = PX_ARENA_ARRAY(m, uint32_t, y->vertices + 1),
                .face = PX_ARENA_ARRAY(m, Ball, y->faces + 1),
                .vertex = PX_ARENA_ARRAY(m, PxBounds, y->vertices + 1),
                .most = y->faces / 4 + 64};
    j.task = PX_ARENA_ARRAY(m, Task, j.most);
    if (j.box == NULL || j.mask == NULL || j.around == NULL || j.face == NULL || j.vertex == NULL ||
        j.task == NULL)
        return no_room(y->faces);
    for (uint32_t i = 0; i < y->vertices; ++i)
        j.drift = px_mad(j.drift, out->way[i], 1.0 / y->vertices);
    update(&j);
    for (;;) {
        j.tasks = 0;
        if (y->nodes > 0)
            visit_one(&j, 0, true);
        if (j.tasks <= j.most)
            break;
        j.most = j.tasks;
        j.task = PX_ARENA_ARRAY(m, Task, j.most);
        if (j.task == NULL)
            return no_room(j.most);
    }
    for (;;) {
        atomic_store(&j.found, 0);
        atomic_store(&j.cuts, 0);
        px_parallel_for(s->threads, j.tasks, 4, task_block, &j);
        out->count = atomic_load(&j.found);
        out->cuts = atomic_load(&j.cuts);
        if (out->count <= out->most && out->cuts <= out->most_cuts)
            return PX_OK;
        if (out->count > out->most) {
            out->most = out->count + out->count / 4;
            out->near = PX_ARENA_ARRAY(m, PxClothNear, out->most);
        }
        if (out->cuts > out->most_cuts) {
            out->most_cuts = 2 * out->cuts;
            out->cut = PX_ARENA_ARRAY(m, PxClothCut, out->most_cuts);
        }
        if ((out->most > 0 && out->near == NULL) || (out->most_cuts > 0 && out->cut == NULL))
            return no_room(out->most);
    }
}
