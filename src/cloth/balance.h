/// Momentum and angular momentum of free cloth.
#ifndef PX_CLOTH_BALANCE_H
#define PX_CLOTH_BALANCE_H

#include "cloth/cloth.h"

/// After a solve: gives each group of cloth and bodies that touch each other, and that nothing
/// holds, the rigid motion with which its momentum is exact, and its angular momentum if it is
/// integrated by implicit Euler. Contacts do not notice a rigid motion.
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_balance(PxClothStep *step);

/// The rigid motions `more`, by vertex, that pieces which fly freely by BDF2 lack at the end of a
/// step to keep momentum and angular momentum; 0 for others. Added to `velocity`, that at the end,
/// and to that before the step, they are no kink in the past. `at` are the places at the end.
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_balance_past(const PxClothStep *step, const PxVec3 *at, const PxVec3 *velocity,
                               PxVec3 *more);

#endif
