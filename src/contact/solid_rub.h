/// Friction between solids (the law is that of solid/friction.h).
///
/// It acts at the mean y_i of a contact, a weighted mean of rows on both sides: on that of the
/// other solid with the weights of the gap, on that of the row by the linear extrapolation of its
/// fit, u_i + H_i X, X being the way to y_i in the rest shape. Both sides get opposite forces with
/// opposite moments.
///
/// With leapfrog friction is a force like that of the gaps: its part along X joins the row's stress
/// (solid/passes.h), and the displacement that it resists is that of the last move. In an implicit
/// solve it is a potential of the velocities.
#ifndef PX_CONTACT_SOLID_RUB_H
#define PX_CONTACT_SOLID_RUB_H

#include "contact/solid_solids.h"

/// Leapfrog: takes memory and notes the gradients at the start of the step. Errors: PX_ERR_MEMORY.
PxStatus px_solid_rub_begin(PxSolidSolids *contact);

/// Friction of all touches after a move of solid->moved seconds; 0: no move.
void px_solid_rub_forces(PxSolidSolids *contact);

/// The callbacks of PxSolidPress for an implicit solve; `user` is a PxSolidSolids.
bool px_solid_rub_grip(void *user, double dt);
double px_solid_rub_add(void *user, const float *quad, float *out);
void px_solid_rub_stick(void *user, const float *quad);

/// out -= what friction changes by, for displacements that change by `quad`, over dt^2.
void px_solid_rub_tangent(const PxSolidSolids *contact, const float *quad, float *out);

#endif
