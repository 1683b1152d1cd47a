/// Free rotation of a rigid body.
#ifndef PX_BASE_SPIN_H
#define PX_BASE_SPIN_H

#include "base/mat3.h"

/// Turns a body without torque for a time `dt`, s. `axes` rotates the principal axes into the
/// world, `spin` is the angular velocity in the world, rad/s, `inertia` the principal moments. The
/// angular momentum in the world is kept to rounding, the energy to about 1e-6 for any length of
/// time (see the file).
void px_spin_turn(PxVec3 inertia, double dt, PxQuat *axes, PxVec3 *spin);

/// Inverse of the inertia tensor in the world, 1/(kg m^2).
PxMat3 px_spin_inverse_inertia(PxVec3 inertia, PxQuat axes);

#endif
