/// Molten fraction of each particle.
#ifndef PX_THERMAL_MELT_FRACTIONS_H
#define PX_THERMAL_MELT_FRACTIONS_H

#include "dist/reduce.h"
#include "matter/material.h"
#include "matter/particles.h"

/// Fills rows [begin, end) of the column `melted`.
void px_melt_refresh(const PxParticles *particles, const PxMaterial *material, float *melted,
                     uint32_t begin, uint32_t end, const PxThreads *threads);

/// Sets the range `melted` of every material to that of its particles, {0, 0} without particles.
void px_melt_range(const PxParticles *particles, PxMaterial *material, uint32_t materials,
                   const PxRows *rows);

#endif
