/// Uses a mesh that a fuzz target has read as the engine would. A violated guarantee traps.
#ifndef PX_FUZZ_MESH_USE_H
#define PX_FUZZ_MESH_USE_H

#include "shape/mesh_check.h"
#include "shape/mesh_read.h"
#include "shape/mesh_write.h"
#include "shape/shape.h"

#include <stdint.h>
#include <string.h>

/// Larger meshes are only checked, because fuzzing needs short runs.
#define MESH_USE_TRIANGLES 300u

static inline void mesh_promise(bool kept)
{
    if (!kept)
        __builtin_trap();
}

static inline void mesh_use_shape(const PxMesh *mesh)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    PxShape *shape;
    if (px_shape_create_from_mesh(&def, mesh, "fuzz", &shape) != PX_OK)
        return;
    PxBounds b = px_shape_bounds(shape);
    double across = px_length(px_sub(b.high, b.low));
    mesh_promise(px_shape_volume(shape) > 0 && px_shape_area(shape) > 0);
    mesh_promise(px_shape_thickness(shape) >= 0);
    for (int k = 0; k < 8; ++k) {
        PxVec3 t = px_vec(k & 1 ? 0.8 : 0.3, k & 2 ? 0.7 : 0.1, k & 4 ? 1.2 : 0.4), normal;
        PxVec3 p =
            px_vec(b.low.x + t.x * (b.high.x - b.low.x), b.low.y + t.y * (b.high.y - b.low.y),
                   b.low.z + t.z * (b.high.z - b.low.z));
        double d = px_shape_distance(shape, p, &normal);
        mesh_promise(isfinite(d) && fabs(px_length(normal) - 1) < 1e-6);
        mesh_promise((d < 0) == px_shape_inside(shape, p) || d == 0);
    }
    PxPoints points;
    if (px_shape_fill(shape, PX_LATTICE_HEXAGONAL, across / 8, 1000, &points) == PX_OK)
        px_points_free(&points);
    if (px_shape_cover(shape, across / 4, 1000, &points) == PX_OK) {
        mesh_promise(points.count > 0);
        px_points_free(&points);
    }
    px_shape_free(shape);
}

/// Takes ownership of the mesh.
static inline void mesh_use(PxMesh *mesh)
{
    mesh_promise(px_mesh_check(mesh, "fuzz") == PX_OK);
    mesh_promise(isfinite(px_mesh_area(mesh)) && isfinite(px_mesh_volume(mesh)));
    bool closed = px_mesh_check_closed(mesh, "fuzz") == PX_OK;
    if (mesh->triangle_count <= MESH_USE_TRIANGLES && mesh->vertex_count <= 10000) {
        PxBytes bytes = {0};
        PxMesh *back;
        if (px_mesh_write_ply(mesh, PX_MESH_DOUBLE, "fuzz", &bytes) == PX_OK) {
            mesh_promise(px_mesh_read_ply("back", bytes.data, bytes.count, &back) == PX_OK);
            mesh_promise(back->vertex_count == mesh->vertex_count &&
                         back->triangle_count == mesh->triangle_count &&
                         memcmp(back->position, mesh->position,
                                mesh->vertex_count * sizeof *mesh->position) == 0);
            px_mesh_free(back);
        }
        px_bytes_free(&bytes);
        if (closed)
            mesh_use_shape(mesh);
    }
    px_mesh_free(mesh);
}

#endif
