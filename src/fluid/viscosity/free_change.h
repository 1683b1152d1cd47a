/// Velocity changes of freely moving matter without net momentum.
#ifndef PX_FLUID_VISCOSITY_FREE_CHANGE_H
#define PX_FLUID_VISCOSITY_FREE_CHANGE_H

#include "fluid/fluid.h"

/// Viscous forces within matter that touches no wall change neither its linear nor its angular
/// momentum. Subtracts rigid motions from the velocity change `x` (quads) so that this holds for
/// each connected set of particles of which none is `tied`. `tied`, by row: 1 beside a wall. Rows
/// with mu = 0 are left alone. Errors: PX_ERR_MEMORY.
PxStatus px_viscosity_free_change(const PxFluid *fluid, const float *mu, const uint8_t *tied,
                                  float *x);

#endif
