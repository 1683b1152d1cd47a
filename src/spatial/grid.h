/// The sparse, unbounded grid that particles are sorted by; it stores occupied cells only.
///
/// Cells are cubes of edge `cell`. A cell's key orders cells by z, then y, then
/// x, so that the three cells x-1, x, x+1 are adjacent in the sorted order and the
/// 27 cells around a point are 9 contiguous runs of rows. Occupied cells are a
/// sorted list of keys: a walk over the cells in order finds the 9 runs with 9
/// cursors that only move forward, without a hash or a dense array of cells.
#ifndef PX_SPATIAL_GRID_H
#define PX_SPATIAL_GRID_H

#include "base/arena.h"
#include "base/parallel.h"
#include "dist/dist.h"

#include <stdbool.h>

/// Maps points to keys. Grids that are searched for each other's points share a frame.
///
/// A key has at most 21 bits per axis. If the points span more cells than that,
/// cells beyond the last are clamped to it: neighbours stay in neighbouring cells,
/// so no pair is missed, but the search is slower.
typedef struct PxGridFrame {
    double cell;       ///< edge, m
    int64_t origin[3]; ///< cell number that has coordinate 1
    uint32_t last[3];  ///< highest coordinate in use; 0 and last + 1 stay empty
    uint32_t shift[3]; ///< lowest bit of the axis in the key
    uint32_t bits;     ///< of the whole key
} PxGridFrame;

/// Points of a set. Those that are not finite are treated as if at the origin.
typedef struct PxGridPoints {
    const float *x, *y, *z;
    uint32_t count;
} PxGridPoints;

/// A frame around the points of all sets, of all ranks of `dist` (NULL: of this one).
PxGridFrame px_grid_frame(double cell, const PxGridPoints *sets, size_t set_count,
                          const PxThreads *threads, const PxDist *dist);

/// The key of the cell that a point is in.
uint64_t px_grid_key(const PxGridFrame *frame, float x, float y, float z);
/// Keys of the cells of the points from + k step; one on a face between cells may get either.
#define PX_GRID_ALONG 4
void px_grid_keys_along(const PxGridFrame *frame, const double from[3], const double step[3],
                        uint64_t key[PX_GRID_ALONG]);

typedef struct PxGrid {
    const PxAllocator *allocator;
    PxGridFrame frame;
    uint32_t cells;  ///< number of occupied cells
    uint64_t *key;   ///< of each occupied cell, ascending; terminated by ~0
    uint32_t *begin; ///< first row of each cell; begin[cells] = number of points
    uint32_t room;   ///< allocated cells
} PxGrid;

void px_grid_init(PxGrid *grid, const PxAllocator *allocator);
void px_grid_free(PxGrid *grid);

/// Takes memory for that many occupied cells. The cells in it are forgotten if there was less.
/// Errors: PX_ERR_MEMORY.
PxStatus px_grid_reserve(PxGrid *grid, uint32_t cells);

/// Sorts by (cell, id): order[k] is the row to be moved to row k. The grid describes
/// the rows *after* that permutation. `order` has room for count rows. Scratch
/// memory is released.
PxStatus px_grid_sort(PxGrid *grid, const PxGridFrame *frame, PxGridPoints points,
                      const uint64_t *id, uint32_t *order, PxArena *scratch,
                      const PxThreads *threads);

/// A run of rows.
typedef struct PxRange {
    uint32_t begin, end;
} PxRange;

/// First cell whose key is not below `key`.
uint32_t px_grid_lower_bound(const PxGrid *grid, uint64_t key);

/// The runs of rows that may hold neighbours of a point, for queries in arbitrary
/// order; walks over all cells use PxGridWalk. Returns their number, at most 9.
int px_grid_rows(const PxGrid *grid, float x, float y, float z, PxRange rows[9]);

/// The row behind those that may hold neighbours of points in cells up to `key`.
uint32_t px_grid_rows_until(const PxGrid *grid, uint64_t key);

/// A walk over ascending cells (of this grid or another one of the same frame).
typedef struct PxGridWalk {
    const PxGrid *grid;
    int64_t offset[9];  ///< from a cell's key to the key of the first cell (x-1) of each run
    uint32_t cursor[9]; ///< first occupied cell not before the run
} PxGridWalk;

/// Starts a walk; `key` must not exceed the keys visited next.
void px_grid_walk_start(PxGridWalk *walk, const PxGrid *grid, uint64_t key);

/// The runs of rows around the cell with that key, without empty ones; returns their number.
int px_grid_walk_rows(PxGridWalk *walk, uint64_t key, PxRange rows[9]);

size_t px_grid_bytes(const PxGrid *grid);

#endif
