/// The solve of a step of cloth with all of its contacts: who sticks to boundaries, slides or
/// leaves (contact/cloth_walls.h), and what contacts push (cloth/collide.h), until both agree with
/// the motion.
#ifndef PX_CONTACT_CLOTH_CONTACT_H
#define PX_CONTACT_CLOTH_CONTACT_H

#include "cloth/collide.h"
#include "contact/cloth_walls.h"

/// Solves a step that is assembled, with holds as they begin. Errors: those of px_cloth_solve(),
/// PX_ERR_MEMORY.
PxStatus px_cloth_contact_solve(PxClothWalls *walls, PxClothCollision *collision,
                                PxClothStep *step);

#endif
