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

/// Where all solids are, with their frames found, in scratch. In a mixed world these are the rows
/// of world->shaped as they were last gathered.
PxStatus px_solids_open(PxWorld *world, PxSolid *out);

/// Moves all solids by world->dt; in a mixed world those of world->shaped, and then the rows
/// that these are.
PxStatus px_solids_step(PxWorld *world, const PxFluid *fluid);

/// Opens the solids between two steps, with gradients and forces of the state as it is now, in
/// scratch that the caller gives back. *row is the world's row of each row of the solids; NULL when
/// they begin at solid->first. solid->count is 0 when there are none. Errors: PX_ERR_MEMORY.
PxStatus px_solids_look(PxWorld *world, PxSolid *solid, const uint32_t **row);

#endif
