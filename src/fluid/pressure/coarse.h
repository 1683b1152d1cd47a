/// The smooth part of the pressure equation, solved on a coarse grid.
///
/// An iteration over neighbours carries pressure one neighbourhood further, so the weight
/// of a deep pool takes as many iterations as it has layers, and a step that stops
/// earlier lets the pool sink or lifts it: an error of 0.05 per cent of the density, the same
/// everywhere in 1 m of water, is 0.5 mm a step. What is smooth on the scale of two
/// neighbourhoods is therefore solved for on a grid of nodes as far apart, whose
/// trilinear functions phi_I are the pressure's (a two-level method; Brandt 1977).
///
/// Where pressure is smooth, P_j = P_i + (x_j - x_i) . grad P, its force is
///   sum_j (P_k + P_j) grad W_kj + P_k grad wall_k / s^3 = P_k B_k + t_k grad P
/// with B_k = 2 sum_j grad W_kj + grad wall_k / s^3 and t_k = -1/3 sum_j r dW/dr, so that the
/// energy of the equation (poisson.h) gives the matrix of the nodes
///   K_IJ = dt^2 s^3 sum_k g_k(I) . g_k(J) / m_k,   g_k(I) = phi_I B_k + t_k grad phi_I.
/// At walls B is about zero, as the pressure's slope is free there; at a free surface it
/// holds the pressure down.
#ifndef PX_FLUID_PRESSURE_COARSE_H
#define PX_FLUID_PRESSURE_COARSE_H

#include "fluid/fluid.h"

enum { PX_COARSE_CORNERS = 8, PX_COARSE_STENCIL = 27 };

typedef struct PxCoarse {
    const PxFluid *fluid;
    uint32_t cells;      ///< coarse cells with enough particles
    uint32_t nodes;      ///< their corners
    uint32_t *cell_fine; ///< of each cell: first of its fine cells in fine_cell[]
    uint32_t *fine_cell; ///< fine cells, those of a coarse cell together
    uint32_t *cell_node; ///< 8 nodes of each cell
    int32_t *at;         ///< coarse coordinates of each cell, 3
    float *element;      ///< 8 x 8 of each cell
    float *right;        ///< of each cell's corners, restricted
    double *matrix;      ///< 27 of each node
    uint32_t *neighbour; ///< 27 of each node, or PX_COARSE_NONE
    double *solution, *residual, *direction, *image, *scale;
} PxCoarse;

#define PX_COARSE_NONE UINT32_MAX

/// What the matrix is made of.
typedef struct PxCoarseInput {
    const float *bx, *by, *bz, *t; ///< B and t of every particle
    double unit, mass;             ///< of poisson.h
    double dt;
} PxCoarseInput;

/// Takes its arrays from the fluid's scratch.
PX_ISA_DECLARE(PxStatus, px_coarse_begin,
               (PxCoarse * coarse, const PxFluid *fluid, const PxCoarseInput *input));

/// What a particle has to do with a correction: its `over` counts, it is corrected.
enum { PX_COARSE_GIVES = 1, PX_COARSE_TAKES = 2 };

/// correction = sum_I phi_I u_I for K u = sum_i phi_I(x_i) over_i, with the sum over those that
/// give, and for those that take; 0 for others. role[i] is made of the words above.
PX_ISA_DECLARE(void, px_coarse_solve,
               (PxCoarse * coarse, const float *over, const uint8_t *role, float *correction));

#endif
