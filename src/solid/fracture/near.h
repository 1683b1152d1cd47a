/// Search of crack parts by place: triangles of sheets, segments of fronts, points that moved.
///
/// Items lie in all cells of a grid that their boxes touch. Cells are found by a hash, so that the
/// extent of a world does not matter. Items are added one by one, and the last ones can be taken
/// away again: the sheets that do not move any more stay there from step to step.
#ifndef PX_SOLID_FRACTURE_NEAR_H
#define PX_SOLID_FRACTURE_NEAR_H

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>

typedef struct PxCrackEntry {
    uint64_t cell;
    uint32_t item, next;
    uint32_t slot; ///< of `head`
} PxCrackEntry;

typedef struct PxCrackCells {
    PX_LIST(uint32_t) head; ///< a power of two
    PX_LIST(PxCrackEntry) entries;
    double edge; ///< of a cell, m
} PxCrackCells;

void px_crack_cells_free(PxCrackCells *cells);
size_t px_crack_cells_bytes(const PxCrackCells *cells);

/// Empties the cells, for about `items` items. False: no memory.
bool px_crack_cells_reset(PxCrackCells *cells, double edge, size_t items);

/// Adds an item with a box. False: no memory.
bool px_crack_cells_add(PxCrackCells *cells, PxVec3 low, PxVec3 high, uint32_t item);

/// Takes away all entries but the first `count`.
void px_crack_cells_pop(PxCrackCells *cells, size_t count);

/// A search for the items whose boxes may touch a box; an item may come several times, and the
/// order depends on that of the additions.
typedef struct PxCrackSearch {
    const PxCrackCells *cells;
    int64_t low[3], high[3], at[3];
    uint64_t cell;
    uint32_t entry;
} PxCrackSearch;

PxCrackSearch px_crack_search(const PxCrackCells *cells, PxVec3 low, PxVec3 high);

/// The same around a point.
PxCrackSearch px_crack_search_ball(const PxCrackCells *cells, PxVec3 at, double radius);

/// False: there are no more.
bool px_crack_next(PxCrackSearch *search, uint32_t *item);

#endif
