/// What a vessel holds: the points of a lattice in the hollow of a shape, up to a level.
#ifndef PX_SHAPE_VESSEL_H
#define PX_SHAPE_VESSEL_H

#include "shape/shape.h"

typedef struct PxVesselDef {
    const PxShape *shape;
    bool inside;    ///< the wall is a container: liquid is inside its shape, not outside
    int up;         ///< axis against gravity: 0 x, 1 y, 2 z
    double spacing; ///< m
    double level;   ///< height of the liquid above the lowest point of the hollow, m
    size_t most;    ///< points allowed
} PxVesselDef;

typedef struct PxVessel {
    PxPoints points; ///< in the order z, y, x of the lattice
    double bottom;   ///< height of the lowest point of the hollow, m
    double depth;    ///< level up to which it holds liquid, m
    double volume;   ///< that it holds then, m^3
} PxVessel;

/// Fills the largest hollow of a shape. Free the points with px_points_free().
///
/// A point belongs to a hollow if a liquid at its height cannot run off: every way through free
/// points to the outside of the shape's bounds leads over a higher one. The height that it has to
/// rise to is found for all points at once by flooding from outside in the order of heights
/// (priority flood: Barnes, Lehman and Mulla 2014). Walls thinner than the spacing are seen: the
/// way from point to point is traced by distances.
/// Errors: PX_ERR_ARGUMENT if it is infinite, has no hollow, or if the liquid would overflow;
/// PX_ERR_MEMORY.
PxStatus px_vessel_fill(const PxVesselDef *def, PxVessel *out);

#endif
