/// Copies of the things in a world (materials, bodies, walls, emitters, events ...).
///
/// px_world_save() keeps them. The lists are copied; shapes, wall fields, skins and coats are
/// shared with the world.
#ifndef PX_WORLD_COPIES_H
#define PX_WORLD_COPIES_H

#include "phyxel/world.h"
#include "world/attached/coats.h"

typedef struct PxThings PxThings;

/// Copies the present things of the world. Errors: PX_ERR_MEMORY.
PxStatus px_things_copy(const PxWorld *world, PxThings **out);

/// Copies a copy. Errors: PX_ERR_MEMORY.
PxStatus px_things_duplicate(const PxThings *things, PxThings **out);

/// Exchanges the things of the world with `things`.
void px_things_swap(PxWorld *world, PxThings *things);

/// `things` may be NULL.
void px_things_free(PxThings *things);

/// Frees the things of a world that is being destroyed.
void px_things_drop(PxWorld *world);

/// Reserves room in the coats for the stored tables. Errors: PX_ERR_MEMORY.
PxStatus px_things_reserve_coats(const PxThings *things, const PxTable table[PX_COAT_TABLES]);

#endif
