/// A mesh put where the surfels of what is not melted are.
///
/// A surface around particles is smooth, and knows no edge that is sharper than they are
/// apart. Surfels of solid matter know all detail. So a mesh of both is blended as surfels are
/// (000 Eqs. 6.37, 6.38): its vertices go to the surfels by the part that is solid there.
#ifndef PX_SURFACE_MESH_SNAP_H
#define PX_SURFACE_MESH_SNAP_H

#include "base/parallel.h"
#include "phyxel/surface.h"

typedef struct PxSnap {
    uint32_t count;
    const float *position[3]; ///< m
    const float *normal[3];   ///< outwards
    const float *melted;      ///< 0 .. 1; NULL: 0 everywhere
    const uint8_t *colour[3]; ///< sRGB, for px_snap_paint() alone
    const float *painted;     ///< more than 0 where that colour is its own
    double reach;             ///< m: no vertex goes further
} PxSnap;

/// Errors: PX_ERR_MEMORY.
PxStatus px_snap(PxSurfaceMesh *mesh, const PxSnap *drape, const PxThreads *threads);

/// Colours for `count` places on that surface (m, with normals outwards): a mean of those of the
/// surfels around, the nearest first. paint[0 .. 3) is red green blue in 0 .. 1 and left as it is
/// where the surfels have none of their own, or are further away than `reach`; paint[3] is 1 or 0
/// accordingly. Errors: PX_ERR_MEMORY.
PxStatus px_snap_paint(const PxSnap *drape, const float (*position)[3], const float (*normal)[3],
                       uint32_t count, float *const paint[4], const PxThreads *threads);

#endif
