/// Mirrored particles behind walls and sheets, so that a liquid reaches the wall it touches.
///
/// Particles beside a wall lack neighbours there as at a free surface. The field would decrease
/// towards the wall, and the surface would form a groove along every waterline. With mirrored
/// particles behind the wall the field continues into it, the surface meets the wall at a right
/// angle, and the barrier limits it (surface/field/barrier.h).
///
/// A mirrored particle is visible where its original is. Images that would lie in free space,
/// behind a wall thinner than the particle's distance, are left out. A sheet has no thickness: what
/// is behind it is hidden from the image's side, so images are made there too. They keep films of
/// one layer on cloth whole, which alone have too few neighbours.
#ifndef PX_SURFACE_FIELD_MIRROR_H
#define PX_SURFACE_FIELD_MIRROR_H

#include "surface/field/barrier.h"
#include "surface/field/potential.h"

/// Images of particles in sheets are at most this far behind them, spacings.
#define PX_MIRROR_BEHIND 1.5

typedef struct PxPotentialPoints {
    PxPotentialPoint *data;
    size_t count, capacity;
} PxPotentialPoints;

/// Adds the images of points nearer to a wall (pose[0]) or sheet than `within` spacings. Errors:
/// PX_ERR_MEMORY.
PxStatus px_mirror_add(PxPotentialPoints *points, const PxBarriers *barriers, double spacing,
                       double within, const PxThreads *threads);

#endif
