/// Particle columns of solids. Worlds without solids do not have them.
#ifndef PX_SOLID_SOLID_COLUMNS_H
#define PX_SOLID_SOLID_COLUMNS_H

#include "base/table.h"

/// The pointers are valid until rows are sorted, appended or deleted.
typedef struct PxSolidColumns {
    float *rest[3];    ///< rest position relative to the body's rest origin, m
    float *volume;     ///< rest volume, m^3
    float *support;    ///< kernel support in the rest shape, m
    float *bulk;       ///< volume in the present rest shape over rest volume (absorb.c,
                       ///< coupling/rest_strain.c)
    float *plastic[6]; ///< plastic strain: xx, yy, zz, xy, yz, zx
    uint32_t *handle;  ///< slot + 1 of the handle that holds it; 0: free
    float *hold[3];    ///< position when the handle took hold, in the handle's rest frame, m
    float *stuck[6];   ///< displacement along a contact that friction resists, in the frame of the
                       ///< rest shape, m: against other solids (3), and boundaries (friction.h)
    float *grip;       ///< leapfrog: speed that friction of boundaries may still stop, m/s
    float *owed[2];    ///< leapfrog: impulse of contacts with solids and with rigid bodies that
                       ///< friction has not followed yet, N s (solid/friction.h)
                       ///< (contact/solid_walls.c)
    float *last[3];    ///< implicit: acceleration of the last sub-step in the frame of the rest
                       ///< shape, m/s^2
} PxSolidColumns;

/// Adds those columns that the table lacks.
PxStatus px_solid_columns_add(PxTable *particles);

/// Finds the columns; false when the table lacks one.
bool px_solid_columns(const PxTable *particles, PxSolidColumns *out);

#endif
