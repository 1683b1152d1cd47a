/// Validates meshes. Each of the three checks requires that the one before it has passed.
/// `name` (a file's) goes in front of what is said; every complaint names the
/// vertex, edge or triangle, counted from 0 as in the mesh.
#ifndef PX_SHAPE_MESH_CHECK_H
#define PX_SHAPE_MESH_CHECK_H

#include "shape/mesh.h"
#include "shape/mesh_tree.h"

/// Indices in range, every number finite and below PX_MESH_MAX_COORDINATE.
/// Meshes that come from a reader are. Errors: PX_ERR_FORMAT.
PxStatus px_mesh_check(const PxMesh *mesh, const char *name);

/// Every edge, after welding vertices at the same place, is used by as many
/// triangles in one direction as in the other (so closed, and consistently
/// oriented; edges where four triangles meet are allowed), there is a volume,
/// and the mesh is not inside out. Errors: PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_mesh_check_closed(const PxMesh *mesh, const char *name);

/// No part of the mesh is inside out where the others are not: a part whose
/// normals point inwards must be a cavity of another part.
/// Errors: PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_mesh_check_parts(const PxMesh *mesh, const PxMeshTree *tree, const char *name);

#endif
