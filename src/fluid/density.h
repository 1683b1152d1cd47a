/// The density pass by instruction set; call px_fluid_density().
#ifndef PX_FLUID_DENSITY_H
#define PX_FLUID_DENSITY_H

#include "fluid/fluid.h"

PX_ISA_DECLARE(void, px_density_block, (void *fluid, uint32_t begin, uint32_t end, int thread));

#endif
