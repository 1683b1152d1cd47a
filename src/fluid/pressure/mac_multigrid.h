/// The pressure equation of the staggered grid: conjugate gradients with a multigrid V-cycle as
/// preconditioner (McAdams, Sifakis and Teran 2010), so that the number of iterations hardly grows
/// with the number of cells.
///
/// The filled cells are numbered compactly, cells of even x + y + z before odd ones, each with its
/// six neighbours and links. A coarse cell is a block of 2 x 2 x 2 cells. Values of coarse cells
/// are copied to their children, and the coarse equation is the sum of those of the children,
/// divided by 2: the sum alone is that much too stiff for smooth pressures (Braess 1995). The
/// smoother is Gauss-Seidel by colours, even cells first on the way down and last on the way up:
/// cells of a colour do not see each other, so bits do not depend on threads, and the
/// preconditioner is symmetric.
#ifndef PX_FLUID_PRESSURE_MAC_MULTIGRID_H
#define PX_FLUID_PRESSURE_MAC_MULTIGRID_H

#include "fluid/pressure/mac.h"

typedef struct PxMacMultigrid PxMacMultigrid;

/// Solves for mac->p of the filled cells, from the first guess in it and the right-hand side
/// mac->r, to the tolerance or with at most `most` iterations in all solves of a step. Sets
/// mac->filled. *grid is NULL before the first solve of a step; the next ones, with some of the
/// same cells filled, use its levels again.
/// Errors: PX_ERR_MEMORY, PX_ERR_STOPPED.
PxStatus px_mac_iterate(PxMac *mac, PxMacMultigrid **grid, double tolerance, uint32_t most,
                        PxMacResult *result);

#endif
