/// Neighbour lists, and the one loop over them.
///
/// Every particle has the rows of its neighbours (itself among them) as 32-bit
/// numbers, padded to whole vectors of 8 with the row that lies behind the last
/// one. What a loop reads of a neighbour it reads as quads: 4 floats a row, packed
/// by px_quads_pack() for the pass at hand; the quad behind the last row is so far
/// away that every kernel is zero there.
#ifndef PX_MATTER_PAIRS_H
#define PX_MATTER_PAIRS_H

#include "base/arena.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "spatial/grid.h"

/// Where the quad behind the last row lies: beyond any particle, and its square is
/// still finite.
#define PX_FAR_AWAY 1e15f

typedef struct PxPairs {
    const PxAllocator *allocator;
    uint32_t count;  ///< particles that have a list: those that the rank owns
    uint32_t *start; ///< first entry of each, a multiple of 8
    uint32_t *size;  ///< entries without padding
    uint32_t *row;   ///< entries
    size_t room;     ///< entries there is room for
    uint32_t rows;   ///< particles there is room for
    uint64_t total;  ///< all sizes
    uint64_t used;   ///< entries in use, with padding and gaps
} PxPairs;

void px_pairs_init(PxPairs *pairs, const PxAllocator *allocator);
void px_pairs_free(PxPairs *pairs);
size_t px_pairs_bytes(const PxPairs *pairs);

/// Lists for every row of `from` the rows of `to` nearer than `reach`, in the
/// order in which they lie. Both are sorted by grids of one frame whose cells are
/// at least `reach` wide; `to` has 8 readable floats behind its last row.
/// Allocates only when there are more pairs than ever before.
/// Errors: PX_ERR_MEMORY, also when so many particles crowd in one place that the
/// lists would not fit (more than PX_PAIRS_MOST entries).
PxStatus px_pairs_build(PxPairs *pairs, const PxGrid *from_grid, PxGridPoints from,
                        const PxGrid *to_grid, PxGridPoints to, float reach, PxIsa isa,
                        const PxThreads *threads);

/// Takes the rows marked in `alone` out of all lists but their own, in which only they stay.
void px_pairs_isolate(PxPairs *pairs, const uint8_t *alone, const PxThreads *threads);

/// Entries are numbered with 32 bits.
#define PX_PAIRS_MOST 0xffff0000u

/// Quads for `rows` rows and the one behind them. `w` may be NULL for 0.
void px_quads_pack(float *quad, const float *x, const float *y, const float *z, const float *w,
                   uint32_t rows, const PxThreads *threads);

/// Floats that the quads of that many rows take.
static inline size_t px_quads_floats(uint32_t rows)
{
    return 4 * ((size_t)rows + 1);
}

/// Where row i is, in all 8 lanes.
typedef struct PxPlace8 {
    PxF8 x, y, z;
} PxPlace8;

PX_INLINE PxPlace8 px_place8(const float *quad, uint32_t i)
{
    const float *own = quad + 4 * (size_t)i;
    return (PxPlace8){px_f8(own[0]), px_f8(own[1]), px_f8(own[2])};
}

/// The ways from 8 rows to that place, and the fourth numbers of their quads.
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
