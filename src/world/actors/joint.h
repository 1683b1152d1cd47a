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

/// A joint further than this from a body's centre of mass, in radii of the body, is a mistake.
#define PX_JOINT_FAR 10.0

/// Completes a new joint. Errors: PX_ERR_ARGUMENT for bodies that are not rigid, or far from it.
PxStatus px_joint_make(PxWorld *world, const void *def, void *thing);

#endif
