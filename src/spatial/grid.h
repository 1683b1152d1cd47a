/// The grid that particles are sorted by: unbounded, sparse, only occupied cells.
///
/// Cells are cubes of edge `cell`. A cell's key orders cells by z, then y, then
/// x, so that the three cells x-1, x, x+1 of a row are neighbours in the sorted
/// order and the 27 cells around a point are 9 contiguous runs of rows.
/// Occupied cells are kept as a sorted list of keys: whoever walks the cells in
/// order finds the 9 runs with 9 cursors that only move forward, with neither a
/// hash nor a dense array of cells.
#ifndef PX_SPATIAL_GRID_H
#define PX_SPATIAL_GRID_H

#include "base/arena.h"
#include "base/parallel.h"

#include <stdbool.h>

/// Maps points to keys. Shared by the grids whose points are to meet.
///
/// A key has 21 bits an axis at most. Where the points span more cells than
/// that, cells beyond the last are folded into it: neighbours stay in
/// neighbouring cells, so no pair is missed, it only takes longer to find.
typedef struct PxGridFrame {
    double cell;       ///< edge, m
    int64_t origin[3]; ///< cell number that has coordinate 1
    uint32_t last[3];  ///< highest coordinate in use; 0 and last + 1 stay empty
    uint32_t shift[3]; ///< place of the axis in the key
    uint32_t bits;     ///< of the whole key
} PxGridFrame;

/// A frame around all points of the given arrays. Points that are not finite
/// count as if they were at the origin.
typedef struct PxGridPoints {
    const float *x, *y, *z;
    uint32_t count;
} PxGridPoints;

PxGridFrame px_grid_frame(double cell, const PxGridPoints *sets, size_t set_count,
                          const PxThreads *threads);

/// The key of the cell that a point is in.
uint64_t px_grid_key(const PxGridFrame *frame, float x, float y, float z);

typedef struct PxGrid {
    const PxAllocator *allocator;
    PxGridFrame frame;
    uint32_t cells;  ///< occupied ones
    uint64_t *key;   ///< of each occupied cell, ascending; one more, ~0, after the last
    uint32_t *begin; ///< first row of each cell; begin[cells] = number of points
    uint32_t room;   ///< cells there is room for
} PxGrid;

void px_grid_init(PxGrid *grid, const PxAllocator *allocator);
void px_grid_free(PxGrid *grid);

/// Finds the order by (cell, id): order[k] is the row that belongs at place k,
/// and the grid describes the rows *after* they were put in that order.
/// `order` has room for count rows. Scratch is given back.
PxStatus px_grid_sort(PxGrid *grid, const PxGridFrame *frame, PxGridPoints points,
                      const uint64_t *id, uint32_t *order, PxArena *scratch,
                      const PxThreads *threads);

/// A run of rows.
typedef struct PxRange {
    uint32_t begin, end;
} PxRange;

/// First cell whose key is not below `key`.
uint32_t px_grid_lower_bound(const PxGrid *grid, uint64_t key);

/// The runs of rows that may hold neighbours of a point, for queries in no
/// order; a walk over all cells uses PxGridWalk. Returns how many, at most 9.
int px_grid_rows(const PxGrid *grid, float x, float y, float z, PxRange rows[9]);

/// A walk over ascending cells (of this grid or another one of the same frame).
typedef struct PxGridWalk {
    const PxGrid *grid;
    int64_t offset[9];  ///< from a cell's key to the key left of the row's middle
    uint32_t cursor[9]; ///< first cell not left of the row
} PxGridWalk;

/// Starts at a cell; its key must not be above those visited next.
void px_grid_walk_start(PxGridWalk *walk, const PxGrid *grid, uint64_t key);

/// The runs around the cell with that key. Empty runs are left out.
int px_grid_walk_rows(PxGridWalk *walk, uint64_t key, PxRange rows[9]);

size_t px_grid_bytes(const PxGrid *grid);

#endif
