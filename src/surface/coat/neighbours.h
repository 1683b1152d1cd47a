/// Neighbour search for the points of a coat: bunches of 8 points, trees of boxes, neighbour lists.
///
/// Points of a table are sorted along a Morton curve. Up to 8 consecutive points form a bunch, one
/// in each SIMD lane, with one list of everything near any of them. Loops over such lists need no
/// horizontal sums, and one search serves 8 points. Entries that are near only to another point of
/// the bunch have weight 0, so results do not depend on how points are bunched.
///
/// The other points are found with a bounding volume hierarchy in which every node has 8 children.
#ifndef PX_SURFACE_COAT_NEIGHBOURS_H
#define PX_SURFACE_COAT_NEIGHBOURS_H

#include "base/arena.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "base/fail.h"
#include "base/memory.h"

#define PX_COAT_LEVELS 11 ///< 8^11 > 2^32

typedef struct PxCoatTree {
    uint32_t count;                ///< points
    const float *at[3];            ///< padded by 8 readable floats
    const uint32_t *name;          ///< names of the points in lists, or NULL for their indices
    uint32_t levels;               ///< of boxes; 0 without points
    float *box[PX_COAT_LEVELS][6]; ///< low x y z, high x y z; padded to a multiple of 8
} PxCoatTree;

/// Builds a tree over points sorted along a Morton curve. Allocated from the scratch; `at` stays
/// the caller's.
PxStatus px_coat_tree_make(PxArena *scratch, const PxThreads *threads, float *const at[3],
                           uint32_t count, PxCoatTree *tree);

/// The same for points in any order: sorts copies of them first, by cells of edge `edge`.
PxStatus px_coat_tree_make_sorted(PxArena *scratch, const PxThreads *threads, float *const at[3],
                                  uint32_t count, float edge, PxCoatTree *tree);

/// Finds the points nearer than `reach` to a box, in the order of the tree. Writes up to `room` +
/// PX_COAT_QUERY_PAD rows. Returns how many there are, or UINT32_MAX for more than `room`.
uint32_t px_coat_tree_query(const PxCoatTree *tree, PxIsa isa, const float low[3],
                            const float high[3], float reach, uint32_t *row, uint32_t room);
#define PX_COAT_QUERY_PAD 8u ///< rows written beyond the room

/// Storage for list entries, reused from call to call.
typedef struct PxCoatRows {
    const PxAllocator *allocator;
    uint32_t *row;
    size_t room;
} PxCoatRows;

void px_coat_rows_free(PxCoatRows *rows);

/// Bunches of points, and for each the list of points near it.
typedef struct PxCoatLists {
    uint32_t count;  ///< bunches
    uint32_t *begin; ///< first point of each, and the end of the last
    uint32_t *start, *size;
    const uint32_t *row;
} PxCoatLists;

/// Forms bunches no wider than `width`, allocated from the scratch.
PxStatus px_coat_bunch(PxArena *scratch, float *const at[3], uint32_t count, float width,
                       PxCoatLists *lists);
/// Fills the lists; bunches in which `hot` is 0 everywhere get empty ones (NULL: none do). The
/// lists stay valid until `rows` is used again. Loop over a list with PX_COAT_FOR_NEAR(lists,
/// bunch, j) { ... *j ... }
#define PX_COAT_FOR_NEAR(lists, bunch, j)                                                          \
    for (const uint32_t *j = (lists)->row + (lists)->start[bunch],                                 \
                        *j##_end = j + (lists)->size[bunch];                                       \
         j < j##_end; ++j)

PxStatus px_coat_list(PxArena *scratch, const PxThreads *threads, PxIsa isa, float *const at[3],
                      const PxCoatTree *others, float reach, const float *hot, PxCoatRows *rows,
                      PxCoatLists *lists);

/// Sorts points along a Morton curve (Morton 1966) in cells of edge `edge`; points of one cell keep
/// their order.
PxStatus px_coat_morton_order(PxArena *scratch, float *const at[3], uint32_t count, float edge,
                              uint32_t *order);

typedef struct PxCoatKeyed {
    uint64_t id;
    uint32_t row;
} PxCoatKeyed;
/// Stable radix sort by id. `other` has room for `count` as well.
void px_coat_sort_keyed(PxCoatKeyed *keyed, PxCoatKeyed *other, uint32_t count);

PX_ISA_DECLARE(uint32_t, px_coat_tree_query_rows,
               (const PxCoatTree *tree, const float low[3], const float high[3], float reach,
                uint32_t *row, uint32_t room));

#endif
