/// Coarse cells of a fluid and the nodes at their corners, on which the smooth parts of pressure
/// and viscosity are solved for.
///
/// A coarse cell is 2 x 2 x 2 cells of the grid, four spacings wide. Fields are interpolated
/// between its corners by trilinear shape functions.
#ifndef PX_FLUID_COARSE_CELLS_H
#define PX_FLUID_COARSE_CELLS_H

#include "fluid/fluid.h"

enum { PX_COARSE_CORNERS = 8, PX_COARSE_STENCIL = 27 };

#define PX_COARSE_NONE UINT32_MAX

/// A coarse cell lies on one rank, with all of its particles (dist/dist.h). The ranks gather each
/// other's element matrices and right-hand sides; each solves the same system for all nodes and
/// corrects its own particles.
typedef struct PxCoarseCells {
    const PxFluid *fluid;
    uint32_t own;        ///< coarse cells of this rank with enough particles
    uint32_t *cell_fine; ///< per own cell: index of its first fine cell in fine_cell[]
    uint32_t *fine_cell; ///< fine cells, grouped by coarse cell
    int32_t *at;         ///< coarse coordinates, 3 per own cell
    uint32_t cells;      ///< coarse cells of all ranks, in the order of their first fine cells
    uint32_t *gathered;  ///< per cell: its place among the gathered; NULL: one rank
    uint32_t *number;    ///< per own cell: its number among all cells; NULL: one rank
    uint32_t nodes;      ///< corners of all cells
    uint32_t *cell_node; ///< 8 nodes per cell
    uint32_t *neighbour; ///< 27 nodes per node, or PX_COARSE_NONE
} PxCoarseCells;

/// Finds cells and nodes. Arrays come from the fluid's scratch. Errors: PX_ERR_MEMORY.
PxStatus px_coarse_cells_begin(PxCoarseCells *cells, const PxFluid *fluid);

/// Values of own cells, `each` per cell, as those of all cells. Errors: PX_ERR_MEMORY.
PxStatus px_coarse_cells_join(const PxCoarseCells *cells, const float *own, uint32_t each,
                              const float **all);

/// Number of an own cell among those of all ranks.
static inline uint32_t px_coarse_number(const PxCoarseCells *cells, uint32_t own)
{
    return cells->number != NULL ? cells->number[own] : own;
}

/// Entry of corners a and b of a cell among the 27 of each node.
static inline size_t px_coarse_entry(const PxCoarseCells *cells, uint32_t cell, uint32_t a,
                                     uint32_t b)
{
    int dx = (int)(b & 1) - (int)(a & 1), dy = (int)(b >> 1 & 1) - (int)(a >> 1 & 1),
        dz = (int)(b >> 2) - (int)(a >> 2);
    return (size_t)PX_COARSE_STENCIL * cells->cell_node[8 * (size_t)cell + a] +
           (size_t)(13 + dx + 3 * dy + 9 * dz);
}

/// The 8 trilinear shape functions of a cell at a point, one corner per lane.
typedef struct PxCoarseHats {
    float low[3]; ///< of the cell, m
    float per;    ///< 1 / width
} PxCoarseHats;

PxCoarseHats px_coarse_hats(const PxCoarseCells *cells, uint32_t cell);

/// Local coordinate in the cell, clamped: cells at the rim of a full frame also hold points beyond
/// it.
static inline float px_coarse_part(const PxCoarseHats *hats, int axis, float x)
{
    float u = (x - hats->low[axis]) * hats->per;
    return u > 0.0f ? u < 1.0f ? u : 1.0f : 0.0f;
}

/// Factors of the shape functions at a position quad; their products are the functions.
PX_INLINE void px_coarse_hats_at(const PxCoarseHats *hats, const float *quad, PxF8 *x, PxF8 *y,
                                 PxF8 *z)
{
    float u = px_coarse_part(hats, 0, quad[0]), v = px_coarse_part(hats, 1, quad[1]),
          w = px_coarse_part(hats, 2, quad[2]);
    *x = (PxF8){1 - u, u, 1 - u, u, 1 - u, u, 1 - u, u};
    *y = (PxF8){1 - v, 1 - v, v, v, 1 - v, 1 - v, v, v};
    *z = (PxF8){1 - w, 1 - w, 1 - w, 1 - w, w, w, w, w};
}

#endif
