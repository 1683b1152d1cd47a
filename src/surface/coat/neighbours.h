/// Who is near whom, for the points of a coat: bunches, trees and lists.
///
/// The points of a table lie in memory as they do in space. Up to 8 that follow each other are a
/// bunch, one in each lane of a vector, and a bunch has one list of whoever is near any of them:
/// loops over lists then need no sums over lanes, and finding takes one search for 8 points. What
/// is listed for a neighbour only adds zeros: what comes out for a point does not depend on who
/// else is in its bunch.
///
/// Others are found by a tree of boxes over them, 8 points or 8 boxes below each.
#ifndef PX_SURFACE_COAT_NEIGHBOURS_H
#define PX_SURFACE_COAT_NEIGHBOURS_H

#include "base/arena.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "base/fail.h"
#include "base/memory.h"

#define PX_COAT_LEVELS 11 ///< 8^11 is more than 32 bits count

typedef struct PxCoatTree {
    uint32_t count;       ///< points
    const float *at[3];   ///< 8 readable floats behind the last
    const uint32_t *name; ///< what the points are called in lists, or NULL for their numbers
    uint32_t levels;      ///< of boxes, 1 or more; none without points
    float *box[PX_COAT_LEVELS][6]; ///< low x y z, high x y z; whole eights of them
} PxCoatTree;

/// Taken from the scratch. `at` stays the caller's.
PxStatus px_coat_tree_make(PxArena *scratch, const PxThreads *threads, float *const at[3],
                           uint32_t count, PxCoatTree *tree);

/// The same for points that lie in memory as they like.
PxStatus px_coat_tree_sorted(PxArena *scratch, const PxThreads *threads, float *const at[3],
                             uint32_t count, float edge, PxCoatTree *tree);

/// The points nearer than `reach` to a box, in the order of the tree: at most `room` of them, a few
/// more are written behind those. Returns how many, or UINT32_MAX when there may be more than the
/// room.
uint32_t px_coat_tree_ask(const PxCoatTree *tree, PxIsa isa, const float low[3],
                          const float high[3], float reach, uint32_t *row, uint32_t room);
#define PX_COAT_ASK_MORE 8u ///< rows behind the room that are written

/// Entries of the lists, kept from time to time.
typedef struct PxCoatRows {
    const PxAllocator *allocator;
    uint32_t *row;
    size_t room;
} PxCoatRows;

void px_coat_rows_free(PxCoatRows *rows);

/// Bunches of points, and for each the list of others that are near.
typedef struct PxCoatLists {
    uint32_t count;  ///< bunches
    uint32_t *begin; ///< first point of each, and behind the last
    uint32_t *start, *size;
    const uint32_t *row;
} PxCoatLists;

/// Bunches that are not wider than that, taken from the scratch.
PxStatus px_coat_bunch(PxArena *scratch, float *const at[3], uint32_t count, float width,
                       PxCoatLists *lists);
/// Fills the lists; those of bunches in which `hot` is 0 everywhere stay empty (NULL: none).
/// The lists hold until `rows` is used again.
/// A list is walked along with PX_COAT_FOR_NEAR(lists, bunch, j) { ... *j ... }
#define PX_COAT_FOR_NEAR(lists, bunch, j)                                                          \
    for (const uint32_t *j = (lists)->row + (lists)->start[bunch],                                 \
                        *j##_end = j + (lists)->size[bunch];                                       \
         j < j##_end; ++j)

PxStatus px_coat_list(PxArena *scratch, const PxThreads *threads, PxIsa isa, float *const at[3],
                      const PxCoatTree *others, float reach, const float *hot, PxCoatRows *rows,
                      PxCoatLists *lists);

/// Sorts rows by place along a curve that stays near itself (Morton 1966), in cells of that edge;
/// within a cell they keep their order. `order` and `count` are of the points.
PxStatus px_coat_order(PxArena *scratch, float *const at[3], uint32_t count, float edge,
                       uint32_t *order);

typedef struct PxCoatNamed {
    uint64_t id;
    uint32_t row;
} PxCoatNamed;
/// Ascending by id; equal ones keep their order. `other` has as much room.
void px_coat_sort_named(PxCoatNamed *named, PxCoatNamed *other, uint32_t count);

PX_ISA_DECLARE(uint32_t, px_coat_tree_rows,
               (const PxCoatTree *tree, const float low[3], const float high[3], float reach,
                uint32_t *row, uint32_t room));

#endif
