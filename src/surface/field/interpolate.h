/// What vertices take over from the particles around: velocity, temperature, colour, anything.
#ifndef PX_SURFACE_FIELD_INTERPOLATE_H
#define PX_SURFACE_FIELD_INTERPOLATE_H

#include "surface/field/potential.h"

typedef struct PxInterpolation {
    const PxPotential *field;
    const float (*place)[3]; ///< m
    float *const *from;      ///< columns in the order of field->from_grid, 8 readable floats behind
    float *const *to;
    uint32_t columns;
} PxInterpolation;

/// to[c][v] = the mean of from[c] over the particles around place v, the nearest counting most.
PX_ISA_DECLARE(void, px_interpolate_block, (void *carry, uint32_t begin, uint32_t end, int thread));

/// Carries columns of the caller's rows to places. `to` are arrays of malloc(), made here.
/// Errors: PX_ERR_MEMORY.
PxStatus px_interpolate(const PxPotential *field, const float *const *column, uint32_t columns,
                        const float (*place)[3], uint32_t places, float **to);

#endif
