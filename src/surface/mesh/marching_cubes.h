/// The mesh of the isosurface: marching cubes over the blocks of a sparse grid.
///
/// Each vertex lies on one edge of the grid, at least a thirty-second of it away from the ends so
/// that no triangle degenerates. Vertices and triangles are ordered by block, independently of the
/// threads.
#ifndef PX_SURFACE_MESH_MARCHING_CUBES_H
#define PX_SURFACE_MESH_MARCHING_CUBES_H

#include "surface/field/probe.h"
#include "surface/mesh/block_grid.h"

/// Computes positions, normals, triangles and, if there is another phase, which vertices touch it.
/// The fields and barriers are those the grid was made from.
/// Errors: PX_ERR_MEMORY, also for more than 2^31 vertices or triangles.
PxStatus px_marching_cubes(const PxBlockGrid *grid, const PxPotential *field,
                           const PxPotential *other, const PxBarriers *barriers,
                           const PxThreads *threads, PxSurfaceMesh **out);

/// Allocates a mesh; NULL, with a message, when memory is out.
PxSurfaceMesh *px_surface_mesh_create(size_t vertices, size_t triangles, bool touching);

#endif
