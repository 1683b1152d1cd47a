/// Who is whose neighbour in the rest shape, and what moving least squares needs of it.
///
/// Lists are made when the rest shape is, and stay: a step only reads them. They are
/// symmetric: the weight of a pair is the same from both sides.
#ifndef PX_SOLID_LISTS_H
#define PX_SOLID_LISTS_H

#include "base/arena.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "base/table.h"
#include "matter/pairs.h"

typedef struct PxSolidLists {
    const PxAllocator *allocator;
    uint32_t count;  ///< particles
    uint32_t *start; ///< first entry of each, an even number; start[count] is that of all
    uint32_t *other; ///< entries: 16 times the neighbours' rows, which is where records (passes.h)
                     ///< begin; where they are odd, the row itself last
    float *pair;     ///< 4 an entry: w X, w, with X the way there in the rest shape, m
    float *inverse;  ///< of the moment matrix, 1/m^2, of each 8 rows 8 times xx, yy, zz, xy, yz, zx
                     ///< (001 Eq. 15)
    float *sum[3];   ///< sum of w X, m
    float *spread;   ///< sum of w |X|^2, m^2
    float *normal[3]; ///< where all lie in a plane: its normal; else 0
    bool flat;        ///< is there one in a plane?
    float *whole;     ///< what its strain counts: 1; less where they lie lopsided, 0 where all lie
                      ///< on a line, or there is nobody
    uint32_t room;    ///< particles there is room for
    size_t entries, pair_room;
    uint64_t total; ///< neighbours of all
    PxPairs pairs;  ///< to make them with
    PxGrid grid;
} PxSolidLists;

/// Where number k of `of` of row i is, in arrays that have 8 rows' first numbers, then their
/// second ones, and so on: one stream through memory instead of many.
static inline size_t px_solid_at(uint32_t i, int k, int of)
{
    return (size_t)(i / 8) * 8 * (size_t)of + 8 * (size_t)k + i % 8;
}

/// The rest shape of a body: rows [begin, end).
typedef struct PxSolidPoints {
    const float *x, *y, *z; ///< m
    const float *support;   ///< radius of the neighbourhood, m
    const uint64_t *id;
    uint32_t count;
} PxSolidPoints;

void px_solid_lists_init(PxSolidLists *lists, const PxAllocator *allocator);
void px_solid_lists_free(PxSolidLists *lists);
size_t px_solid_lists_bytes(const PxSolidLists *lists);

/// The order in which a body's particles are to lie: near ones together.
PxStatus px_solid_order(PxSolidLists *lists, PxSolidPoints body, uint32_t *order, PxArena *scratch,
                        const PxThreads *threads);

/// Forgets all lists and makes room for `count` particles.
PxStatus px_solid_lists_begin(PxSolidLists *lists, uint32_t count);

/// Adds the lists of the next body, whose particles lie in that order.
PxStatus px_solid_lists_add(PxSolidLists *lists, PxSolidPoints body, PxArena *scratch, PxIsa isa,
                            const PxThreads *threads);

/// The weight of a pair, of the poly6 kernel's shape (001 Eq. 9); its size does not matter.
PX_INLINE float px_solid_weight(float r2, float h)
{
    float q = 1.0f - r2 / (h * h);
    return q > 1e-3f ? q * q * q : 0.0f; /* at the rim it is rounding that decides */
}

#endif
