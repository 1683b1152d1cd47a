/// The conduction passes over pairs by instruction set; call px_heat_conduct().
#ifndef PX_THERMAL_FLOW_H
#define PX_THERMAL_FLOW_H

#include "thermal/heat.h"

/// A quad of `value` holds a value as the sum of two floats, then conductivity and volume of the
/// particle, scaled so that their products give G without the kernel's weight.
typedef struct PxHeatFlow {
    const PxFluid *fluid;
    float *value;
    float *pair;  ///< G_ij, W/K, one per entry of the neighbour lists
    double *away; ///< sum_j G_ij
    double *flow; ///< sum_j G_ij (value_j - value_i)
} PxHeatFlow;

/// Fills `pair` and `away`.
PX_ISA_DECLARE(void, px_heat_pairs_block, (void *flow, uint32_t begin, uint32_t end, int thread));
/// Fills `flow`.
PX_ISA_DECLARE(void, px_heat_flow_block, (void *flow, uint32_t begin, uint32_t end, int thread));

#endif
