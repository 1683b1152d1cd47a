/// Exchange of forces between flowing and elastic matter in a step: one momentum equation for
/// elastic, viscous and pressure stress (000 Eq. 6.6).
///
///   all rows        -> density, viscosity, tension, pressure      (once a step)
///   elastic rows    <- their accelerations, as a load             px_exchange_load()
///   elastic rows    -> elastic sub-steps within the step (000 Figure 6.2)
///
/// The compression of a solid by its own rest neighbours is left to elasticity; the pressure solve
/// ignores it.
#ifndef PX_COUPLING_EXCHANGE_H
#define PX_COUPLING_EXCHANGE_H

#include "coupling/elastic_set.h"
#include "fluid/fluid.h"

/// Call after px_fluid_boundaries(). Fills fluid->solid_fraction, the solid fraction of elastic
/// rows; scales the wall arrays of solids by 1 - that, because solids have contact with walls
/// instead of their pressure; and makes rows held by handles immovable.
PxStatus px_exchange_begin(const PxCoupling *c, const PxFractions *fractions, PxFluid *fluid);

/// Call after the neighbour search. Removes coarse particles from the fluids' neighbour lists, if
/// particles differ in size. They lie inside octree bodies, deeper than the kernel's support, below
/// a layer of particles of the fluid's size; bonds connect them to it.
PxStatus px_exchange_isolate(const PxCoupling *c, PxPairs *pairs);

/// Call before the stages of fluids. Removes the pairs of particles of different solids from the
/// neighbour lists, and those of distant parts of one solid that touches itself: solids touch by
/// contact (contact/solid_solids.h) instead of pressure and viscosity. px_pairs_unite() puts the
/// pairs back, since heat flows between them.
PxStatus px_exchange_part(const PxCoupling *c, const PxFractions *fractions, PxPairs *pairs,
                          PxPairsParted *out);

/// Is there an elastic material that touches itself?
bool px_exchange_self_contact(const PxCoupling *c);

/// By row of the set: does the particle touch other solids by contact? Errors: PX_ERR_MEMORY.
PxStatus px_exchange_contact_rows(const PxElasticSet *set, const PxCoupling *c,
                                  const PxFractions *fractions, uint8_t **out);

/// Call after px_fluid_density(). If particles differ in size, computes the density of octree
/// particles as if coarse cells were filled with particles of the fluid's size.
void px_exchange_density(PxElasticSet *set, const PxCoupling *c, PxFluid *fluid);

/// Call before the pressure solve. Fills fluid->own_compression, the compression of each elastic
/// particle by its own rest neighbours.
PxStatus px_exchange_own_density(PxElasticSet *set, const PxCoupling *c, PxFluid *fluid);

/// Call before the viscous solve, or before the pressure solve if the fluid is too viscous for the
/// step (px_fluid_is_stiff()): adds the reaction of solids to the accelerations.
void px_exchange_push(const PxCoupling *c, const PxFluid *fluid);

/// Call after the last solve of the fluids: takes the reaction of solids off the accelerations.
void px_exchange_end(const PxCoupling *c, const PxFluid *fluid);

/// Applies the accelerations that the fluid stages computed to the opened set, partly as constant
/// load and partly as impulse (see exchange.c). `fluid` is NULL when nothing flows; then only
/// gravity acts. Errors: PX_ERR_MEMORY.
PxStatus px_exchange_load(const PxElasticSet *set, const PxFluid *fluid, double dt, PxSolid *solid);

/// Call after px_solid_end(), with the solid of px_exchange_load(). Updates the low-pass filtered
/// reaction of elastic matter to its loads, which takes part in the next step's solves.
void px_exchange_react(const PxElasticSet *set, const PxSolid *solid);

#endif
