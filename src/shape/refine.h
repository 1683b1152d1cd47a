/// Prepares meshes for deformation: vertex normals that keep sharp edges, and subdivision of long
/// edges.
#ifndef PX_SHAPE_REFINE_H
#define PX_SHAPE_REFINE_H

#include "shape/mesh.h"

/// A copy with a normal for every vertex: the mesh's own, or the mean of the adjacent faces.
/// Vertices are split where faces differ by more than 40 degrees. Errors: PX_ERR_MEMORY.
PxStatus px_mesh_smooth_normals(const PxMesh *mesh, PxMesh **out);

/// A copy in which edges longer than `longest` are halved until none is left, or until there are
/// more than `most` triangles. Vertex attributes are interpolated. An edge is split in both of its
/// triangles, so a closed mesh stays closed. Errors: PX_ERR_MEMORY.
PxStatus px_mesh_refine(const PxMesh *mesh, double longest, uint32_t most, PxMesh **out);

#endif
