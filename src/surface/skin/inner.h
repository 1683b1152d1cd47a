/// What the files that make and bind skins share.
#ifndef PX_SURFACE_SKIN_INNER_H
#define PX_SURFACE_SKIN_INNER_H

#include "surface/skin/skin.h"

/// Columns of the points at rest.
typedef struct PxSkinColumns {
    float *rest[3], *from[6], *size, *colour[3], *uv[2];
} PxSkinColumns;

PxSkinColumns px_skin_columns(const PxSkin *skin);

/// A skin of that many points, all zero. Errors: PX_ERR_MEMORY.
PxStatus px_skin_new(const PxAllocator *allocator, size_t points, PxSkin **out);

/// Makes room for what is shown, and fills in what never moves: colours, coordinates.
PxStatus px_skin_ready(PxSkin *skin);

#endif
