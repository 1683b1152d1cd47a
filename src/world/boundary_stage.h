/// The boundaries of a world within the step: which there are, and the forces on them.
#ifndef PX_WORLD_BOUNDARY_STAGE_H
#define PX_WORLD_BOUNDARY_STAGE_H

#include "world/world_parts.h"

/// Lists the boundaries there are now. Errors: PX_ERR_MEMORY.
PxStatus px_boundaries_list(PxWorld *world);

/// Their configurations in the step of world->dt from now on.
void px_boundaries_begin(PxWorld *world);

/// Fastest that any of them ever moves, m/s.
double px_boundaries_speed(const PxWorld *world);

/// The longest step <= limit, s, in which none of them travels further than `most`, m.
double px_boundaries_limit(const PxWorld *world, double most, double limit);

#endif
