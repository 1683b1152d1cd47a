/// Interpolation of particle columns (velocity, temperature, colour, ...) at vertices and surfels.
#ifndef PX_SURFACE_FIELD_INTERPOLATE_H
#define PX_SURFACE_FIELD_INTERPOLATE_H

#include "surface/field/potential.h"

typedef struct PxInterpolation {
    const PxPotential *field;
    const float (*place)[3]; ///< m
    float *const *from;      ///< in the order of field->particle_grid, padded by 8 readable floats
    float *const *to;
    uint32_t columns;
} PxInterpolation;

/// to[c][v] = weighted mean of from[c] over the particles around place v (Shepard interpolation).
PX_ISA_DECLARE(void, px_interpolate_block, (void *job, uint32_t begin, uint32_t end, int thread));

/// Interpolates columns of the caller's rows at points. `to` are allocated here with malloc().
/// Errors: PX_ERR_MEMORY.
PxStatus px_interpolate(const PxPotential *field, const float *const *column, uint32_t columns,
                        const float (*place)[3], uint32_t places, float **to);

#endif
