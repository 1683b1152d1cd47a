#include "shape/mesh.h"

#include "base/memory.h"
#include "shape/keys.h"

#include <stdlib.h>
#include <string.h>

PxStatus px_mesh_create(size_t vertices, size_t triangles, unsigned with, PxMesh **out)
{
    *out = NULL;
    if (vertices < 1 || vertices > PX_MESH_MAX_VERTICES || triangles < 1 ||
        triangles > PX_MESH_MAX_TRIANGLES)
        return px_fail(PX_ERR_ARGUMENT,
                       "mesh: %zu vertices and %zu triangles, wanted 1 to %u of each", vertices,
                       triangles, PX_MESH_MAX_TRIANGLES);
    PxMesh *mesh = calloc(1, sizeof *mesh);
    if (mesh != NULL) {
        mesh->vertex_count = (uint32_t)vertices;
        mesh->triangle_count = (uint32_t)triangles;
        mesh->position = calloc(vertices, sizeof *mesh->position);
        mesh->triangle = calloc(triangles, sizeof *mesh->triangle);
        if (with & PX_MESH_NORMAL)
            mesh->normal = calloc(vertices, sizeof *mesh->normal);
        if (with & PX_MESH_COLOUR)
            mesh->colour = calloc(vertices, sizeof *mesh->colour);
        if (with & PX_MESH_UV)
            mesh->uv = calloc(vertices, sizeof *mesh->uv);
    }
    if (mesh == NULL || mesh->position == NULL || mesh->triangle == NULL ||
        ((with & PX_MESH_NORMAL) && mesh->normal == NULL) ||
        ((with & PX_MESH_COLOUR) && mesh->colour == NULL) ||
        ((with & PX_MESH_UV) && mesh->uv == NULL)) {
        px_mesh_free(mesh);
        return px_fail(PX_ERR_MEMORY, "mesh: no room for %zu vertices and %zu triangles", vertices,
                       triangles);
    }
    *out = mesh;
    return PX_OK;
}

PxStatus px_mesh_copy(const PxMesh *mesh, PxMesh **out)
{
    unsigned with = (mesh->normal != NULL ? PX_MESH_NORMAL : 0) |
                    (mesh->colour != NULL ? PX_MESH_COLOUR : 0) |
                    (mesh->uv != NULL ? PX_MESH_UV : 0);
    PX_TRY(px_mesh_create(mesh->vertex_count, mesh->triangle_count, with, out));
    PxMesh *copy = *out;
    memcpy(copy->position, mesh->position, mesh->vertex_count * sizeof *copy->position);
    memcpy(copy->triangle, mesh->triangle, mesh->triangle_count * sizeof *copy->triangle);
    if (copy->normal != NULL)
        memcpy(copy->normal, mesh->normal, mesh->vertex_count * sizeof *copy->normal);
    if (copy->colour != NULL)
        memcpy(copy->colour, mesh->colour, mesh->vertex_count * sizeof *copy->colour);
    if (copy->uv != NULL)
        memcpy(copy->uv, mesh->uv, mesh->vertex_count * sizeof *copy->uv);
    return PX_OK;
}

void px_mesh_free(PxMesh *mesh)
{
    if (mesh == NULL)
        return;
    free(mesh->position);
    free(mesh->normal);
    free(mesh->colour);
    free(mesh->uv);
    free(mesh->triangle);
    free(mesh);
}

PxBounds px_mesh_bounds(const PxMesh *mesh)
{
    PxBounds bounds = px_bounds_empty();
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            px_bounds_add(&bounds, px_mesh_corner(mesh, t, k));
    return bounds;
}

double px_mesh_area(const PxMesh *mesh)
{
    double twice = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        PxVec3 a = px_mesh_corner(mesh, t, 0);
        twice += px_length(
            px_cross(px_sub(px_mesh_corner(mesh, t, 1), a), px_sub(px_mesh_corner(mesh, t, 2), a)));
    }
    return 0.5 * twice;
}

double px_mesh_volume(const PxMesh *mesh)
{
    /* Tetrahedra with their apex at the centre of the bounds: those of a far origin would
     * be large and cancel. */
    PxBounds bounds = px_mesh_bounds(mesh);
    PxVec3 middle = px_scale(px_add(bounds.low, bounds.high), 0.5);
    double six = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        PxVec3 a = px_sub(px_mesh_corner(mesh, t, 0), middle);
        PxVec3 b = px_sub(px_mesh_corner(mesh, t, 1), middle);
        PxVec3 c = px_sub(px_mesh_corner(mesh, t, 2), middle);
        six += px_dot(a, px_cross(b, c));
    }
    return six / 6.0;
}

bool px_mesh_triangle_is_flat(PxVec3 a, PxVec3 b, PxVec3 c)
{
    PxVec3 ab = px_sub(b, a), bc = px_sub(c, b), ca = px_sub(a, c);
    double longest = fmax(px_dot(ab, ab), fmax(px_dot(bc, bc), px_dot(ca, ca)));
    return !(px_length(px_cross(ab, ca)) > 1e-13 * longest);
}

PxStatus px_mesh_weld(const PxMesh *mesh, uint32_t *to)
{
    PxKeys keys = {0};
    uint32_t *first = malloc(mesh->vertex_count * sizeof *first);
    bool room = first != NULL;
    for (uint32_t v = 0; room && v < mesh->vertex_count; ++v) {
        size_t before = keys.count;
        uint32_t number = px_keys_add(&keys, px_key_of_point(mesh->position[v]));
        room = number != PX_KEY_NONE;
        if (!room)
            break;
        if (number == before)
            first[number] = v;
        to[v] = first[number];
    }
    free(first);
    px_keys_free(&keys);
    return room ? PX_OK
                : px_fail(PX_ERR_MEMORY, "mesh: no room to weld %u vertices", mesh->vertex_count);
}

PxStatus px_mesh_edges(const PxMesh *mesh, const uint32_t *weld, uint32_t *to, uint32_t *edges)
{
    PxKeys keys = {0};
    bool room = true;
    for (uint32_t t = 0; room && t < mesh->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            uint32_t a = weld[mesh->triangle[t][k]];
            uint32_t b = weld[mesh->triangle[t][(k + 1) % 3]];
            size_t corner = 3 * (size_t)t + (size_t)k;
            to[corner] = UINT32_MAX;
            if (a == b)
                continue;
            to[corner] = px_keys_add(&keys, (PxKey){{a < b ? a : b, a < b ? b : a, 0}});
            room &= to[corner] != PX_KEY_NONE;
        }
    }
    *edges = (uint32_t)keys.count;
    px_keys_free(&keys);
    return room ? PX_OK
                : px_fail(PX_ERR_MEMORY, "mesh: no room for the edges of %u triangles",
                          mesh->triangle_count);
}
