#include "surface/mesh/drops.h"

#include "base/fail.h"
#include "surface/field/potential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Distances from others and from barriers, spacings. */
#define FROM_OTHERS 2.0
#define FROM_BARRIERS 1.0
/* Drops are drawn out to at most this ratio of their length to that of a round one. */
#define LONGEST 2.0

/* ---- which particles are alone ---- */

typedef struct Search {
    const PxSurfaceParticles *p;
    const PxBarriers *barriers;
    const PxGrid *grid;
    const uint32_t *order;  /* row of the caller by row of the grid */
    const float *x, *y, *z; /* in the order of the grid */
    uint8_t *alone;         /* by row of the caller */
} Search;

static bool is_alone(const Search *s, uint32_t k)
{
    double reach = FROM_OTHERS * s->p->spacing;
    float square = (float)(reach * reach), x = s->x[k], y = s->y[k], z = s->z[k];
    PxRange rows[9];
    int count = px_grid_rows(s->grid, x, y, z, rows);
    for (int r = 0; r < count; ++r)
        for (uint32_t j = rows[r].begin; j < rows[r].end; ++j) {
            float dx = s->x[j] - x, dy = s->y[j] - y, dz = s->z[j] - z;
            if (j != k && dx * dx + dy * dy + dz * dz < square)
                return false;
        }
    double near = FROM_BARRIERS * s->p->spacing;
    return px_barriers_clearance(s->barriers, px_vec((double)x, (double)y, (double)z), near) >=
           near;
}

static void search_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Search *s = user;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t row = s->order[k];
        if (s->p->other == NULL || s->p->other[row] == 0)
            s->alone[row] = is_alone(s, k);
    }
}

static PxStatus search(Search *s, PxGrid *grid, PxArena *scratch, const PxThreads *threads)
{
    const PxSurfaceParticles *p = s->p;
    uint32_t n = p->count, *order = PX_ARENA_ARRAY(scratch, uint32_t, n);
    float *x = PX_ARENA_ARRAY(scratch, float, n), *y = PX_ARENA_ARRAY(scratch, float, n),
          *z = PX_ARENA_ARRAY(scratch, float, n);
    uint64_t *id = PX_ARENA_ARRAY(scratch, uint64_t, n);
    if (order == NULL || x == NULL || y == NULL || z == NULL || id == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for %u particles", n);
    for (uint32_t i = 0; i < n; ++i)
        id[i] = p->id != NULL ? p->id[i] : i;
    PxGridPoints points = {p->position[0], p->position[1], p->position[2], n};
    PxGridFrame frame;
    PX_TRY(px_potential_frame(FROM_OTHERS * p->spacing, points, scratch, threads, &frame));
    PX_TRY(px_grid_sort(grid, &frame, points, id, order, scratch, threads));
    for (uint32_t k = 0; k < n; ++k) {
        x[k] = p->position[0][order[k]];
        y[k] = p->position[1][order[k]];
        z[k] = p->position[2][order[k]];
    }
    s->grid = grid;
    s->order = order;
    s->x = x;
    s->y = y;
    s->z = z;
    px_parallel_for(threads, n, PX_BLOCK, search_block, s);
    return PX_OK;
}

PxStatus px_drops_find(const PxSurfaceParticles *p, const PxBarriers *barriers,
                       const PxThreads *threads, uint8_t **alone)
{
    *alone = NULL;
    Search s = {.p = p, .barriers = barriers, .alone = calloc((size_t)p->count + 1, 1)};
    if (s.alone == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for %u particles", p->count);
    PxGrid grid;
    PxArena scratch;
    px_grid_init(&grid, NULL);
    px_arena_init(&scratch, NULL);
    PxStatus status = p->count > 0 ? search(&s, &grid, &scratch, threads) : PX_OK;
    px_grid_free(&grid);
    px_arena_free(&scratch);
    if (status == PX_OK && memchr(s.alone, 1, (size_t)p->count + 1) != NULL)
        *alone = s.alone;
    else
        free(s.alone);
    return status;
}

/* ---- their meshes ---- */

enum { MOST_VERTICES = 162, MOST_TRIANGLES = 320 };

/* A ball of volume 1: an icosahedron whose triangles are divided by four. */
typedef struct Ball {
    uint32_t vertices, triangles;
    double at[MOST_VERTICES][3]; /* unit directions */
    uint32_t triangle[MOST_TRIANGLES][3];
    double radius;
} Ball;

static uint32_t middle(Ball *b, uint32_t i, uint32_t j)
{
    double m[3], length = 0;
    for (int c = 0; c < 3; ++c) {
        m[c] = b->at[i][c] + b->at[j][c];
        length += m[c] * m[c];
    }
    for (int c = 0; c < 3; ++c)
        m[c] /= sqrt(length);
    for (uint32_t k = 0; k < b->vertices; ++k)
        if (fabs(b->at[k][0] - m[0]) + fabs(b->at[k][1] - m[1]) + fabs(b->at[k][2] - m[2]) < 1e-9)
            return k;
    memcpy(b->at[b->vertices], m, sizeof m);
    return b->vertices++;
}

static void divide(Ball *b)
{
    uint32_t before = b->triangles;
    for (uint32_t t = 0; t < before; ++t) {
        uint32_t c[3], m[3];
        memcpy(c, b->triangle[t], sizeof c);
        for (int k = 0; k < 3; ++k)
            m[k] = middle(b, c[k], c[(k + 1) % 3]);
        for (int k = 0; k < 3; ++k) {
            const uint32_t corner[3] = {c[k], m[k], m[(k + 2) % 3]};
            memcpy(b->triangle[b->triangles++], corner, sizeof corner);
        }
        memcpy(b->triangle[t], m, sizeof m);
    }
}

static void make_ball(Ball *b, int divisions)
{
    static const uint32_t faces[20][3] = {
        {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    /* (+-1, +-golden, 0) and its cyclic permutations, in units of 1 and golden */
    static const signed char ones[12][3] = {{-1, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {1, 0, 0},
                                            {0, -1, 0}, {0, 1, 0}, {0, -1, 0}, {0, 1, 0},
                                            {0, 0, -1}, {0, 0, 1}, {0, 0, -1}, {0, 0, 1}};
    static const signed char goldens[12][3] = {{0, 1, 0}, {0, 1, 0}, {0, -1, 0}, {0, -1, 0},
                                               {0, 0, 1}, {0, 0, 1}, {0, 0, -1}, {0, 0, -1},
                                               {1, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}};
    const double golden = 0.5 * (1 + sqrt(5)), length = sqrt(1 + golden * golden);
    b->vertices = 12;
    b->triangles = 20;
    memcpy(b->triangle, faces, sizeof faces);
    for (uint32_t k = 0; k < 12; ++k)
        for (int c = 0; c < 3; ++c)
            b->at[k][c] = (ones[k][c] + goldens[k][c] * golden) / length;
    for (int n = 0; n < divisions; ++n)
        divide(b);
    double volume = 0;
    for (uint32_t t = 0; t < b->triangles; ++t) {
        const double *p = b->at[b->triangle[t][0]], *q = b->at[b->triangle[t][1]],
                     *r = b->at[b->triangle[t][2]];
        volume += (p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
                   p[2] * (q[0] * r[1] - q[1] * r[0])) /
                  6;
    }
    b->radius = cbrt(1 / volume);
}

/* A vertex of a drop around `centre`, drawn out along the unit vector `way` by `along`, with the
 * volume of a ball of that radius, and its normal. */
static void place_vertex(const double at[3], const float centre[3], double radius,
                         const double way[3], double along, float position[3], float normal[3])
{
    double dot = at[0] * way[0] + at[1] * way[1] + at[2] * way[2], across = 1 / sqrt(along);
    double n[3], length = 0;
    for (int c = 0; c < 3; ++c) {
        double part = dot * way[c], rest = at[c] - part;
        position[c] = (float)((double)centre[c] + radius * (along * part + across * rest));
        n[c] = part / along + rest / across;
        length += n[c] * n[c];
    }
    for (int c = 0; c < 3; ++c)
        normal[c] = (float)(n[c] / sqrt(length));
}

/* Makes room for more vertices and triangles. */
static bool grow(PxSurfaceMesh *mesh, size_t vertices, size_t triangles)
{
    void *position = realloc(mesh->position, (vertices + 1) * sizeof *mesh->position);
    mesh->position = position != NULL ? position : mesh->position;
    void *normal = realloc(mesh->normal, (vertices + 1) * sizeof *mesh->normal);
    mesh->normal = normal != NULL ? normal : mesh->normal;
    void *triangle = realloc(mesh->triangle, (triangles + 1) * sizeof *mesh->triangle);
    mesh->triangle = triangle != NULL ? triangle : mesh->triangle;
    bool good = position != NULL && normal != NULL && triangle != NULL;
    if (mesh->touching != NULL) {
        void *touching = realloc(mesh->touching, vertices + 1);
        mesh->touching = touching != NULL ? touching : mesh->touching;
        good = good && touching != NULL;
    }
    for (uint32_t c = 0; c < mesh->columns; ++c) {
        void *column = realloc(mesh->column[c], (vertices + 1) * sizeof(float));
        mesh->column[c] = column != NULL ? column : mesh->column[c];
        good = good && column != NULL;
    }
    return good;
}

static void add_drop(const PxSurfaceParticles *p, uint32_t row, const Ball *ball, double stretch,
                     PxSurfaceMesh *mesh)
{
    const float centre[3] = {p->position[0][row], p->position[1][row], p->position[2][row]};
    double radius = ball->radius * p->spacing, way[3] = {0, 1, 0}, speed = 0;
    for (int c = 0; c < 3 && p->velocity[c] != NULL; ++c)
        speed += (double)p->velocity[c][row] * (double)p->velocity[c][row];
    speed = sqrt(speed);
    for (int c = 0; c < 3 && speed > 0 && p->velocity[c] != NULL; ++c)
        way[c] = (double)p->velocity[c][row] / speed;
    double along = 1 + speed * stretch / (2 * radius);
    along = along < LONGEST ? along : LONGEST; /* also for speeds that are not finite */
    if (!isfinite(speed))
        along = 1;
    uint32_t first = mesh->vertices;
    for (uint32_t v = 0; v < ball->vertices; ++v, ++mesh->vertices) {
        place_vertex(ball->at[v], centre, radius, way, along, mesh->position[mesh->vertices],
                     mesh->normal[mesh->vertices]);
        if (mesh->touching != NULL)
            mesh->touching[mesh->vertices] = 0;
        for (uint32_t c = 0; c < mesh->columns; ++c)
            mesh->column[c][mesh->vertices] = p->column[c][row];
    }
    for (uint32_t t = 0; t < ball->triangles; ++t, ++mesh->triangles)
        for (int c = 0; c < 3; ++c)
            mesh->triangle[mesh->triangles][c] = first + ball->triangle[t][c];
}

typedef struct Named {
    uint64_t id;
    uint32_t row;
} Named;

static int by_id(const void *a, const void *b)
{
    const Named *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

PxStatus px_drops_add(const PxSurfaceParticles *p, const uint8_t *alone, double cell,
                      double stretch, PxSurfaceMesh *mesh)
{
    size_t count = 0, made = 0;
    for (uint32_t i = 0; alone != NULL && i < p->count; ++i)
        count += alone[i];
    if (count == 0)
        return PX_OK;
    Ball *ball = malloc(sizeof *ball);
    Named *drop = malloc(count * sizeof *drop);
    PxStatus status = ball != NULL && drop != NULL
                          ? PX_OK
                          : px_fail(PX_ERR_MEMORY, "surface: no room for %zu drops", count);
    if (status == PX_OK) {
        make_ball(ball, cell > 0.5 ? 1 : 2);
        size_t vertices = mesh->vertices + count * ball->vertices;
        size_t triangles = mesh->triangles + count * ball->triangles;
        if (vertices > 0x7fffffffu || triangles > 0x7fffffffu || !grow(mesh, vertices, triangles))
            status = px_fail(PX_ERR_MEMORY, "surface: no room for %zu drops", count);
    }
    for (uint32_t i = 0; status == PX_OK && i < p->count; ++i)
        if (alone[i])
            drop[made++] = (Named){p->id != NULL ? p->id[i] : i, i};
    if (status == PX_OK)
        qsort(drop, made, sizeof *drop, by_id);
    for (size_t k = 0; status == PX_OK && k < made; ++k)
        add_drop(p, drop[k].row, ball, stretch, mesh);
    free(ball);
    free(drop);
    return status;
}
