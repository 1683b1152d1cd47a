/// Triangle meshes, as read from files, used for walls and bodies, and made of surfaces.
#ifndef PX_SHAPE_MESH_H
#define PX_SHAPE_MESH_H

#include "base/fail.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

/// Indices are 32 bit with one bit to spare for edge and corner numbers.
#define PX_MESH_MAX_VERTICES 0x7fffffffu
#define PX_MESH_MAX_TRIANGLES 0x7fffffffu

/// Largest coordinate, m. Far beyond any use, and sixth powers of it are still
/// finite doubles, so that no formula below can overflow.
#define PX_MESH_MAX_COORDINATE 1e50

typedef struct PxUv {
    double u, v;
} PxUv;

/// Triangles are counter-clockwise seen from outside. What belongs to a vertex
/// is NULL when the mesh does not have it. Arrays come from malloc() and belong
/// to the mesh.
typedef struct PxMesh {
    uint32_t vertex_count, triangle_count;
    PxVec3 *position;
    PxVec3 *normal; ///< of any length, as the file had it
    PxVec3 *colour; ///< red, green, blue in 0 .. 1
    PxUv *uv;
    uint32_t (*triangle)[3];
} PxMesh;

/// What a new mesh has besides positions and triangles.
enum { PX_MESH_NORMAL = 1u, PX_MESH_COLOUR = 2u, PX_MESH_UV = 4u };

/// Room for that many vertices and triangles, all zero; at least one of each.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PxStatus px_mesh_create(size_t vertices, size_t triangles, unsigned with, PxMesh **out);
PxStatus px_mesh_copy(const PxMesh *mesh, PxMesh **out);
/// NULL is fine.
void px_mesh_free(PxMesh *mesh);

/// Corner `corner` (0, 1, 2) of triangle `triangle`.
static inline PxVec3 px_mesh_corner(const PxMesh *mesh, uint32_t triangle, int corner)
{
    return mesh->position[mesh->triangle[triangle][corner]];
}

/// Of the vertices that triangles use; stray ones do not count.
PxBounds px_mesh_bounds(const PxMesh *mesh);
/// m^2.
double px_mesh_area(const PxMesh *mesh);
/// m^3, for a closed mesh; negative when it is inside out.
double px_mesh_volume(const PxMesh *mesh);

/// A triangle without area: it joins its neighbours, but has no side, so
/// questions of distance pass it over. "None" means less than 1e-13 of the
/// square on the longest edge, a thousand roundings.
bool px_mesh_triangle_is_flat(PxVec3 a, PxVec3 b, PxVec3 c);

/// to[v] = first vertex at exactly the same place as v. `to` has vertex_count
/// elements. Errors: PX_ERR_MEMORY.
PxStatus px_mesh_weld(const PxMesh *mesh, uint32_t *to);

/// to[3 t + k] = number of the undirected edge from corner k to the next of
/// triangle t, counting welded edges from 0 in order of appearance, and *edges
/// how many there are; UINT32_MAX for an edge whose ends are welded together.
/// Errors: PX_ERR_MEMORY.
PxStatus px_mesh_edges(const PxMesh *mesh, const uint32_t *weld, uint32_t *to, uint32_t *edges);

#endif
