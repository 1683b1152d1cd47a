/// The elastic stage of a step: moves all elastic matter in sub-steps.
///
/// It applies handles, forces on regions and contact with boundaries, and passes the deformation
/// on to skins and coats.
#ifndef PX_WORLD_ELASTIC_STAGE_H
#define PX_WORLD_ELASTIC_STAGE_H

#include "coupling/elastic_set.h"
#include "world/world_parts.h"

/// The parts of the world that the coupling of elastic and flowing matter needs.
PxCoupling px_world_coupling(PxWorld *world);

/// Does anything flow, melt, conduct heat or leave an emitter? Then the fluid stages run, on all
/// rows.
bool px_world_flows(const PxWorld *world);

/// Is there elastic matter whose rest shape follows its deformation (`absorb`)?
bool px_world_absorbs(const PxWorld *world);

/// Adds the columns that a world with that material needs. Errors: PX_ERR_MEMORY.
PxStatus px_world_elastic_columns(PxWorld *world, const PxMaterialDef *def);

/// Makes the present positions of the rows from `first` on, a new solid body, their rest shape,
/// relative to `origin`.
PxStatus px_world_make_elastic(PxWorld *world, uint32_t first, PxVec3 origin);

/// Updates the elastic set after rows were added or removed. Call before anything moves in a step.
PxStatus px_elastic_stage_begin(PxWorld *world);

/// Splits octree cells that are about to flow. Call before anything moves in a step, after
/// px_elastic_stage_begin(). Rows are appended. A step that fails later leaves them split, and
/// gives the same result when it is repeated.
PxStatus px_elastic_stage_split(PxWorld *world);

/// Opens the elastic set between steps, with gradients and forces of the present state, in scratch
/// that the caller releases. row[k] is the world's row of the set's row k. solid->count is 0
/// without elastic matter. Errors: PX_ERR_MEMORY.
PxStatus px_elastic_stage_look(PxWorld *world, PxSolid *solid, const uint32_t **row);

/// Saves and restores the bonds as a table (solid/bonds.h). Restored bonds are validated and
/// applied when the elastic set is next updated, which may fail with PX_ERR_FORMAT.
PxStatus px_world_store_bonds(const PxWorld *world, PxTable *out);
PxStatus px_world_restore_bonds(PxWorld *world, const PxTable *bonds);

/// Rest-shape update of flowing matter, if it is due. Call after the neighbour search.
PxStatus px_elastic_stage_rest_shapes(PxWorld *world);

/// Moves elastic matter by world->dt. The set must have been gathered before anything moved in this
/// step. `fluid` is NULL when nothing flows.
PxStatus px_elastic_stage_move(PxWorld *world, const PxFluid *fluid);

#endif
