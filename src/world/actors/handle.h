/// Handles: they hold a part of a solid and move it.
///
/// At its start a handle takes the free particles of solids in its region; until its end they
/// follow its keyframes. Starts and ends of all handles are a list sorted by time, of which the
/// first state.grips entries have been carried out.
#ifndef PX_WORLD_ACTORS_HANDLE_H
#define PX_WORLD_ACTORS_HANDLE_H

#include "base/slot.h"
#include "base/table.h"
#include "matter/wall.h"
#include "phyxel/world.h"
#include "world/actors/region.h"

typedef struct PxHandle {
    PX_SLOT_MEMBERS;
    PxRegion region; ///< at rest
    PxVec3 pivot;
    PxKeyframe *key;
    size_t keys;
    double start, end; ///< s
    PxBodyId with;     ///< boundary with which cloth moves, or none
} PxHandle;

/// The start or the end of a handle.
typedef struct PxGrip {
    double time;
    uint32_t handle; ///< slot
    bool take;       ///< true: start; false: end
} PxGrip;

/// Completes a new handle; enters and removes its start and end (world/kinds/kind.h).
PxStatus px_handle_make(PxWorld *world, const void *def, void *handle);
void px_handle_added(PxWorld *world, size_t slot);
void px_handle_leaves(PxWorld *world, size_t slot);

/// Carries out starts and ends that are due at `time`, the beginning of a step. Allocates nothing.
void px_handles_grab(PxWorld *world, double time);

/// Time of the next start or end of a handle after `time`, s; INFINITY: none. Steps end there, so
/// that each handle starts exactly on time.
double px_handles_next(const PxWorld *world, double time);

/// Pose and velocity of a handle at one time: px_handle_grip() once, px_handle_place() for every
/// particle it holds.
typedef struct PxHandleGrip {
    PxPose pose;
    PxPoseRate rate;
    PxVec3 pivot;
} PxHandleGrip;

/// The wall or rigid body with which vertices of cloth in a handle move; NULL: they follow its
/// keyframes. Their hold is their place when bound to it (px_wall_bind()). `slot` as below.
const PxWall *px_handle_with(const PxWorld *world, uint32_t slot);

/// `slot` is the value of the column `handle` minus one.
PxHandleGrip px_handle_grip(const PxWorld *world, uint32_t slot, double time);

/// Position, m, and velocity, m/s, of a particle that was taken at `hold` in the handle's rest
/// frame.
static inline void px_handle_place(const PxHandleGrip *grip, PxVec3 hold, PxVec3 *x, PxVec3 *v)
{
    PxVec3 arm = px_rotate(grip->pose.turn, px_sub(hold, grip->pivot));
    *x = px_add(px_add(arm, grip->pivot), grip->pose.move);
    *v = px_add(grip->rate.move, px_cross(grip->rate.spin, arm));
}

/// Both calls at once. At a keyframe the velocity is that of the following interval.
void px_handles_target(const PxWorld *world, uint32_t slot, double time, PxVec3 hold, PxVec3 *x,
                       PxVec3 *v);

/// Validates the number of grips and the handles of particles in a checkpoint.
PxStatus px_handles_check(const PxWorld *world, uint64_t grips, const PxTable *particles);

#endif
