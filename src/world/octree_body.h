/// Solid bodies filled with the cells of an octree: particles of different sizes. Coarse ones are
/// split before they flow.
#ifndef PX_WORLD_OCTREE_BODY_H
#define PX_WORLD_OCTREE_BODY_H

#include "world/world_parts.h"

/// Depth of the layer under the surface whose cells are all of the finest size, m, besides that of
/// the cells with surface in them: fluids must not reach coarse cells. Those begin 1.5 spacings
/// deep or more without it, 2 from the first layer of a fluid.
static inline double px_octree_layer(const PxWorldDef *world)
{
    return world->support > 2 ? (world->support - 2) * world->spacing : 0;
}

/// Adds the particles of a body whose `fill` is PX_FILL_OCTREE, at most `most`. Each has the volume
/// of its cell, scaled so that they add up to the shape's unless the material melts, and a support
/// with at least PX_OCTREE_NEIGHBOURS others. `middle` is the origin of the rest shape.
/// Errors: PX_ERR_ARGUMENT for fluids; those of px_shape_octree().
PxStatus px_octree_put(PxWorld *world, const PxBodyDef *def, const PxShape *shape, uint32_t body,
                       PxVec3 middle, size_t most);

#define PX_OCTREE_NEIGHBOURS 12

/// The same for the cubes of a lattice, of one spacing each, that resampling may split. `volume`:
/// of all of them; 0: a cube of one spacing each. Errors: PX_ERR_MEMORY.
PxStatus px_lattice_cells_put(PxWorld *world, const PxBodyDef *def, const PxPoints *points,
                              double volume, uint32_t body, PxVec3 middle);

/// Splits coarse cells that are not wholly solid, or are bonded to particles that are not, into
/// their 8 children; those that resampling asks for (world/resample.h); and those that would touch
/// cells less than half as large. Mass, heat, momentum
/// and the centre of mass stay. *split: some were; the elastic set must be updated, and the next
/// call may split children. Call with an elastic set that is up to date.
PxStatus px_octree_split(PxWorld *world, bool *split);

#endif
