/// Force fields: wind, drag, vortices, attractors and noise on all matter in a region.
#ifndef PX_WORLD_ACTORS_FORCE_FIELD_H
#define PX_WORLD_ACTORS_FORCE_FIELD_H

#include "base/slot.h"
#include "world/actors/region.h"

struct PxRigid;

typedef struct PxForceField {
    PX_SLOT_MEMBERS;
    PxForceFieldDef def; ///< its `name` points at the array above, its mesh is NULL
    PxRegion region;
} PxForceField;

/// Does one act at the start of this step?
bool px_force_fields_act(const PxWorld *world);

/// Does one begin to act at the present time? Then the bound on the speed of matter is estimated
/// anew, as after adding it.
bool px_force_fields_start_now(const PxWorld *world);

/// Largest acceleration of the fields that act in this step, m/s^2: of attractors and noise, and
/// the first pull of wind and vortices; *speed (may be NULL) is the largest that wind and the cores
/// of vortices drive matter to, m/s.
double px_force_fields_strength(const PxWorld *world, double *speed);

/// Acceleration, m/s^2, of matter of that body at x that moves at v, mean over a step of dt. Fields
/// act one after the other: each sees the velocity that those before it leave.
PxVec3 px_force_fields_at(const PxWorld *world, uint32_t body, PxVec3 x, PxVec3 v, double dt);

/// Adds them to the accelerations of all particles.
void px_force_fields_apply(PxWorld *world);

/// Impulse, N s, and torque, N m s, on a rigid body in this step, as on six points with its mass
/// and inertia. Returns false if there is none.
bool px_force_fields_push(const PxWorld *world, const struct PxRigid *rigid, PxVec3 out[2]);

/// What fields do to solids where nothing flows, in scratch.
typedef struct PxForceFieldWork {
    uint32_t count;   ///< rows of the particles; 0: no field acts
    float *a[3];      ///< m/s^2; 0 for particles in handles
    double *place[3]; ///< at the start of the step, m
} PxForceFieldWork;

/// Before particles move. Errors: PX_ERR_MEMORY.
PxStatus px_force_fields_begin(PxWorld *world, PxForceFieldWork *work);
/// Work of the fields, when particles have moved, J.
double px_force_fields_done(const PxWorld *world, const PxForceFieldWork *work);

#endif
