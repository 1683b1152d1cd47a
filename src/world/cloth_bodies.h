/// Rigid and soft bodies that cloth touches in a step: what the solve of the cloth needs of them,
/// and what they get of it.
#ifndef PX_WORLD_CLOTH_BODIES_H
#define PX_WORLD_CLOTH_BODIES_H

#include "contact/cloth_rigids.h"
#include "world/world_parts.h"

/// The longest step in which slender bodies near cloth turn by little, s: contacts are linear in
/// their turning. INFINITY: there are none.
double px_cloth_bodies_limit(const PxWorld *world);

/// Adds bodies and their contacts with vertices to the step. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_bodies_begin(const PxWorld *world, PxClothWalls *walls, PxClothStep *step);

/// Gives the bodies what the solve has found.
void px_cloth_bodies_return(PxWorld *world, const PxClothWalls *walls, const PxClothStep *step);

#endif
