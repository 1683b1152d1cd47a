/// Uses a mesh that a fuzz target has read as the engine would. A violated guarantee traps.
#ifndef PX_FUZZ_MESH_USE_H
#define PX_FUZZ_MESH_USE_H

#include "cloth/sheet.h"
#include "shape/loop.h"
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

/* The mesh as cloth: refused, or with areas and rest angles that are finite. */
static inline void mesh_use_cloth(const PxMesh *mesh, PxClothRest rest)
{
    PxClothSheet *sheet;
    if (px_cloth_sheet_create(mesh, (PxQuat){0, 0, 0, 1}, rest, &sheet) != PX_OK)
        return;
    mesh_promise(sheet->faces == mesh->triangle_count && sheet->vertices > 0);
    for (uint32_t f = 0; f < sheet->faces; ++f)
        mesh_promise(isfinite(sheet->face[f].area) && sheet->face[f].area > 0 &&
                     sheet->face[f].corner[0] < sheet->vertices);
    for (uint32_t h = 0; h < sheet->hinges; ++h)
        mesh_promise(isfinite(sheet->hinge[h].angle) && sheet->hinge[h].length > 0);
    px_cloth_sheet_free(sheet);
}

/* Subdivision never leaves the bounds of the mesh: weights are positive and add up to 1. */
static inline void mesh_use_loop(const PxMesh *mesh)
{
    static float place[3][10000], out[200000];
    PxLoop *loop;
    PxLoopDef def = {.vertices = mesh->vertex_count,
                     .triangles = mesh->triangle_count,
                     .triangle = (const uint32_t(*)[3])mesh->triangle,
                     .place = {place[0], place[1], place[2]},
                     .levels = 2,
                     .crease = 60};
    float least = INFINITY, most = -INFINITY;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const double at[3] = {mesh->position[v].x, mesh->position[v].y, mesh->position[v].z};
        for (int k = 0; k < 3; ++k)
            place[k][v] = (float)at[k];
        least = fminf(least, place[0][v]);
        most = fmaxf(most, place[0][v]);
    }
    if (!isfinite(least) || !isfinite(most) || px_loop_create(&def, &loop) != PX_OK)
        return;
    float slack = 1e-5f * fmaxf(fabsf(least), fabsf(most));
    mesh_promise(px_loop_vertices(loop) <= 200000);
    if (px_loop_values(loop, place[0], out) == PX_OK)
        for (uint32_t v = 0; v < px_loop_vertices(loop); ++v)
            mesh_promise(out[v] >= least - slack && out[v] <= most + slack);
    px_loop_free(loop);
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
        mesh_use_cloth(mesh, PX_CLOTH_REST_SHAPE);
        mesh_use_cloth(mesh, PX_CLOTH_REST_UV);
        mesh_use_loop(mesh);
    }
    px_mesh_free(mesh);
}

#endif
