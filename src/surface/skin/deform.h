/// Vector loops that deform and split the points of a skin.
#ifndef PX_SURFACE_SKIN_DEFORM_H
#define PX_SURFACE_SKIN_DEFORM_H

#include "base/simd.h"
#include "surface/skin/skin.h"

typedef struct PxSkinDeform {
    PxSkin *skin;
    const uint32_t *start;
    const PxSkinLink *link;
    const float *map;
    float *rest[3], *rest_tangent[6],
        *rest_radius; ///< of the points at rest
    float *position[3], *normal[3], *tangent[6], *radius, *velocity[3];
    float *colour[3], *uv[2];
    float origin[3];
    PxVec3 shift;          ///< rest-shape update: from the maps' origin to the skin's
    bool split;            ///< surfels, which are split; vertices of triangles are not
    const uint32_t *first; ///< splitting: by block, the first row for added surfels
} PxSkinDeform;

/// Deforms the points and computes how often each surfel is to be halved.
PX_ISA_DECLARE(void, px_skin_deform_block, (void *move, uint32_t begin, uint32_t end, int thread));

/// Splits the stretched surfels.
PX_ISA_DECLARE(void, px_skin_split_block, (void *move, uint32_t begin, uint32_t end, int thread));

/// Rest-shape update: deforms rest positions and rest tangents.
PX_ISA_DECLARE(void, px_skin_absorb_block, (void *move, uint32_t begin, uint32_t end, int thread));

#endif
