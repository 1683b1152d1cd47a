/// Bodies within the solve of a step of cloth: rigid bodies, and particles of solids, that it
/// touches.
///
/// Cloth is often much lighter, or much stiffer, than what it carries. Forces of the step before,
/// or a body whose motion is given, are unstable for one of the two (Causin, Gerbeau and Nobile
/// 2005). So the changes of the bodies' velocities are unknowns of the same system as those of the
/// vertices: with the velocities U of a body after all but cloth has acted on it in the step, and
/// B the matrix that gives the velocity at a contact, its change D by cloth solves
///     M D = -sum of B^T (impulses of contacts at velocities w and U + D) - expected.
/// `expected` is what cloth was expected to give when U was computed. Contacts (contact.h) give
/// cloth the opposite impulse at the same place: momentum is kept, linear and angular.
#ifndef PX_CLOTH_BODIES_H
#define PX_CLOTH_BODIES_H

#include "base/mat3.h"
#include "cloth/cloth.h"

typedef struct PxClothBody {
    PxVec3 centre;      ///< of mass, at the start of the step, m
    double mass;        ///< kg
    PxMat3 inertia;     ///< about the centre, kg m^2
    PxVec3 moving[2];   ///< U: velocity, and spin, m/s and rad/s
    bool point;         ///< it does not turn
    bool held;          ///< nothing changes its motion
    PxVec3 expected[2]; ///< impulse and moment that its motion contains already, N s and N m s
    PxVec3 change[2];   ///< result, and the guess: D, velocity and spin
    PxVec3 from[2];     ///< `change` at which forces of the cloth were taken (newton.h)
    PxVec3 pressed;     ///< impulse of its contacts at the velocities of the last round, N s
    /* of the solve: velocity or force (0 to 2), spin or moment (3 to 5) */
    double inverse[6][6], b[6], r[6], p[6], q[6], z[6];
} PxClothBody;

typedef struct PxClothBodies {
    PxClothBody *body;
    uint32_t count, most;
    uint32_t *first; ///< by body: first use, and one more
    uint32_t *use;   ///< contacts
    uint32_t *of;    ///< by contact: its body + 1; 0: none
    double *lever;   ///< 3 by contact
} PxClothBodies;

/// Adds a body; *number is 1 + its index. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_bodies_add(PxClothStep *step, const PxClothBody *body, uint32_t *number);

/// Lists the contacts of each body. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_bodies_list(PxClothStep *step);

/// The velocity by which D moves a contact with that body and lever.
static inline PxVec3 px_cloth_body_motion(const PxClothBody *b, PxVec3 lever)
{
    return px_add(b->change[0], px_cross(b->change[1], lever));
}

/// After tangents were taken: preconditioner and right side.
void px_cloth_bodies_linearise(PxClothStep *step);

/// Parts of px_cloth_solve(). Contacts have multiplied the bodies' z before. The results are added
/// to the sums of the rows.
void px_cloth_bodies_enter(PxClothStep *step);
double px_cloth_bodies_scale(const PxClothStep *step);
double px_cloth_bodies_start(PxClothStep *step);
double px_cloth_bodies_product(PxClothStep *step, double beta);
double px_cloth_bodies_advance(PxClothStep *step, double alpha);
void px_cloth_bodies_guess(PxClothStep *step);
void px_cloth_bodies_leave(PxClothStep *step);

#endif
