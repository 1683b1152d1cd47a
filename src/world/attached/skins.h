/// The skins of a world's solids: surfels and triangles that follow their particles.
#ifndef PX_WORLD_ATTACHED_SKINS_H
#define PX_WORLD_ATTACHED_SKINS_H

#include "phyxel/world.h"
#include "solid/maps.h"
#include "surface/skin/skin.h"

/// One skin; a body has none, surfels, triangles, or both.
typedef struct PxWorldSkin {
    PxSkin *skin;
    uint32_t body; ///< slot
    uint32_t material;
} PxWorldSkin;

/// How the world's solids are deformed now. Good until the world is next changed.
/// Errors: PX_ERR_MEMORY.
PxStatus px_world_solid_maps(PxWorld *world, PxSolidMaps *out);

/// Makes what the def asks for: surfels, triangles, a texture on them. `slot` is the body's.
/// Errors: PX_ERR_ARGUMENT for what is no solid; those of px_texture_read_file(); PX_ERR_MEMORY.
PxStatus px_world_add_skins(PxWorld *world, const PxBodyDef *def, const PxShape *shape,
                            uint32_t slot);
/// Removes the skins of a body.
void px_world_drop_skins(PxWorld *world, uint32_t slot);
/// In the order of the bodies, surfels before triangles.
size_t px_world_skin_count(const PxWorld *world);
const PxWorldSkin *px_world_skin(const PxWorld *world, size_t k);

/// To be called before the rest shape of a body becomes its deformed one. The maps are those from
/// the old to the new one. Errors: PX_ERR_MEMORY.
PxStatus px_world_absorb_skins(PxWorld *world, uint32_t slot, const PxSolidMaps *maps);

/// What is saved of skins: a row a skin, and the points at rest of all of them, one after another.
enum { PX_SKINS, PX_SKIN_POINTS, PX_SKIN_TABLES };

/// Fills the tables, which are empty; without skins they stay so. Errors: PX_ERR_MEMORY.
PxStatus px_world_store_skins(const PxWorld *world, PxTable table[PX_SKIN_TABLES]);
/// Allocates nothing. Errors: PX_ERR_FORMAT when they do not fit the world.
PxStatus px_world_restore_skins(PxWorld *world, const PxTable table[PX_SKIN_TABLES]);

size_t px_world_skin_bytes(const PxWorld *world);

#endif
