/// Strain and stress of a solid's particles for output and fracture.
#ifndef PX_SOLID_STRESS_H
#define PX_SOLID_STRESS_H

#include "solid/solid.h"

/// Total Green's strain of a row (elastic and plastic) in the axes of its rest shape, and its
/// elastic Cauchy stress in world axes, Pa, tension positive, without viscous stress. Call after
/// px_solid_forces().
void px_solid_stress(const PxSolid *solid, uint32_t row, PxMat3 *strain, PxMat3 *stress);

/// The same with the stress in the axes of the row's frame.
void px_solid_stress_in_frame(const PxSolid *solid, uint32_t row, PxMat3 *strain, PxMat3 *stress);

/// Energy of the elastic strain of a row, J, without the volume term and the fit residual, and that
/// strain, in the axes of the rest shape.
double px_solid_strain_energy(const PxSolid *solid, uint32_t row, PxMat3 *elastic);

/// The von Mises stress of a stress tensor, Pa.
double px_stress_von_mises(PxMat3 stress);

#endif
