/// Poses of walls and handles that follow keyframes, and bounds on their motion.
#ifndef PX_MATTER_POSE_H
#define PX_MATTER_POSE_H

#include "base/fail.h"
#include "base/vec.h"
#include "phyxel/world.h"

/// Rate of change of a pose.
typedef struct PxPoseRate {
    PxVec3 move; ///< m/s
    PxVec3 spin; ///< rad/s, in the world's frame
} PxPoseRate;

/// Refuses times and positions that are not finite, and times that do not increase.
PxStatus px_keyframes_check(const PxKeyframe *key, size_t keys);

/// A copy, to be freed with free(); NULL without keyframes. Errors: PX_ERR_MEMORY.
PxStatus px_keyframes_copy(const PxKeyframe *key, size_t keys, PxKeyframe **out);

/// Pose at a time: the rest pose without keyframes, constant before the first and after the last.
PxPose px_pose_at(const PxKeyframe *key, size_t keys, double time);

/// One-sided rate from `time` on: at a keyframe, that of the segment after it.
PxPoseRate px_pose_rate(const PxKeyframe *key, size_t keys, double time);

/// Interpolates: `when` is 0 at a, 1 at b.
PxPose px_pose_between(const PxPose *a, const PxPose *b, double when);

/// Bound of the displacement, m, from pose a to pose b of points at most `arm` from the pivot.
double px_pose_travel(const PxPose *a, const PxPose *b, double arm);

/// Bound of the speed of such points, over all keyframes, m/s. An infinite arm, that of a plane,
/// counts as 0: rotation is ignored.
double px_keyframes_speed(const PxKeyframe *key, size_t keys, double arm);

/// The longest time <= limit, s, from `now` on, in which such points travel no further than
/// `most`, m.
double px_keyframes_limit(const PxKeyframe *key, size_t keys, double arm, double now, double most,
                          double limit);

PxVec3 px_pose_to_rest(const PxPose *pose, PxVec3 pivot, PxVec3 world);
PxVec3 px_pose_to_world(const PxPose *pose, PxVec3 pivot, PxVec3 rest);

#endif
