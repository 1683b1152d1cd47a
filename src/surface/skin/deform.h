/// The loops that move the points of a skin.
#ifndef PX_SURFACE_SKIN_DEFORM_H
#define PX_SURFACE_SKIN_DEFORM_H

#include "base/simd.h"
#include "surface/skin/skin.h"

typedef struct PxSkinMove {
    PxSkin *skin;
    const uint32_t *start;
    const PxSkinLink *link;
    const float *map;
    float *rest[3], *from[6], *size; ///< of the points at rest: place, tangents, radius
    float *position[3], *normal[3], *tangent[6], *radius, *velocity[3];
    float *colour[3], *uv[2];
    float origin[3];
    PxVec3 shift;          ///< absorbing: from the maps' origin to the skin's
    bool split;            ///< surfels are
    const uint32_t *first; ///< splitting: by block, the first row of what is added
} PxSkinMove;

/// Fills the rows of the points themselves and says how often they are to be halved.
PX_ISA_DECLARE(void, px_skin_move_block, (void *move, uint32_t begin, uint32_t end, int thread));

/// Halves those that are, and writes what comes of it.
PX_ISA_DECLARE(void, px_skin_split_block, (void *move, uint32_t begin, uint32_t end, int thread));

/// Moves rest positions and rest tangents.
PX_ISA_DECLARE(void, px_skin_absorb_block, (void *move, uint32_t begin, uint32_t end, int thread));

#endif
