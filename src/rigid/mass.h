/// Mass, centre and inertia of a shape filled evenly with matter.
#ifndef PX_RIGID_MASS_H
#define PX_RIGID_MASS_H

#include "base/mat3.h"
#include "phyxel/status.h"
#include "shape/shape.h"

typedef struct PxRigidMass {
    double mass;      ///< kg
    PxVec3 centre;    ///< of mass, in the frame in which the shape is placed, m
    PxVec3 inertia;   ///< principal moments about the centre, largest first, kg m^2
    PxQuat axes;      ///< rotates the principal axes x, y, z into that frame
    double radius;    ///< of a ball about the centre that holds the shape, m
    double thickness; ///< smallest extent of its matter, m
} PxRigidMass;

/// Exact for primitives; for a mesh by the divergence theorem, exact for its triangles. `density`
/// in kg/m^3, > 0. Errors: PX_ERR_ARGUMENT for a plane and for a shape without a finite, positive
/// mass and inertia.
PxStatus px_rigid_mass(const PxShape *shape, double density, PxRigidMass *out);

/// Adds a point mass to it, `mass` kg, >= 0, at `at`, in the shape's own frame with its scale
/// applied, m. Errors: PX_ERR_ARGUMENT if the result is not finite.
PxStatus px_rigid_ballast(const PxShape *shape, double mass, PxVec3 at, PxRigidMass *out);

/// A point well inside the matter of a closed shape, as far from its surface as can be found
/// quickly, in the frame in which the shape is placed; `centre` if that is inside.
PxVec3 px_rigid_inner(const PxShape *shape, PxVec3 centre);

#endif
