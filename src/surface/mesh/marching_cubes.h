/// The mesh where the depth is 0: marching cubes over the blocks of a sparse grid.
///
/// Each vertex lies on one edge of the grid, and no nearer to its ends than a thirty-second of it,
/// so that no triangle degenerates. Vertices and triangles come block by block; the order does not
/// depend on the threads.
#ifndef PX_SURFACE_MESH_MARCHING_CUBES_H
#define PX_SURFACE_MESH_MARCHING_CUBES_H

#include "surface/field/probe.h"
#include "surface/mesh/block_grid.h"

/// Positions, normals, triangles and, where the grid has another phase, what touches it.
/// Errors: PX_ERR_MEMORY, also for more than 2^31 vertices or triangles.
/// The fields and barriers are those the grid was made from.
PxStatus px_marching_cubes(const PxBlockGrid *sparse, const PxPotential *field,
                           const PxPotential *other, const PxBarriers *barriers,
                           const PxThreads *threads, PxSurfaceMesh **out);

/// A mesh with room for that many; NULL, with a message, when there is none.
PxSurfaceMesh *px_surface_mesh_create(size_t vertices, size_t triangles, bool touching);

#endif
