/// Smoothing a closed mesh along itself without shrinking it (Taubin 1995): vertices go part of the
/// way to the mean of their neighbours, and then a little further back.
#ifndef PX_SURFACE_MESH_SMOOTH_H
#define PX_SURFACE_MESH_SMOOTH_H

#include "base/parallel.h"
#include "phyxel/surface.h"

/// Smooths over a distance of `length`, with triangles of cells `cell` wide (both m). Vertices with
/// hold[v] != 0 stay (hold may be NULL). Normals become those of the triangles.
/// Errors: PX_ERR_MEMORY.
PxStatus px_smooth(PxSurfaceMesh *mesh, double length, double cell, const uint8_t *hold,
                   const PxThreads *threads);

#endif
