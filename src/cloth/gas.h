/// Gas inside closed cloth, within the solve of a step.
///
/// Gas that was put in at the starting volume V_0 with the excess pressure p_0 has p = c / V,
/// c = p_0 V_0, at the volume V, at constant temperature and without pressure outside. Its energy
/// is c ln(V_0 / V). With the gradient a of the volume by the places of the vertices, a vertex is
/// pushed by p a_i. The pressure of a step is that at its end: the tangent
///     p = c / V* - (c / V*^2) (V(w) - V*),   V(w) = V + dt a w + q
/// at the volume V* of the last round, q the part of the change of the volume that is not linear in
/// the motion, of the last round too. It adds dt^2 (c / V*^2) a a^T to the matrix of the step,
/// which is symmetric and positive. a is that of the start of the step: pressure has no moment and
/// no sum there, so momentum is kept.
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
