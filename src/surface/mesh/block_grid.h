/// The depth below the surface at the nodes of a sparse grid, stored only in blocks near the
/// surface.
///
/// Node (i, j, k) is at ((i, j, k) + 1/2) times the cell, whatever the particles do, so a surface
/// at rest is the same in every frame. The offset is half a cell because floors and walls are
/// mostly at round coordinates, and nodes half a cell away see thin layers of liquid best.
///
/// Blocks out of reach of all particles do not exist and count as outside. Blocks reached only by
/// interior particles are deep inside and have no values. Every node belongs to one block, so cells
/// at the seams between blocks see the same values and the mesh is closed.
#ifndef PX_SURFACE_MESH_BLOCK_GRID_H
#define PX_SURFACE_MESH_BLOCK_GRID_H

#include "shape/keys.h"
#include "surface/field/barrier.h"
#include "surface/field/potential.h"

#include <math.h>

typedef enum PxNodesKind { PX_NODES_OUTSIDE, PX_NODES_DEEP, PX_NODES_KNOWN } PxNodesKind;

typedef struct PxBlockGrid {
    double cell; ///< m
    uint32_t blocks;
    PxKeys keys; ///< block index by coordinates
    int32_t (*at)[3];
    uint8_t *kind;  ///< PxNodesKind
    uint32_t *slot; ///< index of a known block's values
    uint32_t known;
    float *value; ///< depth, spacings: PX_BLOCK_NODES values for each known block
    float *other; ///< depth in the other phase; NULL without one
} PxBlockGrid;

/// Largest block coordinate.
#define PX_BLOCK_GRID_MOST ((int32_t)1 << 30)

/// Coordinate of node n of block b along an axis, m; n may be fractional.
static inline double px_block_grid_node(const PxBlockGrid *grid, int32_t b, double n)
{
    return grid->cell * ((double)PX_BLOCK_EDGE * b + n + 0.5);
}

/// The block coordinate of a position along an axis.
static inline int64_t px_block_grid_block(const PxBlockGrid *grid, double place)
{
    return (int64_t)floor((place / grid->cell - 0.5) / PX_BLOCK_EDGE);
}

/// Computes the depth at the nodes. `other` is the field of the other phase, NULL without one;
/// `barriers` is NULL without walls and sheets. Errors: PX_ERR_MEMORY.
PxStatus px_block_grid_create(PxBlockGrid *grid, const PxPotential *field, const PxPotential *other,
                              const PxBarriers *barriers, double cell);
void px_block_grid_free(PxBlockGrid *grid);

/// The block at these coordinates, or UINT32_MAX.
uint32_t px_block_grid_find(const PxBlockGrid *grid, int64_t x, int64_t y, int64_t z);

#endif
