/// The coats of a world: one for each material that has a coat model, advanced once a frame.
#ifndef PX_WORLD_ATTACHED_COATS_H
#define PX_WORLD_ATTACHED_COATS_H

#include "phyxel/world.h"
#include "surface/coat/coat.h"

typedef struct PxWorldCoat {
    PxCoat *coat;
    uint32_t material; ///< slot
} PxWorldCoat;

/// Creates the coat that the material's def asks for, if any. `material` is its slot. Errors:
/// PX_ERR_MEMORY.
PxStatus px_world_add_coat(PxWorld *world, uint32_t material, const PxMaterialDef *def);
/// Removes the coat of a material.
void px_world_drop_coat(PxWorld *world, uint32_t material);

/// The coat of a material, or NULL.
PxCoat *px_world_coat_of(const PxWorld *world, uint32_t material);

/// Adds initial surfels of a body to the coat of its material: about def->surfels of them, in the
/// colours of the mesh or the texture; none for 0. They must be at most one particle spacing apart.
/// Errors: PX_ERR_ARGUMENT; those of px_texture_read_file(); PX_ERR_MEMORY.
PxStatus px_world_coat_body(PxWorld *world, const PxBodyDef *def, const PxShape *shape);

size_t px_world_coat_count(const PxWorld *world);
const PxWorldCoat *px_world_coat(const PxWorld *world, size_t k);

/// Tables of a checkpoint: one row a coat, then the rows of all coats' tables one after another.
enum { PX_COATS, PX_COAT_SURFELS, PX_COAT_PREVIOUS, PX_COAT_ZOMBIES, PX_COAT_TABLES };

/// Fills the tables, which must be empty; without coats they stay empty. Errors: PX_ERR_MEMORY.
PxStatus px_world_store_coats(const PxWorld *world, PxTable table[PX_COAT_TABLES]);
/// Restores stored coats. Errors: PX_ERR_FORMAT when they do not fit the world, PX_ERR_MEMORY.
PxStatus px_world_restore_coats(PxWorld *world, const PxTable table[PX_COAT_TABLES]);
/// Reserves room in `count` coats for their stored state, so that px_coat_restore() allocates
/// nothing. Errors: PX_ERR_MEMORY.
PxStatus px_coats_reserve(const PxWorldCoat *coat, size_t count,
                          const PxTable table[PX_COAT_TABLES]);

size_t px_world_coat_bytes(const PxWorld *world);

#endif
