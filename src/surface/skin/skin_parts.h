/// Internals of a skin, shared by the files that create, bind and deform it.
#ifndef PX_SURFACE_SKIN_SKIN_PARTS_H
#define PX_SURFACE_SKIN_SKIN_PARTS_H

#include "surface/skin/skin.h"

/// Columns of the points at rest.
typedef struct PxSkinColumns {
    float *rest[3], *rest_tangent[6], *rest_radius, *colour[3], *uv[2];
} PxSkinColumns;

PxSkinColumns px_skin_columns(const PxSkin *skin);

/// Allocates a skin of that many points, all zero. Errors: PX_ERR_MEMORY.
PxStatus px_skin_new(const PxAllocator *allocator, size_t points, PxSkin **out);

/// Sets rest position, tangents and radius of a point. Positions are in the world.
void px_skin_set_point(PxSkin *skin, uint32_t i, PxVec3 at, PxVec3 normal, double radius);

/// Allocates the shown points and copies what never changes: colours and texture coordinates.
/// Errors: PX_ERR_MEMORY.
PxStatus px_skin_make_shown(PxSkin *skin);

#endif
