/// Drops of a single particle: round, with the volume of their particle, stretched along their way.
///
/// A grid of half a spacing has some thirty vertices for such a drop, and its size changes as it
/// passes through the cells. Whether a particle is alone is decided before the fields are made, so
/// that it adds nothing to them.
#ifndef PX_SURFACE_MESH_DROPS_H
#define PX_SURFACE_MESH_DROPS_H

#include "phyxel/surface.h"
#include "surface/field/barrier.h"
#include "base/parallel.h"

/// Marks the particles of this phase that are alone: no other of any phase is within two spacings
/// and no barrier within one. *alone has an entry for each, to be freed by the caller, or is NULL
/// if there are none. Errors: PX_ERR_MEMORY.
PxStatus px_drops_find(const PxSurfaceParticles *particles, const PxBarriers *barriers,
                       const PxThreads *threads, uint8_t **alone);

/// Adds a closed mesh for each of them, in the order of their ids, with the columns of its
/// particle. `stretch` is the time of the way that they are drawn out along, s. Errors:
/// PX_ERR_MEMORY.
PxStatus px_drops_add(const PxSurfaceParticles *particles, const uint8_t *alone, double cell,
                      double stretch, PxSurfaceMesh *mesh);

#endif
