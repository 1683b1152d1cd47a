/// Energy that a step of cloth has gained without cause: the sign of a step that went wrong.
///
/// A step of implicit Euler loses energy, but for what walls, handles, bodies, fluids and fields do
/// to the cloth. It gains some only if it is not solved: rounds of contacts or of Newton's method
/// that ended too early, or places that were moved out of boundaries after the solve.
#ifndef PX_CLOTH_GAIN_H
#define PX_CLOTH_GAIN_H

#include "cloth/cloth.h"

typedef struct PxClothGain {
    double whole;  ///< kinetic and membrane energy at the start, and what passes to others, J
    double gained; ///< growth of the energy of cloth and bodies beyond the work of all else, J
} PxClothGain;

/// Of a step that ends at the places `at` with the velocities `velocity`; `walls` is the work of
/// walls that move. Kinetic, membrane, potential and gas energies count, not that of bending and
/// the work of wind. Particles of solids are left out. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_gain(const PxClothStep *step, const PxVec3 *at, const PxVec3 *velocity,
                       double walls, PxClothGain *out);

/// Energy of bending where forces were evaluated last, J.
double px_cloth_bend_energy(const PxClothStep *step);

#endif
