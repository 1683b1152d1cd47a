/// The field on the nodes of a grid, kept only in blocks near the surface.
///
/// Node (i, j, k) of the whole grid is at (i, j, k) + 1/2 times the cell, whatever the particles
/// do, so that a surface at rest stays the same from frame to frame. Floors and walls are mostly at
/// round numbers: half a cell away from them is the best place for a node to see a thin
/// layer of liquid. Blocks that no particle acts in
/// are not there, and count as outside. Those in which only particles act that are not near
/// the surface are deep inside, and nothing is computed for them. Every node belongs to one
/// block; so cells along the seams of blocks see the same values, and what surrounds
/// them is closed whatever the blocks were taken for.
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
    PxKeys keys; ///< block number by coordinates
    int32_t (*at)[3];
    uint8_t *kind;  ///< PxNodesKind
    uint32_t *slot; ///< of a known block's values
    uint32_t known;
    float *value; ///< depth below the surface, spacings: PX_BLOCK_NODES for each known block
    float *other; ///< depth in the other phase; NULL without one
} PxBlockGrid;

/// Furthest block from the origin along an axis.
#define PX_BLOCK_GRID_MOST ((int32_t)1 << 30)

/// Where node n of block b is along an axis, m; n may be between nodes.
static inline double px_block_grid_node(const PxBlockGrid *sparse, int32_t b, double n)
{
    return sparse->cell * ((double)PX_BLOCK_EDGE * b + n + 0.5);
}

/// The block that a place along an axis lies in.
static inline int64_t px_block_grid_block(const PxBlockGrid *sparse, double place)
{
    return (int64_t)floor((place / sparse->cell - 0.5) / PX_BLOCK_EDGE);
}

/// `other` and `barriers` may be NULL. Errors: PX_ERR_MEMORY.
PxStatus px_block_grid_create(PxBlockGrid *sparse, const PxPotential *field,
                              const PxPotential *other, const PxBarriers *barriers, double cell);
void px_block_grid_free(PxBlockGrid *sparse);

/// The block at those coordinates; UINT32_MAX when it is not there.
uint32_t px_block_grid_find(const PxBlockGrid *sparse, int64_t x, int64_t y, int64_t z);

#endif
