/// Solid bodies filled with the cells of an octree: particles of different sizes.
#ifndef PX_WORLD_OCTREE_BODY_H
#define PX_WORLD_OCTREE_BODY_H

#include "world/world_parts.h"

/// Adds the particles of a body whose `fill` is PX_FILL_OCTREE, at most `most`. Each has the volume
/// of its cell, scaled so that they add up to the shape's, and a support with at least
/// PX_OCTREE_NEIGHBOURS others. `middle` is the origin of the rest shape.
/// Errors: PX_ERR_ARGUMENT for fluids and melting materials; those of px_shape_octree().
PxStatus px_octree_put(PxWorld *world, const PxBodyDef *def, const PxShape *shape, uint32_t body,
                       PxVec3 middle, size_t most);

#define PX_OCTREE_NEIGHBOURS 12

#endif
