/// What particles of solids carry beside the usual columns. A world without solids does not
/// have these.
#ifndef PX_SOLID_SOLID_COLUMNS_H
#define PX_SOLID_SOLID_COLUMNS_H

#include "base/table.h"

/// The pointers are good until rows are sorted, appended or deleted.
typedef struct PxSolidColumns {
    float *rest[3];    ///< place in the rest shape, m, from the body's own origin
    float *volume;     ///< at rest, m^3
    float *support;    ///< radius of its neighbourhood in the rest shape, m
    float *bulk;       ///< part of its volume that it had room for when the rest shape was made
    float *plastic[6]; ///< strain that stays: xx, yy, zz, xy, yz, zx
    uint32_t *handle;  ///< slot + 1 of the handle that holds it; 0: free
    float *hold[3];    ///< where it was when the handle took it, in the handle's rest frame, m
} PxSolidColumns;

/// Adds the columns if they are not there yet.
PxStatus px_solid_columns_add(PxTable *particles);

/// False when the table has none.
bool px_solid_columns(const PxTable *particles, PxSolidColumns *out);

#endif
