/// Joints between rigid bodies, or between one and the world.
#ifndef PX_RIGID_JOINTS_H
#define PX_RIGID_JOINTS_H

#include "base/vec.h"
#include "phyxel/world.h"

#include <stdint.h>

/// Rows of constraints that a joint can have: three of its place, three of its turn, its motor, its
/// two limits.
enum { PX_JOINT_ROWS = 9 };

/// A joint as it was made, and its state.
typedef struct PxRigidJoint {
    uint32_t a, b; ///< numbers of the bodies; b UINT32_MAX: the world
    PxJointKind kind;
    PxVec3 anchor_a, anchor_b; ///< from the centres of mass, in the frames in which the shapes were
                               ///< defined; of the world, its place, m
    PxVec3 axis_a, axis_b;     ///< in these frames, unit
    PxVec3 side_a,
        side_b;       ///< normal to the axis, unit: the angle between them is that of the hinge
    PxQuat turn;      ///< from a's to b's frame, when the joint was made
    double low, high; ///< limits, rad or m; low > high: none
    double speed, strength;    ///< of its motor, rad/s and N m, or m/s and N; strength 0: none
    double stiffness, damping; ///< of a spring, N/m and N s/m
    double length;             ///< of a spring at rest, m
    double breaks;             ///< N; 0: never

    bool broken;
    double impulse[PX_JOINT_ROWS]; ///< of a sub-step, N s or N m s
    double substep;                ///< length of that sub-step, s
    PxVec3 load;                   ///< sum of its impulses in an interval, N s; 0 between steps
} PxRigidJoint;

#endif
