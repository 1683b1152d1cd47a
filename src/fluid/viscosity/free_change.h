/// Velocity changes of freely moving matter without net momentum.
#ifndef PX_FLUID_VISCOSITY_FREE_CHANGE_H
#define PX_FLUID_VISCOSITY_FREE_CHANGE_H

#include "fluid/fluid.h"

/// Connected sets of viscous particles, and whether something holds them. Arrays come from the
/// fluid's scratch.
typedef struct PxFreeSets {
    uint32_t *set; ///< by row: index of its set, + 1; 0: in none
    uint32_t sets;
    double *held; ///< by set: 1 if a wall touches it, else 0
    bool any;     ///< some set is free
} PxFreeSets;

/// `tied`, by row: 1 beside a wall. Rows with mu = 0 are in no set. Errors: PX_ERR_MEMORY.
PxStatus px_viscosity_free_sets(const PxFluid *fluid, const float *mu, const uint8_t *tied,
                                PxFreeSets *out);

/// Viscous forces within matter that touches no wall change neither its linear nor its angular
/// momentum. Subtracts rigid motions from the velocity change `x` (quads) so that this holds for
/// each free set. Errors: PX_ERR_MEMORY.
PxStatus px_viscosity_free_change(const PxFluid *fluid, const PxFreeSets *free, float *x);

#endif
