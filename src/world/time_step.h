/// Choice of the time step.
#ifndef PX_WORLD_TIME_STEP_H
#define PX_WORLD_TIME_STEP_H

#include "world/world_parts.h"

/// Fills the speeds of `fluid` that limit the step.
void px_time_step_speeds(PxWorld *world, PxFluid *fluid);

/// Chooses world->dt: within every limit, and such that equal steps end exactly at `target`. *last:
/// this step ends there. Errors: PX_ERR_NUMERIC when dt would be below min_step.
PxStatus px_time_step_choose(PxWorld *world, const PxFluid *fluid, const PxPressureModel *model,
                             double target, bool *last);

#endif
