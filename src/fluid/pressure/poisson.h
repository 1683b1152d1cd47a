/// The pressure equation that the implicit models share, matrix-free.
///
/// With rho_i = s^3 sum_j W_ij + wall_i, the density in units of the rest density, and
/// P = p V^2, pressure accelerates by
///   a_i = - (sum_j (P_i + P_j) grad W_ij + P_i grad wall_i / s^3) / m_i
/// and velocities u change the density at the rate
///   D_i(u) = s^3 sum_j (u_i - u_j) . grad W_ij + (u_i - u_wall) . grad wall_i.
/// Wanted is P >= 0 such that rho + dt D(u + dt a(P)) = 1, or less than it where P = 0.
///
/// D is - s^3 M times the transpose of a, so - D(a(.)) is symmetric and positive. It is
/// solved by a scaled iteration with P cut off at 0, sped up by Chebyshev's weights.
///
/// What it is scaled by decides whether it converges. The relaxed Jacobi iteration that
/// is usual here (Ihmsen et al. 2014; Bender and Koschier 2015) takes the diagonal; but
/// where particles crowd, an eigenvalue then exceeds 4, the iteration with relaxation 1/2
/// grows instead of shrinking, and with the next step beginning from its result it ends
/// in an explosion (seen in the dam break at the impact). The sum of the sizes of a row,
///   |S_i| t_i / m_i + sum_j |grad W_ij| t_j / m_j,   t_i = |S_i| + sum_j |grad W_ij|,
/// S_i = sum_j grad W_ij + grad wall_i / s^3, bounds the eigenvalues wherever particles are
/// (Gershgorin); a fixed part of it does in practice. Conjugate gradients, which need no such
/// bound, were tried and shoot single drops: their step is one for all, and they stop
/// when the mean error is small.
#ifndef PX_FLUID_PRESSURE_POISSON_H
#define PX_FLUID_PRESSURE_POISSON_H

#include "fluid/pressure/coarse.h"

typedef struct PxPoisson {
    PxFluid *fluid;
    float *slope;        ///< (dW/dr) / r of every entry of the neighbour lists
    float *scale;        ///< diagonal, then what P is scaled by; 0 when lonely
    float *own, *reach;  ///< |S| and t / m, while the scale is found
    float *stiff;        ///< t of coarse.h
    float *bx, *by, *bz; ///< B of coarse.h, while its matrix is made
    float *pressure;     ///< P
    float *before;       ///< P of the iteration before
    float *start;        ///< what counts of the density at the start, less 1
    float *rate;         ///< what is over
    float *correction;   ///< from the coarse grid
    uint8_t *role;       ///< in the coarse correction
    float *velocity;     ///< quads with the weight, before the records are there
    float *record;       ///< positions and velocities packed for neighbours, 8 floats each
    PxCoarse coarse;
    double dt;
    double unit;    ///< s^4: sizes of gradients are counted in 1 / unit, lest squares overflow
    double mass;    ///< kg, what masses are counted in for the same reason
    double squares; ///< sum of |grad W|^2 in a full neighbourhood
    bool uniform;   ///< P is scaled by the lattice's diagonal where the particle's own is smaller
    bool first;     ///< no pass over velocities has been done yet
} PxPoisson;

/// How a solve went.
typedef struct PxPoissonResult {
    uint32_t iterations;
    double error;   ///< mean compression left, in units of the rest density
    double closing; ///< mean compression that the velocities left would add in another step
    bool converged;
} PxPoissonResult;

/// What is solved, when a solve may stop, and how it goes about it.
typedef struct PxPoissonOptions {
    bool forces;        ///< velocities with the forces so far; otherwise those of the start
    double part;        ///< of the compression that is there, to be undone in this step
    double most_undone; ///< and no more than this, in units of the rest density
    double error;       ///< mean compression to stop at, in units of the rest density
    uint32_t least;     ///< iterations at least
    uint32_t most;      ///< and at most
    bool coarse;        ///< with the coarse grid
    bool plain;         ///< without Chebyshev's weights
} PxPoissonOptions;

/// Takes its arrays from the fluid's scratch; computes slopes and coarse grid, and adds
/// artificial viscosity to the accelerations. `weight` is V sqrt(rho alpha c).
PX_ISA_DECLARE(PxStatus, px_poisson_begin,
               (PxPoisson * poisson, PxFluid *fluid, const float *weight, double dt, bool coarse,
                bool uniform));

/// Improves poisson->pressure (a good guess or 0) until the mean of what would be compressed
/// at the end of the step is below the error. Leaves the velocities with it in
/// poisson->record.
PX_ISA_DECLARE(PxPoissonResult, px_poisson_solve, (PxPoisson * poisson, PxPoissonOptions options));

#endif
