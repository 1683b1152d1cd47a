/// Gas inside closed cloth, within the solve of a step.
///
/// The gas is ideal and isothermal, and there is no pressure outside: p = c / V with c = p_0 V_0,
/// V_0 being the volume at the start and p_0 the `pressure` of the material. Its energy is
/// c ln(V_0 / V). The force on vertex i is p a_i, a_i = dV/dx_i.
///
/// A step is implicit in the pressure. Each round of the solve linearises it about the volume V*
/// that the last round ended with:
///     p = c / V* - (c / V*^2) (V(w) - V*),   V(w) = V + dt a w + q,
/// where w are the velocities, and q is what the last round's change of volume had beyond the
/// linear part dt a w. This adds dt^2 (c / V*^2) a a^T to the matrix, which is symmetric and
/// positive semi-definite. a is taken at the start of the step, where the forces p a_i have no sum
/// and no moment, so momentum is kept.
#ifndef PX_CLOTH_GAS_H
#define PX_CLOTH_GAS_H

#include "cloth/cloth.h"

/// The gas of one piece of cloth.
typedef struct PxClothGasPart {
    uint32_t cloth;
    uint32_t face[2];   ///< its triangles: first, and the one after the last
    uint32_t vertex[2]; ///< the same of its vertices
    double amount;      ///< c, J; negative if its triangles face inward, as its volumes
    double least;       ///< volume at which the tangent is taken at least, m^3, > 0
    double volume;      ///< at the start of the step, m^3, as if triangles faced outward
    double bend;        ///< q, m^3
    double at;          ///< V*, m^3
    double given;       ///< impulse per area that is in the right side, N s/m^2
    double stiff;       ///< dt^2 c / V*^2
    double sum;         ///< a z
} PxClothGasPart;

/// Some vertices of one part.
typedef struct PxClothGasBlock {
    uint32_t part, begin, end;
    double sum;
} PxClothGasBlock;

typedef struct PxClothGas {
    PxClothGasPart *part;
    uint32_t parts;
    PxClothGasBlock *block;
    uint32_t blocks;
    PxVec3 *area; ///< a, by vertex, m^2; outward
} PxClothGas;

/// Begins the gas of a step; step->gas is NULL if there is none. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_gas_begin(PxClothStep *step);
/// After px_cloth_assemble(), and in every round: takes the tangents at the present w and enters
/// them into the system. Is a pressure there another than that of the last solve?
bool px_cloth_gas_linearise(PxClothStep *step);
/// After another px_cloth_assemble(): nothing of the gas is in the right side.
void px_cloth_gas_forget(PxClothStep *step);
/// Sets the rows `more` of the solve to what gas adds to the product of the matrix with z.
void px_cloth_gas_product(PxClothStep *step);
/// Energy of all gas at the end of the motion w, J.
double px_cloth_gas_energy_then(const PxClothStep *step);
/// Energy of the gas in a piece of cloth whose vertices are at x (by vertex of the system), J;
/// 0 without gas.
double px_cloth_gas_energy(const PxClothSystem *system, const PxClothLaw *law, uint32_t cloth,
                           const PxVec3 *x);

#endif
