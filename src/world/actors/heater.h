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

/// When heaters next begin or end after `time`, s; INFINITY: never.
double px_heaters_next(const PxWorld *world, double time);

/// Gives power for the step's length, and sets what is held at a temperature to it: those
/// rows are marked in `held`, one byte a particle; NULL when px_heaters_hold() says that none are.
void px_heaters_give(PxWorld *world, uint8_t *held);

/// Is there a heater that holds what is in it at a temperature?
bool px_heaters_hold(const PxWorld *world);

/// Draws what is in them towards their temperatures, those that do it in their own time.
void px_heaters_draw(PxWorld *world);

#endif
