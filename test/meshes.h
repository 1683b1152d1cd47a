/// Closed meshes for tests, outward oriented.
#ifndef PX_TEST_MESHES_H
#define PX_TEST_MESHES_H

#include "check.h"
#include "base/vec.h"
#include "phyxel/shape.h"
#include "shape/mesh.h"

#include <stdlib.h>

static inline PxMesh *mesh_make(size_t vertices, size_t triangles)
{
    PxMesh *mesh = NULL;
    CHECK_OK(px_mesh_create(vertices, triangles, 0, &mesh));
    return mesh;
}

static inline void mesh_triangle(PxMesh *mesh, uint32_t *at, uint32_t a, uint32_t b, uint32_t c)
{
    mesh->triangle[*at][0] = a;
    mesh->triangle[*at][1] = b;
    mesh->triangle[*at][2] = c;
    ++*at;
}

static inline PxMesh *mesh_box(PxVec3 size)
{
    static const uint32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    PxMesh *mesh = mesh_make(8, 12);
    uint32_t at = 0;
    for (int k = 0; k < 8; ++k)
        mesh->position[k] = px_vec(size.x * (k & 1 ? 0.5 : -0.5), size.y * (k & 2 ? 0.5 : -0.5),
                                   size.z * (k & 4 ? 0.5 : -0.5));
    for (int q = 0; q < 6; ++q) {
        mesh_triangle(mesh, &at, quads[q][0], quads[q][1], quads[q][2]);
        mesh_triangle(mesh, &at, quads[q][0], quads[q][2], quads[q][3]);
    }
    return mesh;
}

/// A ball of `rings` bands from pole to pole with 2 rings segments each.
static inline PxMesh *mesh_ball(double radius, uint32_t rings)
{
    uint32_t around = 2 * rings, at = 0;
    PxMesh *mesh = mesh_make(2 + (size_t)(rings - 1) * around, 2 * (size_t)(rings - 1) * around);
    mesh->position[0] = px_vec(0, radius, 0);
    mesh->position[1] = px_vec(0, -radius, 0);
    for (uint32_t i = 1; i < rings; ++i)
        for (uint32_t j = 0; j < around; ++j) {
            double polar = M_PI * i / rings, turn = 2 * M_PI * j / around;
            mesh->position[2 + (i - 1) * around + j] =
                px_vec(radius * sin(polar) * cos(turn), radius * cos(polar),
                       radius * sin(polar) * sin(turn));
        }
    for (uint32_t j = 0; j < around; ++j) {
        uint32_t k = (j + 1) % around, last = 2 + (rings - 2) * around;
        mesh_triangle(mesh, &at, 0, 2 + k, 2 + j);
        mesh_triangle(mesh, &at, 1, last + j, last + k);
        for (uint32_t i = 0; i + 2 < rings; ++i) {
            uint32_t up = 2 + i * around, down = up + around;
            mesh_triangle(mesh, &at, up + j, up + k, down + k);
            mesh_triangle(mesh, &at, up + j, down + k, down + j);
        }
    }
    return mesh;
}

/// A ring about y: `around` segments the long way, `across` round the tube.
static inline PxMesh *mesh_torus(double radius, double tube, uint32_t around, uint32_t across)
{
    PxMesh *mesh = mesh_make((size_t)around * across, 2 * (size_t)around * across);
    uint32_t at = 0;
    for (uint32_t i = 0; i < around; ++i)
        for (uint32_t j = 0; j < across; ++j) {
            double u = 2 * M_PI * i / around, v = 2 * M_PI * j / across;
            double r = radius + tube * cos(v);
            mesh->position[i * across + j] = px_vec(r * cos(u), tube * sin(v), r * sin(u));
            uint32_t i1 = (i + 1) % around, j1 = (j + 1) % across;
            mesh_triangle(mesh, &at, i * across + j, i * across + j1, i1 * across + j1);
            mesh_triangle(mesh, &at, i * across + j, i1 * across + j1, i1 * across + j);
        }
    return mesh;
}

/// Two meshes in one; the second moved by `by`, and turned inside out if asked.
static inline PxMesh *mesh_join(const PxMesh *a, const PxMesh *b, PxVec3 by, bool flip)
{
    PxMesh *mesh = mesh_make((size_t)a->vertex_count + b->vertex_count,
                             (size_t)a->triangle_count + b->triangle_count);
    memcpy(mesh->position, a->position, a->vertex_count * sizeof *a->position);
    memcpy(mesh->triangle, a->triangle, a->triangle_count * sizeof *a->triangle);
    for (uint32_t v = 0; v < b->vertex_count; ++v)
        mesh->position[a->vertex_count + v] = px_add(b->position[v], by);
    uint32_t at = a->triangle_count, base = a->vertex_count;
    for (uint32_t t = 0; t < b->triangle_count; ++t)
        mesh_triangle(mesh, &at, base + b->triangle[t][0], base + b->triangle[t][flip ? 2 : 1],
                      base + b->triangle[t][flip ? 1 : 2]);
    return mesh;
}

/// A mesh that lies askew: its own axes are none of the world's.
static inline PxShapeDef mesh_turned(void)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    def.rotation = px_quat_turn(px_vec(1, 2, 0.5), 0.7);
    def.at = px_vec(0.13, 0.31, -0.2);
    return def;
}

#endif
