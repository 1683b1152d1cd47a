/// Edges of cloth: angles that change while it moves.
///
/// The edges of all cloth are one table, piece after piece in the order of addition, each with its
/// hinges and then its borders, as those of PxClothSystem.
#ifndef PX_WORLD_CLOTH_BENDS_H
#define PX_WORLD_CLOTH_BENDS_H

#include "world/world_parts.h"

/// Makes the empty table. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_bends_init(PxWorld *world);
void px_cloth_bends_free(PxWorld *world);

/// Adds those of a sheet, not creased. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_bends_add(PxWorld *world, const PxClothSheet *sheet, uint32_t slot);
/// Removes those of a body.
void px_cloth_bends_drop(PxWorld *world, uint32_t slot);
/// Angles of a piece when its sheet becomes a torn one: its vertices begin at row `vertex` of
/// theirs, its edges at row `first`. There is room for as many rows more as the torn one has edges.
void px_cloth_bends_torn(PxWorld *world, uint32_t vertex, uint32_t first, const PxClothSheet *old,
                         const PxClothSheet *torn);

/// The arrays of a step.
void px_cloth_bends_begin(const PxWorld *world, PxClothStep *step);
/// Takes over what a step found.
void px_cloth_bends_commit(PxWorld *world, const PxClothStep *step);

/// Validates a stored table.
PxStatus px_cloth_bends_check(const PxWorld *world, const PxWorldState *state,
                              const PxTable *stored);

#endif
