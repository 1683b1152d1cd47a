/// Restitution of contacts between solids, and of solids with rigid bodies.
///
/// Solids rebound by their elasticity, so restitution e acts on the bodies as a whole while contact
/// drives them apart, as it does at walls (contact/solid_walls.c): each of the two gets back the
/// part 1 - e^2 of the contact forces, as a change of its rigid motion. The forces on the two are
/// opposite and have opposite moments, so linear and angular momentum are kept; and what drives
/// them apart does work on their rigid motions, of which that part is taken, so energy only falls.
#ifndef PX_CONTACT_SOLID_REBOUND_H
#define PX_CONTACT_SOLID_REBOUND_H

#include "solid/solid.h"

/// Two solids in contact.
typedef struct PxSolidPairForce {
    uint32_t frame[2]; ///< the first is the lower
    PxVec3 force;      ///< on the first, N
    PxVec3 moment;     ///< on the first, about the origin of the first frame of all, N m
} PxSolidPairForce;

typedef struct PxSolidRebound {
    PxSolidPairForce *pair; ///< NULL: no solid has restitution
    uint32_t pairs, room;
    uint32_t *slot;             ///< by hash of the frames: index of the pair, + 1
    uint32_t slots;             ///< a power of two
    struct PxSolidRigid *rigid; ///< by frame: its rigid motion
} PxSolidRebound;

/// Takes memory if some solid has restitution below 1. Errors: PX_ERR_MEMORY.
PxStatus px_solid_rebound_begin(PxSolidRebound *rebound, const PxSolid *solid);

/// Forgets the forces.
void px_solid_rebound_reset(PxSolidRebound *rebound);

/// Adds a force and its moment, about the origin of the first frame of all, on frame `a`, whose
/// opposites act on frame `b`.
void px_solid_rebound_add(PxSolidRebound *rebound, uint32_t a, uint32_t b, PxVec3 force,
                          PxVec3 moment);

/// Changes the velocities, for forces that acted for `dt`.
void px_solid_rebound_act(const PxSolidRebound *rebound, PxSolid *solid, double dt);

/// Restitution of a solid, 0 .. 1.
double px_solid_restitution(const PxSolid *solid, uint32_t frame);

/// A contact of a solid with a rigid body, whose force acted for a time.
typedef struct PxSolidStrike {
    uint32_t frame;
    PxVec3 force;  ///< on the solid, N
    PxVec3 moment; ///< on it, about the origin of the first frame of all, N m
    double power;  ///< of the opposite force on the body, W
    double light;  ///< change of that power in a second by the motion that it causes, W/s
    double dt;     ///< s
} PxSolidStrike;

/// Changes the velocities of the solid; the restitution is its own, as at walls. Returns the time
/// for which the force on the body is to be taken back, s.
double px_solid_rebound_off(PxSolid *solid, const PxSolidStrike *strike);

#endif
