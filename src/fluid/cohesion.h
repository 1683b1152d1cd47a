/// The cohesion pass by instruction set; call px_fluid_cohesion().
#ifndef PX_FLUID_COHESION_H
#define PX_FLUID_COHESION_H

#include "fluid/fluid.h"

PX_ISA_DECLARE(void, px_cohesion_block, (void *fluid, uint32_t begin, uint32_t end, int thread));

#endif
