/// The surface of a point cloud is the zero set of a signed distance at the nodes of a grid:
///
///   near points   f(x) = sum w_i n_i . (x - p_i) / sum w_i   over the nearest points that face
///                 alike (implicit moving least squares, Kolluri 2005)
///   elsewhere     the sign alone: nodes that hang together are on one side, which those near
///                 points tell. Where they disagree the cloud has a hole, and each node is on the
///                 side of its winding number, sum a_i n_i . (p_i - x) / (4 pi |p_i - x|^3), with
///                 the area a_i of a point (Barill et al. 2018). Far points count as one dipole a
///                 cell of CLUSTER nodes.
///
/// Cubes are cut into six tetrahedra around a diagonal, alike in all cubes, so the mesh is closed
/// and manifold for any signs.
#include "shape/point_mesh.h"

#include "base/arena.h"
#include "base/memory.h"
#include "shape/keys.h"
#include "shape/mesh_read.h"
#include "spatial/kdtree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COARSER 1.5 /* cell over the distance of points: a fit sees no finer detail */
#define NEAREST 12  /* points of a fit */
#define ACROSS 0.6f /* cosine between normals of two sides of an edge, at most */
#define AWAY -0.7f  /* the same of two sides of a thin wall */
#define AROUND 8    /* points that tell how dense they are */
#define REACH 2.0   /* farthest nodes with a fit, in cells */
#define MARGIN 4    /* nodes around the points */
#define CLUSTER 6   /* nodes along a cell of the winding number's far points */
#define MOST_NODES 16e6
#define AGREE 0.98   /* of the nodes around a region of one side */
#define HALVINGS 3   /* of an edge, to find the surface on it */
#define SNAP 0.0625f /* vertices keep that part of an edge away from nodes */

typedef enum Side { UNKNOWN, FITTED, INSIDE, OUTSIDE } Side;

typedef struct Cloud {
    const char *name;
    size_t count;
    float *axis[3];   /* points, in cells from node 0 */
    float *normal[3]; /* of unit length */
    float *area;      /* in cells^2 */
    PxKdTree tree;
    int32_t nodes[3];
    size_t all;
    float *value; /* of each node: signed distance in cells, negative inside */
    uint8_t *side;
    PxVec3 low; /* place of node 0 */
    double cell;
} Cloud;

static PxStatus no_room(const Cloud *c)
{
    return px_fail(PX_ERR_MEMORY, "%s: no room for the surface of %zu points", c->name, c->count);
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* ---- points -------------------------------------------------------------------------------- */

/* Copies the points, in units of `unit` from `low`, and sorts them into the tree. */
static PxStatus place_points(Cloud *c, const PxVec3 *point, PxVec3 low, double unit)
{
    PxArena scratch = {0};
    for (size_t k = 0; k < c->count; ++k) {
        PxVec3 p = px_scale(px_sub(point[k], low), 1 / unit);
        c->axis[0][k] = (float)p.x;
        c->axis[1][k] = (float)p.y;
        c->axis[2][k] = (float)p.z;
    }
    PxStatus status =
        px_kdtree_build(&c->tree, c->axis[0], c->axis[1], c->axis[2], (uint32_t)c->count, &scratch);
    px_arena_free(&scratch);
    return status;
}

/* Areas of the points by the distance of their neighbours, in squared units of the tree; the
 * median distance of neighbouring points. */
static PxStatus measure_points(Cloud *c, double *apart)
{
    float *sorted = malloc(c->count * sizeof *sorted);
    if (sorted == NULL)
        return no_room(c);
    for (size_t k = 0; k < c->count; ++k) {
        uint32_t near[AROUND + 1];
        float squared[AROUND + 1];
        uint32_t n = px_kdtree_nearest(&c->tree, c->axis[0][k], c->axis[1][k], c->axis[2][k],
                                       AROUND + 1, near, squared);
        /* the farthest of n - 1 others is on a circle that n - 1/2 points share */
        c->area[k] = (float)M_PI * squared[n - 1] / ((float)n - 0.5f);
        sorted[k] = c->area[k];
    }
    qsort(sorted, c->count, sizeof *sorted, by_size);
    *apart = sqrt((double)sorted[c->count / 2]);
    free(sorted);
    return PX_OK;
}

static PxStatus check_points(const char *name, const PxVec3 *point, const PxVec3 *normal,
                             size_t count)
{
    if (count < PX_POINT_MESH_LEAST)
        return px_fail(PX_ERR_FORMAT, "%s: %zu points without faces, wanted at least %d", name,
                       count, PX_POINT_MESH_LEAST);
    if (count > UINT32_MAX / 2)
        return px_fail(PX_ERR_FORMAT, "%s: %zu points, at most %u allowed", name, count,
                       UINT32_MAX / 2);
    for (size_t k = 0; k < count; ++k) {
        double length = px_length(normal[k]);
        if (!px_finite(point[k]) || px_length(point[k]) > PX_MESH_MAX_COORDINATE)
            return px_fail(PX_ERR_FORMAT, "%s: point %zu is at (%g, %g, %g), wanted finite numbers",
                           name, k, point[k].x, point[k].y, point[k].z);
        if (!(length > 1e-30) || !(length < 1e30))
            return px_fail(PX_ERR_FORMAT,
                           "%s: point %zu has the normal (%g, %g, %g), wanted a direction", name, k,
                           normal[k].x, normal[k].y, normal[k].z);
    }
    return PX_OK;
}

/* Chooses the grid, and allocates all arrays. */
static PxStatus prepare(Cloud *c, const PxVec3 *point, const PxVec3 *normal)
{
    for (int a = 0; a < 3; ++a) {
        c->axis[a] = malloc(c->count * sizeof *c->axis[a]);
        c->normal[a] = malloc(c->count * sizeof *c->normal[a]);
    }
    c->area = malloc(c->count * sizeof *c->area);
    for (int a = 0; a < 3; ++a)
        if (c->axis[a] == NULL || c->normal[a] == NULL || c->area == NULL)
            return no_room(c);
    PxBounds b = px_bounds_empty();
    for (size_t k = 0; k < c->count; ++k)
        px_bounds_add(&b, point[k]);
    PxVec3 size = px_sub(b.high, b.low);
    double widest = fmax(size.x, fmax(size.y, size.z)), apart = 0;
    if (!(fmin(size.x, fmin(size.y, size.z)) > 1e-6 * widest))
        return px_fail(PX_ERR_FORMAT,
                       "%s: the points lie within %g by %g by %g m and enclose nothing", c->name,
                       size.x, size.y, size.z);
    PX_TRY(place_points(c, point, b.low, widest));
    PX_TRY(measure_points(c, &apart));
    c->cell = fmax(COARSER * apart, 1e-6) * widest;
    for (;; c->cell *= 1.1) {
        double nodes = (size.x / c->cell + 2 * MARGIN + 1) * (size.y / c->cell + 2 * MARGIN + 1) *
                       (size.z / c->cell + 2 * MARGIN + 1);
        if (nodes < MOST_NODES)
            break;
    }
    PxVec3 edge = px_vec(MARGIN * c->cell, MARGIN * c->cell, MARGIN * c->cell);
    c->low = px_sub(b.low, edge);
    const double extent[3] = {size.x, size.y, size.z};
    c->all = 1;
    for (int a = 0; a < 3; ++a) {
        c->nodes[a] = (int32_t)ceil(extent[a] / c->cell) + 2 * MARGIN + 1;
        c->all *= (size_t)c->nodes[a];
    }
    PX_TRY(place_points(c, point, c->low, c->cell));
    for (size_t k = 0; k < c->count; ++k) {
        PxVec3 n = px_normalized(normal[k], px_vec(0, 1, 0));
        c->normal[0][k] = (float)n.x;
        c->normal[1][k] = (float)n.y;
        c->normal[2][k] = (float)n.z;
        c->area[k] *= (float)((widest / c->cell) * (widest / c->cell));
    }
    c->value = malloc(c->all * sizeof *c->value);
    c->side = calloc(c->all, 1);
    return c->value != NULL && c->side != NULL ? PX_OK : no_room(c);
}

/* ---- signed distances ------------------------------------------------------------------------ */

static size_t node_at(const Cloud *c, int32_t x, int32_t y, int32_t z)
{
    return ((size_t)z * (size_t)c->nodes[1] + (size_t)y) * (size_t)c->nodes[0] + (size_t)x;
}

/* The fit at a node; false if no point is within reach. Points that face across the nearest one are
 * the other side of an edge: matter is below both sides of a convex edge, and below one of a
 * concave one. Points that face away are the back of a thin wall and do not count. */
static bool fit(const Cloud *c, float x, float y, float z, float *out)
{
    uint32_t near[NEAREST];
    float squared[NEAREST];
    uint32_t n = px_kdtree_nearest(&c->tree, x, y, z, NEAREST, near, squared);
    if (!(squared[0] < (float)(REACH * REACH)))
        return false;
    uint32_t first = near[0];
    const float n0[3] = {c->normal[0][first], c->normal[1][first], c->normal[2][first]};
    float far = 1.2f * squared[n - 1] + 1e-12f, sum[2] = {0, 0}, weights[2] = {0, 0}, below = 0;
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t j = near[k];
        const float nx = c->normal[0][j], ny = c->normal[1][j], nz = c->normal[2][j];
        float alike = nx * n0[0] + ny * n0[1] + nz * n0[2], q = 1 - squared[k] / far;
        if (alike < AWAY)
            continue;
        int side = alike < ACROSS;
        float w = q * q;
        sum[side] +=
            w * (nx * (x - c->axis[0][j]) + ny * (y - c->axis[1][j]) + nz * (z - c->axis[2][j]));
        weights[side] += w;
        if (side == 1)
            below += w * (n0[0] * (c->axis[0][j] - c->axis[0][first]) +
                          n0[1] * (c->axis[1][j] - c->axis[1][first]) +
                          n0[2] * (c->axis[2][j] - c->axis[2][first]));
    }
    *out = sum[0] / weights[0]; /* the nearest has a weight */
    if (weights[1] > 0) {
        float other = sum[1] / weights[1];
        *out = below < 0 ? fmaxf(*out, other) : fminf(*out, other);
    }
    return true;
}

/* Fits the nodes around each point, each node once. */
static void fit_nodes(Cloud *c)
{
    const int32_t reach = (int32_t)REACH + 1;
    for (size_t k = 0; k < c->count; ++k) {
        int32_t at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = (int32_t)lrintf(c->axis[a][k]);
        for (int32_t z = at[2] - reach; z <= at[2] + reach; ++z)
            for (int32_t y = at[1] - reach; y <= at[1] + reach; ++y)
                for (int32_t x = at[0] - reach; x <= at[0] + reach; ++x) {
                    float dx = (float)x - c->axis[0][k], dy = (float)y - c->axis[1][k],
                          dz = (float)z - c->axis[2][k];
                    size_t node = node_at(c, x, y, z);
                    if (c->side[node] == UNKNOWN &&
                        dx * dx + dy * dy + dz * dz < (float)(REACH * REACH) &&
                        fit(c, (float)x, (float)y, (float)z, &c->value[node]))
                        c->side[node] = FITTED;
                }
    }
}

/* The six neighbours of a node; SIZE_MAX beyond the grid. */
static void neighbours(const Cloud *c, size_t node, size_t out[6])
{
    size_t nx = (size_t)c->nodes[0], ny = (size_t)c->nodes[1], nz = (size_t)c->nodes[2];
    size_t x = node % nx, y = node / nx % ny, z = node / (nx * ny);
    out[0] = x > 0 ? node - 1 : SIZE_MAX;
    out[1] = x + 1 < nx ? node + 1 : SIZE_MAX;
    out[2] = y > 0 ? node - nx : SIZE_MAX;
    out[3] = y + 1 < ny ? node + nx : SIZE_MAX;
    out[4] = z > 0 ? node - nx * ny : SIZE_MAX;
    out[5] = z + 1 < nz ? node + nx * ny : SIZE_MAX;
}

/* ---- winding numbers ------------------------------------------------------------------------- */

typedef struct Cluster {
    float at[3], dipole[3]; /* centre of its area, and sum of a_i n_i */
    float area;
    uint32_t first, count; /* of `order` */
} Cluster;

typedef struct Winding {
    Cluster *cluster; /* those that have points, first */
    uint32_t clusters;
    uint32_t *order;
} Winding;

static size_t cluster_of(const Cloud *c, const size_t cells[3], size_t k)
{
    size_t at[3];
    for (int a = 0; a < 3; ++a)
        at[a] = (size_t)(c->axis[a][k] / (float)CLUSTER);
    return (at[2] * cells[1] + at[1]) * cells[0] + at[0];
}

static PxStatus make_clusters(const Cloud *c, Winding *w)
{
    size_t cells[3], all = 1;
    for (int a = 0; a < 3; ++a) {
        cells[a] = (size_t)(c->nodes[a] / CLUSTER) + 1;
        all *= cells[a];
    }
    w->cluster = calloc(all, sizeof *w->cluster);
    w->order = malloc(c->count * sizeof *w->order);
    if (w->cluster == NULL || w->order == NULL)
        return no_room(c);
    for (size_t k = 0; k < c->count; ++k)
        ++w->cluster[cluster_of(c, cells, k)].count;
    uint32_t first = 0;
    for (size_t n = 0; n < all; ++n) {
        w->cluster[n].first = first;
        first += w->cluster[n].count;
        w->cluster[n].count = 0;
    }
    for (size_t k = 0; k < c->count; ++k) {
        Cluster *of = &w->cluster[cluster_of(c, cells, k)];
        w->order[of->first + of->count++] = (uint32_t)k;
        of->area += c->area[k];
        for (int a = 0; a < 3; ++a) {
            of->at[a] += c->area[k] * c->axis[a][k];
            of->dipole[a] += c->area[k] * c->normal[a][k];
        }
    }
    for (size_t n = 0; n < all; ++n) {
        Cluster of = w->cluster[n];
        for (int a = 0; a < 3 && of.count > 0; ++a)
            of.at[a] = of.area > 0 ? of.at[a] / of.area : c->axis[a][w->order[of.first]];
        if (of.count > 0)
            w->cluster[w->clusters++] = of;
    }
    return PX_OK;
}

static float dipole(const float d[3], const float n[3])
{
    float r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    return (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]) / (r2 * sqrtf(r2) + 1e-9f);
}

/* 1 inside, 0 outside. */
static float winding(const Cloud *c, const Winding *w, const float x[3])
{
    float sum = 0;
    for (uint32_t n = 0; n < w->clusters; ++n) {
        const Cluster *of = &w->cluster[n];
        float d[3] = {of->at[0] - x[0], of->at[1] - x[1], of->at[2] - x[2]};
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > 4.0f * CLUSTER * CLUSTER) {
            sum += dipole(d, of->dipole);
            continue;
        }
        for (uint32_t i = of->first; i < of->first + of->count; ++i) {
            uint32_t j = w->order[i];
            float e[3] = {c->axis[0][j] - x[0], c->axis[1][j] - x[1], c->axis[2][j] - x[2]};
            const float normal[3] = {c->normal[0][j], c->normal[1][j], c->normal[2][j]};
            sum += c->area[j] * dipole(e, normal);
        }
    }
    return sum / (4 * (float)M_PI);
}

/* Sides of nodes in and around holes; the rest of the region is found as before. */
static PxStatus wind(Cloud *c, const size_t *region, size_t count)
{
    Winding w = {0};
    PxStatus status = make_clusters(c, &w);
    for (size_t k = 0; k < count && status == PX_OK; ++k) {
        size_t node = region[k], nx = (size_t)c->nodes[0], ny = (size_t)c->nodes[1];
        const float x[3] = {(float)(node % nx), (float)(node / nx % ny), (float)(node / (nx * ny))};
        float inside = winding(c, &w, x);
        c->side[node] = inside > 0.5f ? INSIDE : OUTSIDE;
        /* in cells, so that it is steep beside fits */
        c->value[node] = fmaxf(-1, fminf(1, 8 * (0.5f - inside)));
    }
    free(w.cluster);
    free(w.order);
    return status;
}

/* ---- sides ----------------------------------------------------------------------------------- */

/* Gives the nodes that are far from points and hang together their side. */
static PxStatus find_sides(Cloud *c)
{
    size_t *region = malloc(c->all * sizeof *region);
    PxStatus status = region != NULL ? PX_OK : no_room(c);
    for (size_t seed = 0; seed < c->all && status == PX_OK; ++seed) {
        if (c->side[seed] != UNKNOWN)
            continue;
        size_t count = 0, votes[2] = {0, 0}, next[6];
        region[count++] = seed;
        c->side[seed] = OUTSIDE;
        for (size_t k = 0; k < count; ++k) {
            neighbours(c, region[k], next);
            for (int n = 0; n < 6; ++n) {
                if (next[n] == SIZE_MAX)
                    continue;
                if (c->side[next[n]] == FITTED)
                    ++votes[c->value[next[n]] < 0];
                if (c->side[next[n]] != UNKNOWN)
                    continue;
                c->side[next[n]] = OUTSIDE;
                region[count++] = next[n];
            }
        }
        /* the first one reaches to the border of the grid */
        double both = (double)(votes[0] + votes[1]);
        if (seed == 0 && (double)votes[1] > AGREE * both)
            status =
                px_fail(PX_ERR_FORMAT,
                        "%s: the normals of the points point inwards, wanted outwards", c->name);
        else if (fmax((double)votes[0], (double)votes[1]) < AGREE * both)
            status = wind(c, region, count);
        else
            for (size_t k = 0; k < count; ++k) {
                c->side[region[k]] = votes[1] > votes[0] ? INSIDE : OUTSIDE;
                c->value[region[k]] = votes[1] > votes[0] ? -(float)REACH : (float)REACH;
            }
    }
    free(region);
    return status;
}

/* ---- triangles ------------------------------------------------------------------------------- */

/* Corners of a cube: bit 0 is x, bit 1 y, bit 2 z. Each tetrahedron has the diagonal from 0 to 7
 * and an edge between two of the others, in an order that makes its volume positive. */
static const uint8_t tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                         {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

typedef struct Making {
    const Cloud *cloud;
    PxKeys keys;
    PxMeshBuilder mesh;
} Making;

static PxVec3 place_of(const Cloud *c, size_t node)
{
    size_t nx = (size_t)c->nodes[0], ny = (size_t)c->nodes[1];
    return px_vec((double)(node % nx), (double)(node / nx % ny), (double)(node / (nx * ny)));
}

/* Where the surface crosses the edge between two nodes, 0 .. 1. The values at the nodes alone would
 * dig pits into thin walls, of which one node may see the one side and the other the other. */
static float crossing(const Cloud *c, size_t a, size_t b)
{
    float low = 0, high = 1, at_low = c->value[a], at_high = c->value[b], value;
    PxVec3 from = place_of(c, a), to = place_of(c, b);
    for (int k = 0; k < HALVINGS && c->side[a] == FITTED && c->side[b] == FITTED; ++k) {
        float t = 0.5f * (low + high);
        PxVec3 x = px_mad(from, px_sub(to, from), (double)t);
        if (!fit(c, (float)x.x, (float)x.y, (float)x.z, &value))
            break;
        if ((value < 0) == (at_low < 0)) {
            low = t;
            at_low = value;
        } else {
            high = t;
            at_high = value;
        }
    }
    return low + (high - low) * at_low / (at_low - at_high);
}

/* The vertex between two nodes of different sides; PX_KEY_NONE when out of memory. */
static uint32_t vertex(Making *m, size_t a, size_t b)
{
    const Cloud *c = m->cloud;
    if (a > b) {
        size_t swap = a;
        a = b;
        b = swap;
    }
    size_t before = m->keys.count;
    uint32_t v = px_keys_add(&m->keys, (PxKey){{(uint32_t)a, (uint32_t)b, 0}});
    if (v == PX_KEY_NONE || m->keys.count == before)
        return v;
    if (!PX_LIST_RESERVE(&m->mesh.position, 1))
        return PX_KEY_NONE;
    float t = fmaxf(SNAP, fminf(1 - SNAP, crossing(c, a, b)));
    PxVec3 from = place_of(c, a), to = place_of(c, b);
    m->mesh.position.data[m->mesh.position.count++] =
        px_add(c->low, px_scale(px_mad(from, px_sub(to, from), (double)t), c->cell));
    return v;
}

static bool triangle(Making *m, uint32_t a, uint32_t b, uint32_t c)
{
    if (a == PX_KEY_NONE || b == PX_KEY_NONE || c == PX_KEY_NONE ||
        !PX_LIST_RESERVE(&m->mesh.triangle, 1))
        return false;
    uint32_t *t = m->mesh.triangle.data[m->mesh.triangle.count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
    return true;
}

/* Triangles of a tetrahedron of positive volume. `odd` is the parity of the order that has the
 * corners inside first; in an even one the triangles below face outwards. */
static bool tetrahedron(Making *m, const size_t corner[4])
{
    size_t in[4], out[4];
    int ins = 0, outs = 0, odd = 0;
    for (int k = 0; k < 4; ++k) {
        if (m->cloud->value[corner[k]] < 0) {
            odd ^= outs & 1;
            in[ins++] = corner[k];
        } else {
            out[outs++] = corner[k];
        }
    }
    if (ins == 0 || outs == 0)
        return true;
    if (ins == 1 || outs == 1) {
        size_t tip = ins == 1 ? in[0] : out[0];
        const size_t *base = ins == 1 ? out : in;
        uint32_t a = vertex(m, tip, base[0]), b = vertex(m, tip, base[1]),
                 c = vertex(m, tip, base[2]);
        return odd == 0 ? triangle(m, a, b, c) : triangle(m, a, c, b);
    }
    uint32_t a = vertex(m, in[0], out[0]), b = vertex(m, in[0], out[1]),
             c = vertex(m, in[1], out[1]), d = vertex(m, in[1], out[0]);
    return odd == 0 ? triangle(m, a, b, c) && triangle(m, a, c, d)
                    : triangle(m, a, c, b) && triangle(m, a, d, c);
}

/* The outermost nodes are outside, so that the mesh ends. */
static bool walk_cubes(Making *m)
{
    const Cloud *c = m->cloud;
    for (int32_t z = 0; z + 1 < c->nodes[2]; ++z)
        for (int32_t y = 0; y + 1 < c->nodes[1]; ++y)
            for (int32_t x = 0; x + 1 < c->nodes[0]; ++x) {
                size_t node[8];
                int inside = 0;
                for (int k = 0; k < 8; ++k) {
                    node[k] = node_at(c, x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
                    inside += c->value[node[k]] < 0;
                }
                for (int t = 0; t < 6 && inside > 0 && inside < 8; ++t) {
                    size_t corner[4];
                    for (int k = 0; k < 4; ++k)
                        corner[k] = node[tetrahedra[t][k]];
                    if (!tetrahedron(m, corner))
                        return false;
                }
            }
    return true;
}

/* The mean colour of the points around a vertex, the nearer the more. */
static void paint(const Cloud *c, const PxVec3 *colour, PxVec3 at, PxVec3 *out)
{
    uint32_t near[4];
    float squared[4];
    PxVec3 p = px_scale(px_sub(at, c->low), 1 / c->cell), sum = px_vec(0, 0, 0);
    uint32_t n = px_kdtree_nearest(&c->tree, (float)p.x, (float)p.y, (float)p.z, 4, near, squared);
    double weights = 0;
    for (uint32_t k = 0; k < n; ++k) {
        double w = 1 / ((double)squared[k] + 0.05);
        sum = px_mad(sum, colour[near[k]], w);
        weights += w;
    }
    *out = px_scale(sum, 1 / weights);
}

static PxStatus make_mesh(Cloud *c, const PxVec3 *colour, PxMesh **out)
{
    Making m = {.cloud = c};
    for (size_t node = 0; node < c->all; ++node) {
        PxVec3 at = place_of(c, node);
        if (at.x < 1 || at.y < 1 || at.z < 1 || at.x > c->nodes[0] - 2 || at.y > c->nodes[1] - 2 ||
            at.z > c->nodes[2] - 2)
            c->value[node] = fmaxf(c->value[node], SNAP);
    }
    PxStatus status = walk_cubes(&m) ? PX_OK : no_room(c);
    if (status == PX_OK && m.mesh.triangle.count == 0)
        status = px_fail(PX_ERR_FORMAT, "%s: the points enclose nothing", c->name);
    size_t vertices = m.mesh.position.count;
    if (status == PX_OK && colour != NULL) {
        if (!PX_LIST_RESERVE(&m.mesh.colour, vertices))
            status = no_room(c);
        for (size_t v = 0; v < vertices && status == PX_OK; ++v)
            paint(c, colour, m.mesh.position.data[v], &m.mesh.colour.data[m.mesh.colour.count++]);
    }
    if (status == PX_OK)
        status = px_mesh_builder_finish(&m.mesh, c->name, out);
    px_keys_free(&m.keys);
    px_mesh_builder_free(&m.mesh);
    return status;
}

PxStatus px_mesh_of_points(const PxVec3 *point, const PxVec3 *normal, const PxVec3 *colour,
                           size_t count, const char *name, PxMesh **out)
{
    *out = NULL;
    PX_TRY(check_points(name, point, normal, count));
    Cloud c = {.name = name, .count = count};
    px_kdtree_init(&c.tree, NULL);
    PxStatus status = prepare(&c, point, normal);
    if (status == PX_OK) {
        fit_nodes(&c);
        status = find_sides(&c);
    }
    if (status == PX_OK)
        status = make_mesh(&c, colour, out);
    px_kdtree_free(&c.tree);
    for (int a = 0; a < 3; ++a) {
        free(c.axis[a]);
        free(c.normal[a]);
    }
    free(c.area);
    free(c.value);
    free(c.side);
    return status;
}
