/// A mesh put where the surfels of what is not melted are.
///
/// A surface around particles is smooth, and knows no edge that is sharper than they are
/// apart. Surfels of solid matter know all detail. So a mesh of both is blended as surfels are
/// (000 Eqs. 6.37, 6.38): its vertices go to the surfels by the part that is solid there.
#ifndef PX_SURFACE_DRAPE_H
#define PX_SURFACE_DRAPE_H

#include "base/parallel.h"
#include "phyxel/surface.h"

typedef struct PxDrape {
    uint32_t count;
    const float *position[3]; ///< m
    const float *normal[3];   ///< outwards
    const float *melted;      ///< 0 .. 1; NULL: 0 everywhere
    double reach;             ///< m: no vertex goes further
} PxDrape;

/// Errors: PX_ERR_MEMORY.
PxStatus px_surface_drape(PxSurfaceMesh *mesh, const PxDrape *drape, const PxThreads *threads);

#endif
