/// Disjoint sets of rows (union-find). Sets are numbered by the lowest id in each, so the numbers
/// do not depend on the order of rows, nor on the ranks that own them.
///
/// Each rank joins the rows that it sees: its own, copies of other ranks' rows, and rows that all
/// ranks have (those of the elastic set). px_sets_number() then names every set by its lowest id
/// and gathers pairs of names of the same set: the names that a copy has here and on the rank that
/// owns it, and the names that a row of the elastic set has on different ranks. Every rank then
/// joins these names in the same way.
#ifndef PX_DIST_DISJOINT_SETS_H
#define PX_DIST_DISJOINT_SETS_H

#include "base/arena.h"
#include "base/fail.h"
#include "dist/dist.h"

/// The root of a row that is in no set.
#define PX_NO_SET UINT32_MAX

typedef struct PxDisjointSets {
    uint32_t count;  ///< rows that this rank sees
    uint32_t *root;  ///< by row: its parent in the tree of the set; a root is its own parent
    uint32_t *set;   ///< by row: index of its set, + 1; 0: in none. Valid after px_sets_number()
    uint32_t sets;   ///< number of sets, after px_sets_number()
    uint64_t *least; ///< by set: the lowest id in it, after px_sets_number()
} PxDisjointSets;

/// Owners of the rows: first those of this rank, then copies, then rows that all ranks have.
typedef struct PxSetsRanks {
    const PxDist *dist;
    uint32_t owned, copies;
} PxSetsRanks;

/// Allocates from scratch for `count` rows, each in no set. Errors: PX_ERR_MEMORY.
PxStatus px_sets_begin(PxDisjointSets *sets, uint32_t count, PxArena *scratch);

/// Puts a row into a set of its own.
static inline void px_sets_add(PxDisjointSets *s, uint32_t i)
{
    s->root[i] = i;
}

/// Joins the sets of two rows, each of which must be in a set.
void px_sets_join(PxDisjointSets *sets, uint32_t a, uint32_t b);

/// Numbers the sets: fills `set`, `sets` and `least`. id[i] is the id of row i. `ranks` is NULL if
/// every rank has all rows. Errors: PX_ERR_MEMORY.
PxStatus px_sets_number(PxDisjointSets *sets, const uint64_t *id, const PxSetsRanks *ranks,
                        PxArena *scratch);

#endif
