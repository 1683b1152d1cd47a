/// Strain and stress of a solid's particles, for people who look at them.
#ifndef PX_SOLID_STRESS_H
#define PX_SOLID_STRESS_H

#include "solid/solid.h"

/// After px_solid_forces(): Green's strain of a row in the axes of its rest shape, plastic strain
/// included, and the Cauchy stress in the axes of the world, Pa, tension positive. Viscous stress
/// is not part of it.
void px_solid_stress(const PxSolid *solid, uint32_t row, PxMat3 *strain, PxMat3 *stress);

/// The von Mises stress of a stress tensor, Pa.
double px_stress_von_mises(PxMat3 stress);

#endif
