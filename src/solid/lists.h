/// The neighbours of elastic particles as the vector loops read them: weights and moment matrices
/// of moving least squares, derived from the bonds and the rest shape.
///
/// Lists change only when bonds or the rest shape do; a step only reads them. They are symmetric:
/// the weight of a pair is the same from both sides.
#ifndef PX_SOLID_LISTS_H
#define PX_SOLID_LISTS_H

#include "base/arena.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "base/table.h"
#include "solid/bonds.h"

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
    float *normal[3]; ///< of the plane in which all neighbours lie; 0 where there is none
    bool flat;        ///< some particle's neighbours lie in a plane
    float *whole;     ///< weight of the cell: 1; less where the moment matrix is ill-conditioned, 0
                      ///< where all neighbours lie on a line or there are none
    uint32_t room;    ///< particles there is room for
    size_t entries, pair_room;
    uint64_t total; ///< neighbours of all
} PxSolidLists;

/// Where number k of `of` of row i is, in arrays that have 8 rows' first numbers, then their
/// second ones, and so on: one stream through memory instead of many.
static inline size_t px_solid_at(uint32_t i, int k, int of)
{
    return (size_t)(i / 8) * 8 * (size_t)of + 8 * (size_t)k + i % 8;
}

void px_solid_lists_init(PxSolidLists *lists, const PxAllocator *allocator);
void px_solid_lists_free(PxSolidLists *lists);
size_t px_solid_lists_bytes(const PxSolidLists *lists);

/// Makes the lists of all bonds; `points` are all particles of the graph.
PxStatus px_solid_lists_build(PxSolidLists *lists, const PxBonds *bonds, PxSolidPoints points,
                              const PxThreads *threads);

#endif
