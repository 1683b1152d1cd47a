/// Heaters: regions in which matter is warmed or cooled.
#ifndef PX_WORLD_ACTORS_HEATER_H
#define PX_WORLD_ACTORS_HEATER_H

#include "base/slot.h"
#include "world/actors/region.h"

typedef struct PxHeater {
    PX_SLOT_MEMBERS;
    PxHeaterDef def; ///< its `name` points at the array above, its mesh is NULL
    PxTemperatureKey *key;
    PxRegion region;
} PxHeater;

/// Completes a new heater (world/kinds/kind.h).
PxStatus px_heater_make(PxWorld *world, const void *def, void *heater);

/// Adds the heat of one step, and sets prescribed temperatures: those rows are marked in `held`,
/// one byte per particle; NULL if px_heaters_hold() is false.
void px_heaters_give(PxWorld *world, uint8_t *held);

/// Is there a heater that prescribes the temperature in its region?
bool px_heaters_hold(const PxWorld *world);

/// Adds the heat that held rows gave in this step, J by row, to the measurements of the heaters
/// that hold them (world/actors/gauge.h).
void px_heaters_share(PxWorld *world, const double *given);

/// Relaxes temperatures towards those of heaters with a time constant.
void px_heaters_draw(PxWorld *world);

#endif
