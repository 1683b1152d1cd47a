/// Prepares meshes for deformation: vertex normals that keep sharp edges, and a bound on the length
/// of edges.
#ifndef PX_SHAPE_REFINE_H
#define PX_SHAPE_REFINE_H

#include "shape/mesh.h"

/// A copy with a normal for every vertex: the mesh's own, or the mean of the faces around it,
/// where faces at more than 40 degrees do not share a vertex any more. Errors: PX_ERR_MEMORY.
PxStatus px_mesh_smooth_normals(const PxMesh *mesh, PxMesh **out);

/// A copy in which edges longer than `longest` are halved until none is, or until there are more
/// than `most` triangles. Colours, normals and coordinates are mixed. An edge is cut for both of
/// its triangles, so what was closed stays so. Errors: PX_ERR_MEMORY.
PxStatus px_mesh_refine(const PxMesh *mesh, double longest, uint32_t most, PxMesh **out);

#endif
