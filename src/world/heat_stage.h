/// Heat within the step: what warms matter, and the account of it.
#ifndef PX_WORLD_HEAT_STAGE_H
#define PX_WORLD_HEAT_STAGE_H

#include "fluid/fluid.h"
#include "matter/wall.h"

/// W/(m^2 K): as good as perfect, and taken for it.
#define PX_CONTACT_PERFECT 1e12

/// Temperatures of a wall or heater: in order of time, within the range.
PxStatus px_temperatures_check(const PxTemperatureKey *key, size_t count);
/// *out is NULL when there are none; free() it. False when there is no room.
bool px_temperatures_copy(const PxTemperatureKey *key, size_t count, PxTemperatureKey **out);
/// The first before the first, the last after the last. `count` > 0.
double px_temperature_at(const PxTemperatureKey *key, size_t count, double time);

/// The wall's temperature and contact as the def has them.
void px_wall_warm(PxWall *wall, const PxBodyDef *def);

/// The columns that a world with that material needs. Errors: PX_ERR_MEMORY.
PxStatus px_world_heat_columns(PxWorld *world, const PxMaterialDef *def);

/// Before particles may be removed or added in a step, and at its end.
void px_world_heat_begin(PxWorld *world);
void px_world_heat_end(PxWorld *world);

/// Heaters, and conduction between the rows of the fluid, for the step's length.
PxStatus px_world_heat_step(PxWorld *world, PxFluid *fluid);

/// The account of heat: what there is more or less when px_world_heat_count() is called than when
/// px_world_heat_mark() was, came in from outside.
void px_world_heat_mark(PxWorld *world);
void px_world_heat_count(PxWorld *world);

/// The column `melted`, with rows [begin, end) made anew; NULL in worlds in which nothing melts.
const float *px_world_melt_rows(PxWorld *world, uint32_t begin, uint32_t end);

/// How much of every material is molten at least and at most.
void px_world_melt_range(PxWorld *world);

/// Heat of all particles, J: against cold matter at 0 degrees C. 0 in worlds without heat.
double px_world_heat(PxWorld *world);

#endif
