/// The boundaries of a world within the step: their list, motion, and speed limits.
#ifndef PX_WORLD_BOUNDARY_STAGE_H
#define PX_WORLD_BOUNDARY_STAGE_H

#include "world/world_parts.h"

/// Fills world->boundaries with all present boundaries. Errors: PX_ERR_MEMORY.
PxStatus px_boundaries_list(PxWorld *world);

/// Clears the impulses on all boundaries and fixes their motion during a step of world->dt.
void px_boundaries_begin(PxWorld *world);

/// Adds up the impulses that the ranks' particles gave. Called once, at the end of a step.
void px_boundaries_end(PxWorld *world);

/// Largest speed that any boundary reaches at any time, m/s.
double px_boundaries_speed(const PxWorld *world);

/// Longest step, at most `limit`, s, in which no boundary travels further than `most`, m.
double px_boundaries_limit(const PxWorld *world, double most, double limit);

#endif
