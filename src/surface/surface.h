/// Surface reconstruction from particles, with walls: meshes and surfels.
#ifndef PX_SURFACE_SURFACE_H
#define PX_SURFACE_SURFACE_H

#include "phyxel/surface.h"
#include "surface/field/barrier.h"

/// px_surface_make() and px_surfels_make() with walls at the time of the frame (pose[0]). With
/// `walls` 0 there are none.
PxStatus px_surface_make_walled(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                const PxWall *wall, size_t walls, PxSurfaceMesh **out);
PxStatus px_surfels_make_walled(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                const PxWall *wall, size_t walls, PxSurfels **out);

/// Completes a program's def and checks it. The functions above trust their def.
PxStatus px_surface_def_read(const PxSurfaceDef *given, PxSurfaceDef *out);

#endif
