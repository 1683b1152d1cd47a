/// Solids among fluids: the part of a solid particle's density due to its own body.
#ifndef PX_CONTACT_SOLID_FLUID_H
#define PX_CONTACT_SOLID_FLUID_H

#include "fluid/fluid.h"
#include "solid/solid.h"

/// Sets fluid->own_compression of elastic particles (fluid->solid_fraction): the compression above
/// the rest density that the neighbours in the particle's own rest shape alone cause at the end of
/// the step, predicted with the current velocities and accelerations. Elastic forces act against
/// that compression; pressure acts against the rest of it, which is due to other matter. row[i] is
/// the fluid's row of solid row i, or PX_ELSEWHERE. `fill`, by row of the fluid, is added to the
/// sum for coarse octree particles, which do not enter it themselves; NULL: none.
PxStatus px_solid_fluid_own(PxFluid *fluid, const PxSolid *solid, const uint32_t *row,
                            const float *fill);

#endif
