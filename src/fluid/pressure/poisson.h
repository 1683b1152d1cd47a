/// The pressure equation that the implicit models share, matrix-free.
///
/// With rho_i = s^3 sum_j W_ij + wall_i, the density over the rest density, and
/// P = p V^2, pressure accelerates by
///   a_i = - (sum_j (P_i + P_j) grad W_ij + P_i grad wall_i / s^3) / m_i
/// and velocities u change the density at the rate
///   D_i(u) = s^3 sum_j (u_i - u_j) . grad W_ij + (u_i - u_wall) . grad wall_i.
/// The solution is P >= 0 with rho + dt D(u + dt a(P)) = 1 where P > 0, and <= 1 where P = 0.
///
/// D is - s^3 M times the transpose of a, so - D(a(.)) is symmetric and positive semi-definite.
/// It is solved by a Jacobi-like iteration with P clamped at 0 and Chebyshev acceleration.
///
/// The scaling decides whether the iteration converges. Relaxed Jacobi (Ihmsen et al. 2014;
/// Bender and Koschier 2015) scales by the diagonal; where particles crowd, as at the impact of
/// the dam break, an eigenvalue then exceeds 4 and the iteration with relaxation 1/2 diverges.
/// The sum of the absolute values of a row,
///   |S_i| t_i / m_i + sum_j |grad W_ij| t_j / m_j,   t_i = |S_i| + sum_j |grad W_ij|,
/// S_i = sum_j grad W_ij + grad wall_i / s^3, bounds the eigenvalues for any arrangement of
/// particles (Gershgorin); a fixed fraction of it is enough in practice. t_j is taken as t_i, which
/// saves a pass over the pairs. Conjugate gradients need
/// no bound, but stopped at a small mean residual they leave large errors at single particles,
/// which then shoot off.
#ifndef PX_FLUID_PRESSURE_POISSON_H
#define PX_FLUID_PRESSURE_POISSON_H

#include "fluid/pressure/coarse.h"
#include "fluid/pressure/corrected.h"

/// Scaling of the residual in an iteration.
typedef enum PxScaling {
    PX_SCALE_BOUND,    ///< by a bound of the largest eigenvalue, as above
    PX_SCALE_UNIFORM,  ///< the same, at least that of a lattice
    PX_SCALE_LATTICE,  ///< by that of a particle in a full lattice (Solenthaler, Pajarola 2009)
    PX_SCALE_DIAGONAL, ///< by the diagonal: Jacobi (Ihmsen et al. 2014; Bender, Koschier 2015)
} PxScaling;

typedef struct PxPoisson {
    PxFluid *fluid;
    float *slope;        ///< (dW/dr) / r of every entry of the neighbour lists
    float *scale;        ///< scaling of the residual; 0 for isolated particles
    float *stiff;        ///< t of coarse.h
    float *yields;       ///< bound of what boundaries that yield add to a row; NULL: none
    float *bx, *by, *bz; ///< B of coarse.h, while its matrix is assembled
    float *pressure;     ///< P
    float *before;       ///< P of the iteration before
    float *start;        ///< density at the start as the solve counts it, less 1
    float *rate;         ///< density residual
    float *correction;   ///< from the coarse grid
    uint8_t *role;       ///< in the coarse correction
    float *velocity;     ///< quads of velocity and weight, until the records are packed
    float *record;       ///< positions and velocities packed for neighbours, 8 floats each
    float *predicted;    ///< quads of the positions at the end of the step; NULL: not needed
    PxCoarse coarse;
    const PxCorrected *corrected; ///< its force and rate replace the plain ones; may be NULL
    double dt;
    double unit;    ///< s^4: gradients are stored in units of 1 / unit, so squares do not overflow
    double mass;    ///< kg, unit of masses, for the same reason
    double squares; ///< sum of |grad W|^2 in a full neighbourhood
    PxScaling scaling;
} PxPoisson;

/// Outcome of a solve.
typedef struct PxPoissonResult {
    uint32_t iterations;
    double error;   ///< residual: mean or largest compression, in units of the rest density
    double closing; ///< mean compression that the resulting velocities would add in another step
    bool converged;
} PxPoissonResult;

/// Target, stopping criterion and method of a solve.
typedef struct PxPoissonOptions {
    bool forces;        ///< velocities predicted with the forces so far; else those at the start
    double part;        ///< fraction of the existing compression to undo in this step
    double most_undone; ///< upper bound of that correction, in units of the rest density
    double error;       ///< tolerance: compression, in units of the rest density
    double of_start;   ///< tolerance relative to the compression at the start of the solve, if that
                       ///< is less; 0: none
    bool largest;      ///< it bounds the largest compression; otherwise the mean
    uint32_t least;    ///< minimum number of iterations
    uint32_t most;     ///< maximum number of iterations
    bool coarse;       ///< use the coarse grid
    double relaxation; ///< factor of every step, without Chebyshev acceleration; 0: with it
    bool rising;       ///< iterations only add pressure (Bender and Koschier 2015)
    bool predicts;     ///< densities are summed at predicted positions, not extrapolated by their
                       ///< rates (Solenthaler and Pajarola 2009)
    bool published;    ///< expansion under pressure does not count in the stopping criterion
} PxPoissonOptions;

/// Computes slopes and the coarse grid, and adds artificial viscosity to the accelerations.
/// Arrays come from the fluid's scratch. `weight` is V sqrt(rho alpha c); NULL: no such viscosity.
PX_ISA_DECLARE(PxStatus, px_poisson_begin,
               (PxPoisson * poisson, PxFluid *fluid, const float *weight, double dt, bool coarse,
                PxScaling scaling));

/// Copy of `plain` for the force and rate of `corrected`, with arrays of its own. Runs before the
/// first solve with `plain`.
PX_ISA_DECLARE(PxStatus, px_poisson_correct,
               (PxPoisson * poisson, const PxPoisson *plain, const PxCorrected *corrected));

/// Iterates on poisson->pressure (a first guess or 0) until the compression predicted for the end
/// of the step is below the tolerance. poisson->record then holds the velocities with
/// that pressure. Errors: PX_ERR_MEMORY.
PX_ISA_DECLARE(PxStatus, px_poisson_solve,
               (PxPoisson * poisson, PxPoissonOptions options, PxPoissonResult *result));

#endif
