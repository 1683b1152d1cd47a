/// Mean magnitude of the forces that one stage adds, over all particles.
#ifndef PX_FLUID_FORCE_SIZE_H
#define PX_FLUID_FORCE_SIZE_H

#include "fluid/fluid.h"

typedef struct PxForceSize {
    float *x, *y, *z; ///< acceleration before the stage, m/s^2
    float *size;      ///< |F| of each particle, N
} PxForceSize;

/// Copies the current accelerations into the step's scratch.
PxStatus px_force_size_begin(const PxFluid *fluid, PxForceSize *before);

/// Mean of |m (a - a_before)| over all ranks, N. Then copies a for the next stage.
double px_force_size(const PxFluid *fluid, PxForceSize *before);

#endif
