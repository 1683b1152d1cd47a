#include "thermal/heat_columns.h"

static float *floats(const PxTable *particles, const char *name)
{
    const PxColumn *column = px_table_find(particles, name);
    return column != NULL ? column->data[0] : NULL;
}

static PxStatus add(PxTable *particles, const char *name, const char *unit, uint32_t flags)
{
    if (px_table_find(particles, name) != NULL)
        return PX_OK;
    return px_table_add(particles, name, unit, PX_F32, 1, flags, NULL);
}

PxStatus px_heat_columns_add(PxTable *particles)
{
    return add(particles, "temperature_low", "degrees C", PX_COLUMN_STATE);
}

float *px_heat_low(const PxTable *particles)
{
    return floats(particles, "temperature_low");
}

PxStatus px_melt_columns_add(PxTable *particles)
{
    return add(particles, "melted", "", PX_COLUMN_WORK | PX_COLUMN_FRAME);
}

float *px_melt_column(const PxTable *particles)
{
    return floats(particles, "melted");
}
