/// Open cracks in the skin of a body or of a piece of it: cracks that do not divide it (yet).
///
/// The skin is cut where its edges cross a sheet, each of the cut edges having a point on either
/// side, and the sheet becomes two faces, clipped at the skin (the sharp creases of 000 section
/// 5.6.3). Points on one side of a sheet do not follow particles behind it (sheets.h), so that the
/// crack gapes as the matter does.
///
///        c            an edge that is crossed gets two points: one stays with each of its ends.
///       / \           With one crossed edge the triangle is slit up to the opposite corner, with
///    = /   \ =        two it falls into a triangle and a quadrangle, with three (where cracks
///     /_____\         meet) each corner keeps a quadrangle.
///    a       b
///
/// Skins of surfels get surfels for both faces of all sheets, also of those between pieces; these
/// and the body's own clip each other in pictures (render/trace/disc_edges.h).
///
/// Meshes with slits are not closed: the cut of the skin and the rim of the faces follow the same
/// line, but do not share points.
#ifndef PX_SURFACE_SKIN_SLITS_H
#define PX_SURFACE_SKIN_SLITS_H

#include "surface/skin/sheets.h"
#include "surface/skin/skin.h"

typedef struct PxSkinSlits {
    PxSkin *skin; ///< NULL: there are none to be seen
    PxSkinSheets sheets;
    const PxSkin *base; ///< the skin that was cut
    uint64_t hash;      ///< of the cracks and the base it was made for
} PxSkinSlits;

/// Makes the skin with open cracks, if the cracks or the base have changed. `hash` changes
/// whenever the points of the base do. `opacity`: of the law; `inside`: colour of the faces, 0:
/// white. Errors: PX_ERR_MEMORY.
PxStatus px_skin_slits_update(PxSkinSlits *slits, const PxSkin *base, uint64_t hash,
                              const PxSolidMaps *maps, uint32_t body, const PxCracks *cracks,
                              double opacity, PxVec3 inside, PxArena *scratch);
void px_skin_slits_free(PxSkinSlits *slits);

#endif
