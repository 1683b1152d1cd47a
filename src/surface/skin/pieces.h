/// The skin of a body that broke: a closed triangle mesh around each of its pieces.
///
/// Every point of the body's rest shape belongs to the piece whose particles are nearest, measured
/// by a smooth function: with p_k(x) the sum of exp(-r^2 / sigma^2) over the particles of piece k,
///
///     g_k(x) = sigma^2 / (2 s) ln(p_k / p_l),   l the strongest other piece,
///
/// is about the distance from the plane between both (exact for two particles a spacing s apart).
/// The piece is where g_k and the depth below the body's own surface are positive, and marching
/// cubes give its mesh. Both sides of a crack have the same shape, because g_l = -g_k there; solid
/// noise of opposite signs roughens it. Triangles that the crack made are `inside`.
#ifndef PX_SURFACE_SKIN_PIECES_H
#define PX_SURFACE_SKIN_PIECES_H

#include "surface/skin/skin.h"

typedef struct PxSkinPieces {
    PxSkin *skin;     ///< NULL: the body is whole
    uint64_t version; ///< of the maps that it was made for
    uint64_t hash;    ///< of the assignment of particles to pieces
    float *depth;     ///< of nodes of the grid below the surface of the body, m; made once
    uint32_t nodes[3];
    PxVec3 origin; ///< of the grid, in the coordinates of the skin, m
    double step;   ///< m
} PxSkinPieces;

/// Makes the skin of the pieces of `body` if its particles are in several, or their assignment has
/// changed; `whole` is its skin of triangles. `rough`: amplitude of the noise, m. Errors:
/// PX_ERR_MEMORY.
PxStatus px_skin_pieces_update(PxSkinPieces *pieces, const PxSkin *whole, const PxSolidMaps *maps,
                               uint32_t body, double rough, const PxThreads *threads);
void px_skin_pieces_free(PxSkinPieces *pieces);

#endif
