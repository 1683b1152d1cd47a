/// Flows through a straight round tube that is a triangle mesh: Poiseuille's and Womersley's.
///
/// A column of fluid moves along the tube under a body force, steady or oscillating, with open
/// ends; pressure is then zero everywhere, and the middle third does not feel the ends. The wall is
/// a mesh of triangles, so the code is that of a colon (002).
#ifndef PX_STUDY_TUBE_FLOWS_H
#define PX_STUDY_TUBE_FLOWS_H

#include "phyxel/world.h"

typedef struct PxTubeCase {
    uint32_t cells; ///< spacings across the tube
    PxWallSearch search;
    int threads;
} PxTubeCase;

typedef struct PxTubeResult {
    double fastest; ///< speed at the axis over that of the formula
    double worst;   ///< largest error of the profile in bins of the radius, over the largest speed
    uint64_t leaked;
} PxTubeResult;

/// Steady: u = g (R^2 - r^2) / (4 nu).
PxStatus px_tube_poiseuille(const PxTubeCase *tube, PxTubeResult *out);

/// Under g cos(w t), from the formula's flow at t = 0 on, after a whole period, at the phase of the
/// largest flow; `number` is Womersley's, R sqrt(w / nu).
PxStatus px_tube_womersley(const PxTubeCase *tube, double number, PxTubeResult *out);

#endif
