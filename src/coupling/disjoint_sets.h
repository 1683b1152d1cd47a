/// Disjoint sets of rows (union-find). Sets are numbered by the lowest id in each, so the numbers
/// do not depend on the order of rows.
#ifndef PX_COUPLING_DISJOINT_SETS_H
#define PX_COUPLING_DISJOINT_SETS_H

#include "base/arena.h"
#include "base/fail.h"

/// The root of a row that is in no set.
#define PX_NO_SET UINT32_MAX

typedef struct PxDisjointSets {
    uint32_t count;  ///< rows
    uint32_t *root;  ///< by row: its parent in the tree of the set; a root is its own parent
    uint32_t *set;   ///< by row: index of its set, + 1; 0: in none. Valid after px_sets_number()
    uint32_t sets;   ///< number of sets, after px_sets_number()
    uint64_t *least; ///< by set: the lowest id in it, after px_sets_number()
} PxDisjointSets;

/// Allocates from scratch for `count` rows, each in no set. Errors: PX_ERR_MEMORY.
PxStatus px_sets_begin(PxDisjointSets *sets, uint32_t count, PxArena *scratch);

/// Puts a row into a set of its own.
static inline void px_sets_add(PxDisjointSets *s, uint32_t i)
{
    s->root[i] = i;
}

/// Joins the sets of two rows, each of which must be in a set.
void px_sets_join(PxDisjointSets *sets, uint32_t a, uint32_t b);

/// Numbers the sets: fills `set`, `sets` and `least`. id[i] is the id of row i.
/// Errors: PX_ERR_MEMORY.
PxStatus px_sets_number(PxDisjointSets *sets, const uint64_t *id, PxArena *scratch);

#endif
