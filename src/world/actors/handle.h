/// Handles, which hold parts of solids, and forces on regions.
///
/// At its start a handle takes the free particles of solids that are in its region; until its
/// end they go where its keyframes lead. What handles have done so far is a number, as with
/// events: their beginnings and ends are a list by time, and state.grips of it are behind us.
#ifndef PX_WORLD_ACTORS_HANDLE_H
#define PX_WORLD_ACTORS_HANDLE_H

#include "base/memory.h"
#include "base/table.h"
#include "matter/material.h"
#include "matter/pose.h"
#include "phyxel/world.h"
#include "shape/shape.h"

typedef struct PxHandle {
    char name[PX_NAME_SIZE];
    PxShape *shape;
    PxBounds bounds; ///< of the shape at rest
    PxVec3 pivot;
    PxKeyframe *key;
    size_t keys;
    double start, end;
    uint32_t body; ///< slot + 1 of the only body it takes of; 0: of any
} PxHandle;

/// A moment at which a handle begins or ends.
typedef struct PxGrip {
    double time;
    uint32_t handle; ///< slot
    bool take;       ///< or let go
} PxGrip;

typedef struct PxRegionForce {
    char name[PX_NAME_SIZE];
    PxForceDef def; ///< its `name` points at the array above, its mesh is NULL
    PxShape *shape;
    PxBounds bounds;
    uint32_t body; ///< as of a handle
} PxRegionForce;

/// Takes and lets go what is due at `time`, the beginning of a step. Allocates nothing.
void px_handles_grab(PxWorld *world, double time);

/// When handles or forces next begin or end after `time`, s; INFINITY: never. A step
/// that ends there, or before, has each of them begin when it should.
double px_handles_next(const PxWorld *world, double time);

/// A handle at a moment: px_handle_grip() once, px_handle_place() for every particle it holds.
typedef struct PxHandleGrip {
    PxPose pose;
    PxPoseRate rate;
    PxVec3 pivot;
} PxHandleGrip;

/// `slot` is that of the column `handle`, less one.
PxHandleGrip px_handle_grip(const PxWorld *world, uint32_t slot, double time);

/// Where a particle is that was taken at `hold` of the handle's rest frame, m, and how fast, m/s.
static inline void px_handle_place(const PxHandleGrip *grip, PxVec3 hold, PxVec3 *x, PxVec3 *v)
{
    PxVec3 arm = px_rotate(grip->pose.turn, px_sub(hold, grip->pivot));
    *x = px_add(px_add(arm, grip->pivot), grip->pose.move);
    *v = px_add(grip->rate.move, px_cross(grip->rate.spin, arm));
}

/// Both at once. At a keyframe the velocity is that of the way to the next.
void px_handles_target(const PxWorld *world, uint32_t slot, double time, PxVec3 hold, PxVec3 *x,
                       PxVec3 *v);

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

/// Do stored particles and a stored number of grips belong to this world?
PxStatus px_handles_check(const PxWorld *world, uint64_t grips, const PxTable *particles);

#endif
