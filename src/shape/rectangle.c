/* Patterns of a cell of two or four triangles:
 *
 *   regular      alternating       cross          irregular
 *   +--+--+      +--+--+          +--+--+
 *   |\ |\ |      |\ | /|          |\/|\/|         vertices moved at random,
 *   | \| \|      | \|/ |          |/\|/\|         then the Delaunay triangulation
 *   +--+--+      +--+--+          +--+--+
 *
 * The Delaunay triangulation is reached by flips of edges from any triangulation of the same
 * points (Lawson 1977). */
#include "shape/rectangle.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ------------------------------------------------------------------------------- */

static void put_vertex(PxMesh *mesh, uint32_t k, const double size[2], double u, double v)
{
    mesh->position[k] = px_vec((u - 0.5) * size[0], 0, (v - 0.5) * size[1]);
    mesh->uv[k] = (PxUv){u * size[0], v * size[1]};
}

static void put_triangle(PxMesh *mesh, uint32_t *t, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corner[3] = {a, b, c};
    memcpy(mesh->triangle[(*t)++], corner, sizeof corner);
}

static void put_cells(PxMesh *mesh, const double size[2], uint32_t n, uint32_t m,
                      PxSheetPattern pattern)
{
    uint32_t t = 0, middle = (n + 1) * (m + 1);
    for (uint32_t j = 0; j <= m; ++j)
        for (uint32_t i = 0; i <= n; ++i)
            put_vertex(mesh, j * (n + 1) + i, size, i / (double)n, j / (double)m);
    for (uint32_t j = 0; j < m; ++j)
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            if (pattern == PX_SHEET_CROSS) {
                uint32_t e = middle++;
                put_vertex(mesh, e, size, (i + 0.5) / n, (j + 0.5) / m);
                put_triangle(mesh, &t, a, c, e);
                put_triangle(mesh, &t, c, d, e);
                put_triangle(mesh, &t, d, b, e);
                put_triangle(mesh, &t, b, a, e);
                continue;
            }
            bool other = pattern == PX_SHEET_ALTERNATING && (i + j) % 2 != 0;
            put_triangle(mesh, &t, a, c, other ? b : d);
            put_triangle(mesh, &t, other ? c : a, d, b);
        }
}

/* ---- Delaunay ---------------------------------------------------------------------------- */

/* The triangles of a mesh and their neighbours. */
typedef struct Net {
    PxMesh *mesh;
    uint32_t vertices, triangles; /* in use so far */
    uint32_t (*beside)[3];        /* triangle across the edge from corner k; UINT32_MAX: none */
    uint32_t *queue;              /* triangles to look at, a ring without duplicates */
    uint8_t *queued;
    uint32_t first, count, room;
} Net;

#define NONE UINT32_MAX

static void enqueue(Net *net, uint32_t t)
{
    if (t == NONE || net->queued[t])
        return;
    net->queued[t] = 1;
    net->queue[(net->first + net->count++) % net->room] = t;
}

/* Counter-clockwise seen from +y, twice the area. */
static double area2(const PxMesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    PxUv p = mesh->uv[a], q = mesh->uv[b], r = mesh->uv[c];
    return (r.u - p.u) * (q.v - p.v) - (q.u - p.u) * (r.v - p.v);
}

/* Does d lie in the circle through a, b, c? Points that are on it but for rounding do not, so no
 * edge is flipped back. */
static bool in_circle(const PxMesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    PxUv o = mesh->uv[d];
    const uint32_t corner[3] = {a, b, c};
    double x[3], y[3], s[3], most = 0;
    for (int k = 0; k < 3; ++k) {
        x[k] = mesh->uv[corner[k]].u - o.u;
        y[k] = mesh->uv[corner[k]].v - o.v;
        s[k] = x[k] * x[k] + y[k] * y[k];
        most = fmax(most, s[k]);
    }
    double det = s[0] * (x[1] * y[2] - x[2] * y[1]) + s[1] * (x[2] * y[0] - x[0] * y[2]) +
                 s[2] * (x[0] * y[1] - x[1] * y[0]);
    return -det > 1e-12 * most * most; /* u, v, y is a left-handed frame */
}

static int corner_of(const Net *net, uint32_t t, uint32_t vertex)
{
    const uint32_t *c = net->mesh->triangle[t];
    return c[0] == vertex ? 0 : c[1] == vertex ? 1 : 2;
}

static void replace_beside(Net *net, uint32_t t, uint32_t from, uint32_t to)
{
    for (int k = 0; t != NONE && k < 3; ++k)
        if (net->beside[t][k] == from) {
            net->beside[t][k] = to;
            return;
        }
}

static void set_triangle(Net *net, uint32_t t, const uint32_t corner[3], const uint32_t beside[3])
{
    memcpy(net->mesh->triangle[t], corner, sizeof net->mesh->triangle[t]);
    memcpy(net->beside[t], beside, sizeof net->beside[t]);
    enqueue(net, t);
}

/* Flips the edge across from corner k of t if the circle of t holds the far corner.
 * t = (p, a, b) and o = (q, b, a) become (p, a, q) and (p, q, b). */
static bool flip(Net *net, uint32_t t, int k)
{
    uint32_t o = net->beside[t][k];
    if (o == NONE)
        return false;
    const uint32_t *c = net->mesh->triangle[t];
    uint32_t p = c[k], a = c[(k + 1) % 3], b = c[(k + 2) % 3];
    int e = (corner_of(net, o, a) + 1) % 3; /* o = (.., a, q, b ..) in some rotation */
    uint32_t q = net->mesh->triangle[o][e];
    if (!in_circle(net->mesh, p, a, b, q) || !(area2(net->mesh, p, a, q) > 0) ||
        !(area2(net->mesh, p, q, b) > 0))
        return false;
    uint32_t pa = net->beside[t][(k + 2) % 3], pb = net->beside[t][(k + 1) % 3];
    uint32_t qa = net->beside[o][corner_of(net, o, b)], qb = net->beside[o][corner_of(net, o, a)];
    set_triangle(net, t, (uint32_t[3]){p, a, q}, (uint32_t[3]){qa, o, pa});
    set_triangle(net, o, (uint32_t[3]){p, q, b}, (uint32_t[3]){qb, pb, t});
    replace_beside(net, qa, o, t);
    replace_beside(net, pb, t, o);
    return true;
}

static void settle(Net *net)
{
    while (net->count > 0) {
        uint32_t t = net->queue[net->first];
        net->first = (net->first + 1) % net->room;
        --net->count;
        net->queued[t] = 0;
        for (int k = 0; k < 3; ++k)
            if (flip(net, t, k))
                break; /* both are in the queue again */
    }
}

/* Divides the largest triangle in three. */
static void insert(Net *net)
{
    PxMesh *mesh = net->mesh;
    uint32_t t = 0, v = net->vertices++, s = net->triangles, r = s + 1;
    double most = 0;
    for (uint32_t k = 0; k < net->triangles; ++k) {
        const uint32_t *c = mesh->triangle[k];
        double own = area2(mesh, c[0], c[1], c[2]);
        if (own > most) {
            most = own;
            t = k;
        }
    }
    net->triangles += 2;
    uint32_t a = mesh->triangle[t][0], b = mesh->triangle[t][1], c = mesh->triangle[t][2];
    uint32_t far[3];
    memcpy(far, net->beside[t], sizeof far);
    mesh->position[v] =
        px_scale(px_add(mesh->position[a], px_add(mesh->position[b], mesh->position[c])), 1.0 / 3);
    mesh->uv[v] = (PxUv){(mesh->uv[a].u + mesh->uv[b].u + mesh->uv[c].u) / 3,
                         (mesh->uv[a].v + mesh->uv[b].v + mesh->uv[c].v) / 3};
    set_triangle(net, t, (uint32_t[3]){v, a, b}, (uint32_t[3]){far[2], s, r});
    set_triangle(net, s, (uint32_t[3]){v, b, c}, (uint32_t[3]){far[0], r, t});
    set_triangle(net, r, (uint32_t[3]){v, c, a}, (uint32_t[3]){far[1], t, s});
    replace_beside(net, far[0], t, s);
    replace_beside(net, far[1], t, r);
    settle(net);
}

static PxStatus find_neighbours(Net *net)
{
    PxMesh part = *net->mesh; /* without the room for what is inserted */
    part.vertex_count = net->vertices;
    part.triangle_count = net->triangles;
    uint32_t edges, *weld = malloc(net->vertices * sizeof *weld);
    uint32_t *edge = malloc((size_t)3 * net->triangles * sizeof *edge);
    PxStatus status =
        weld != NULL && edge != NULL
            ? PX_OK
            : px_fail(PX_ERR_MEMORY, "cloth: no room for %u triangles", net->triangles);
    for (uint32_t k = 0; k < net->vertices && weld != NULL; ++k)
        weld[k] = k;
    if (status == PX_OK)
        status = px_mesh_edges(&part, weld, edge, &edges);
    uint32_t *seen = status == PX_OK ? malloc(edges * sizeof *seen) : NULL;
    if (status == PX_OK && seen == NULL)
        status = px_fail(PX_ERR_MEMORY, "cloth: no room for %u edges", edges);
    for (uint32_t k = 0; status == PX_OK && k < edges; ++k)
        seen[k] = NONE;
    for (uint32_t k = 0; status == PX_OK && k < 3 * net->triangles; ++k) {
        uint32_t t = k / 3, side = (k % 3 + 2) % 3, before = seen[edge[k]];
        seen[edge[k]] = k;
        net->beside[t][side] = before == NONE ? NONE : before / 3;
        if (before != NONE)
            net->beside[before / 3][(before % 3 + 2) % 3] = t;
    }
    free(weld);
    free(edge);
    free(seen);
    return status;
}

/* Vertices move by up to 0.24 of a cell, along the border on it: a triangle of half a cell keeps at
 * least (1 - 4 x 0.24) of its area. */
static void shake(PxMesh *mesh, const double size[2], uint32_t n, uint32_t m, uint64_t seed)
{
    for (uint32_t j = 0; j <= m; ++j)
        for (uint32_t i = 0; i <= n; ++i) {
            uint32_t k = j * (n + 1) + i;
            double u = 0.48 * (px_random_unit(k, seed, 0) - 0.5) / n;
            double v = 0.48 * (px_random_unit(k, seed, 1) - 0.5) / m;
            put_vertex(mesh, k, size, i / (double)n + (i > 0 && i < n ? u : 0),
                       j / (double)m + (j > 0 && j < m ? v : 0));
        }
}

static PxStatus make_irregular(PxMesh *mesh, const double size[2], uint32_t n, uint32_t m,
                               uint64_t seed, uint32_t extra)
{
    Net net = {.mesh = mesh,
               .vertices = (n + 1) * (m + 1),
               .triangles = 2 * n * m,
               .room = mesh->triangle_count};
    shake(mesh, size, n, m, seed);
    net.beside = malloc(net.room * sizeof *net.beside);
    net.queue = malloc(net.room * sizeof *net.queue);
    net.queued = calloc(net.room, 1);
    PxStatus status = net.beside != NULL && net.queue != NULL && net.queued != NULL
                          ? find_neighbours(&net)
                          : px_fail(PX_ERR_MEMORY, "cloth: no room for %u triangles", net.room);
    if (status == PX_OK) {
        for (uint32_t t = 0; t < net.triangles; ++t)
            enqueue(&net, t);
        settle(&net);
        for (uint32_t k = 0; k < extra; ++k)
            insert(&net);
    }
    free(net.beside);
    free(net.queue);
    free(net.queued);
    return status;
}

/* ------------------------------------------------------------------------------------------ */

PxStatus px_rectangle_mesh(const double size[2], const double cells[2], PxSheetPattern pattern,
                           uint64_t seed, uint32_t extra, PxMesh **out)
{
    *out = NULL;
    if (!(size[0] > 0) || !(size[1] > 0) || !isfinite(size[0]) || !isfinite(size[1]))
        return px_fail(PX_ERR_ARGUMENT, "sheet: it is %g by %g m, wanted more than 0", size[0],
                       size[1]);
    for (int k = 0; k < 2; ++k)
        if (!(cells[k] >= 1 && cells[k] <= PX_RECTANGLE_MOST_CELLS) || cells[k] != floor(cells[k]))
            return px_fail(PX_ERR_ARGUMENT, "sheet: it has %g by %g cells, wanted 1 to %g",
                           cells[0], cells[1], PX_RECTANGLE_MOST_CELLS);
    uint32_t n = (uint32_t)cells[0], m = (uint32_t)cells[1];
    size_t cross = pattern == PX_SHEET_CROSS ? (size_t)n * m : 0;
    if (pattern != PX_SHEET_IRREGULAR)
        extra = 0;
    PX_TRY(px_mesh_create((size_t)(n + 1) * (m + 1) + cross + extra,
                          2 * ((size_t)n * m + cross + extra), PX_MESH_UV, out));
    put_cells(*out, size, n, m, pattern);
    PxStatus status =
        pattern == PX_SHEET_IRREGULAR ? make_irregular(*out, size, n, m, seed, extra) : PX_OK;
    if (status != PX_OK) {
        px_mesh_free(*out);
        *out = NULL;
    }
    return status;
}
