#include "surface/mesh/smooth.h"

#include "base/stop.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Taubin's lambda and mu. 1/lambda + 1/mu = 0.11 is the pass band: waves longer than about nine
 * edges are kept. */
#define FORWARD 0.5f
#define BACK -0.53f

typedef struct Smooth {
    const uint32_t *start, *near; /* near[start[v] .. start[v + 1]): neighbours of v */
    const float (*from)[3];
    float (*to)[3];
    const uint8_t *hold;
    const float (*across)[3];
    float part;
} Smooth;

static void smooth_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Smooth *s = user;
    for (uint32_t v = begin; v < end; ++v) {
        uint32_t count = s->start[v + 1] - s->start[v];
        int hold = s->hold != NULL ? s->hold[v] : PX_SMOOTH_FREE;
        float part = count > 0 && hold != PX_SMOOTH_HELD ? s->part : 0.0f;
        float sum[3] = {0, 0, 0}, per = count > 0 ? 1.0f / (float)count : 0.0f;
        /* Differences first: positions may be far from the origin. */
        for (uint32_t k = s->start[v]; k < s->start[v + 1]; ++k)
            for (int a = 0; a < 3; ++a)
                sum[a] += s->from[s->near[k]][a] - s->from[v][a];
        if (hold == PX_SMOOTH_SLIDES) {
            const float *n = s->across[v];
            float off = n[0] * sum[0] + n[1] * sum[1] + n[2] * sum[2];
            for (int a = 0; a < 3; ++a)
                sum[a] -= off * n[a];
        }
        for (int a = 0; a < 3; ++a)
            s->to[v][a] = s->from[v][a] + part * (per * sum[a]);
    }
}

/* In a closed mesh each neighbour of a vertex follows it in exactly one triangle. */
static void find_neighbours(const PxSurfaceMesh *mesh, uint32_t *start, uint32_t *near)
{
    memset(start, 0, ((size_t)mesh->vertices + 2) * sizeof *start);
    for (uint32_t t = 0; t < mesh->triangles; ++t)
        for (int c = 0; c < 3; ++c)
            ++start[mesh->triangle[t][c] + 2];
    for (uint32_t v = 0; v < mesh->vertices; ++v)
        start[v + 2] += start[v + 1];
    for (uint32_t t = 0; t < mesh->triangles; ++t)
        for (int c = 0; c < 3; ++c)
            near[start[mesh->triangle[t][c] + 1]++] = mesh->triangle[t][(c + 1) % 3];
}

/* ---- volumes of components ---- */

/* Components that a mesh hangs together in: a vertex of each stands for it. */
static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

typedef struct Part {
    double middle[3]; /* mean of the vertices, then of the vertices afterwards */
    double volume[2]; /* before and after */
    uint32_t vertices;
    bool held;
} Part;

typedef struct Parts {
    uint32_t *of; /* of each vertex */
    Part *part;
    uint32_t count;
} Parts;

static void parts_free(Parts *p)
{
    free(p->of);
    free(p->part);
}

static PxStatus find_parts(const PxSurfaceMesh *mesh, const uint8_t *hold, Parts *p)
{
    uint32_t n = mesh->vertices;
    p->of = malloc(((size_t)n + 1) * sizeof *p->of);
    if (p->of == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room to smooth %u vertices", n);
    for (uint32_t v = 0; v < n; ++v)
        p->of[v] = v;
    for (uint32_t t = 0; t < mesh->triangles; ++t)
        for (int c = 0; c < 2; ++c) {
            uint32_t a = root_of(p->of, mesh->triangle[t][c]),
                     b = root_of(p->of, mesh->triangle[t][c + 1]);
            /* the lower one stays the root, so that parts are numbered in order below */
            if (a < b)
                p->of[b] = a;
            else
                p->of[a] = b;
        }
    for (uint32_t v = 0; v < n; ++v) /* parents come before their children and have a number */
        p->of[v] = p->of[v] == v ? p->count++ : p->of[p->of[v]];
    p->part = calloc((size_t)p->count + 1, sizeof *p->part);
    if (p->part == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room to smooth %u parts", p->count);
    for (uint32_t v = 0; v < n; ++v) {
        Part *part = &p->part[p->of[v]];
        ++part->vertices;
        part->held |= hold != NULL && hold[v] != PX_SMOOTH_FREE;
    }
    return PX_OK;
}

/* Volumes of the parts, about the means of their vertices. */
static void measure_parts(const PxSurfaceMesh *mesh, Parts *p, int when)
{
    for (uint32_t k = 0; k < p->count; ++k)
        memset(p->part[k].middle, 0, sizeof p->part[k].middle);
    for (uint32_t v = 0; v < mesh->vertices; ++v)
        for (int a = 0; a < 3; ++a)
            p->part[p->of[v]].middle[a] += (double)mesh->position[v][a];
    for (uint32_t k = 0; k < p->count; ++k)
        for (int a = 0; a < 3; ++a)
            p->part[k].middle[a] /= p->part[k].vertices;
    for (uint32_t t = 0; t < mesh->triangles; ++t) {
        Part *part = &p->part[p->of[mesh->triangle[t][0]]];
        double x[3][3];
        for (int c = 0; c < 3; ++c)
            for (int a = 0; a < 3; ++a)
                x[c][a] = (double)mesh->position[mesh->triangle[t][c]][a] - part->middle[a];
        part->volume[when] += (x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) +
                               x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
                               x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0])) /
                              6;
    }
}

/* Scales free parts about their middle to the volume that they had. */
static void restore_volumes(PxSurfaceMesh *mesh, Parts *p)
{
    measure_parts(mesh, p, 1);
    for (uint32_t v = 0; v < mesh->vertices; ++v) {
        const Part *part = &p->part[p->of[v]];
        double ratio = part->volume[0] / part->volume[1];
        if (part->held || !(ratio > 0.1) || !(ratio < 10)) /* cavities have a ratio, too */
            continue;
        double scale = cbrt(ratio);
        for (int a = 0; a < 3; ++a)
            mesh->position[v][a] =
                (float)(part->middle[a] + scale * ((double)mesh->position[v][a] - part->middle[a]));
    }
}

static void triangle_normals(PxSurfaceMesh *mesh)
{
    memset(mesh->normal, 0, mesh->vertices * sizeof *mesh->normal);
    for (uint32_t t = 0; t < mesh->triangles; ++t) {
        const uint32_t *k = mesh->triangle[t];
        const float *a = mesh->position[k[0]], *b = mesh->position[k[1]], *c = mesh->position[k[2]];
        float u[3], w[3];
        for (int i = 0; i < 3; ++i) {
            u[i] = b[i] - a[i];
            w[i] = c[i] - a[i];
        }
        const float n[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2],
                            u[0] * w[1] - u[1] * w[0]};
        for (int corner = 0; corner < 3; ++corner)
            for (int i = 0; i < 3; ++i)
                mesh->normal[k[corner]][i] += n[i];
    }
    for (uint32_t v = 0; v < mesh->vertices; ++v) {
        float *n = mesh->normal[v], length = 0.0f;
        /* Scale first: the squares of small areas underflow. */
        float most = fmaxf(fabsf(n[0]), fmaxf(fabsf(n[1]), fabsf(n[2])));
        for (int a = 0; a < 3 && most > 0.0f; ++a)
            n[a] /= most;
        length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int a = 0; a < 3; ++a)
            n[a] = length > 0.0f ? n[a] / length : (float)(a == 1);
    }
}

PxStatus px_smooth(PxSurfaceMesh *mesh, double length, double cell, const uint8_t *hold,
                   const float (*across)[3], const PxThreads *threads)
{
    /* Edges are about 0.7 cells long; one step diffuses by FORWARD / 2 of their square. */
    int rounds = (int)ceil(length * length / (0.5 * (double)FORWARD * 0.5 * cell * cell));
    if (rounds > 500)
        rounds = 500;
    if (rounds <= 0 || mesh->triangles == 0)
        return PX_OK;
    uint32_t *start = malloc(((size_t)mesh->vertices + 2) * sizeof *start);
    uint32_t *near = malloc(((size_t)mesh->triangles * 3 + 1) * sizeof *near);
    float(*spare)[3] = malloc(((size_t)mesh->vertices + 1) * sizeof *spare);
    if (start == NULL || near == NULL || spare == NULL) {
        free(start);
        free(near);
        free(spare);
        return px_fail(PX_ERR_MEMORY, "surface: no room to smooth %u triangles", mesh->triangles);
    }
    Parts parts = {0};
    PxStatus status = find_parts(mesh, hold, &parts);
    if (status != PX_OK) {
        parts_free(&parts);
        free(start);
        free(near);
        free(spare);
        return status;
    }
    measure_parts(mesh, &parts, 0);
    find_neighbours(mesh, start, near);
    Smooth s = {.start = start, .near = near, .hold = hold, .across = across};
    for (int k = 0; k < rounds && !px_stopped(threads); ++k) {
        s.from = (const float(*)[3])mesh->position;
        s.to = spare;
        s.part = FORWARD;
        px_parallel_for(threads, mesh->vertices, 4 * PX_BLOCK, smooth_block, &s);
        s.from = (const float(*)[3])spare;
        s.to = mesh->position;
        s.part = BACK;
        px_parallel_for(threads, mesh->vertices, 4 * PX_BLOCK, smooth_block, &s);
    }
    restore_volumes(mesh, &parts);
    triangle_normals(mesh);
    parts_free(&parts);
    free(start);
    free(near);
    free(spare);
    return px_stop_check(threads);
}
