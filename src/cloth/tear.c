#include "cloth/tear.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPOKES 64 /* most triangles around a vertex that tears */
#define BEND                                                                                       \
    0.7 /* two edges of a new crack turn by 45 degrees at most: 1 - their cosine is less           \
         */
#define LEAST 0.25 /* triangles with less tension, per strength, cannot tear their corners */
#define CALM 2.0   /* times that a wave crosses a piece before a new crack begins in it */

/* ---- a torn sheet ---------------------------------------------------------------------------- */

static int side_of(const PxClothFace *f, uint32_t edge)
{
    return f->edge[0] == edge ? 0 : f->edge[1] == edge ? 1 : 2;
}

/* Do both triangles of a hinge of the whole sheet still share its edge? */
static bool holds(const PxClothSheet *whole, const uint32_t (*corner)[3], uint32_t hinge)
{
    const PxClothHinge *h = &whole->hinge[hinge];
    int k = side_of(&whole->face[h->face[0]], hinge), l = side_of(&whole->face[h->face[1]], hinge);
    return corner[h->face[0]][k] == corner[h->face[1]][(l + 1) % 3] &&
           corner[h->face[0]][(k + 1) % 3] == corner[h->face[1]][l];
}

static PxStatus fill_torn(const PxClothSheet *w, const uint32_t (*corner)[3], PxClothSheet *s)
{
    size_t n = (size_t)s->vertices + 1, faces = (size_t)s->faces + 1;
    size_t edges = 2 * (size_t)w->hinges + w->borders + 1;
    s->start = calloc(n, sizeof *s->start);
    s->share = calloc(n, sizeof *s->share);
    s->face = malloc(faces * sizeof *s->face);
    s->hinge = malloc(((size_t)w->hinges + 1) * sizeof *s->hinge);
    s->uv = w->uv != NULL ? calloc(n, sizeof *s->uv) : NULL;
    s->vertex_from = malloc(n * sizeof *s->vertex_from);
    s->edge_from = malloc(edges * sizeof *s->edge_from);
    if (s->start == NULL || s->share == NULL || s->face == NULL || s->hinge == NULL ||
        (w->uv != NULL && s->uv == NULL) || s->vertex_from == NULL || s->edge_from == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u torn triangles", w->faces);
    for (uint32_t i = 0; i < s->vertices; ++i)
        s->vertex_from[i] = UINT32_MAX;
    for (uint32_t f = 0; f < s->faces; ++f) {
        s->face[f] = w->face[f];
        for (int k = 0; k < 3; ++k) {
            uint32_t i = corner[f][k], old = w->face[f].corner[k];
            if (i >= s->vertices || (s->vertex_from[i] != UINT32_MAX && s->vertex_from[i] != old) ||
                (i < w->vertices && i != old))
                return px_fail(PX_ERR_ARGUMENT,
                               "corner %d of torn triangle %u is vertex %u, which is no copy of %u",
                               k, f, i, old);
            s->vertex_from[i] = old;
            s->face[f].corner[k] = i;
            s->share[i] += w->face[f].area / 3;
            s->start[i] = w->start[old];
            if (s->uv != NULL)
                memcpy(s->uv[i], w->uv[old], sizeof *s->uv);
        }
    }
    for (uint32_t i = 0; i < s->vertices; ++i)
        if (s->vertex_from[i] == UINT32_MAX)
            return px_fail(PX_ERR_ARGUMENT, "vertex %u of torn cloth belongs to no triangle", i);
    return PX_OK;
}

/* Hinges that hold in the old order; then the old borders, and two for every torn hinge. */
static void list_torn_edges(const PxClothSheet *w, const uint32_t (*corner)[3], PxClothSheet *s)
{
    for (uint32_t h = 0; h < w->hinges; ++h) {
        if (!holds(w, corner, h))
            continue;
        PxClothHinge *own = &s->hinge[s->hinges];
        *own = w->hinge[h];
        const uint32_t *f = own->face;
        int k = side_of(&w->face[f[0]], h), l = side_of(&w->face[f[1]], h);
        own->corner[0] = corner[f[0]][k];
        own->corner[1] = corner[f[0]][(k + 1) % 3];
        own->corner[2] = corner[f[0]][(k + 2) % 3];
        own->corner[3] = corner[f[1]][(l + 2) % 3];
        s->face[f[0]].edge[k] = s->face[f[1]].edge[l] = s->hinges;
        s->edge_from[s->hinges++] = 2 * h;
    }
    uint32_t edge = s->hinges;
    for (uint32_t f = 0; f < w->faces; ++f)
        for (int k = 0; k < 3; ++k)
            if (w->face[f].edge[k] >= w->hinges) {
                uint32_t own = edge + w->face[f].edge[k] - w->hinges;
                s->face[f].edge[k] = own;
                s->edge_from[own] = 2 * w->face[f].edge[k];
            }
    edge += w->borders;
    for (uint32_t h = 0; h < w->hinges; ++h)
        for (uint32_t n = 0; n < 2 && !holds(w, corner, h); ++n) {
            uint32_t f = w->hinge[h].face[n];
            s->face[f].edge[side_of(&w->face[f], h)] = edge;
            s->edge_from[edge++] = 2 * h + n;
        }
    s->borders = edge - s->hinges;
}

PxStatus px_cloth_sheet_torn(PxClothSheet *whole, const uint32_t (*corner)[3], uint32_t vertices,
                             PxClothSheet **out)
{
    *out = NULL;
    PxClothSheet *s = calloc(1, sizeof *s);
    if (s == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for a torn sheet");
    *s = (PxClothSheet){.vertices = vertices,
                        .faces = whole->faces,
                        .edge = whole->edge,
                        .references = 1,
                        .whole = whole};
    px_cloth_sheet_hold(whole);
    PxStatus status = vertices >= whole->vertices
                          ? fill_torn(whole, corner, s)
                          : px_fail(PX_ERR_ARGUMENT, "torn cloth has %u vertices, the whole has %u",
                                    vertices, whole->vertices);
    if (status != PX_OK) {
        px_cloth_sheet_free(s);
        return status;
    }
    list_torn_edges(whole, corner, s);
    s->closed = s->borders == 0;
    *out = s;
    return PX_OK;
}

/* ---- fans ------------------------------------------------------------------------------------ */

/* The triangles around a vertex in order, and the edges between them: spoke k is before triangle k.
 * An open fan has one more. */
typedef struct Fan {
    uint32_t face[SPOKES], corner[SPOKES], spoke[SPOKES + 1];
    uint32_t count;
    bool closed;
} Fan;

typedef struct Work {
    const PxClothStep *s;
    PxClothTear *t;
    uint8_t *torn; /* by edge */
    uint8_t *near; /* by vertex: too near to what tears already */
    double *load;
    uint32_t *piece; /* by vertex: its connected piece */
    uint32_t *first; /* by cloth: vertices before it */
    uint32_t most;   /* new vertices that fit */
} Work;

static uint32_t corner_in(const PxClothFace *f, uint32_t vertex)
{
    return f->corner[0] == vertex ? 0 : f->corner[1] == vertex ? 1 : 2;
}

/* The triangle behind an edge that holds; UINT32_MAX: none. */
static uint32_t behind(const Work *w, uint32_t edge, uint32_t face)
{
    const PxClothEdge *e = &w->s->system->edges_of[edge];
    if (e->face[1] == UINT32_MAX || w->torn[edge])
        return UINT32_MAX;
    return e->face[0] == face ? e->face[1] : e->face[0];
}

/* Walks around a vertex from a triangle: first back to a border, then forward. False: too many. */
static bool make_fan(const Work *w, uint32_t vertex, uint32_t from, Fan *fan)
{
    const PxClothSystem *y = w->s->system;
    uint32_t start = from, steps = 0;
    *fan = (Fan){.closed = false};
    for (;;) {
        const PxClothFace *f = &y->face[start];
        uint32_t before = behind(w, f->edge[corner_in(f, vertex)], start);
        if (before == UINT32_MAX)
            break;
        start = before;
        if (start == from) {
            fan->closed = true;
            break;
        }
        if (++steps > SPOKES)
            return false;
    }
    for (uint32_t at = start;;) {
        const PxClothFace *f = &y->face[at];
        uint32_t k = corner_in(f, vertex);
        if (fan->count == SPOKES)
            return false;
        fan->face[fan->count] = at;
        fan->corner[fan->count] = k;
        fan->spoke[fan->count++] = f->edge[k];
        fan->spoke[fan->count] = f->edge[(k + 2) % 3];
        at = behind(w, f->edge[(k + 2) % 3], at);
        if (at == UINT32_MAX || at == start)
            return true;
    }
}

/* The other end of a spoke. */
static uint32_t end_of(const Work *w, const Fan *fan, uint32_t spoke)
{
    const PxClothSystem *y = w->s->system;
    if (spoke < fan->count)
        return y->face[fan->face[spoke]].corner[(fan->corner[spoke] + 1) % 3];
    return y->face[fan->face[spoke - 1]].corner[(fan->corner[spoke - 1] + 2) % 3];
}

static PxVec3 spoke_of(const Work *w, uint32_t vertex, uint32_t end)
{
    return px_sub(w->s->x[end], w->s->x[vertex]);
}

/* Force of a triangle on one of its corners, N. */
static PxVec3 corner_force(const PxClothStep *s, uint32_t face, uint32_t corner)
{
    const PxClothFace *f = &s->system->face[face];
    double g[3][2];
    px_cloth_gradients(f, g);
    return px_scale(px_mad(px_scale(s->face[face].force[0], g[corner][0]), s->face[face].force[1],
                           g[corner][1]),
                    -f->area);
}

/* Strength of a fan along a direction, N/m: an ellipse over weft and warp. */
static double strength_along(const Work *w, const Fan *fan, const PxClothLaw *law, PxVec3 way)
{
    PxVec3 u = px_vec(0, 0, 0), v = u;
    for (uint32_t k = 0; k < fan->count; ++k) {
        u = px_add(u, w->s->face[fan->face[k]].f[0]);
        v = px_add(v, w->s->face[fan->face[k]].f[1]);
    }
    double a = px_dot(way, px_normalized(u, way)), b = px_dot(way, px_normalized(v, way));
    double size = hypot(a, b);
    return size > 0 ? size / hypot(a / law->tear[0], b / law->tear[1]) : law->tear[0];
}

static double rest_length(const PxClothFace *f, uint32_t side)
{
    double det = f->inverse[0][0] * f->inverse[1][1] - f->inverse[0][1] * f->inverse[1][0];
    const double p[3][2] = {{0, 0},
                            {f->inverse[1][1] / det, -f->inverse[1][0] / det},
                            {-f->inverse[0][1] / det, f->inverse[0][0] / det}};
    return hypot(p[(side + 1) % 3][0] - p[side][0], p[(side + 1) % 3][1] - p[side][1]);
}

/* Length of a spoke at rest. */
static double length_of(const Work *w, const Fan *fan, uint32_t spoke)
{
    const PxClothSystem *y = w->s->system;
    if (spoke < fan->count)
        return rest_length(&y->face[fan->face[spoke]], fan->corner[spoke]);
    return rest_length(&y->face[fan->face[spoke - 1]], (fan->corner[spoke - 1] + 2) % 3);
}

/* The load of the division of a fan in triangles [begin, end) and the others: what both parts pull
 * at the vertex, per width of the crack at rest and strength. */
static double weigh(const Work *w, const Fan *fan, const PxVec3 *force, const PxVec3 *middle,
                    uint32_t begin, uint32_t end, double width)
{
    PxVec3 f[2] = {{0, 0, 0}, {0, 0, 0}}, m[2] = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < fan->count; ++k) {
        int side = k >= begin && k < end;
        f[side] = px_add(f[side], force[k]);
        m[side] = px_add(m[side], middle[k]);
    }
    PxVec3 pull = px_scale(px_sub(f[1], f[0]), 0.5);
    double size = px_length(pull);
    if (!(size > 0) || !(px_dot(pull, px_sub(m[1], m[0])) > 0)) /* it is pressed together */
        return 0;
    const PxClothLaw *law = &w->s->law[w->s->system->of_face[fan->face[0]]];
    return size / (width * strength_along(w, fan, law, px_scale(pull, 1 / size)));
}

/* The largest load of all ways to divide a fan, and its spokes: out[0] < out[1], of an open fan
 * out[1] is the last one. */
static double choose(const Work *w, uint32_t vertex, const Fan *fan, uint32_t out[2])
{
    PxVec3 way[SPOKES + 1], force[SPOKES], middle[SPOKES];
    double length[SPOKES + 1], best = 0;
    for (uint32_t k = 0; k <= fan->count; ++k) {
        way[k] = px_normalized(spoke_of(w, vertex, end_of(w, fan, k)), px_vec(0, 0, 0));
        length[k] = length_of(w, fan, k);
    }
    for (uint32_t k = 0; k < fan->count; ++k) {
        force[k] = corner_force(w->s, fan->face[k], fan->corner[k]);
        middle[k] = px_add(way[k], way[k + 1]);
    }
    for (uint32_t k = fan->closed ? 0 : 1; k < fan->count; ++k)
        for (uint32_t n = fan->closed ? k + 1 : fan->count; n <= fan->count; ++n) {
            bool inside = fan->closed;
            if (inside && (n == fan->count || 1 + px_dot(way[k], way[n]) > BEND))
                continue;
            double width = 0.5 * (length[k] + (inside ? length[n] : 0));
            double load = weigh(w, fan, force, middle, k, n, width);
            if (load > best) {
                best = load;
                out[0] = k;
                out[1] = n;
            }
        }
    return best;
}

/* The load of a vertex, 0 if it cannot tear. */
static double load_of(const Work *w, uint32_t i, Fan *fan, uint32_t spoke[2])
{
    const PxClothSystem *y = w->s->system;
    const PxClothLaw *law = &w->s->law[y->of_vertex[i]];
    double most = 0, least = fmin(law->tear[0], law->tear[1]);
    if (!(law->tear[0] > 0))
        return 0;
    for (uint32_t u = y->first_face[i]; u < y->first_face[i + 1]; ++u) {
        const PxVec3 *p = w->s->face[y->faces_of[u].of].force;
        most = fmax(most, px_dot(p[0], p[0]) + px_dot(p[1], p[1]));
    }
    if (!(sqrt(most) > LEAST * least) || y->first_face[i + 1] == y->first_face[i] ||
        !make_fan(w, i, y->faces_of[y->first_face[i]].of, fan) ||
        fan->count != y->first_face[i + 1] - y->first_face[i])
        return 0;
    return choose(w, i, fan, spoke);
}

static void load_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Work *w = user;
    Fan fan;
    uint32_t spoke[2];
    for (uint32_t i = begin; i < end; ++i)
        w->load[i] = load_of(w, i, &fan, spoke);
}

/* ---- splitting ------------------------------------------------------------------------------- */

/* Gives triangles [begin, end) of a fan a copy of the vertex. */
static void copy_vertex(Work *w, uint32_t vertex, const Fan *fan, uint32_t begin, uint32_t end)
{
    uint32_t cloth = w->s->system->of_vertex[vertex], own = w->t->vertices[cloth]++;
    w->t->parent[w->t->added++] = vertex;
    for (uint32_t k = begin; k < end; ++k)
        w->t->corner[fan->face[k]][fan->corner[k]] = own;
}

/* A torn edge that ends at a border divides the triangles there. */
static void part_end(Work *w, uint32_t vertex)
{
    const PxClothSystem *y = w->s->system;
    Fan fan;
    uint32_t all = y->first_face[vertex + 1] - y->first_face[vertex];
    if (w->t->added == w->most ||
        !make_fan(w, vertex, y->faces_of[y->first_face[vertex]].of, &fan) || fan.count == all)
        return;
    copy_vertex(w, vertex, &fan, 0, fan.count);
}

static bool divide(Work *w, uint32_t vertex)
{
    Fan fan;
    uint32_t spoke[2];
    if (w->t->added + 3 > w->most || !(load_of(w, vertex, &fan, spoke) > 1))
        return false;
    uint32_t end[2] = {end_of(w, &fan, spoke[0]), end_of(w, &fan, spoke[1])};
    for (int k = 0; k < (fan.closed ? 2 : 1); ++k)
        w->torn[fan.spoke[spoke[k]]] = 1;
    copy_vertex(w, vertex, &fan, spoke[0], spoke[1]);
    for (int k = 0; k < (fan.closed ? 2 : 1); ++k)
        part_end(w, end[k]);
    return true;
}

/* ---- what tears ------------------------------------------------------------------------------ */

typedef struct Place {
    double load;
    uint32_t vertex;
} Place;

static int compare_places(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    if (x->load != y->load)
        return x->load > y->load ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static uint32_t root_of(uint32_t *up, uint32_t i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

static void find_pieces(const PxClothSystem *y, uint32_t *up)
{
    for (uint32_t i = 0; i < y->vertices; ++i)
        up[i] = i;
    for (uint32_t f = 0; f < y->faces; ++f)
        for (int k = 1; k < 3; ++k) {
            uint32_t a = root_of(up, y->face[f].corner[0]), b = root_of(up, y->face[f].corner[k]);
            up[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t i = 0; i < y->vertices; ++i)
        up[i] = root_of(up, i);
}

/* Marks a vertex and those two edges around it. */
static void mark(Work *w, uint32_t vertex)
{
    const PxClothSystem *y = w->s->system;
    for (uint32_t u = y->first_face[vertex]; u < y->first_face[vertex + 1]; ++u)
        for (int k = 0; k < 3; ++k) {
            uint32_t i = y->face[y->faces_of[u].of].corner[k];
            for (uint32_t v = y->first_face[i]; v < y->first_face[i + 1]; ++v)
                for (int l = 0; l < 3; ++l)
                    w->near[y->face[y->faces_of[v].of].corner[l]] = 1;
        }
}

/* The time in which a wave crosses a piece, s. */
static double crossing(const Work *w, uint32_t piece)
{
    const PxClothSystem *y = w->s->system;
    const PxClothLaw *law = &w->s->law[y->of_vertex[piece]];
    PxBounds b = px_bounds_empty();
    for (uint32_t i = 0; i < y->vertices; ++i)
        if (w->piece[i] == piece)
            px_bounds_add(&b, w->s->x[i]);
    return px_length(px_sub(b.high, b.low)) / sqrt(fmin(law->c[0], law->c[2]) / law->mass);
}

/* Tears at the places of a list; `begins`: those that begin cracks, one in a piece. */
static void tear_places(Work *w, double time, const Place *place, uint32_t count, bool begins)
{
    const PxClothSystem *y = w->s->system;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t i = place[k].vertex;
        if (w->near[i] || (begins && w->t->calm[i] > time) || !divide(w, i))
            continue;
        mark(w, i);
        double until = time + CALM * crossing(w, w->piece[i]);
        for (uint32_t n = 0; n < y->vertices; ++n)
            if (w->piece[n] == w->piece[i])
                w->t->calm[n] = fmax(w->t->calm[n], until);
    }
}

static PxStatus begin_work(const PxClothStep *s, PxClothTear *t, Work *w)
{
    const PxClothSystem *y = s->system;
    PxArena *m = s->scratch;
    *w = (Work){.s = s,
                .t = t,
                .torn = PX_ARENA_ARRAY(m, uint8_t, y->edges + 1),
                .near = PX_ARENA_ARRAY(m, uint8_t, y->vertices + 1),
                .load = PX_ARENA_ARRAY(m, double, y->vertices + 1),
                .piece = PX_ARENA_ARRAY(m, uint32_t, y->vertices + 1),
                .first = PX_ARENA_ARRAY(m, uint32_t, y->cloths + 1),
                .most = y->vertices};
    t->corner = px_arena_take_array(m, y->faces + 1, sizeof *t->corner);
    t->vertices = PX_ARENA_ARRAY(m, uint32_t, y->cloths + 1);
    t->parent = PX_ARENA_ARRAY(m, uint32_t, w->most + 1);
    t->added = 0;
    if (w->torn == NULL || w->near == NULL || w->load == NULL || w->piece == NULL ||
        w->first == NULL || t->corner == NULL || t->vertices == NULL || t->parent == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room to tear %u vertices", y->vertices);
    memset(w->torn, 0, y->edges);
    memset(w->near, 0, y->vertices);
    memset(t->vertices, 0, y->cloths * sizeof *t->vertices);
    for (uint32_t i = y->vertices; i-- > 0;) {
        w->first[y->of_vertex[i]] = i;
        ++t->vertices[y->of_vertex[i]];
    }
    for (uint32_t f = 0; f < y->faces; ++f)
        for (int k = 0; k < 3; ++k)
            t->corner[f][k] = y->face[f].corner[k] - w->first[y->of_face[f]];
    return PX_OK;
}

/* Is it at a border that a tear made? */
static bool is_tip(const PxClothSystem *y, uint32_t i)
{
    for (uint32_t u = y->first_face[i]; u < y->first_face[i + 1]; ++u) {
        const PxClothUse *use = &y->faces_of[u];
        const PxClothFace *f = &y->face[use->of];
        if (y->torn[f->edge[use->corner]] || y->torn[f->edge[(use->corner + 2) % 3]])
            return true;
    }
    return false;
}

PxStatus px_cloth_tear_find(const PxClothStep *s, double time, const uint8_t *held, PxClothTear *t)
{
    const PxClothSystem *y = s->system;
    Work w;
    PX_TRY(begin_work(s, t, &w));
    px_parallel_for(s->threads, y->vertices, 256, load_block, &w);
    uint32_t tips = 0, others = 0;
    Place *tip = PX_ARENA_ARRAY(s->scratch, Place, y->vertices + 1);
    Place *other = PX_ARENA_ARRAY(s->scratch, Place, y->vertices + 1);
    if (tip == NULL || other == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room to tear %u vertices", y->vertices);
    for (uint32_t i = 0; i < y->vertices; ++i) {
        if (!(w.load[i] > 1) || held[i])
            continue;
        if (is_tip(y, i))
            tip[tips++] = (Place){w.load[i], i};
        else
            other[others++] = (Place){w.load[i], i};
    }
    if (tips + others == 0)
        return PX_OK;
    find_pieces(y, w.piece);
    qsort(tip, tips, sizeof *tip, compare_places);
    qsort(other, others, sizeof *other, compare_places);
    tear_places(&w, time, tip, tips, false);
    tear_places(&w, time, other, others, true);
    return PX_OK;
}
