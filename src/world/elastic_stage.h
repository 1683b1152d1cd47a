/// The elastic stage of a step: moves all elastic matter in sub-steps, with handles, forces on
/// regions and walls; and hands its deformation to whatever is attached to it.
#ifndef PX_WORLD_ELASTIC_STAGE_H
#define PX_WORLD_ELASTIC_STAGE_H

#include "coupling/elastic_set.h"
#include "world/world_parts.h"

/// The world as the coupling of elastic and flowing matter sees it.
PxCoupling px_world_coupling(PxWorld *world);

/// Does anything flow, melt, conduct heat or come out of an emitter? Then the stages of fluids run,
/// and all rows take part in them.
bool px_world_flows(const PxWorld *world);

/// Is there elastic matter whose rest shape follows its deformation (`absorb`)?
bool px_world_absorbs(const PxWorld *world);

/// Adds the columns that a world with that material needs. Errors: PX_ERR_MEMORY.
PxStatus px_world_elastic_columns(PxWorld *world, const PxMaterialDef *def);

/// Gives the rows from `first` on, a new body of a solid, their rest shape: where they are, as seen
/// from `origin`.
PxStatus px_world_make_elastic(PxWorld *world, uint32_t first, PxVec3 origin);

/// Before anything moves: brings the elastic set up to date with rows that came or went.
PxStatus px_elastic_stage_begin(PxWorld *world);

/// Opens the elastic set between two steps, with gradients and forces of the state as it is now, in
/// scratch that the caller gives back. row[k] is the world's row of the set's row k. solid->count
/// is 0 when there is no elastic matter. Errors: PX_ERR_MEMORY.
PxStatus px_elastic_stage_look(PxWorld *world, PxSolid *solid, const uint32_t **row);

/// The bonds of elastic matter as a table (solid/bonds.h). Those restored are taken over, and
/// looked at, when elastic matter is next used: that may fail with PX_ERR_FORMAT.
PxStatus px_world_store_bonds(const PxWorld *world, PxTable *out);
PxStatus px_world_restore_bonds(PxWorld *world, const PxTable *bonds);

/// After the neighbour search: the rest-shape update, when it is due.
PxStatus px_elastic_stage_rest_shapes(PxWorld *world);

/// Moves elastic matter by world->dt. The set was gathered before anything moved in this step.
/// `fluid` is NULL when nothing flows.
PxStatus px_elastic_stage_move(PxWorld *world, const PxFluid *fluid);

#endif
