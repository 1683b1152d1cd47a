/// The columns that heat adds to the particles.
#ifndef PX_THERMAL_HEAT_COLUMNS_H
#define PX_THERMAL_HEAT_COLUMNS_H

#include "base/table.h"

/// Adds the column temperature_low if it is missing: the rounding error of the float temperature,
/// kept so that slow warming is not lost.
PxStatus px_heat_columns_add(PxTable *particles);
/// NULL in worlds without heat.
float *px_heat_low(const PxTable *particles);

/// The same for the column `melted`, the molten fraction of each particle, in worlds with melting.
PxStatus px_melt_columns_add(PxTable *particles);
float *px_melt_column(const PxTable *particles);

#endif
