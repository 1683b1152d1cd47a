#include "surface/mesh/marching_cubes.h"

#include "surface/mesh/cube.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nodes that a block and its normals need: from -1 to 9 along each axis. */
enum { AROUND = 11, WORDS = 24 };

#define LEAST_T (1.0f / 32)

/* Newton steps of a vertex along its edge; another step follows only one longer than FAR_STEP
 * (edges). */
enum { MOST_STEPS = 4 };
#define FAR_STEP 0.15f

/* Bit mask of a block's vertices on its nodes' edges: bit 64 w + b is edge (64 w + b) % 3 of
 * node (64 w + b) / 3. */
typedef struct Vertices {
    uint64_t bit[WORDS];
    uint16_t before[WORDS]; /* number of bits in earlier words */
    uint32_t first;         /* index of the first vertex */
    uint32_t edges, centres, triangles;
    uint32_t first_triangle;
} Vertices;

typedef struct March {
    const PxBlockGrid *grid;
    const PxPotential *field, *other;
    const PxBarriers *barriers;
    PxCube cube[256];
    uint8_t ambiguous[256];
    uint32_t *active; /* blocks that may contain surface */
    uint32_t actives;
    uint32_t *index;    /* by block: index in `active`, or UINT32_MAX */
    Vertices *vertices; /* by active block */
    PxSurfaceMesh *mesh;
} March;

PxSurfaceMesh *px_surface_mesh_create(size_t vertices, size_t triangles, bool touching)
{
    PxSurfaceMesh *mesh = calloc(1, sizeof *mesh);
    if (mesh == NULL || vertices > INT32_MAX || triangles > INT32_MAX)
        goto failed;
    mesh->vertices = (uint32_t)vertices;
    mesh->triangles = (uint32_t)triangles;
    mesh->position = malloc((vertices + 1) * sizeof *mesh->position);
    mesh->normal = malloc((vertices + 1) * sizeof *mesh->normal);
    mesh->triangle = malloc((triangles + 1) * sizeof *mesh->triangle);
    mesh->touching = touching ? calloc(vertices + 1, 1) : NULL;
    if (mesh->position != NULL && mesh->normal != NULL && mesh->triangle != NULL &&
        (!touching || mesh->touching != NULL))
        return mesh;
failed:
    px_surface_free(mesh);
    px_fail(PX_ERR_MEMORY, "surface: no room for %zu vertices and %zu triangles", vertices,
            triangles);
    return NULL;
}

void px_surface_free(PxSurfaceMesh *mesh)
{
    if (mesh == NULL)
        return;
    free(mesh->position);
    free(mesh->normal);
    free(mesh->triangle);
    free(mesh->touching);
    for (uint32_t c = 0; c < PX_SURFACE_COLUMNS; ++c)
        free(mesh->column[c]);
    free(mesh);
}

/* ---- nodes around a block ---- */

/* A block's values, or NULL and the value of all its nodes. */
static const float *nodes_of(const PxBlockGrid *s, uint32_t block, const float *values, float *all)
{
    *all = PX_POTENTIAL_OUTSIDE;
    if (block == UINT32_MAX || s->kind[block] == PX_NODES_OUTSIDE)
        return NULL;
    if (s->kind[block] == PX_NODES_KNOWN)
        return values + (size_t)s->slot[block] * PX_BLOCK_NODES;
    *all = PX_POTENTIAL_DEEP;
    return NULL;
}

static void neighbours_of(const PxBlockGrid *s, uint32_t block, uint32_t near[27])
{
    const int32_t *at = s->at[block];
    for (int n = 0; n < 27; ++n)
        near[n] = px_block_grid_find(s, (int64_t)at[0] + n % 3 - 1, (int64_t)at[1] + n / 3 % 3 - 1,
                                     (int64_t)at[2] + n / 9 - 1);
}

/* Loads the values of nodes -1 to 9 in each direction. */
static void load_nodes(const PxBlockGrid *s, const uint32_t near[27], const float *values,
                       float *out)
{
    for (int z = 0; z < AROUND; ++z) {
        int bz = z == 0 ? 0 : z <= 8 ? 1 : 2, k = (z + 7) % 8;
        for (int y = 0; y < AROUND; ++y) {
            int by = y == 0 ? 0 : y <= 8 ? 1 : 2, j = (y + 7) % 8;
            float *row = out + AROUND * (AROUND * z + y);
            for (int bx = 0; bx < 3; ++bx) {
                static const int from[4] = {0, 1, 9, 11}, first[3] = {7, 0, 0};
                int count = from[bx + 1] - from[bx];
                float all;
                const float *nodes = nodes_of(s, near[9 * bz + 3 * by + bx], values, &all);
                for (int i = 0; i < count; ++i)
                    row[from[bx] + i] = nodes != NULL ? nodes[64 * k + 8 * j + first[bx] + i] : all;
            }
        }
    }
}

static inline const float *node_at(const float *nodes, int i, int j, int k)
{
    return nodes + AROUND * (AROUND * (k + 1) + j + 1) + i + 1;
}

static const int stride[3] = {1, AROUND, AROUND *AROUND};

/* ---- counting vertices and triangles ---- */

/* Are a block and its successors all of one kind, so that there is no surface? */
static bool uniform(const PxBlockGrid *s, uint32_t b)
{
    if (s->kind[b] == PX_NODES_KNOWN)
        return false;
    for (int n = 1; n < 8; ++n) {
        uint32_t near = px_block_grid_find(s, (int64_t)s->at[b][0] + (n & 1),
                                           (int64_t)s->at[b][1] + (n >> 1 & 1),
                                           (int64_t)s->at[b][2] + (n >> 2));
        if ((near == UINT32_MAX ? PX_NODES_OUTSIDE : s->kind[near]) != s->kind[b])
            return false;
    }
    return true;
}

static inline unsigned corners_of(const float *node)
{
    unsigned inside = 0;
    for (unsigned c = 0; c < 8; ++c)
        inside |=
            (unsigned)(node[(c & 1) + AROUND * (c >> 1 & 1) + AROUND * AROUND * (c >> 2)] > 0.0f)
            << c;
    return inside;
}

/* The triangles of a cell: from the table, or for ambiguous cases computed into `made`. */
static const PxCube *cube_of(const March *m, const float *node, unsigned inside, PxCube *made)
{
    unsigned ambiguous = m->ambiguous[inside];
    if (ambiguous == 0)
        return &m->cube[inside];
    float value[8];
    for (unsigned c = 0; c < 8; ++c)
        value[c] = node[(c & 1) + AROUND * (c >> 1 & 1) + AROUND * AROUND * (c >> 2)];
    px_cube_make(inside, px_cube_joined(ambiguous, value), made);
    return made;
}

static void count_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    March *m = user;
    for (uint32_t a = begin; a < end; ++a) {
        Vertices *v = &m->vertices[a];
        uint32_t near[27];
        float nodes[AROUND * AROUND * AROUND];
        neighbours_of(m->grid, m->active[a], near);
        load_nodes(m->grid, near, m->grid->value, nodes);
        *v = (Vertices){0};
        for (int n = 0; n < PX_BLOCK_NODES; ++n) {
            const float *node = node_at(nodes, n % 8, n / 8 % 8, n / 64);
            for (int axis = 0; axis < 3; ++axis)
                if ((node[0] > 0.0f) != (node[stride[axis]] > 0.0f)) {
                    int bit = 3 * n + axis;
                    v->bit[bit / 64] |= (uint64_t)1 << bit % 64;
                }
            unsigned inside = corners_of(node);
            if (inside == 0 || inside == 255)
                continue;
            PxCube made;
            const PxCube *cube = cube_of(m, node, inside, &made);
            v->triangles += cube->triangles;
            v->centres += (uint32_t)__builtin_popcount(cube->centres);
        }
        for (int w = 0; w < WORDS; ++w) {
            v->before[w] = (uint16_t)v->edges;
            v->edges += (uint32_t)__builtin_popcountll(v->bit[w]);
        }
    }
}

/* ---- writing --------------------------------------------------------------- */

static inline uint32_t vertex_of(const Vertices *v, int node, int axis)
{
    int bit = 3 * node + axis;
    uint64_t below = v->bit[bit / 64] & (((uint64_t)1 << bit % 64) - 1);
    return v->first + v->before[bit / 64] + (uint32_t)__builtin_popcountll(below);
}

static void write_vertex(const March *m, uint32_t number, const double at[3], const float n[3],
                         bool touching)
{
    PxSurfaceMesh *mesh = m->mesh;
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int a = 0; a < 3; ++a) {
        mesh->position[number][a] = (float)at[a];
        mesh->normal[number][a] = length > 0.0f ? n[a] / length : (float)(a == 1);
    }
    if (mesh->touching != NULL)
        mesh->touching[number] = touching;
}

/* Central difference of the depth at a node, over two cells; the normal points the opposite way. */
static inline void slope_at(const float *node, float slope[3])
{
    for (int a = 0; a < 3; ++a)
        slope[a] = node[stride[a]] - node[-stride[a]];
}

/* Moves a vertex along its edge onto the isosurface by Newton's method, starting from the linear
 * interpolation between the nodes: mostly one step, more where the field of a thin sheet is
 * steep or a wall limits it. A step out of the bracket of a point inside and one outside is
 * replaced by bisection. `part` is the position on the edge, `inner` the end that is inside. */
static void refine_vertex(const PxProbe *probe, double cell, int axis, const double corner[3],
                          float inner, float *part, float normal[3])
{
    double at[3] = {corner[0], corner[1], corner[2]};
    float slope[3], edge = (float)(cell / probe->field->spacing), outer = 1.0f - inner;
    for (int step = 0; step < MOST_STEPS; ++step) {
        at[axis] = corner[axis] + (double)*part * cell;
        float depth = px_probe_at(probe, at, slope), along = slope[axis] * edge;
        float square = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2];
        if (depth > 0.0f)
            inner = *part;
        else
            outer = *part;
        /* Nearly parallel to the surface: keep the interpolated position. */
        if (square > 1e-4f && !(along * along > 0.01f * square * edge * edge) && step == 0)
            break;
        float to = *part - depth / along, least = fminf(inner, outer), most = fmaxf(inner, outer);
        if (!(to >= least && to <= most) || along * (outer - inner) > 0.0f)
            to = 0.5f * (inner + outer);
        /* In the corner of a tank a step may lead into a wall, though no node is there. */
        at[axis] = corner[axis] + (double)to * cell;
        if (probe->barriers != NULL &&
            !(px_barriers_clearance(probe->barriers, px_vec(at[0], at[1], at[2]), cell) >
              -1e-5 * cell))
            break;
        float by = to - *part;
        *part = to;
        if (by * by < FAR_STEP * FAR_STEP)
            break;
    }
    if (slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2] > 1e-4f)
        for (int a = 0; a < 3; ++a)
            normal[a] = -slope[a];
}

static void write_edges(const March *m, const Vertices *v, const int32_t *block, const float *nodes,
                        const float *others, const PxProbe *probe)
{
    double cell = m->grid->cell;
    for (int n = 0; n < PX_BLOCK_NODES; ++n) {
        int at[3] = {n % 8, n / 8 % 8, n / 64};
        const float *node = node_at(nodes, at[0], at[1], at[2]);
        for (int axis = 0; axis < 3; ++axis) {
            float a = node[0], b = node[stride[axis]];
            if ((a > 0.0f) == (b > 0.0f))
                continue;
            /* Clamp depths to the edge length: at thin sheets they are steeper than distances. */
            float limit = (float)(cell / m->field->spacing);
            float low = a > limit ? limit : a < -limit ? -limit : a;
            float high = b > limit ? limit : b < -limit ? -limit : b;
            float t = low / (low - high), sa[3], sb[3], normal[3];
            double place[3];
            for (int k = 0; k < 3; ++k)
                place[k] = px_block_grid_node(m->grid, block[k], at[k]);
            slope_at(node, sa);
            slope_at(node + stride[axis], sb);
            for (int k = 0; k < 3; ++k)
                normal[k] = -((1.0f - t) * sa[k] + t * sb[k]);
            if (probe != NULL)
                refine_vertex(probe, cell, axis, place, a > 0.0f ? 0.0f : 1.0f, &t, normal);
            t = t > LEAST_T ? t : LEAST_T;
            t = t < 1.0f - LEAST_T ? t : 1.0f - LEAST_T;
            place[axis] += cell * (double)t;
            if (!(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2] > 0.0f))
                normal[axis] = a > 0.0f ? 1.0f : -1.0f;
            bool touching = false;
            if (others != NULL) {
                const float *other = others + (node - nodes);
                touching = (1.0f - t) * other[0] + t * other[stride[axis]] > PX_POTENTIAL_TOUCH;
            }
            write_vertex(m, vertex_of(v, n, axis), place, normal, touching);
        }
    }
}

/* The vertex on an edge of a cell, which may belong to a neighbouring block. */
static uint32_t edge_vertex(const March *m, const uint32_t near[27], const int cell[3],
                            unsigned edge)
{
    unsigned corner[2];
    px_cube_edge(edge, corner);
    int at[3], block = 13, weight = 1, node = 0, place = 1;
    for (int a = 0; a < 3; ++a) {
        at[a] = cell[a] + (int)(corner[0] >> a & 1);
        if (at[a] == PX_BLOCK_EDGE) {
            at[a] = 0;
            block += weight;
        }
        node += place * at[a];
        weight *= 3;
        place *= PX_BLOCK_EDGE;
    }
    const Vertices *v = &m->vertices[m->index[near[block]]];
    return vertex_of(v, node, (int)(edge >> 2));
}

/* A vertex at the mean of a loop's vertices. Some of these belong to other blocks and may not be
 * written yet, so they are interpolated from the nodes again. */
static void write_centre(const March *m, uint32_t number, const int32_t *block, const int cell[3],
                         const float *node, const float *other, const PxCube *cube, int loop)
{
    double at[3] = {0, 0, 0};
    float normal[3] = {0, 0, 0}, depth = 0.0f;
    int length = cube->length[loop];
    for (int k = 0; k < length; ++k) {
        unsigned corner[2], axis = cube->loop[loop][k] >> 2;
        px_cube_edge(cube->loop[loop][k], corner);
        int first = 0;
        for (int a = 0; a < 3; ++a)
            first += (int)(corner[0] >> a & 1) * stride[a];
        const float *from = node + first;
        float a = from[0], b = from[stride[axis]], t = a / (a - b);
        t = t > LEAST_T ? t : LEAST_T;
        t = t < 1.0f - LEAST_T ? t : 1.0f - LEAST_T;
        float sa[3], sb[3];
        slope_at(from, sa);
        slope_at(from + stride[axis], sb);
        for (unsigned c = 0; c < 3; ++c) {
            at[c] += (double)(corner[0] >> c & 1) + (c == axis ? (double)t : 0);
            normal[c] -= (1.0f - t) * sa[c] + t * sb[c];
        }
        if (other != NULL)
            depth += (1.0f - t) * other[first] + t * other[first + stride[axis]];
    }
    for (int a = 0; a < 3; ++a)
        at[a] = px_block_grid_node(m->grid, block[a], cell[a] + at[a] / length);
    write_vertex(m, number, at, normal, depth / (float)length > PX_POTENTIAL_TOUCH);
}

/* The triangles of a block's cells, and the vertices at the centres of loops. */
static void write_cells(const March *m, const Vertices *v, uint32_t block, const uint32_t near[27],
                        const float *nodes, const float *others)
{
    uint32_t centre = v->first + v->edges;
    uint32_t triangle = v->first_triangle;
    for (int n = 0; n < PX_BLOCK_NODES; ++n) {
        const int cell[3] = {n % 8, n / 8 % 8, n / 64};
        const float *node = node_at(nodes, cell[0], cell[1], cell[2]);
        unsigned inside = corners_of(node);
        if (inside == 0 || inside == 255)
            continue;
        PxCube made;
        const PxCube *cube = cube_of(m, node, inside, &made);
        uint32_t corner[PX_CUBE_CENTRE + PX_CUBE_LOOPS];
        for (int loop = 0; loop < cube->loops; ++loop) {
            for (int k = 0; k < cube->length[loop]; ++k)
                corner[cube->loop[loop][k]] = edge_vertex(m, near, cell, cube->loop[loop][k]);
            if (cube->centres >> loop & 1) {
                corner[PX_CUBE_CENTRE + loop] = centre;
                write_centre(m, centre++, m->grid->at[block], cell, node,
                             others != NULL ? others + (node - nodes) : NULL, cube, loop);
            }
        }
        for (int t = 0; t < cube->triangles; ++t, ++triangle)
            for (int c = 0; c < 3; ++c)
                m->mesh->triangle[triangle][c] = corner[cube->triangle[t][c]];
    }
}

/* Gathers the sources around a block; NULL when there are too many, or no memory. */
static const PxProbe *probe_block(const March *m, uint32_t block, PxProbe *probe)
{
    double low[3], high[3];
    if (probe == NULL)
        return NULL;
    for (int k = 0; k < 3; ++k) {
        low[k] = px_block_grid_node(m->grid, m->grid->at[block][k], 0);
        high[k] = px_block_grid_node(m->grid, m->grid->at[block][k], PX_BLOCK_EDGE);
    }
    return px_probe_begin(probe, low, high) ? probe : NULL;
}

static void write_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const March *m = user;
    PxProbe *probe = malloc(sizeof *probe); /* NULL: vertices keep their interpolated positions */
    if (probe != NULL) {
        probe->field = m->field;
        probe->other = m->other;
        probe->barriers = m->barriers;
    }
    for (uint32_t a = begin; a < end; ++a) {
        const Vertices *v = &m->vertices[a];
        if (v->edges + v->triangles == 0)
            continue;
        uint32_t near[27], block = m->active[a];
        float nodes[AROUND * AROUND * AROUND], others[AROUND * AROUND * AROUND];
        neighbours_of(m->grid, block, near);
        load_nodes(m->grid, near, m->grid->value, nodes);
        if (m->mesh->touching != NULL)
            load_nodes(m->grid, near, m->grid->other, others);
        const float *other = m->mesh->touching != NULL ? others : NULL;
        write_edges(m, v, m->grid->at[block], nodes, other, probe_block(m, block, probe));
        write_cells(m, v, block, near, nodes, other);
    }
    free(probe);
}

/* ---- all stages ---- */

static PxStatus march(March *m, const PxThreads *threads)
{
    const PxBlockGrid *s = m->grid;
    m->active = malloc(((size_t)s->blocks + 1) * sizeof *m->active);
    m->index = malloc(((size_t)s->blocks + 1) * sizeof *m->index);
    if (m->active == NULL || m->index == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for %u blocks", s->blocks);
    for (uint32_t b = 0; b < s->blocks; ++b) {
        m->index[b] = UINT32_MAX;
        if (!uniform(s, b)) {
            m->index[b] = m->actives;
            m->active[m->actives++] = b;
        }
    }
    m->vertices = malloc(((size_t)m->actives + 1) * sizeof *m->vertices);
    if (m->vertices == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for %u blocks", m->actives);
    PX_TRY(px_parallel_try(threads, m->actives, 4, count_block, m));
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t a = 0; a < m->actives; ++a) {
        Vertices *v = &m->vertices[a];
        v->first = (uint32_t)vertices;
        v->first_triangle = (uint32_t)triangles;
        vertices += v->edges + v->centres;
        triangles += v->triangles;
    }
    m->mesh = px_surface_mesh_create(vertices, triangles, s->other != NULL);
    if (m->mesh == NULL)
        return PX_ERR_MEMORY;
    return px_parallel_try(threads, m->actives, 4, write_block, m);
}

PxStatus px_marching_cubes(const PxBlockGrid *grid, const PxPotential *field,
                           const PxPotential *other, const PxBarriers *barriers,
                           const PxThreads *threads, PxSurfaceMesh **out)
{
    *out = NULL;
    March *m = calloc(1, sizeof *m);
    if (m == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for the table of cubes");
    m->grid = grid;
    m->field = field;
    m->other = other;
    m->barriers = barriers != NULL && barriers->walls + barriers->sheets > 0 ? barriers : NULL;
    for (unsigned inside = 0; inside < 256; ++inside) {
        px_cube_make(inside, 0, &m->cube[inside]);
        m->ambiguous[inside] = (uint8_t)px_cube_ambiguous(inside);
    }
    PxStatus status = march(m, threads);
    *out = m->mesh;
    free(m->active);
    free(m->index);
    free(m->vertices);
    free(m);
    return status;
}
