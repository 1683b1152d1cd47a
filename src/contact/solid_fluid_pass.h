/// Input of the vector loop of solid_fluid.c.
#ifndef PX_CONTACT_SOLID_FLUID_PASS_H
#define PX_CONTACT_SOLID_FLUID_PASS_H

#include "fluid/fluid.h"
#include "solid/solid.h"

typedef struct PxSolidFluidJob {
    PxFluid *fluid;
    const PxSolid *solid;
    const uint32_t *row;    ///< by row of the solid: row of the fluid
    const float *fill;      ///< as in px_solid_fluid_own()
    float *quad, *velocity; ///< by row of the solid: position, and velocity at the end of the step
} PxSolidFluidJob;

PX_ISA_DECLARE(void, px_solid_fluid_own_block,
               (void *user, uint32_t begin, uint32_t end, int thread));

#endif
