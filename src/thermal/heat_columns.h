/// The columns that heat adds to the particles.
#ifndef PX_THERMAL_HEAT_COLUMNS_H
#define PX_THERMAL_HEAT_COLUMNS_H

#include "base/table.h"

/// Adds the column temperature_low when it is missing: what a float of temperature cannot hold,
/// so that slow warming is not lost.
PxStatus px_heat_columns_add(PxTable *particles);
/// NULL in worlds without heat.
float *px_heat_low(const PxTable *particles);

/// The same of the column `melted`, the molten part of each particle, in worlds in which
/// something melts.
PxStatus px_melt_columns_add(PxTable *particles);
float *px_melt_column(const PxTable *particles);

#endif
