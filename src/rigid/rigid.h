/// Rigid bodies: their state, and a step of all of them with contacts among each other and walls.
///
/// A rigid body is a wall (matter/wall.h) whose pose follows from forces: fluids and solids meet it
/// as a boundary. This room moves it. Bodies touch where features of one (features.h) come near the
/// distance field of another (contacts.h); impulses at these contacts are found in sub-steps
/// (solver.c). Impulses of the last step are the first guess of the next and therefore part of the
/// state of a world.
///
/// Everything runs in an order given by the numbers of the bodies and by what touches what: same
/// bits for any number of threads.
#ifndef PX_RIGID_RIGID_H
#define PX_RIGID_RIGID_H

#include "base/arena.h"
#include "base/simd.h"
#include "matter/wall.h"
#include "rigid/features.h"
#include "rigid/joints.h"
#include "rigid/law.h"
#include "rigid/mass.h"

typedef struct PxRigid {
    uint32_t body;   ///< slot
    uint32_t number; ///< of the body; bodies are listed in this order
    PxRigidMass mass;
    PxFeatures *features; ///< shared by copies
    double friction;      ///< Coulomb's coefficient; that of a pair is the geometric mean
    double restitution;   ///< 0 .. 1; the same
    PxContactOwn law;     ///< of its contacts
    PxVec3 inner;         ///< a point well inside its matter, in the frame of the shape

    PxVec3 place;     ///< of the centre of mass, m
    PxQuat turn;      ///< from the orientation in which the shape was defined
    PxVec3 velocity;  ///< of the centre of mass, m/s
    PxVec3 spin;      ///< angular velocity, rad/s
    double still;     ///< time for which it has been slow, s
    bool asleep;      ///< it does not move until something moves it
    PxVec3 support;   ///< acceleration by its contacts in the last step, m/s^2
    PxVec3 cloth[2];  ///< force and moment by cloth in the last step, N and N m: the
                      ///< first guess of the next step
    PxVec3 solids[2]; ///< the same of solids, low-pass filtered

    PxVec3 pressed[2]; ///< force and moment by the pressure of fluids, low-pass filtered, N and N m

    bool holding;  ///< its keyframes hold it
    double since;  ///< when they took it, s
    PxPose offset; ///< how far it was from them then: displacement, and rotation after theirs
} PxRigid;

/// Prescribed motion of a body in a step.
typedef struct PxRigidHold {
    bool held; ///< false: it moves freely
    PxVec3 velocity, spin;
    PxVec3 place; ///< of its centre of mass at the end
    PxQuat turn;
} PxRigidHold;

/// What is kept of a contact from step to step.
typedef struct PxRigidKept {
    uint32_t a, b;    ///< numbers of the bodies; a is rigid
    uint32_t feature; ///< which feature of which body (contacts.h)
    double normal;    ///< impulse of a sub-step along the normal, N s
    PxVec3 along;     ///< the same across it, N s
    double substep;   ///< length of that sub-step, s
} PxRigidKept;

/// A wall that is no rigid body.
typedef struct PxRigidWall {
    const PxWall *wall;
    const PxFeatures *features;
    uint32_t number; ///< of its body
} PxRigidWall;

/// Matter between a rigid body and another body or wall, which must not come nearer there.
typedef struct PxRigidSqueeze {
    uint32_t rigid;  ///< index of the rigid body
    uint32_t other;  ///< index of the other rigid body, or of the wall
    bool wall;       ///< the other is a wall
    PxVec3 at;       ///< m
    PxVec3 normal;   ///< from the other to the rigid body, unit
    double distance; ///< by which they may come nearer, m; negative: they are too near
} PxRigidSqueeze;

typedef struct PxRigidStep {
    const PxRigid *rigid; ///< at the start of the step, by number
    const PxWall **shape; ///< the wall of each
    uint32_t rigids;
    const PxRigidWall *wall; ///< by number
    uint32_t walls;
    const PxVec3 *impulse;   ///< on each rigid body in this step, of fluids and others, N s
    const PxVec3 *torque;    ///< and its moment about the centre of mass, N m s
    const PxRigidHold *hold; ///< of each
    PxVec3 gravity;
    double dt;
    bool wake;                     ///< wake all bodies first
    const PxRigidSqueeze *squeeze; ///< in any order
    uint32_t squeezes;
    const PxRigidKept *kept;
    size_t kepts;
    PxRigidJoint *joint; ///< their state is changed
    uint32_t joints;
    PxArena *scratch;
    const PxThreads *threads;
    PxIsa isa;

    PxRigid *after;          ///< result: the bodies at the end of the step, in scratch
    PxRigidKept *kept_after; ///< result: in scratch, sorted
    size_t kepts_after;
    uint32_t contacts; ///< that carry an impulse at the end
    uint32_t substeps; ///< done
    uint32_t crossed;  ///< pairs that passed into or through each other; 0 unless there is a bug
    double deepest;    ///< deepest overlap at the end, m
} PxRigidStep;

/// Moves all bodies by dt. Nothing is changed but the results. Errors: PX_ERR_MEMORY,
/// PX_ERR_NUMERIC when the place of a body stops being finite.
PxStatus px_rigid_step(PxRigidStep *step);

/// Overlap of two bodies at rest in the poses that `rigid` states: its extent, m, and
/// where; 0: none. `other` is a rigid body or, if NULL, `wall` counts.
double px_rigid_overlap(const PxRigid *rigid, const PxWall *shape, const PxRigid *other,
                        const PxRigidWall *wall, PxVec3 *where);

#endif
