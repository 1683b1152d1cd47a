/// Taubin smoothing of a closed mesh: low-pass filter without shrinking (Taubin 1995).
///
/// Vertices move towards the mean of their neighbours, then a little further back.
#ifndef PX_SURFACE_MESH_SMOOTH_H
#define PX_SURFACE_MESH_SMOOTH_H

#include "base/parallel.h"
#include "phyxel/surface.h"

/// Smooths over a distance of `length` (m) on a mesh from cells `cell` wide (m). Vertices with
/// hold[v] != 0 stay (hold may be NULL). Components without such vertices keep their volume: what
/// drops of a few edges lose is given back by scaling them. Normals are recomputed from the
/// triangles.
/// Errors: PX_ERR_MEMORY.
PxStatus px_smooth(PxSurfaceMesh *mesh, double length, double cell, const uint8_t *hold,
                   const PxThreads *threads);

#endif
