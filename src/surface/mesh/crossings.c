#include "surface/mesh/crossings.h"

#include "base/vec.h"
#include "shape/mesh_tree.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 3 };

struct PxCrossings {
    uint32_t triangles, nodes;
    PxVec3 (*corner)[3]; /* in the order of the leaves */
    PxTreeNode *node;
};

/* ---- the tree -------------------------------------------------------------------------------- */

void px_crossings_free(PxCrossings *c)
{
    if (c == NULL)
        return;
    free(c->corner);
    free(c->node);
    free(c);
}

static PxStatus build(PxCrossings *c, const PxSurfaceSheet *sheet, uint32_t sheets)
{
    size_t vertices = 0, triangles = 0;
    for (uint32_t k = 0; k < sheets; ++k) {
        vertices += sheet[k].vertices;
        triangles += sheet[k].triangles;
    }
    if (triangles == 0)
        return PX_OK;
    PxMesh *mesh;
    PX_TRY(px_mesh_create((uint32_t)vertices, (uint32_t)triangles, 0, &mesh));
    uint32_t first = 0, at = 0;
    for (uint32_t k = 0; k < sheets; ++k) {
        for (uint32_t v = 0; v < sheet[k].vertices; ++v)
            mesh->position[first + v] = sheet[k].position[v];
        for (uint32_t t = 0; t < sheet[k].triangles; ++t, ++at)
            for (int n = 0; n < 3; ++n)
                mesh->triangle[at][n] = first + sheet[k].triangle[t][n];
        first += sheet[k].vertices;
    }
    PxVec3 *middle = malloc((triangles + 1) * sizeof *middle);
    uint32_t *order = malloc((triangles + 1) * sizeof *order);
    c->corner = malloc((triangles + 1) * sizeof *c->corner);
    c->node = malloc((2 * triangles + 1) * sizeof *c->node);
    bool room = middle != NULL && order != NULL && c->corner != NULL && c->node != NULL;
    for (uint32_t t = 0; t < triangles && room; ++t) {
        order[t] = t;
        middle[t] = px_scale(px_add(px_add(px_mesh_corner(mesh, t, 0), px_mesh_corner(mesh, t, 1)),
                                    px_mesh_corner(mesh, t, 2)),
                             1.0 / 3);
    }
    if (room) {
        c->nodes = px_tree_build(mesh, middle, order, (uint32_t)triangles, c->node);
        c->triangles = (uint32_t)triangles;
    }
    for (uint32_t t = 0; t < triangles && room; ++t)
        for (int n = 0; n < 3; ++n)
            c->corner[t][n] = px_mesh_corner(mesh, order[t], n);
    free(middle);
    free(order);
    px_mesh_free(mesh);
    return room ? PX_OK
                : px_fail(PX_ERR_MEMORY, "surface: no room for %zu triangles of sheets", triangles);
}

PxStatus px_crossings_create(const PxSurfaceSheet *sheet, uint32_t sheets, PxCrossings **out)
{
    PxCrossings *c = *out = calloc(1, sizeof *c);
    if (c == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for sheets");
    PxStatus status = build(c, sheet, sheets);
    if (status != PX_OK) {
        px_crossings_free(c);
        *out = NULL;
    }
    return status;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Six times the volume of a tetrahedron; its sign says on which side of abc d is. */
static double volume(PxVec3 a, PxVec3 b, PxVec3 c, PxVec3 d)
{
    return px_dot(px_cross(px_sub(b, a), px_sub(c, a)), px_sub(d, a));
}

/* Does the segment pq go through the triangle? */
static bool goes_through(PxVec3 p, PxVec3 q, const PxVec3 t[3])
{
    double a = volume(t[0], t[1], t[2], p), b = volume(t[0], t[1], t[2], q);
    if (!((a > 0 && b < 0) || (a < 0 && b > 0)))
        return false;
    double u = volume(p, q, t[0], t[1]), v = volume(p, q, t[1], t[2]), w = volume(p, q, t[2], t[0]);
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

static bool cross(const PxVec3 a[3], const PxVec3 b[3])
{
    for (int k = 0; k < 3; ++k)
        if (goes_through(a[k], a[(k + 1) % 3], b) || goes_through(b[k], b[(k + 1) % 3], a))
            return true;
    return false;
}

static bool apart(const PxBounds *a, const PxBounds *b)
{
    return a->low.x > b->high.x || a->high.x < b->low.x || a->low.y > b->high.y ||
           a->high.y < b->low.y || a->low.z > b->high.z || a->high.z < b->low.z;
}

static uint32_t pairs_of(const PxCrossings *c, const PxVec3 t[3])
{
    uint32_t stack[PX_TREE_STACK], depth = 0, pairs = 0;
    PxBounds box = px_bounds_empty();
    for (int k = 0; k < 3; ++k)
        px_bounds_add(&box, t[k]);
    if (c->nodes > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        const PxTreeNode *node = &c->node[at];
        if (apart(&node->bounds, &box))
            continue;
        for (uint32_t k = 0; k < node->count; ++k)
            pairs += cross(t, (const PxVec3 *)c->corner[node->first + k]);
        if (node->count == 0) {
            stack[depth++] = node->first;
            stack[depth++] = at + 1;
        }
    }
    return pairs;
}

typedef struct Job {
    const PxCrossings *c;
    const PxSurfaceMesh *mesh;
    uint8_t *crossed; /* by triangle */
    uint64_t *sum;    /* by block */
} Job;

enum { BLOCK = 4096 };

static void pairs_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    uint64_t sum = 0;
    for (uint32_t t = begin; t < end; ++t) {
        PxVec3 corner[3];
        for (int k = 0; k < 3; ++k) {
            const float *p = j->mesh->position[j->mesh->triangle[t][k]];
            corner[k] = px_vec((double)p[0], (double)p[1], (double)p[2]);
        }
        uint32_t pairs = pairs_of(j->c, (const PxVec3 *)corner);
        sum += pairs;
        j->crossed[t] = pairs > 0;
    }
    j->sum[begin / BLOCK] = sum;
}

static uint64_t find(Job *job, const PxThreads *threads)
{
    uint64_t all = 0;
    uint32_t n = job->mesh->triangles;
    if (job->c->triangles == 0)
        return 0;
    px_parallel_for(threads, n, BLOCK, pairs_block, job);
    for (uint32_t b = 0; b * (uint64_t)BLOCK < n; ++b)
        all += job->sum[b];
    return all;
}

/* ---- taking apart ---------------------------------------------------------------------------- */

static PxVec3 normal_of(const PxSurfaceMesh *mesh, uint32_t t)
{
    PxVec3 corner[3];
    for (int k = 0; k < 3; ++k) {
        const float *p = mesh->position[mesh->triangle[t][k]];
        corner[k] = px_vec((double)p[0], (double)p[1], (double)p[2]);
    }
    return px_normalized(px_cross(px_sub(corner[1], corner[0]), px_sub(corner[2], corner[0])),
                         px_vec(0, 0, 0));
}

/* Adds a ball at a triangle, or enlarges the one that is there already. */
static bool add_ball(PxBalls *balls, PxVec3 at, double cell)
{
    for (uint32_t k = 0; k < balls->count; ++k)
        if (px_length(px_sub(balls->data[k].place, at)) < balls->data[k].radius) {
            if (!balls->data[k].grown)
                balls->data[k].radius += 0.5 * cell;
            balls->data[k].grown = true;
            return true;
        }
    if (!PX_LIST_RESERVE(balls, 1))
        return false;
    balls->data[balls->count++] = (PxBall){.place = at, .radius = cell, .grown = true};
    return true;
}

static PxStatus add_balls(const Job *job, double cell, PxBalls *balls)
{
    const PxSurfaceMesh *mesh = job->mesh;
    for (uint32_t k = 0; k < balls->count; ++k)
        balls->data[k].grown = false;
    for (uint32_t t = 0; t < mesh->triangles; ++t) {
        PxVec3 middle = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            const float *p = mesh->position[mesh->triangle[t][k]];
            middle = px_add(middle, px_vec((double)p[0] / 3, (double)p[1] / 3, (double)p[2] / 3));
        }
        if (job->crossed[t] && !add_ball(balls, middle, cell))
            return px_fail(PX_ERR_MEMORY, "surface: no room for crossings");
    }
    return PX_OK;
}

PxStatus px_crossings_undo(const PxCrossings *c, PxSurfaceMesh *mesh, double cell, PxBalls *balls,
                           const PxThreads *threads)
{
    double step = 0.25 * cell;
    Job job = {.c = c, .mesh = mesh};
    job.sum = calloc(mesh->triangles / BLOCK + 1, sizeof *job.sum);
    job.crossed = malloc((size_t)mesh->triangles + 1);
    PxVec3 *move = malloc(((size_t)mesh->vertices + 1) * sizeof *move);
    PxStatus status = PX_OK;
    if (job.sum == NULL || job.crossed == NULL || move == NULL)
        status =
            px_fail(PX_ERR_MEMORY, "surface: no room to compare %u triangles", mesh->triangles);
    for (int n = 0; status == PX_OK; ++n) {
        mesh->crossed = find(&job, threads);
        if (mesh->crossed == 0 || n == STEPS)
            break;
        memset(move, 0, mesh->vertices * sizeof *move);
        for (uint32_t t = 0; t < mesh->triangles; ++t)
            if (job.crossed[t]) {
                PxVec3 normal = normal_of(mesh, t);
                for (int k = 0; k < 3; ++k)
                    move[mesh->triangle[t][k]] = px_sub(move[mesh->triangle[t][k]], normal);
            }
        for (uint32_t v = 0; v < mesh->vertices; ++v) {
            if (px_dot(move[v], move[v]) == 0)
                continue;
            PxVec3 by = px_scale(px_normalized(move[v], px_vec(0, 0, 0)), step);
            mesh->position[v][0] += (float)by.x;
            mesh->position[v][1] += (float)by.y;
            mesh->position[v][2] += (float)by.z;
        }
    }
    if (status == PX_OK && mesh->crossed > 0)
        status = add_balls(&job, cell, balls);
    free(job.sum);
    free(job.crossed);
    free(move);
    return status;
}
