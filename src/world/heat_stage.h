/// The heat stage of a step: heaters, conduction, melting, and the heat balance.
#ifndef PX_WORLD_HEAT_STAGE_H
#define PX_WORLD_HEAT_STAGE_H

#include "fluid/fluid.h"
#include "matter/wall.h"

/// Contact conductance from which on contact counts as perfect, W/(m^2 K).
#define PX_CONTACT_PERFECT 1e12

/// Validates the temperature keys of a wall or heater: ascending in time, values within range.
PxStatus px_temperatures_check(const PxTemperatureKey *key, size_t count);
/// Copies keys; free() *out, which is NULL for count 0. False: out of memory.
bool px_temperatures_copy(const PxTemperatureKey *key, size_t count, PxTemperatureKey **out);
/// Temperature at a time; before the first key the first, after the last the last. `count` > 0.
double px_temperature_at(const PxTemperatureKey *key, size_t count, double time);

/// Sets the wall's temperature and contact conductance from the def.
void px_wall_warm(PxWall *wall, const PxBodyDef *def);

/// Adds the heat columns that a world with that material needs. Errors: PX_ERR_MEMORY.
PxStatus px_world_heat_columns(PxWorld *world, const PxMaterialDef *def);

/// Begin: sets wall temperatures; call before particles are added or removed in a step. End: counts
/// heat that came or went with particles, and updates `melted`.
void px_world_heat_begin(PxWorld *world);
void px_world_heat_end(PxWorld *world);

/// Applies heaters, and conduction between the rows of the fluid, over the step.
PxStatus px_world_heat_step(PxWorld *world, PxFluid *fluid);

/// Heat balance: the change of total heat from px_world_heat_mark() to px_world_heat_count() is
/// added to heat_in.
void px_world_heat_mark(PxWorld *world);
void px_world_heat_count(PxWorld *world);

/// Updates rows [begin, end) of the column `melted` and returns it; NULL if nothing melts.
const float *px_world_melt_rows(PxWorld *world, uint32_t begin, uint32_t end);

/// Finds the smallest and largest molten fraction of every material.
void px_world_melt_range(PxWorld *world);

/// Heat of all particles relative to unmolten matter at 0 degrees C, J. 0 in worlds without heat.
double px_world_heat(PxWorld *world);

#endif
