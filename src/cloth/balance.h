/// Momentum and angular momentum of free cloth.
#ifndef PX_CLOTH_BALANCE_H
#define PX_CLOTH_BALANCE_H

#include "cloth/cloth.h"

/// After a solve: gives each group of cloth and bodies that touch each other, and that nothing
/// holds, the rigid motion with which its momentum is exact, and its angular momentum if it is
/// integrated by implicit Euler. Contacts do not notice a rigid motion.
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_balance(PxClothStep *step);

/// Does anything act on a vertex besides elasticity, contact, gravity and known forces?
bool px_cloth_is_pushed(const PxClothStep *step, uint32_t vertex);

#endif
