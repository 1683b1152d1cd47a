/// Taubin smoothing of a closed mesh: low-pass filter without shrinking (Taubin 1995).
///
/// Vertices move towards the mean of their neighbours, then a little further back.
#ifndef PX_SURFACE_MESH_SMOOTH_H
#define PX_SURFACE_MESH_SMOOTH_H

#include "base/parallel.h"
#include "phyxel/surface.h"

/// What a vertex may do.
typedef enum PxSmoothHold {
    PX_SMOOTH_FREE,
    PX_SMOOTH_HELD,
    PX_SMOOTH_SLIDES ///< across a direction of its own, such as the normal of a wall
} PxSmoothHold;

/// Smooths over a distance of `length` (m) on a mesh from cells `cell` wide (m). `hold` has a
/// PxSmoothHold for each vertex (NULL: all are free), `across` the unit vectors of those that slide
/// (NULL: none does). Components of free vertices keep their volume: what
/// drops of a few edges lose is given back by scaling them. Normals are recomputed from the
/// triangles.
/// Errors: PX_ERR_MEMORY.
PxStatus px_smooth(PxSurfaceMesh *mesh, double length, double cell, const uint8_t *hold,
                   const float (*across)[3], const PxThreads *threads);

#endif
