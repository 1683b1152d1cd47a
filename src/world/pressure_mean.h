/// Mean of each particle's pressure over an interval, and its standard deviation.
///
/// The pressure of a single step is no measurement: it depends on the length of the step, and the
/// implicit solves swing around the pressure that carries the weight. Frames store the mean over
/// the steps since the frame before, weighted by their lengths.
#ifndef PX_WORLD_PRESSURE_MEAN_H
#define PX_WORLD_PRESSURE_MEAN_H

#include "phyxel/world.h"

/// Adds the columns to a world in which particles of that material flow. Errors: PX_ERR_MEMORY.
PxStatus px_pressure_mean_columns(PxWorld *world, const PxMaterialDef *def);

/// Adds the pressures of a step of length world->dt. Allocates nothing.
void px_pressure_mean_add(PxWorld *world);

#endif
