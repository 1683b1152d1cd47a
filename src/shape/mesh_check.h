/// Validates meshes. Each of the three checks requires that the one before it has passed.
/// Messages begin with `name` (a file name) and give the index of the vertex,
/// edge or triangle, counted from 0 as in the mesh.
#ifndef PX_SHAPE_MESH_CHECK_H
#define PX_SHAPE_MESH_CHECK_H

#include "shape/mesh.h"
#include "shape/mesh_tree.h"

/// Checks that indices are in range, and numbers finite and below
/// PX_MESH_MAX_COORDINATE. Meshes from a reader have passed this check.
/// Errors: PX_ERR_FORMAT.
PxStatus px_mesh_check(const PxMesh *mesh, const char *name);

/// Checks that the mesh is closed, consistently oriented, has a volume and is not
/// inside out. After welding vertices at equal positions every edge must be used
/// equally often in both directions; edges shared by four triangles are allowed.
/// Errors: PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_mesh_check_closed(const PxMesh *mesh, const char *name);

/// Checks the orientation of each connected part: a part whose normals point
/// inwards must be a cavity of another part.
/// Errors: PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_mesh_check_parts(const PxMesh *mesh, const PxMeshTree *tree, const char *name);

/// The shells of a mesh, triangles that share edges: part[t] is the first triangle of that of t.
/// Errors: PX_ERR_MEMORY.
PxStatus px_mesh_parts(const PxMesh *mesh, uint32_t *part);

#endif
