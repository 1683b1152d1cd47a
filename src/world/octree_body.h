/// Bodies filled with an octree: particles of different sizes, for solids.
#ifndef PX_WORLD_OCTREE_BODY_H
#define PX_WORLD_OCTREE_BODY_H

#include "world/world_parts.h"

/// Adds the particles of a body whose `fill` is PX_FILL_OCTREE, at most `most`: each has the
/// volume of its cell, all of them that of the shape, and a support in which there are
/// at least PX_OCTREE_NEIGHBOURS others. `middle` is the origin of their rest shape.
/// Errors: PX_ERR_ARGUMENT when the material is no solid or melts, those of px_shape_octree().
PxStatus px_octree_put(PxWorld *world, const PxBodyDef *def, const PxShape *shape, uint32_t body,
                       PxVec3 middle, size_t most);

#define PX_OCTREE_NEIGHBOURS 12

#endif
