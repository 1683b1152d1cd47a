/// Meshes of several closed shells that overlap: matter fills their union.
#ifndef PX_SHAPE_MESH_UNION_H
#define PX_SHAPE_MESH_UNION_H

#include "shape/mesh_tree.h"

/// The surface of the union of a mesh's shells: its triangles without the parts that lie inside
/// other shells, cut into pieces along the curves in which shells meet, as fine as 1/400 of the
/// mesh. Good for integrals over the surface (area, volume, moments); it has small gaps and steps.
/// *out is NULL if no shells overlap. The mesh must be closed. Errors: PX_ERR_MEMORY.
PxStatus px_mesh_exposed(const PxMesh *mesh, const PxMeshTree *tree, PxMesh **out);

#endif
