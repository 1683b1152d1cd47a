/// The smooth part of the pressure equation, solved on a coarse grid.
///
/// An iteration over neighbours carries pressure one support further, so hydrostatic pressure
/// takes as many iterations as the pool has layers. A solve that stops earlier makes the pool
/// sink or rise: a uniform density residual of 0.05 per cent in 1 m of water is 0.5 mm per step.
/// The components of pressure that are smooth over two supports are therefore solved for
/// on a grid with nodes that far apart and trilinear shape functions phi_I (a two-level method;
/// Brandt 1977).
///
/// For a smooth pressure, P_j = P_i + (x_j - x_i) . grad P, the force is
///   sum_j (P_k + P_j) grad W_kj + P_k grad wall_k / s^3 = P_k B_k + t_k grad P
/// with B_k = 2 sum_j grad W_kj + grad wall_k / s^3 and t_k = -1/3 sum_j r dW/dr, so that the
/// energy of the equation (poisson.h) gives the matrix of the nodes
///   K_IJ = dt^2 s^3 sum_k g_k(I) . g_k(J) / m_k,   g_k(I) = phi_I B_k + t_k grad phi_I.
/// At walls B is about zero (Neumann condition); at a free surface it pulls the pressure towards
/// zero (Dirichlet condition).
#ifndef PX_FLUID_PRESSURE_COARSE_H
#define PX_FLUID_PRESSURE_COARSE_H

#include "fluid/coarse_cells.h"

typedef struct PxCoarse {
    PxCoarseCells cells;
    float *element; ///< element matrix, 8 x 8 per own cell
    float *right;   ///< restricted right-hand side, 8 corners per own cell
    double *matrix; ///< K, 27 entries per node
    double *solution, *residual, *direction, *image, *scale;
} PxCoarse;

/// Input of the matrix.
typedef struct PxCoarseInput {
    const float *bx, *by, *bz, *t; ///< B and t of every particle
    double unit, mass;             ///< of poisson.h
    double dt;
} PxCoarseInput;

/// Finds cells and nodes and assembles K. Arrays come from the fluid's scratch.
PX_ISA_DECLARE(PxStatus, px_coarse_begin,
               (PxCoarse * coarse, const PxFluid *fluid, const PxCoarseInput *input));

/// Role of a particle in a correction: its `over` enters the right-hand side; it is corrected.
enum { PX_COARSE_GIVES = 1, PX_COARSE_TAKES = 2 };

/// Solves K u = sum_i phi_I(x_i) over_i, summed over particles with PX_COARSE_GIVES. Sets
/// correction = sum_I phi_I u_I for particles with PX_COARSE_TAKES, 0 for others. role[i]
/// combines these flags.
/// Errors: PX_ERR_MEMORY.
PX_ISA_DECLARE(PxStatus, px_coarse_solve,
               (PxCoarse * coarse, const float *over, const uint8_t *role, float *correction));

#endif
