/// The coats of a world: surfels around everything of a material that asks for them.
#ifndef PX_WORLD_ATTACHED_COATS_H
#define PX_WORLD_ATTACHED_COATS_H

#include "phyxel/world.h"
#include "surface/coat/coat.h"

typedef struct PxWorldCoat {
    PxCoat *coat;
    uint32_t material; ///< slot
} PxWorldCoat;

/// Makes the coat that the def of the material in that slot asks for. Errors: PX_ERR_MEMORY.
PxStatus px_world_add_coat(PxWorld *world, uint32_t material, const PxMaterialDef *def);
/// Removes the coat of a material.
void px_world_drop_coat(PxWorld *world, uint32_t material);

/// The coat of a material, or NULL.
PxCoat *px_world_coat_of(const PxWorld *world, uint32_t material);

/// Gives a body's surfels to the coat of its material: about as many as the def says, with the
/// colours of the mesh or the texture; nothing if it says 0. They must come no farther apart than
/// one spacing of the particles. Errors: PX_ERR_ARGUMENT; those of px_texture_read_file();
/// PX_ERR_MEMORY.
PxStatus px_world_coat_body(PxWorld *world, const PxBodyDef *def, const PxShape *shape);

size_t px_world_coat_count(const PxWorld *world);
const PxWorldCoat *px_world_coat(const PxWorld *world, size_t k);

/// What is saved of coats: a row a coat, and the rows of all coats' tables one after another.
enum { PX_COATS, PX_COAT_SURFELS, PX_COAT_PREVIOUS, PX_COAT_ZOMBIES, PX_COAT_TABLES };

/// Fills the tables, which are empty; without coats they stay so. Errors: PX_ERR_MEMORY.
PxStatus px_world_store_coats(const PxWorld *world, PxTable table[PX_COAT_TABLES]);
/// Errors: PX_ERR_FORMAT when they do not fit the world, PX_ERR_MEMORY.
PxStatus px_world_restore_coats(PxWorld *world, const PxTable table[PX_COAT_TABLES]);
/// Makes room in `count` coats for what was stored of them: px_coat_restore() then allocates
/// nothing. Errors: PX_ERR_MEMORY.
PxStatus px_coats_reserve(const PxWorldCoat *coat, size_t count,
                          const PxTable table[PX_COAT_TABLES]);

size_t px_world_coat_bytes(const PxWorld *world);

#endif
