/// Snapping of a mesh onto the surfels of solid matter.
///
/// The surface of particles is smooth and has no edges sharper than their spacing. Surfels of solid
/// matter have full detail. So the vertices of a mesh around both are moved onto the surfels, by
/// the solid fraction there (000 Eqs. 6.37, 6.38).
#ifndef PX_SURFACE_MESH_SNAP_H
#define PX_SURFACE_MESH_SNAP_H

#include "base/parallel.h"
#include "phyxel/surface.h"

typedef struct PxSnapTarget {
    uint32_t count;
    const float *position[3]; ///< m
    const float *normal[3];   ///< outwards
    const float *melted;      ///< molten fraction, 0 .. 1; NULL: 0 everywhere
    const uint8_t *colour[3]; ///< sRGB, used by px_snap_paint() only
    const float *painted;     ///< > 0 where the surfel has a colour of its own
    double reach;             ///< largest displacement of a vertex, m
} PxSnapTarget;

/// Moves the vertices of a mesh onto the surfels. Errors: PX_ERR_MEMORY.
PxStatus px_snap(PxSurfaceMesh *mesh, const PxSnapTarget *target, const PxThreads *threads);

/// Interpolates the surfels' colours at `count` points of the surface (m, with outward normals).
/// paint[0 .. 3) is red, green, blue in 0 .. 1, and left unchanged where the surfels have no colour
/// of their own or are further away than `reach`; paint[3] is 1 or 0 accordingly. Errors:
/// PX_ERR_MEMORY.
PxStatus px_snap_paint(const PxSnapTarget *target, const float (*position)[3],
                       const float (*normal)[3], uint32_t count, float *const paint[4],
                       const PxThreads *threads);

#endif
