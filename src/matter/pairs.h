/// Neighbour lists, and the loop over them.
///
/// The list of a particle holds the rows of its neighbours, itself included, as 32-bit numbers.
/// It is padded to whole vectors of 8 with the row behind the last one. Passes read neighbours as
/// quads, 4 floats per row, which px_quads_pack() packs for each pass. The quad behind the last
/// row is so far away that the kernel is zero there.
#ifndef PX_MATTER_PAIRS_H
#define PX_MATTER_PAIRS_H

#include "base/arena.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "spatial/grid.h"

/// Coordinate of the quad behind the last row: beyond any particle, with a finite square.
#define PX_FAR_AWAY 1e15f

typedef struct PxPairs {
    const PxAllocator *allocator;
    uint32_t count;  ///< particles that have a list: those owned by the rank
    uint32_t *start; ///< first entry of each, a multiple of 8
    uint32_t *size;  ///< entries without padding
    uint32_t *row;   ///< entries
    size_t room;     ///< capacity, entries
    uint32_t rows;   ///< capacity, particles
    uint64_t total;  ///< sum of all sizes
    uint64_t used;   ///< entries in use, with padding and gaps
    uint32_t *until; ///< rows before this one hold the neighbours of a block of PX_BLOCK rows and
                     ///< of all blocks before it
} PxPairs;

void px_pairs_init(PxPairs *pairs, const PxAllocator *allocator);
void px_pairs_free(PxPairs *pairs);
size_t px_pairs_bytes(const PxPairs *pairs);

/// Lists for every row of `from` the rows of `to` nearer than `reach`, in table order. Both
/// are sorted by grids of one frame with cells at least `reach` wide; `to` has 8 readable floats
/// behind its last row. Allocates only when there are more pairs than ever before.
/// Errors: PX_ERR_MEMORY, also when particles crowd so much that there are more than
/// PX_PAIRS_MOST entries.
PxStatus px_pairs_build(PxPairs *pairs, const PxGrid *from_grid, PxGridPoints from,
                        const PxGrid *to_grid, PxGridPoints to, float reach, PxIsa isa,
                        const PxThreads *threads);

/// Removes the rows marked in `alone` from the lists of others, and all others from theirs.
void px_pairs_isolate(PxPairs *pairs, const uint8_t *alone, const PxThreads *threads);

/// Lists of rows whose entries px_pairs_part() has reduced, as they were before.
typedef struct PxPairsParted {
    uint32_t rows;
    const uint32_t *row;   ///< the rows
    const uint32_t *size;  ///< their sizes
    const uint32_t *entry; ///< their entries with padding, one list behind the other
} PxPairsParted;

/// Removes from the lists all pairs of rows that are in different groups; `group`, by row, is 0 for
/// rows in none, whose pairs all stay. `behind` is the row for padding. px_pairs_unite() puts the
/// pairs back. Errors: PX_ERR_MEMORY.
PxStatus px_pairs_part(PxPairs *pairs, const uint32_t *group, uint32_t behind, PxArena *scratch,
                       const PxThreads *threads, PxPairsParted *out);
/// The same for the pairs that `mark` marks: it sets the bits (k % 8 of bits[k / 8]) of the entries
/// list[k] of row i that are separated from it, which are 0 before, and returns whether there are
/// any. It is called for the rows of a list, in ascending order, alone. If it marks (i, j), it must
/// mark (j, i).
typedef bool PxRowMark(const void *user, uint32_t i, const uint32_t *list, uint32_t size,
                       uint8_t *bits);
PxStatus px_pairs_cut(PxPairs *pairs, const uint32_t *row, uint32_t rows, PxRowMark *mark,
                      const void *user, uint32_t behind, PxArena *scratch, const PxThreads *threads,
                      PxPairsParted *out);
/// Puts the pairs back; after several calls, in the reverse order.
void px_pairs_unite(PxPairs *pairs, const PxPairsParted *parted);

/// Entries are numbered with 32 bits.
#define PX_PAIRS_MOST 0xffff0000u

/// Quads for `rows` rows and the one behind them. `w` may be NULL for 0.
void px_quads_pack(float *quad, const float *x, const float *y, const float *z, const float *w,
                   uint32_t rows, const PxThreads *threads);

/// Number of floats in the quads of that many rows.
static inline size_t px_quads_floats(uint32_t rows)
{
    return 4 * ((size_t)rows + 1);
}

/// Position of row i, in all 8 lanes.
typedef struct PxPlace8 {
    PxF8 x, y, z;
} PxPlace8;

PX_INLINE PxPlace8 px_place8(const float *quad, uint32_t i)
{
    const float *own = quad + 4 * (size_t)i;
    return (PxPlace8){px_f8(own[0]), px_f8(own[1]), px_f8(own[2])};
}

/// Vectors from 8 rows to that position, and the fourth components of their quads.
PX_INLINE void px_f8_load_ways(const float *quad, const uint32_t *row, const PxPlace8 *to, PxF8 *x,
                               PxF8 *y, PxF8 *z, PxF8 *w)
{
    px_f8_load_quads(quad, row, x, y, z, w);
    *x = to->x - *x;
    *y = to->y - *y;
    *z = to->z - *z;
}

/// The loop over the neighbours of i, 8 at a time: `j` points at 8 row numbers.
///   PX_FOR_NEIGHBOURS(pairs, i, j) { px_f8_load_ways(quad, j, &at, &x, &y, &z, &w); ... }
#define PX_FOR_NEIGHBOURS(pairs, i, j)                                                             \
    for (const uint32_t *j = (pairs)->row + (pairs)->start[i],                                     \
                        *j##_end = j + (((pairs)->size[i] + 7u) & ~7u);                            \
         j < j##_end; j += 8)

#endif
