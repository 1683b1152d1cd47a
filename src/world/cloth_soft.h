/// Soft bodies that cloth touches in a step (contact/cloth_solids.h). Only rows of this rank.
#ifndef PX_WORLD_CLOTH_SOFT_H
#define PX_WORLD_CLOTH_SOFT_H

#include "cloth/bodies.h"
#include "solid/solid.h"
#include "world/world_parts.h"

/// The longest step in which solids that are integrated in sub-steps and are near cloth follow its
/// forces, s: sound passes less than a spacing in it. INFINITY: there are none.
double px_cloth_soft_limit(const PxWorld *world);

/// Adds the column that elastic particles need where there is cloth: the friction of the last step,
/// N. `def` is a material that is about to be added. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_soft_columns(PxWorld *world, const PxMaterialDef *def);

/// Adds contacts of the particles near cloth to the step. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_soft_begin(PxWorld *world, PxClothStep *step);

/// Keeps the impulses that the solve found. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_soft_return(PxWorld *world, const PxClothStep *step);

/// Adds them to the forces of a step of solids, as accelerations.
void px_cloth_soft_push(const PxWorld *world, PxSolid *solid);

/// After the solids moved, in worlds without fluid: keeps their particles from crossing cloth,
/// whose vertices end at `at`. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_soft_catch(PxWorld *world, PxClothStep *step, const PxVec3 *at);

/// At the end of the step: keeps its friction for the next one.
void px_cloth_soft_commit(PxWorld *world);

#endif
