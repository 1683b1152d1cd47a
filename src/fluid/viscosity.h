/// The viscosity pass by instruction set; call px_fluid_viscosity().
#ifndef PX_FLUID_VISCOSITY_H
#define PX_FLUID_VISCOSITY_H

#include "fluid/fluid.h"

typedef struct PxViscosityJob {
    PxFluid *fluid;
    const float *weight; ///< V sqrt(mu)
} PxViscosityJob;

PX_ISA_DECLARE(void, px_viscosity_block, (void *job, uint32_t begin, uint32_t end, int thread));

#endif
