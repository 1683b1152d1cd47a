/// The things in a world (materials, bodies, walls, emitters, events ...) as px_world_save() keeps
/// them: copies of the lists, which share shapes, wall fields, skins and coats with the world.
#ifndef PX_WORLD_THINGS_H
#define PX_WORLD_THINGS_H

#include "phyxel/world.h"
#include "world/attached/coats.h"

typedef struct PxThings PxThings;

/// The things of the world as they are now. Errors: PX_ERR_MEMORY.
PxStatus px_things_copy(const PxWorld *world, PxThings **out);

/// The same of things that were copied. Errors: PX_ERR_MEMORY.
PxStatus px_things_duplicate(const PxThings *things, PxThings **out);

/// The world gets these, and they become what the world had.
void px_things_swap(PxWorld *world, PxThings *things);

/// NULL is fine.
void px_things_free(PxThings *things);

/// Frees the things of a world that is about to go.
void px_things_drop(PxWorld *world);

/// Makes room in the coats for what was stored of them. Errors: PX_ERR_MEMORY.
PxStatus px_things_reserve_coats(const PxThings *things, const PxTable table[PX_COAT_TABLES]);

#endif
