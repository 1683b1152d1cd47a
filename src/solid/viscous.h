/// Viscous passes of solids for each instruction set; call px_solid_viscosity() of solid.h.
#ifndef PX_SOLID_VISCOUS_H
#define PX_SOLID_VISCOUS_H

#include "solid/solid.h"

typedef struct PxViscousPass {
    PxSolid *solid;
    float *quad; ///< velocity, m/s, 4 a row; the fourth is the fit-residual damping, N s/m
    float *most; ///< bound on eta V tr(J^T J) of a row, Pa s m^3: more is unstable
    float dt;    ///< of one explicit pass, s
} PxViscousPass;

PX_ISA_DECLARE(void, px_viscous_stress, (void *user, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_viscous_force, (void *user, uint32_t begin, uint32_t end, int thread));

#endif
