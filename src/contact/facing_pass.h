/// Input of the vector loop of facing.c.
#ifndef PX_CONTACT_FACING_PASS_H
#define PX_CONTACT_FACING_PASS_H

#include "base/simd.h"

/// Points in order of their cells.
typedef struct PxFacingPoints {
    const float *x, *y, *z;
    const float *reach; ///< two points face each other if they are nearer than the sum
} PxFacingPoints;

/// Writes the numbers of the points [begin, end) that are within reach of point k of `own` to `out`
/// in ascending order; returns their number. Reads up to 7 points more.
PX_ISA_DECLARE(uint32_t, px_facing_list,
               (const PxFacingPoints *own, uint32_t k, const PxFacingPoints *to, uint32_t begin,
                uint32_t end, uint32_t *out));

/// Only counts them, and adds to *close how many are so by more than `less`.
PX_ISA_DECLARE(uint32_t, px_facing_count,
               (const PxFacingPoints *own, uint32_t k, const PxFacingPoints *to, uint32_t begin,
                uint32_t end, float less, uint32_t *close));

#endif
