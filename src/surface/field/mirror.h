/// Particles mirrored in walls, so that a liquid reaches the wall it touches.
///
/// A particle beside a wall lacks neighbours there as it does at a free surface. Its field would
/// fall off towards the wall, and the surface would bend down into a groove along every waterline.
/// With the images of the particles behind the wall the field goes on into it, the surface meets
/// the wall at a right angle, and where it ends is for the barrier to say
/// (surface/field/barrier.h).
///
/// An image is seen from where the particle itself is seen. Images that would lie in free space,
/// behind a wall thinner than the particle is far from it, are left out.
#ifndef PX_SURFACE_FIELD_MIRROR_H
#define PX_SURFACE_FIELD_MIRROR_H

#include "matter/wall.h"
#include "surface/field/potential.h"

typedef struct PxPotentialPoints {
    PxPotentialPoint *data;
    size_t count, capacity;
} PxPotentialPoints;

/// Adds the images of the points in walls (pose[0]) that are nearer to them than `within` spacings.
/// Errors: PX_ERR_MEMORY.
PxStatus px_mirror_add(PxPotentialPoints *points, const PxWall *wall, size_t walls, double spacing,
                       double within, const PxThreads *threads);

#endif
