/// Quadrature of the elastic energy: the volume that each cell counts.
///
/// Nodal integration, sum V_i f_i of the energy density f, is exact for linear f. In bent and
/// twisted bodies f is quadratic, and the sum lacks the second moment of the cells: with n layers
/// of width s the sum of y^2 is 1 - 1 / n^2 of its integral. To second order, with cubes of edge s,
///   int f dV = sum_i V_i (f_i + s_i^2 / 24 lap f_i),  lap f_i = sum_j l_ij (f_j - f_i)
/// (fit.h), which is again a sum of f_i, with the volumes
///   V_j' = V_j + sum_i V_i s_i^2 / 24 l_ij - V_j s_j^2 / 24 sum_k l_jk
/// They differ from V near surfaces only; at a face of a lattice by factors of 13/12, 7/8 and
/// 25/24, layer by layer. Where the neighbours of i do not determine the Laplacian, as across a
/// face that has only two layers within the support, it is the mean of that of its neighbours.
/// Masses stay as they are.
#ifndef PX_SOLID_QUADRATURE_H
#define PX_SOLID_QUADRATURE_H

#include "solid/lists.h"

/// Fills lists->quadrature from `laplacian`, `curved` and `cell_weight`.
void px_solid_quadrature(PxSolidLists *lists, const PxBonds *bonds, PxSolidPoints points,
                         const PxThreads *threads);

#endif
