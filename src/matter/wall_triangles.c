#include "matter/wall_triangles.h"

#include "base/fail.h"
#include "base/random.h"
#include "matter/kernel.h"
#include "shape/shape_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells that the box of one triangle covers along an axis at most; longer ones make larger cells.
 */
#define MOST_CELLS 48.0

/* Edge of a cell, in supports. Boxes are widened by a support, so smaller cells have shorter lists
 * and larger grids: bench mesh-walls at 8,040 triangles has its minimum here. */
#define CELL_SUPPORTS 0.5

/* Squared distances that differ by less than this factor are equal: two triangles share the
 * nearest point. */
#define TIE 1e-9

typedef struct Triangle {
    PxVec3 middle; /* of a ball around it */
    double radius;
    PxVec3 corner[3], normal; /* the normal points to the side where matter may be */
} Triangle;

/* A cell of the grid: entry[begin .. begin + count). */
typedef struct Cell {
    int32_t at[3];
    uint32_t begin, count; /* count 0: a free place of the table */
} Cell;

struct PxWallTriangles {
    const PxShape *shape;
    bool inside;
    PxTriangleSearch search;
    Triangle *triangle; /* of a tree in the order of its leaves */
    uint32_t count;
    PxTreeNode *node;
    uint32_t nodes;
    const PxWallProfile *profile;
    double h, s; /* that the grid was made for */
    double edge; /* of a cell, m */
    Cell *cell;
    uint32_t cells; /* a power of two */
    uint32_t *entry;
    size_t entries;
    uint32_t holders;
};

/* ---- grid --------------------------------------------------------------------------------- */

static uint32_t cell_hash(const int32_t at[3])
{
    uint64_t key = ((uint64_t)(uint32_t)at[0] << 42) ^ ((uint64_t)(uint32_t)at[1] << 21) ^
                   (uint64_t)(uint32_t)at[2];
    return (uint32_t)(px_mix(key) >> 32);
}

/* The cell's place in the table, which may be free. */
static Cell *cell_place(Cell *cell, uint32_t cells, const int32_t at[3])
{
    uint32_t k = cell_hash(at) & (cells - 1);
    while (cell[k].count > 0 &&
           (cell[k].at[0] != at[0] || cell[k].at[1] != at[1] || cell[k].at[2] != at[2]))
        k = (k + 1) & (cells - 1);
    return &cell[k];
}

static int32_t cell_of(double v, double edge)
{
    return (int32_t)fmin(fmax(floor(v / edge), -1e9), 1e9);
}

static PxBounds triangle_bounds(const Triangle *t)
{
    PxBounds b = px_bounds_empty();
    for (int k = 0; k < 3; ++k)
        px_bounds_add(&b, t->corner[k]);
    return b;
}

/* Calls for each cell that may hold points within the support of the triangle; false: stopped. */
static bool each_cell(const PxWallTriangles *t, const Triangle *tri,
                      bool (*act)(void *user, const int32_t at[3]), void *user)
{
    PxBounds b = triangle_bounds(tri);
    const double low[3] = {b.low.x, b.low.y, b.low.z}, high[3] = {b.high.x, b.high.y, b.high.z};
    int32_t from[3], to[3], at[3];
    double reach = t->h * (1 + 1e-6);
    for (int a = 0; a < 3; ++a) {
        from[a] = cell_of(low[a] - reach, t->edge);
        to[a] = cell_of(high[a] + reach, t->edge);
    }
    double diagonal = 0.5 * sqrt(3.0) * t->edge;
    for (at[2] = from[2]; at[2] <= to[2]; ++at[2])
        for (at[1] = from[1]; at[1] <= to[1]; ++at[1])
            for (at[0] = from[0]; at[0] <= to[0]; ++at[0]) {
                PxVec3 middle = px_vec((at[0] + 0.5) * t->edge, (at[1] + 0.5) * t->edge,
                                       (at[2] + 0.5) * t->edge);
                if (fabs(px_dot(px_sub(middle, tri->corner[0]), tri->normal)) > reach + diagonal)
                    continue;
                PxVec3 q = px_triangle_closest(middle, tri->corner[0], tri->corner[1],
                                               tri->corner[2], NULL);
                if (px_length(px_sub(middle, q)) > reach + diagonal)
                    continue;
                if (!act(user, at))
                    return false;
            }
    return true;
}

typedef struct Making {
    Cell *cell;
    uint32_t cells, used;
    uint32_t *entry;
    uint32_t triangle;
    uint64_t total;
} Making;

static bool grow(Making *m)
{
    uint32_t cells = m->cells > 0 ? 2 * m->cells : 1024;
    Cell *cell = calloc(cells, sizeof *cell);
    if (cell == NULL)
        return false;
    for (uint32_t k = 0; k < m->cells; ++k)
        if (m->cell[k].count > 0)
            *cell_place(cell, cells, m->cell[k].at) = m->cell[k];
    free(m->cell);
    m->cell = cell;
    m->cells = cells;
    return true;
}

static bool count_cell(void *user, const int32_t at[3])
{
    Making *m = user;
    if (2 * (m->used + 1) > m->cells && (m->cells >= 1u << 30 || !grow(m)))
        return false;
    Cell *cell = cell_place(m->cell, m->cells, at);
    if (cell->count++ == 0) {
        memcpy(cell->at, at, sizeof cell->at);
        ++m->used;
    }
    return ++m->total < UINT32_MAX;
}

static bool enter_cell(void *user, const int32_t at[3])
{
    Making *m = user;
    Cell *cell = cell_place(m->cell, m->cells, at);
    m->entry[cell->begin++] = m->triangle;
    return true;
}

static void grid_free(PxWallTriangles *t)
{
    free(t->cell);
    free(t->entry);
    t->cell = NULL;
    t->entry = NULL;
    t->cells = 0;
    t->entries = 0;
}

/* Triangles are entered in order, so every list is sorted. */
static PxStatus grid_make(PxWallTriangles *t)
{
    double longest = 0;
    for (uint32_t k = 0; k < t->count; ++k) {
        PxBounds b = triangle_bounds(&t->triangle[k]);
        PxVec3 size = px_sub(b.high, b.low);
        longest = fmax(longest, fmax(size.x, fmax(size.y, size.z)));
    }
    t->edge = fmax(CELL_SUPPORTS * t->h, (longest + 2 * t->h) / MOST_CELLS);
    Making m = {.cells = 0};
    bool room = grow(&m);
    for (uint32_t k = 0; k < t->count && room; ++k)
        room = each_cell(t, &t->triangle[k], count_cell, &m);
    m.entry = room ? malloc((size_t)m.total * sizeof *m.entry) : NULL;
    if (m.entry == NULL) {
        free(m.cell);
        return px_fail(PX_ERR_MEMORY, "walls: no room for a grid of %u triangles", t->count);
    }
    uint32_t begin = 0;
    for (uint32_t k = 0; k < m.cells; ++k) {
        m.cell[k].begin = begin;
        begin += m.cell[k].count;
    }
    for (m.triangle = 0; m.triangle < t->count; ++m.triangle)
        each_cell(t, &t->triangle[m.triangle], enter_cell, &m);
    for (uint32_t k = 0; k < m.cells; ++k)
        m.cell[k].begin -= m.cell[k].count;
    t->cell = m.cell;
    t->cells = m.cells;
    t->entry = m.entry;
    t->entries = (size_t)m.total;
    return PX_OK;
}

/* ---- life --------------------------------------------------------------------------------- */

static PxStatus copy_triangles(PxWallTriangles *t, const PxMesh *mesh, PxTreeRule rule)
{
    uint32_t triangles = mesh->triangle_count;
    PxStatus status = PX_ERR_MEMORY;
    PxVec3 *middle = malloc(triangles * sizeof *middle);
    uint32_t *order = malloc(triangles * sizeof *order);
    t->triangle = malloc(triangles * sizeof *t->triangle);
    if (middle == NULL || order == NULL || t->triangle == NULL)
        goto done;
    for (uint32_t k = 0; k < triangles; ++k) {
        PxVec3 a = px_mesh_corner(mesh, k, 0), b = px_mesh_corner(mesh, k, 1);
        PxVec3 c = px_mesh_corner(mesh, k, 2);
        if (px_mesh_triangle_is_flat(a, b, c))
            continue;
        middle[k] = px_scale(px_add(a, px_add(b, c)), 1.0 / 3);
        order[t->count++] = k;
    }
    if (t->search == PX_TRIANGLES_TREE) {
        t->node = malloc(2 * (size_t)t->count * sizeof *t->node);
        if (t->node == NULL)
            goto done;
        t->nodes = px_tree_build_by(mesh, middle, order, t->count, rule, t->node);
    }
    for (uint32_t k = 0; k < t->count; ++k) {
        Triangle *tri = &t->triangle[k];
        for (int c = 0; c < 3; ++c)
            tri->corner[c] = px_mesh_corner(mesh, order[k], c);
        PxVec3 across = px_cross(px_sub(tri->corner[1], tri->corner[0]),
                                 px_sub(tri->corner[2], tri->corner[0]));
        tri->normal = px_normalized(across, px_vec(0, 1, 0));
        if (t->inside) {
            PxVec3 b = tri->corner[1];
            tri->corner[1] = tri->corner[2];
            tri->corner[2] = b;
            tri->normal = px_scale(tri->normal, -1);
        }
        tri->middle = middle[order[k]];
        tri->radius = 0;
        for (int c = 0; c < 3; ++c)
            tri->radius = fmax(tri->radius, px_length(px_sub(tri->corner[c], tri->middle)));
    }
    status = PX_OK;
done:
    free(middle);
    free(order);
    return status == PX_OK
               ? PX_OK
               : px_fail(status, "walls: no room for %u triangles of a wall", triangles);
}

PxStatus px_wall_triangles_create(const PxShape *shape, bool inside, PxTriangleSearch search,
                                  PxTreeRule rule, PxWallTriangles **out)
{
    PX_ASSERT(shape->kind == PX_SHAPE_MESH && shape->moving == NULL);
    *out = NULL;
    PxWallTriangles *t = calloc(1, sizeof *t);
    if (t == NULL)
        return px_fail(PX_ERR_MEMORY, "walls: no room for the triangles of a wall");
    t->shape = shape;
    t->inside = inside;
    t->search = search;
    /* in the shape's own frame, as the mesh is: a query is turned into it */
    PxStatus status = copy_triangles(t, shape->mesh, rule);
    if (status != PX_OK) {
        px_wall_triangles_free(t);
        return status;
    }
    *out = t;
    return PX_OK;
}

void px_wall_triangles_hold(PxWallTriangles *t)
{
    if (t != NULL)
        ++t->holders;
}

void px_wall_triangles_free(PxWallTriangles *t)
{
    if (t == NULL)
        return;
    if (t->holders > 0) {
        --t->holders;
        return;
    }
    grid_free(t);
    free(t->triangle);
    free(t->node);
    free(t);
}

size_t px_wall_triangles_bytes(const PxWallTriangles *t)
{
    if (t == NULL)
        return 0;
    return sizeof *t + t->count * sizeof *t->triangle + t->cells * sizeof *t->cell +
           t->entries * sizeof *t->entry + t->nodes * sizeof *t->node;
}

PxStatus px_wall_triangles_fit(PxWallTriangles *t, const PxWallProfile *profile)
{
    t->profile = profile;
    if (t->h == profile->h && t->s == profile->s)
        return PX_OK;
    t->h = profile->h;
    t->s = profile->s;
    if (t->search == PX_TRIANGLES_TREE)
        return PX_OK;
    grid_free(t);
    PxStatus status = grid_make(t);
    if (status != PX_OK)
        t->h = 0; /* try again next time */
    return status;
}

/* ---- visiting ------------------------------------------------------------------------------ */

/* A query lowers its reach as it finds nearer triangles. */
typedef struct Query {
    PxVec3 p;
    double reach;
} Query;

typedef void Visit(const PxWallTriangles *t, const Triangle *tri, Query *query);

static void visit_one(const PxWallTriangles *t, const Triangle *tri, Visit *visit, Query *query)
{
    PxVec3 apart = px_sub(query->p, tri->middle);
    double most = query->reach + tri->radius;
    if (px_dot(apart, apart) <= most * most)
        visit(t, tri, query);
}

static void visit_grid(const PxWallTriangles *t, Visit *visit, Query *query)
{
    PxVec3 p = query->p;
    const int32_t at[3] = {cell_of(p.x, t->edge), cell_of(p.y, t->edge), cell_of(p.z, t->edge)};
    const Cell *cell = cell_place(t->cell, t->cells, at);
    for (uint32_t k = 0; k < cell->count; ++k)
        visit_one(t, &t->triangle[t->entry[cell->begin + k]], visit, query);
}

static double box_distance2(const PxBounds *b, PxVec3 p)
{
    double x = b->low.x > p.x ? b->low.x - p.x : p.x > b->high.x ? p.x - b->high.x : 0;
    double y = b->low.y > p.y ? b->low.y - p.y : p.y > b->high.y ? p.y - b->high.y : 0;
    double z = b->low.z > p.z ? b->low.z - p.z : p.z > b->high.z ? p.z - b->high.z : 0;
    return x * x + y * y + z * z;
}

/* The nearer child first, since it shortens the reach. */
static void visit_tree(const PxWallTriangles *t, Visit *visit, Query *query)
{
    struct {
        uint32_t node;
        double distance2;
    } stack[PX_TREE_STACK];
    int top = 0;
    stack[top].node = 0;
    stack[top++].distance2 = box_distance2(&t->node[0].bounds, query->p);
    while (top > 0) {
        uint32_t n = stack[--top].node;
        const PxTreeNode *node = &t->node[n];
        if (stack[top].distance2 > query->reach * query->reach)
            continue;
        for (uint32_t k = node->first; k < node->first + node->count; ++k)
            visit_one(t, &t->triangle[k], visit, query);
        if (node->count > 0)
            continue;
        const uint32_t child[2] = {n + 1, node->first};
        const double d[2] = {box_distance2(&t->node[child[0]].bounds, query->p),
                             box_distance2(&t->node[child[1]].bounds, query->p)};
        int near = d[1] < d[0];
        stack[top].node = child[!near];
        stack[top++].distance2 = d[!near];
        stack[top].node = child[near];
        stack[top++].distance2 = d[near];
    }
}

static void visit_near(const PxWallTriangles *t, Visit *visit, Query *query)
{
    if (t->search == PX_TRIANGLES_GRID)
        visit_grid(t, visit, query);
    else
        visit_tree(t, visit, query);
}

/* ---- the integral over a triangle ---------------------------------------------------------- */

/* Integrals over dtheta of part(z) - (z/r) part(r) and of part'(z) - part'(r), times 2 pi. */
typedef struct Fan {
    double part, slope;
} Fan;

/* Gauss and Legendre on 0 .. 1, with 2 and 4 nodes. */
static const double NODE[2][4] = {
    {0.21132486540518713, 0.7886751345948129},
    {0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970263}};
static const double WEIGHT[2][4] = {
    {0.5, 0.5},
    {0.17392742256872692, 0.32607257743127305, 0.32607257743127305, 0.17392742256872692}};

/* Widths of x, below, up to which two nodes are enough: the error of the part is then below 1e-4.
 */
#define NARROW 0.2

/* Integrates over a range of x = tan(theta / 2), in which the edge is m (1 + x^2) / (1 - x^2) away
 * and dtheta = 2 dx / (1 + x^2): no trigonometry is needed. */
static void add_range(const PxWallProfile *w, double z, double m, double from, double to, Fan *sum)
{
    double wide = to - from, z2 = z * z, r[4], y2[4];
    int fine = wide > NARROW, nodes = fine ? 4 : 2;
    Fan own = {0, 0};
    for (int k = 0; k < nodes; ++k) {
        double x = from + NODE[fine][k] * wide;
        y2[k] = x * x;
        double away = m * (1 + y2[k]) / (1 - y2[k]);
        r[k] = sqrt(z2 + away * away);
    }
    for (int k = 0; k < nodes; ++k) {
        double part, slope, weight = WEIGHT[fine][k] / (1 + y2[k]);
        px_wall_profile_part(w, r[k], &part, &slope);
        own.part += weight * part / r[k];
        own.slope += weight * slope;
    }
    sum->part += 2 * wide * z * own.part;
    sum->slope += 2 * wide * own.slope;
}

/* What lies beyond an edge: the integral of (z/r) part(r) and of part'(r) along it, from the place
 * `from` to `to`, measured from the foot of its perpendicular, of length m. */
static Fan edge_integral(const PxWallProfile *w, double z, double m, double from, double to,
                         double widest2)
{
    Fan sum = {0, 0};
    double most = sqrt(fmax(widest2 - m * m, 0));
    from = from > -most ? from : -most;
    to = to < most ? to : most;
    if (!(from < to))
        return sum;
    double low = from / (m + sqrt(m * m + from * from)), high = to / (m + sqrt(m * m + to * to));
    if (high - low > 0.8) {
        double middle = 0.5 * (low + high);
        add_range(w, z, m, low, middle, &sum);
        low = middle;
    }
    add_range(w, z, m, low, high, &sum);
    return sum;
}

/* The foot of the point is inside if it is on the left of all edges. By the same sign an edge adds
 * or subtracts: where the foot passes over an edge, half of the angles are on either side of it,
 * and both ways to count them agree. */
static Fan triangle_fan(const PxWallProfile *w, const Triangle *tri, PxVec3 p, double z)
{
    double part, slope, half = 0.5 * w->h, widest2 = half * half - z * z;
    bool inside = true;
    Fan sum = {0, 0};
    for (int k = 0; k < 3; ++k) {
        PxVec3 u = px_sub(tri->corner[k], p), e = px_sub(tri->corner[(k + 1) % 3], tri->corner[k]);
        double length = px_length(e), from = px_dot(u, e) / length, to = from + length;
        double m = px_dot(tri->normal, px_cross(u, e)) / length;
        inside = inside && m >= 0;
        if (m * m >= widest2)
            continue;
        Fan edge = edge_integral(w, z, fmax(fabs(m), 1e-9 * half), from, to, widest2);
        double side = m < 0 ? -1 : 1;
        sum.part -= side * edge.part;
        sum.slope -= side * edge.slope;
    }
    if (inside) { /* all angles are seen; else they add up to 0 */
        px_wall_profile_part(w, fabs(z), &part, &slope);
        sum.part += 2 * PX_PI * (z < 0 ? -part : part);
        sum.slope += 2 * PX_PI * slope;
    }
    return sum;
}

/* ---- asking -------------------------------------------------------------------------------- */

typedef struct Ask {
    Query query;
    double best2;
    PxVec3 away, outward; /* from the nearest point; sum of the normals that share it */
    double part;
    PxVec3 gradient;
} Ask;

/* Angle of a triangle at a corner: the weight of its normal there (Baerentzen and Aanaes 2005). */
static double corner_angle(const Triangle *tri, int corner)
{
    PxVec3 u = px_sub(tri->corner[(corner + 1) % 3], tri->corner[corner]);
    PxVec3 v = px_sub(tri->corner[(corner + 2) % 3], tri->corner[corner]);
    return atan2(px_length(px_cross(u, v)), px_dot(u, v));
}

static void ask_triangle(const PxWallTriangles *t, const Triangle *tri, Query *query)
{
    Ask *ask = (Ask *)query;
    double z = px_dot(px_sub(query->p, tri->corner[0]), tri->normal), half = 0.5 * t->h;
    if (z * z > ask->best2 && fabs(z) >= half)
        return;
    int piece;
    PxVec3 q =
        px_triangle_closest_part(query->p, tri->corner[0], tri->corner[1], tri->corner[2], &piece);
    PxVec3 away = px_sub(query->p, q);
    double d2 = px_dot(away, away);
    if (d2 <= ask->best2 * (1 + TIE)) {
        double weight = piece >= PX_PART_CORNER ? corner_angle(tri, piece - PX_PART_CORNER) : 1;
        bool tie = d2 >= ask->best2 * (1 - TIE);
        PxVec3 before = tie ? ask->outward : px_vec(0, 0, 0);
        ask->outward = px_mad(before, tri->normal, weight);
        if (!tie || d2 < ask->best2) {
            ask->best2 = d2;
            ask->away = away;
            /* ties, and all that the kernel meets, are wanted further on */
            query->reach = fmax(half, sqrt(d2) * (1 + TIE));
        }
    }
    if (d2 < half * half) {
        Fan fan = triangle_fan(t->profile, tri, query->p, z);
        ask->part += fan.part;
        ask->gradient = px_mad(ask->gradient, tri->normal, fan.slope);
    }
}

void px_wall_triangles_ask(const PxWallTriangles *t, PxVec3 rest, PxFill *out)
{
    Ask ask = {.query = {px_shape_to_own(t->shape, rest), t->h}, .best2 = t->h * t->h};
    visit_near(t, ask_triangle, &ask.query);
    double d = sqrt(ask.best2);
    out->part = 0;
    out->gradient = px_vec(0, 0, 0);
    out->distance = d;
    if (px_dot(ask.outward, ask.outward) == 0)
        return; /* none is near */
    if (px_dot(ask.outward, ask.away) < 0) {
        /* in the wall, as flat as the nearest place */
        double slope;
        px_wall_profile_part(t->profile, -d, &out->part, &slope);
        out->distance = -d;
        out->gradient =
            px_rotate(t->shape->turn, px_scale(px_normalized(ask.away, px_vec(0, 0, 0)), -slope));
        return;
    }
    double part = ask.part / (2 * PX_PI);
    out->part = part < 0 ? 0 : part > 1 ? 1 : part;
    out->gradient = px_rotate(t->shape->turn, px_scale(ask.gradient, 1 / (2 * PX_PI)));
}

/* ---- contacts ------------------------------------------------------------------------------- */

typedef struct Touch {
    Query query;
    PxWallSpot *out;
    uint32_t count, most;
} Touch;

/* Keeps a spot sorted by distance. One in the direction of a nearer one adds nothing: they are of
 * triangles that meet at an edge or are flat there. */
static void keep_spot(Touch *touch, PxWallSpot spot)
{
    const double SAME = 0.999; /* 2.6 degrees */
    uint32_t at = touch->count;
    for (uint32_t k = 0; k < touch->count; ++k)
        if (px_dot(touch->out[k].normal, spot.normal) > SAME) {
            if (touch->out[k].distance <= spot.distance)
                return;
            memmove(&touch->out[k], &touch->out[k + 1], (--touch->count - k) * sizeof *touch->out);
            at = touch->count;
            break;
        }
    while (at > 0 && touch->out[at - 1].distance > spot.distance)
        --at;
    if (at == touch->most)
        return;
    if (touch->count == touch->most)
        --touch->count;
    memmove(&touch->out[at + 1], &touch->out[at], (touch->count - at) * sizeof *touch->out);
    touch->out[at] = spot;
    ++touch->count;
}

static void touch_triangle(const PxWallTriangles *t, const Triangle *tri, Query *query)
{
    (void)t;
    Touch *touch = (Touch *)query;
    double z = px_dot(px_sub(query->p, tri->corner[0]), tri->normal);
    if (fabs(z) >= query->reach)
        return;
    bool in_face;
    PxVec3 q =
        px_triangle_closest(query->p, tri->corner[0], tri->corner[1], tri->corner[2], &in_face);
    PxVec3 away = px_sub(query->p, q);
    double d = px_length(away);
    if (!(d < query->reach) || (z < 0 && !in_face))
        return; /* its edges belong to a triangle that faces the point */
    PxVec3 normal = in_face ? tri->normal : px_normalized(away, tri->normal);
    keep_spot(touch, (PxWallSpot){q, normal, in_face ? z : d});
}

uint32_t px_wall_triangles_touch(const PxWallTriangles *t, PxVec3 rest, double reach,
                                 PxWallSpot *out, uint32_t most)
{
    Touch touch = {{px_shape_to_own(t->shape, rest), fmin(reach, t->h)}, out, 0, most};
    visit_near(t, touch_triangle, &touch.query);
    for (uint32_t k = 0; k < touch.count; ++k) {
        out[k].point = px_shape_to_world(t->shape, out[k].point);
        out[k].normal = px_rotate(t->shape->turn, out[k].normal);
    }
    return touch.count;
}
