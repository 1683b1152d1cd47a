/// Solids within the step: where their rows lie, their lists, their motion.
#ifndef PX_WORLD_SOLIDS_H
#define PX_WORLD_SOLIDS_H

#include "world/world_parts.h"

/// Gives the rows from `first` on, a new solid body, their rest shape: where they are, as seen
/// from `middle`.
PxStatus px_solids_put(PxWorld *world, uint32_t first, PxVec3 middle);

/// Puts solids behind fluids, body after body, and makes their lists if they are due. Counts the
/// fluids.
PxStatus px_solids_arrange(PxWorld *world);

/// Moves all solids by world->dt.
PxStatus px_solids_step(PxWorld *world);

#endif
