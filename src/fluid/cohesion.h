/// The cohesion pass by instruction set; call px_fluid_cohesion().
#ifndef PX_FLUID_COHESION_H
#define PX_FLUID_COHESION_H

#include "fluid/fluid.h"

PX_ISA_DECLARE(void, px_cohesion_block, (void *fluid, uint32_t begin, uint32_t end, int thread));

/// The same for one material in worlds with melting: the fourth component of a quad is the
/// cohesion of the particle, Pa, and -1 for other materials. A pair uses the mean of the two.
typedef struct PxCohesionJob {
    const PxFluid *fluid;
    uint32_t slot;
} PxCohesionJob;
PX_ISA_DECLARE(void, px_cohesion_molten_block,
               (void *job, uint32_t begin, uint32_t end, int thread));

#endif
