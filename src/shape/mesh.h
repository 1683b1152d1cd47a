/// Triangle meshes: read from files, used for walls and bodies, extracted from fluid surfaces.
#ifndef PX_SHAPE_MESH_H
#define PX_SHAPE_MESH_H

#include "base/fail.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

/// Indices are 32 bits; one bit is reserved for edge and corner numbers.
#define PX_MESH_MAX_VERTICES 0x7fffffffu
#define PX_MESH_MAX_TRIANGLES 0x7fffffffu

/// Largest coordinate, m. Its sixth power is still a finite double, so no mesh
/// formula can overflow.
#define PX_MESH_MAX_COORDINATE 1e50

typedef struct PxUv {
    double u, v;
} PxUv;

/// Triangles are counter-clockwise seen from outside. Vertex attributes that the
/// mesh does not have are NULL. The mesh owns its arrays, allocated by malloc().
typedef struct PxMesh {
    uint32_t vertex_count, triangle_count;
    PxVec3 *position;
    PxVec3 *normal; ///< as in the file, not normalised
    PxVec3 *colour; ///< red, green, blue in 0 .. 1
    PxUv *uv;
    uint32_t uv_missing; ///< triangles of the file without texture coordinates, if others have them
    uint32_t (*triangle)[3];
} PxMesh;

/// Optional vertex attributes of a new mesh.
enum { PX_MESH_NORMAL = 1u, PX_MESH_COLOUR = 2u, PX_MESH_UV = 4u };

/// Allocates zeroed vertices and triangles; at least one of each.
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

/// Bounds of the vertices that triangles use; unreferenced vertices are ignored.
PxBounds px_mesh_bounds(const PxMesh *mesh);
/// m^2.
double px_mesh_area(const PxMesh *mesh);
/// m^3, for a closed mesh; negative when it is inside out.
double px_mesh_volume(const PxMesh *mesh);

/// True for a degenerate triangle: it connects its neighbours but has no normal,
/// so distance queries skip it. Degenerate means an area below 1e-13 of the
/// longest edge squared, about a thousand rounding errors.
bool px_mesh_triangle_is_flat(PxVec3 a, PxVec3 b, PxVec3 c);

/// to[v] = first vertex at exactly the same position as v. `to` has vertex_count
/// elements. Errors: PX_ERR_MEMORY.
PxStatus px_mesh_weld(const PxMesh *mesh, uint32_t *to);

/// to[3 t + k] = number of the undirected edge from corner k of triangle t to its
/// next corner; UINT32_MAX for an edge whose ends are welded together. Welded
/// edges are numbered from 0 in order of appearance; *edges is their count.
/// Errors: PX_ERR_MEMORY.
PxStatus px_mesh_edges(const PxMesh *mesh, const uint32_t *weld, uint32_t *to, uint32_t *edges);

#endif
