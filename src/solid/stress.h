/// Strain and stress of a solid's particles for output.
#ifndef PX_SOLID_STRESS_H
#define PX_SOLID_STRESS_H

#include "solid/solid.h"

/// Total Green's strain of a row (elastic and plastic) in the axes of its rest shape, and its
/// elastic Cauchy stress in world axes, Pa, tension positive, without viscous stress. Call after
/// px_solid_forces().
void px_solid_stress(const PxSolid *solid, uint32_t row, PxMat3 *strain, PxMat3 *stress);

/// The von Mises stress of a stress tensor, Pa.
double px_stress_von_mises(PxMat3 stress);

#endif
