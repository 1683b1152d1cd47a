/// Sums of the energy balance over rows, with vectors.
#ifndef PX_WORLD_ENERGY_ROWS_H
#define PX_WORLD_ENERGY_ROWS_H

#include "base/simd.h"
#include "world/energy.h"

/* Sums of the pass: energy before and after, change of kinetic energy, work of gravity beyond the
 * potential energy that it takes, of shifts, of moving walls, of what holds rows, then one per
 * mark and one for what followed the last mark. */
enum {
    PX_SUM_BEFORE,
    PX_SUM_AFTER,
    PX_SUM_CHANGE,
    PX_SUM_GRAVITY,
    PX_SUM_SHIFTS,
    PX_SUM_WALLS,
    PX_SUM_HELD,
    PX_SUM_STAGES
};

/// Kinetic and potential energy of rows [begin, end), J, from terms rounded by px_sum_round().
PX_ISA_DECLARE(double, px_energy_kinetic,
               (const PxParticles *p, double magic, uint32_t begin, uint32_t end));
PX_ISA_DECLARE(double, px_energy_potential,
               (const PxParticles *p, PxVec3 gravity, double magic, uint32_t begin, uint32_t end));

/// Adds to the sums of the pass, before and after rows are moved.
PX_ISA_DECLARE(void, px_energy_before,
               (const PxEnergy *energy, const PxFluid *fluid, uint32_t begin, uint32_t end,
                double *sum));
PX_ISA_DECLARE(void, px_energy_after,
               (const PxEnergy *energy, const PxFluid *fluid, uint32_t begin, uint32_t end,
                double *sum));

#endif
