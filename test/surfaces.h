/// Particles for surfaces, and checks of the resulting meshes.
#ifndef PX_TEST_SURFACES_H
#define PX_TEST_SURFACES_H

#include "check.h"

#include "base/random.h"
#include "phyxel/surface.h"
#include "shape/shape.h"
#include "base/digest.h"

#include <stdlib.h>

typedef struct Cloud {
    uint32_t count;
    float *x[3];
} Cloud;

static inline Cloud cloud_make(uint32_t room)
{
    Cloud cloud = {0};
    for (int a = 0; a < 3; ++a)
        cloud.x[a] = calloc((size_t)room + 1, sizeof(float));
    return cloud;
}

static inline void cloud_add(Cloud *cloud, double x, double y, double z)
{
    cloud->x[0][cloud->count] = (float)x;
    cloud->x[1][cloud->count] = (float)y;
    cloud->x[2][cloud->count++] = (float)z;
}

static inline void cloud_free(Cloud *cloud)
{
    for (int a = 0; a < 3; ++a)
        free(cloud->x[a]);
}

/// A shape filled with a lattice, each point displaced at random by up to `shake` spacings.
static inline Cloud cloud_fill(const PxShapeDef *def, double spacing, double shake)
{
    PxShape *shape;
    PxPoints points;
    CHECK_OK(px_shape_create(def, &shape));
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, spacing, 1u << 24, &points));
    Cloud cloud = cloud_make((uint32_t)points.count);
    for (size_t k = 0; k < points.count; ++k) {
        double by[3];
        for (uint32_t a = 0; a < 3; ++a)
            by[a] = shake * spacing * (2 * px_random_unit(k, 7, a) - 1);
        cloud_add(&cloud, points.position[k].x + by[0], points.position[k].y + by[1],
                  points.position[k].z + by[2]);
    }
    px_points_free(&points);
    px_shape_free(shape);
    return cloud;
}

static inline Cloud cloud_ball(double radius, double spacing, double shake)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_SPHERE);
    def.radius = radius;
    return cloud_fill(&def, spacing, shake);
}

static inline PxSurfaceParticles cloud_particles(const Cloud *cloud, double spacing)
{
    return (PxSurfaceParticles){.count = cloud->count,
                                .spacing = spacing,
                                .position = {cloud->x[0], cloud->x[1], cloud->x[2]}};
}

typedef struct DirectedEdge {
    uint32_t from, to;
} DirectedEdge;

static inline int compare_directed(const void *a, const void *b)
{
    const DirectedEdge *p = a, *q = b;
    return p->from != q->from ? (p->from > q->from) - (p->from < q->from)
                              : (p->to > q->to) - (p->to < q->to);
}

/// Closed, consistently oriented and manifold: every directed edge occurs once, and so does its
/// reverse; the triangles around each vertex form one fan; no triangle has zero area.
static inline void check_surface(const PxSurfaceMesh *mesh)
{
    size_t count = 3 * (size_t)mesh->triangles;
    DirectedEdge *edge = malloc((count + 1) * sizeof *edge);
    uint32_t *start = calloc((size_t)mesh->vertices + 2, sizeof *start);
    for (uint32_t t = 0; t < mesh->triangles; ++t) {
        const uint32_t *k = mesh->triangle[t];
        double u[3], w[3];
        for (int c = 0; c < 3; ++c) {
            CHECK(k[c] < mesh->vertices);
            edge[3 * (size_t)t + (size_t)c] = (DirectedEdge){k[c], k[(c + 1) % 3]};
            u[c] = (double)mesh->position[k[1]][c] - (double)mesh->position[k[0]][c];
            w[c] = (double)mesh->position[k[2]][c] - (double)mesh->position[k[0]][c];
        }
        double n[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2],
                       u[0] * w[1] - u[1] * w[0]};
        CHECK(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0);
    }
    qsort(edge, count, sizeof *edge, compare_directed);
    for (size_t k = 0; k < count; ++k) {
        DirectedEdge reverse = {edge[k].to, edge[k].from};
        if (k > 0)
            CHECK(compare_directed(&edge[k - 1], &edge[k]) != 0);
        CHECK(bsearch(&reverse, edge, count, sizeof *edge, compare_directed) != NULL);
        ++start[edge[k].from + 1];
    }
    /* A vertex whose triangles form one fan: going from triangle to triangle around it, one comes
     * back after as many as it has. after[e] is the third corner of the triangle with edge e. */
    for (uint32_t v = 0; v < mesh->vertices; ++v)
        start[v + 1] += start[v];
    uint32_t *after = malloc((count + 1) * sizeof *after);
    for (uint32_t t = 0; t < mesh->triangles; ++t)
        for (int c = 0; c < 3; ++c) {
            DirectedEdge e = {mesh->triangle[t][c], mesh->triangle[t][(c + 1) % 3]};
            DirectedEdge *at = bsearch(&e, edge, count, sizeof *edge, compare_directed);
            after[at - edge] = mesh->triangle[t][(c + 2) % 3];
        }
    for (uint32_t v = 0; v < mesh->vertices; ++v) {
        uint32_t degree = start[v + 1] - start[v], steps = 0;
        CHECK(degree >= 3);
        uint32_t first = edge[start[v]].to, at = first;
        do {
            DirectedEdge e = {v, at};
            DirectedEdge *found = bsearch(&e, edge, count, sizeof *edge, compare_directed);
            CHECK(found != NULL);
            at = after[found - edge];
            ++steps;
        } while (at != first && steps <= degree);
        CHECK_EQUAL(steps, degree);
        double n = 0;
        for (int a = 0; a < 3; ++a)
            n += (double)mesh->normal[v][a] * (double)mesh->normal[v][a];
        CHECK_NEAR(n, 1, 1e-5);
    }
    free(after);
    free(start);
    free(edge);
}

/// A digest of the whole mesh.
static inline void surface_hash(const PxSurfaceMesh *mesh, uint64_t hash[2])
{
    uint64_t part[4][2] = {{mesh->vertices, mesh->triangles}};
    px_digest(mesh->position, mesh->vertices * sizeof *mesh->position, part[1]);
    px_digest(mesh->normal, mesh->vertices * sizeof *mesh->normal, part[2]);
    px_digest(mesh->triangle, mesh->triangles * sizeof *mesh->triangle, part[3]);
    px_digest(part, sizeof part, hash);
    for (uint32_t c = 0; c < mesh->columns; ++c) {
        uint64_t both[2][2] = {{hash[0], hash[1]}};
        px_digest(mesh->column[c], mesh->vertices * sizeof(float), both[1]);
        px_digest(both, sizeof both, hash);
    }
}

#endif
