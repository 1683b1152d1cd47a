/// Tearing of cloth within the step, and torn cloth in checkpoints.
///
/// Before a step, cloth whose material has a strength is looked at (cloth/tear.h): vertices that
/// tear are copied behind the last one of their piece, with all that they carry; liquid is divided
/// like the mass. `state.tear_step` says before which step that was done, so that a step that is
/// tried again does not tear twice.
#ifndef PX_WORLD_TEAR_STAGE_H
#define PX_WORLD_TEAR_STAGE_H

#include "world/world_parts.h"

/// Tears what is loaded too much. Errors: PX_ERR_MEMORY.
PxStatus px_tear_stage(PxWorld *world);

/// Edges that have torn so far, in all cloth.
uint64_t px_tear_count(const PxWorld *world);

/// Corners of the triangles of torn cloth, for checkpoints.
PxStatus px_world_store_tears(const PxWorld *world, PxTable *table);
PxStatus px_world_restore_tears(PxWorld *world, const PxTable *table);

#endif
