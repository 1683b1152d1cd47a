/// Regions: the part of space in which a sink, a handle, a force or a heater acts.
#ifndef PX_WORLD_ACTORS_REGION_H
#define PX_WORLD_ACTORS_REGION_H

#include "phyxel/world.h"
#include "shape/shape.h"

#include <math.h>

/// `body` of a region whose body was removed: no particle matches.
#define PX_REGION_NO_BODY UINT32_MAX

typedef struct PxRegion {
    PxShape *shape;
    PxBounds bounds;
    uint32_t body; ///< slot + 1 of the only body whose particles it acts on; 0: on any
} PxRegion;

/// Errors: those of px_shape_create(); PX_ERR_ARGUMENT for a body that does not exist.
PxStatus px_region_make(const PxWorld *world, const PxShapeDef *shape, PxBodyId body,
                        PxRegion *out);
void px_region_free(PxRegion *region);

/// Is a particle of that body, at x of the region's rest frame, in the region?
bool px_region_holds(const PxRegion *region, uint32_t body, PxVec3 x);

/// Refuses bodies that are not solid, nor cloth if that is allowed; the null id, which stands for
/// all solids, is allowed.
PxStatus px_region_wants_solid(const PxWorld *world, PxBodyId body, bool or_cloth);

/// Refuses an `end` that is not after `start` or, where `now` is later than 0, has passed.
PxStatus px_region_time_check(double start, double end, double now);

/// Which of the two comes next after `time`, s; INFINITY: both are over.
static inline double px_region_time_next(double start, double end, double time)
{
    return start > time ? start : end > time ? end : INFINITY;
}

#endif
