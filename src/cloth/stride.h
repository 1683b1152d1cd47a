/// How far a round goes towards the solution of its solve.
///
/// The step is the least value of a convex function: half the square of the change of velocities in
/// the matrix, less the impulses, and the energies of contacts (contact.h). A solve puts tangents
/// in the place of the laws of contacts. Where these bend by much, as at an edge that presses into
/// cloth, its solution is too far: the next solve comes back, and the rounds never end. On the way
/// from t = 0, the motion before the solve, to t = 1, the solution, the function has the slope
///     -gain (1 - t) + sum of n du (P_tangent - P_law)(t),
/// P the impulses along the normal n, u the relative velocities. `gain` is what conjugate gradients
/// sum: the squares of their residuals times the parts by which they go. If the slope at the end
/// is above 0 by much, the round ends where it is 0.
#ifndef PX_CLOTH_STRIDE_H
#define PX_CLOTH_STRIDE_H

#include "cloth/cloth.h"

/// Solves the system, and goes towards its solution as far as the laws of contacts allow. After
/// px_cloth_contacts_linearise(). Errors: PX_ERR_MEMORY, PX_ERR_STOPPED.
PxStatus px_cloth_stride(PxClothStep *step);

#endif
