#include "solid/solid_columns.h"

typedef struct Extra {
    const char *name, *unit;
    PxType type;
    uint32_t components, flags;
} Extra;

enum { REST, VOLUME, SUPPORT, BULK, PLASTIC, HANDLE, HOLD, STUCK, GRIP, OWED, LAST, EXTRAS };

static const Extra extra[EXTRAS] = {
    [REST] = {"rest_position", "m", PX_F32, 3, PX_COLUMN_STATE},
    [VOLUME] = {"rest_volume", "m^3", PX_F32, 1, PX_COLUMN_STATE},
    [SUPPORT] = {"support", "m", PX_F32, 1, PX_COLUMN_STATE},
    [BULK] = {"rest_bulk", "", PX_F32, 1, PX_COLUMN_STATE},
    [PLASTIC] = {"plastic_strain", "", PX_F32, 6, PX_COLUMN_STATE | PX_COLUMN_FRAME},
    [HANDLE] = {"handle", "", PX_U32, 1, PX_COLUMN_STATE},
    [HOLD] = {"hold_position", "m", PX_F32, 3, PX_COLUMN_STATE},
    [STUCK] = {"stuck", "m", PX_F32, 6, PX_COLUMN_STATE},
    [GRIP] = {"wall_grip", "m/s", PX_F32, 1, PX_COLUMN_STATE},
    [OWED] = {"friction_owed", "N s", PX_F32, 2, PX_COLUMN_STATE},
    [LAST] = {"solid_acceleration", "m/s^2", PX_F32, 3, PX_COLUMN_STATE},
};

PxStatus px_solid_columns_add(PxTable *particles)
{
    for (int k = 0; k < EXTRAS; ++k) {
        const Extra *e = &extra[k];
        if (px_table_find(particles, e->name) == NULL)
            PX_TRY(
                px_table_add(particles, e->name, e->unit, e->type, e->components, e->flags, NULL));
    }
    return PX_OK;
}

bool px_solid_columns(const PxTable *particles, PxSolidColumns *out)
{
    const PxColumn *column[EXTRAS];
    for (int k = 0; k < EXTRAS; ++k) {
        column[k] = px_table_find(particles, extra[k].name);
        if (column[k] == NULL)
            return false;
    }
    out->volume = column[VOLUME]->data[0];
    out->support = column[SUPPORT]->data[0];
    out->bulk = column[BULK]->data[0];
    out->handle = column[HANDLE]->data[0];
    out->grip = column[GRIP]->data[0];
    for (int c = 0; c < 2; ++c)
        out->owed[c] = column[OWED]->data[c];
    for (int c = 0; c < 3; ++c) {
        out->rest[c] = column[REST]->data[c];
        out->hold[c] = column[HOLD]->data[c];
        out->last[c] = column[LAST]->data[c];
    }
    for (int c = 0; c < 6; ++c)
        out->plastic[c] = column[PLASTIC]->data[c];
    for (int c = 0; c < 6; ++c)
        out->stuck[c] = column[STUCK]->data[c];
    return true;
}
