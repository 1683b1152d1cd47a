/// Forces on the solid particles in a region.
#ifndef PX_WORLD_ACTORS_FORCE_H
#define PX_WORLD_ACTORS_FORCE_H

#include "base/slot.h"
#include "world/actors/region.h"

typedef struct PxRegionForce {
    PX_SLOT_MEMBERS;
    PxForceDef def; ///< its `name` points at the array above, its mesh is NULL
    PxRegion region;
} PxRegionForce;

/// When a force next begins or ends after `time`, s; INFINITY: never.
double px_forces_next(const PxWorld *world, double time);

/// The particles that forces may act on, in the caller's own order.
typedef struct PxForceRows {
    uint32_t count;
    const uint32_t *row; ///< which row of the world's particles each is; NULL: the same
    const float *x[3];   ///< where they are, m; NULL: where the world has them
    float *a[3];         ///< m/s^2: what is added to
} PxForceRows;

/// Adds to the accelerations of solids what the forces that act at `time` give them: each
/// force over the mass of all solid particles in its region. What is no solid is left alone.
/// `rows` must have all solid particles of the world, each once.
void px_forces_apply(const PxWorld *world, double time, const PxForceRows *rows);

#endif
