/// From particles to a surface: the whole way, with walls.
#ifndef PX_SURFACE_SURFACE_H
#define PX_SURFACE_SURFACE_H

#include "phyxel/surface.h"
#include "surface/field/barrier.h"

/// px_surface_make() and px_surfels_make() with walls, moved to the time in question
/// (pose[0]). `walls` may be 0.
PxStatus px_surface_make_walled(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                const PxWall *wall, size_t walls, PxSurfaceMesh **out);
PxStatus px_surfels_make_walled(const PxSurfaceDef *def, const PxSurfaceParticles *particles,
                                const PxWall *wall, size_t walls, PxSurfels **out);

/// Whether the options are all possible: what is wrong and what is wanted is in the message.
PxStatus px_surface_def_check(const PxSurfaceDef *def);

#endif
