/// A procedural figure that walks: limbs as rounded cones in a smooth union, moved by a skeleton.
///
/// The figure stands at the origin, y up, and walks towards +z, its left at +x. In its neutral pose
/// the arms are spread and the legs apart, so that one mesh with fixed triangles serves all poses:
/// whoever makes the mesh takes the zero of px_walker_distance(), and px_walker_pose() moves its
/// vertices by linear blends of the bones' rigid motions.
#ifndef PX_SHAPE_WALKER_H
#define PX_SHAPE_WALKER_H

#include "base/mat3.h"
#include "base/vec.h"
#include "phyxel/make.h"

enum {
    PX_WALKER_PELVIS,
    PX_WALKER_CHEST,
    PX_WALKER_HEAD,
    PX_WALKER_THIGH, ///< left; the right one follows, here and below
    PX_WALKER_SHIN = PX_WALKER_THIGH + 2,
    PX_WALKER_FOOT = PX_WALKER_SHIN + 2,
    PX_WALKER_ARM = PX_WALKER_FOOT + 2,
    PX_WALKER_FOREARM = PX_WALKER_ARM + 2,
    PX_WALKER_BONES = PX_WALKER_FOREARM + 2
};

/// A bone in the neutral pose: what it moves is a rounded cone from `a` to `b`, and `more`.
typedef struct PxWalkerBone {
    int parent;      ///< PX_WALKER_BONES: none
    PxVec3 joint;    ///< about which it turns, m
    PxVec3 a, b;     ///< m
    double ra, rb;   ///< radii at both ends, m
    PxVec3 a2, b2;   ///< a second cone of the same bone
    double ra2, rb2; ///< 0: none
} PxWalkerBone;

typedef struct PxWalker {
    PxWalkerBone bone[PX_WALKER_BONES];
    double height;     ///< m
    double period;     ///< of two steps, s
    double stride;     ///< length of two steps, m
    double begin, end; ///< it stands until `begin`, and walks fully from `end` on, s
    double hip, knee, arm, turn, sway; ///< amplitudes of the gait, rad and m
    bool stays;                        ///< walks on the spot
} PxWalker;

/// Chooses proportions and gait by the seed of the def, which was checked.
PxWalker px_walker(const PxWalkerDef *def);

/// Distance to the surface in the neutral pose, m, negative inside; too small by a few mm where
/// limbs are blended.
double px_walker_distance(const PxWalker *walker, PxVec3 x);

/// The same without arms.
double px_walker_trunk(const PxWalker *walker, PxVec3 x);

/// Weights of the bones at a point of the surface; their sum is 1.
void px_walker_weights(const PxWalker *walker, PxVec3 x, float weight[PX_WALKER_BONES]);

/// Motions of the bones at a time: a point x of the neutral pose goes to turn x + move.
typedef struct PxWalkerPose {
    PxMat3 turn[PX_WALKER_BONES];
    PxVec3 move[PX_WALKER_BONES];
} PxWalkerPose;

PxWalkerPose px_walker_pose(const PxWalker *walker, double time);
PxVec3 px_walker_place(const PxWalkerPose *pose, const float weight[PX_WALKER_BONES], PxVec3 x);

#endif
