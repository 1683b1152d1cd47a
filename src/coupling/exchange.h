/// What flowing and elastic matter do to each other in a step: one momentum equation for elastic,
/// viscous and pressure stress (000 Eq. 6.6).
///
///   all rows        -> density, viscosity, tension, pressure      (once a step)
///   elastic rows    <- their accelerations, as a load             px_exchange_load()
///   elastic rows    -> elastic sub-steps within the step (000 Figure 6.2)
///
/// Pressure leaves to elasticity what is its own: the compression of a solid by its own neighbours.
#ifndef PX_COUPLING_EXCHANGE_H
#define PX_COUPLING_EXCHANGE_H

#include "coupling/elastic_set.h"
#include "fluid/fluid.h"

/// When the walls' part of the fluid's arrays is known: fills fluid->firm (the solid fraction),
/// takes solids out of the walls' pressure (they meet walls by contact, with friction), and marks
/// rows that handles hold as immovable.
PxStatus px_exchange_begin(const PxCoupling *c, const PxFractions *fractions, PxFluid *fluid);

/// After the neighbour search, where particles differ in size: takes those larger than the spacing
/// out of the fluids' lists. They lie inside octree bodies, further from the surface than a
/// kernel reaches, behind a layer of particles as large as the fluid's; bonds hold them.
PxStatus px_exchange_isolate(const PxCoupling *c, PxPairs *pairs);

/// After density: where particles differ in size, octree particles get theirs, as if coarse cells
/// were filled with particles of the fluid's size.
void px_exchange_density(PxElasticSet *set, const PxCoupling *c, PxFluid *fluid);

/// Before pressure is solved for: fills fluid->own.
PxStatus px_exchange_own_density(PxElasticSet *set, const PxCoupling *c, PxFluid *fluid);

/// Hands the accelerations of the step to the opened set: see exchange.c. `fluid` is NULL when
/// nothing flows; gravity alone acts then.
void px_exchange_load(const PxElasticSet *set, const PxFluid *fluid, double dt, PxSolid *solid);

#endif
