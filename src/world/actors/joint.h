/// Joints of rigid bodies.
#ifndef PX_WORLD_ACTORS_JOINT_H
#define PX_WORLD_ACTORS_JOINT_H

#include "base/slot.h"
#include "rigid/joints.h"

typedef struct PxJoint {
    PX_SLOT_MEMBERS;
    PxJointDef def; ///< its `name` points at the array above
    PxRigidJoint joint;
} PxJoint;

/// Completes a new joint. Errors: PX_ERR_ARGUMENT for bodies that are not rigid, or far from it.
PxStatus px_joint_make(PxWorld *world, const void *def, void *thing);

#endif
