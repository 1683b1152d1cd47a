/// The smooth part of implicit viscosity, solved for on a coarse grid.
///
/// An iteration of the viscous solve carries velocities one support further. A fluid so viscous
/// that it diffuses over many spacings in a step needs as many iterations, and the error that too
/// few of them leave is smooth: a sheet falls too slowly as a whole. So the residual is also
/// restricted to the nodes of coarse cells (fluid/coarse_cells.h) and a correction interpolated
/// back, an additive two-level preconditioner (Bramble, Pasciak and Xu 1990).
///
/// For a smooth velocity the energy of the viscous solve (implicit_viscosity.simd.c) is
///   sum_i q_i |D_i|^2 + (m_i + drag_i) |v_i|^2,   q_i = 1/3 sum_j dt k_ij r_ij^2
/// with D the symmetric part of the velocity gradient. The matrix of the nodes is that of this
/// energy with one point of quadrature for each fine cell. It is inverted approximately, by a
/// fixed polynomial of Chebyshev's, so that the correction is linear in the residual.
#ifndef PX_FLUID_VISCOSITY_COARSE_VISCOSITY_H
#define PX_FLUID_VISCOSITY_COARSE_VISCOSITY_H

#include "fluid/coarse_cells.h"

/// Vectors of nodes are quads.
typedef struct PxCoarseViscosity {
    PxCoarseCells cells;
    const float *spread, *weight; ///< q, kg m^2, and m + drag, kg, of every particle
    float *hats;                  ///< shape functions of the 8 corners at every particle
    float *element;               ///< 24 x 24 per own cell
    float *right;                 ///< restricted residual, 3 x 8 per own cell
    float *matrix;                ///< 27 x 3 columns per node, each a quad
    uint32_t *to;                 ///< 27 nodes per node; itself where there is none
    float *scale, *residual, *change[2], *solution;
    double low, high; ///< eigenvalues between which the Chebyshev iteration smooths
    int degree;       ///< iterations: the degree of the polynomial plus one
} PxCoarseViscosity;

/// Finds cells and nodes and assembles the matrix. Arrays come from the fluid's scratch.
/// cells.cells is 0 if there is no smooth part. Errors: PX_ERR_MEMORY.
PX_ISA_DECLARE(PxStatus, px_coarse_viscosity_begin,
               (PxCoarseViscosity * coarse, const PxFluid *fluid, const float *spread,
                const float *weight));

/// Sets the quads `z` of particles in coarse cells to the correction for the residual in the quads
/// `r`; those of others stay. Errors: PX_ERR_MEMORY.
PX_ISA_DECLARE(PxStatus, px_coarse_viscosity_correct,
               (PxCoarseViscosity * coarse, const float *r, float *z));

#endif
