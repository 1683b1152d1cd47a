/// What vertices take over from the particles around: velocity, temperature, colour, anything.
#ifndef PX_SURFACE_VERTEX_COLUMNS_H
#define PX_SURFACE_VERTEX_COLUMNS_H

#include "surface/potential.h"

typedef struct PxCarry {
    const PxPotential *field;
    const float (*place)[3]; ///< m
    float *const *from;      ///< columns in the order of field->from_grid, 8 readable floats behind
    float *const *to;
    uint32_t columns;
} PxCarry;

/// to[c][v] = the mean of from[c] over the particles around place v, the nearest counting most.
PX_ISA_DECLARE(void, px_carry_block, (void *carry, uint32_t begin, uint32_t end, int thread));

/// Carries columns of the caller's rows to places. `to` are arrays of malloc(), made here.
/// Errors: PX_ERR_MEMORY.
PxStatus px_carry(const PxPotential *field, const float *const *column, uint32_t columns,
                  const float (*place)[3], uint32_t places, float **to);

#endif
