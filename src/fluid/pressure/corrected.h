/// Divergence and pressure force that are exact for linear fields.
///
/// With the moment of the neighbourhood and its inverse
///   M_i = - s^3 sum_j x_ij grad W_ij^T + lever_i n n^T,   L_i = M_i^-1
/// (Bonet and Lok 1999; the wall's share follows from flow along a wall with normal n), the
/// rate of compression
///   D_i(u) = s^3 sum_j (u_i - u_j) . L_i grad W_ij + k_i (u_i - u_wall) . grad wall_i,
///   k_i = n . L_i n
/// is minus the divergence of any linear velocity field. The pressure force is its transpose,
///   a_i = - (sum_j (P_i L_i + P_j L_j) grad W_ij + P_i k_i grad wall_i / s^3) / m_i,
/// so pressure does work on compression only. D is 0 for translations and rotations: pressure keeps
/// linear and angular momentum.
///
/// The sum without L counts shear as compression as soon as the neighbourhood is not isotropic. The
/// density then rises where a lattice is sheared, and a fluid under pressure resists like a solid
/// that yields (docs/decisions.md).
///
/// Where M cannot be inverted safely, at free surfaces, L is 1.
#ifndef PX_FLUID_PRESSURE_CORRECTED_H
#define PX_FLUID_PRESSURE_CORRECTED_H

#include "fluid/fluid.h"

typedef struct PxCorrected {
    const PxFluid *fluid;
    const float *slope; ///< (dW/dr) / r of every entry of the neighbour lists
    float *turn;        ///< 8 per row: xx, xy, xz, yy, yz, zz of L, then k, then 1 if inside
    float *sum;         ///< 4 per row: sum_j L_i grad W_ij + k_i grad wall_i / s^3
    float *six[2];   ///< quads of a symmetric matrix, xx, xy, xz, yy and yz, zz: half the rate of
                     ///< strain for px_corrected_damp(), with xy = du/dy + dv/dx; then P L
    float *velocity; ///< quads of velocities
    float *gradient; ///< 9 per row: du_a / dx_b, from neighbours alone; NULL: not wanted
} PxCorrected;

/// Computes L and k of every row, and the velocity gradients if they are wanted.
PX_ISA_DECLARE(PxStatus, px_corrected_begin,
               (PxCorrected * corrected, const PxFluid *fluid, const float *slope, bool gradient));

/// Artificial viscosity between neighbours, on the part of their relative velocity that a linear
/// field does not explain: noise is damped, shear and rotation are not (linear reconstruction, as
/// in Frontiere, Raskin and Owen 2017). `weight` is V sqrt(rho alpha c). Runs before the passes.
PX_ISA_DECLARE(void, px_corrected_damp, (const PxCorrected *corrected, const float *weight));

/// Diagonal and sum of the absolute values of every row of the matrix, in the units of poisson.h.
/// The fluid's quads hold relative inverse masses before; `reach` is scratch.
PX_ISA_DECLARE(void, px_corrected_bounds,
               (const PxCorrected *corrected, double unit, double mass, float *diagonal,
                float *reach, float *row));

/// dt a(P), plus `base` times (v + dt a so far), for every row; P is in the fluid's quads. Written
/// to `out`, `stride` floats apart.
PX_ISA_DECLARE(void, px_corrected_velocities,
               (const PxCorrected *corrected, double dt, float base, float *out, size_t stride));

/// dt D of the velocities computed last; without the walls' own velocities if `walls` is false.
PX_ISA_DECLARE(void, px_corrected_rates,
               (const PxCorrected *corrected, double dt, bool walls, float *rate));

#endif
