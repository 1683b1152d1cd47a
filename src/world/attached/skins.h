/// The skins of a world's solids: surfels and triangles that deform with their particles.
#ifndef PX_WORLD_ATTACHED_SKINS_H
#define PX_WORLD_ATTACHED_SKINS_H

#include "phyxel/world.h"
#include "solid/maps.h"
#include "surface/skin/pieces.h"
#include "surface/skin/skin.h"
#include "surface/skin/slits.h"

/// One skin. A body has none, one of surfels, one of triangles, or both.
typedef struct PxWorldSkin {
    PxSkin *skin;
    uint32_t body; ///< slot
    uint32_t material;
    PxSkinPieces pieces; ///< of a body that broke; derived
    PxSkinSlits slits;   ///< of a body with open cracks; derived
} PxWorldSkin;

/// The skin to be shown: that of the pieces if the body broke, and with open cracks.
static inline const PxSkin *px_world_skin_shown(const PxWorldSkin *skin)
{
    if (skin->slits.skin != NULL)
        return skin->slits.skin;
    return skin->pieces.skin != NULL ? skin->pieces.skin : skin->skin;
}

/// The current deformation of the world's solids. Valid until the world changes. Errors:
/// PX_ERR_MEMORY.
PxStatus px_world_solid_maps(PxWorld *world, PxSolidMaps *out);

/// Does such a body get a skin? Solids that ask for one do, unless they melt or have a coat, which
/// shows all particles of its material.
bool px_body_has_skin(const PxBodyDef *body, const PxMaterialDef *material);

/// Creates the skins that the def asks for. `slot` is the body's. A body whose material has a coat
/// gives its surfels to that instead.
/// Errors: PX_ERR_ARGUMENT for surfels or a texture on a body that is not solid; those of
/// px_texture_read_file(); PX_ERR_MEMORY.
PxStatus px_world_add_skins(PxWorld *world, const PxBodyDef *def, const PxShape *shape,
                            uint32_t slot);
/// Removes the skins of a body.
void px_world_drop_skins(PxWorld *world, uint32_t slot);
/// Skins are in the order of the bodies, surfels before triangles.
size_t px_world_skin_count(const PxWorld *world);
const PxWorldSkin *px_world_skin(const PxWorld *world, size_t k);

/// Rest-shape update: call it before the deformed shape of a body becomes its rest shape, with the
/// maps from the old rest shape to the new one. Errors: PX_ERR_MEMORY.
PxStatus px_world_absorb_skins(PxWorld *world, uint32_t slot, const PxSolidMaps *maps);

/// Tables of a checkpoint: one row a skin, and the points at rest of all skins one after another.
enum { PX_SKINS, PX_SKIN_POINTS, PX_SKIN_TABLES };

/// Fills the tables, which must be empty; without skins they stay empty. Errors: PX_ERR_MEMORY.
PxStatus px_world_store_skins(const PxWorld *world, PxTable table[PX_SKIN_TABLES]);
/// Restores stored skins; allocates nothing. Errors: PX_ERR_FORMAT when they do not fit the world.
PxStatus px_world_restore_skins(PxWorld *world, const PxTable table[PX_SKIN_TABLES]);

size_t px_world_skin_bytes(const PxWorld *world);

#endif
