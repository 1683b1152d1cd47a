/// Forces on the solid particles in a region.
#ifndef PX_WORLD_ACTORS_FORCE_H
#define PX_WORLD_ACTORS_FORCE_H

#include "base/slot.h"
#include "world/actors/region.h"

typedef struct PxForce {
    PX_SLOT_MEMBERS;
    PxForceDef def; ///< its `name` points at the array above, its mesh is NULL
    PxRegion region;
} PxForce;

/// The particles that forces may act on, in the caller's own order.
typedef struct PxForceRows {
    uint32_t count;
    const uint32_t *row; ///< row of each in the world's particles; NULL: the same
    const float *x[3];   ///< positions, m; NULL: those of the world
    float *a[3];         ///< accelerations to add to, m/s^2
} PxForceRows;

/// Adds the accelerations by the forces that act at `time`: each force divided by the mass of all
/// solid particles in its region. Other particles are not changed. `rows` must have all solid
/// particles of the world, each once.
void px_forces_apply(const PxWorld *world, double time, const PxForceRows *rows);

#endif
