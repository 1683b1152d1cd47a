/// Solids among fluids: what of a solid's density is its own.
#ifndef PX_CONTACT_SOLID_FLUID_H
#define PX_CONTACT_SOLID_FLUID_H

#include "fluid/fluid.h"
#include "solid/solid.h"

/// Fills fluid->own where fluid->firm is: how far above the rest density the neighbours of a
/// particle's own rest shape alone will bring it by the end of the step, by the velocities
/// and accelerations of now. That compression is what elasticity acts against; all that comes on
/// top of it is others', and pressure acts against that. `row` are the fluid's rows of the
/// solid's.
/// `fill` (NULL: nothing), by row of the fluid, is what coarse particles add to that sum; they have
/// no part in it themselves.
PxStatus px_solid_fluid_own(PxFluid *fluid, const PxSolid *solid, const uint32_t *row,
                            const float *fill);

#endif
