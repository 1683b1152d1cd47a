/// Where something that moves by keyframes is at a time: a wall, a handle.
#ifndef PX_MATTER_POSE_H
#define PX_MATTER_POSE_H

#include "base/fail.h"
#include "base/vec.h"
#include "phyxel/world.h"

/// How fast a pose changes.
typedef struct PxPoseRate {
    PxVec3 move; ///< m/s
    PxVec3 spin; ///< rad/s, in the world's frame
} PxPoseRate;

/// Refuses times and places that are not finite, and times that do not grow.
PxStatus px_keyframes_check(const PxKeyframe *key, size_t keys);

/// A copy to free(), NULL for none. Errors: PX_ERR_MEMORY.
PxStatus px_keyframes_copy(const PxKeyframe *key, size_t keys, PxKeyframe **out);

/// At rest without keyframes; before the first and after the last as there.
PxPose px_pose_at(const PxKeyframe *key, size_t keys, double time);

/// How fast it changes from `time` on: at a keyframe, on the way to the next.
PxPoseRate px_pose_rate(const PxKeyframe *key, size_t keys, double time);

/// `when` is 0 at a, 1 at b.
PxPose px_pose_between(const PxPose *a, const PxPose *b, double when);

PxVec3 px_pose_to_rest(const PxPose *pose, PxVec3 pivot, PxVec3 world);
PxVec3 px_pose_to_world(const PxPose *pose, PxVec3 pivot, PxVec3 rest);

#endif
