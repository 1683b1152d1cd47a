/// Heat within the step: what warms matter, and the account of it.
#ifndef PX_WORLD_HEAT_H
#define PX_WORLD_HEAT_H

#include "fluid/fluid.h"
#include "phyxel/world.h"

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

/// Walls as warm as they are on average in the step that begins at `time`.
void px_world_warm_walls(PxWorld *world, double time, double dt);

/// Conduction for the step's length, and the account of what came in.
PxStatus px_world_heat_step(PxWorld *world, PxFluid *fluid);

/// Heat of all particles, J: against cold matter at 0 degrees C. 0 in worlds without heat.
double px_world_heat(PxWorld *world);

#endif
