/// Handles: they hold a part of a solid and move it.
///
/// At its start a handle takes the free particles of solids that are in its region; until its
/// end they go where its keyframes lead. What handles have done so far is a number, as with
/// events: their beginnings and ends are a list by time, and state.grips of it are behind us.
#ifndef PX_WORLD_ACTORS_HANDLE_H
#define PX_WORLD_ACTORS_HANDLE_H

#include "base/slot.h"
#include "base/table.h"
#include "matter/pose.h"
#include "phyxel/world.h"
#include "world/actors/region.h"

typedef struct PxHandle {
    PX_SLOT_MEMBERS;
    PxRegion region; ///< at rest
    PxVec3 pivot;
    PxKeyframe *key;
    size_t keys;
    double start, end; ///< s
} PxHandle;

/// A moment at which a handle begins or ends.
typedef struct PxGrip {
    double time;
    uint32_t handle; ///< slot
    bool take;       ///< or let go
} PxGrip;

/// Takes and lets go what is due at `time`, the beginning of a step. Allocates nothing.
void px_handles_grab(PxWorld *world, double time);

/// When a handle next begins or ends after `time`, s; INFINITY: never. No step goes beyond that
/// moment, so that each begins when it should.
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

/// Do stored particles and a stored number of grips belong to this world?
PxStatus px_handles_check(const PxWorld *world, uint64_t grips, const PxTable *particles);

#endif
