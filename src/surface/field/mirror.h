/// Mirrored particles behind walls, so that a liquid reaches the wall it touches.
///
/// Particles beside a wall lack neighbours there as at a free surface. The field would decrease
/// towards the wall, and the surface would form a groove along every waterline. With mirrored
/// particles behind the wall the field continues into it, the surface meets the wall at a right
/// angle, and the barrier limits it (surface/field/barrier.h).
///
/// A mirrored particle is visible where its original is. Images that would lie in free space,
/// behind a wall thinner than the particle's distance, are left out.
#ifndef PX_SURFACE_FIELD_MIRROR_H
#define PX_SURFACE_FIELD_MIRROR_H

#include "matter/wall.h"
#include "surface/field/potential.h"

typedef struct PxPotentialPoints {
    PxPotentialPoint *data;
    size_t count, capacity;
} PxPotentialPoints;

/// Adds the images of points nearer to a wall (pose[0]) than `within` spacings. Errors:
/// PX_ERR_MEMORY.
PxStatus px_mirror_add(PxPotentialPoints *points, const PxWall *wall, size_t walls, double spacing,
                       double within, const PxThreads *threads);

#endif
