/// Disjoint sets of rows (union-find), numbered by the least id in each: the numbers do not depend
/// on the order of rows.
#ifndef PX_COUPLING_DISJOINT_SETS_H
#define PX_COUPLING_DISJOINT_SETS_H

#include "base/arena.h"
#include "base/fail.h"

/// The root of a row that is in no set.
#define PX_NO_SET UINT32_MAX

typedef struct PxDisjointSets {
    uint32_t count;  ///< rows
    uint32_t *root;  ///< by row: another row of its set, or itself
    uint32_t *set;   ///< by row: number of its set, + 1; 0: in none. After px_sets_number()
    uint32_t sets;   ///< how many
    uint64_t *least; ///< by set: the least id in it
} PxDisjointSets;

/// Takes scratch for `count` rows, each in no set. Errors: PX_ERR_MEMORY.
PxStatus px_sets_begin(PxDisjointSets *sets, uint32_t count, PxArena *scratch);

/// Puts a row into a set of its own.
static inline void px_sets_add(PxDisjointSets *s, uint32_t i)
{
    s->root[i] = i;
}

/// Joins the sets of two rows that are in some.
void px_sets_join(PxDisjointSets *sets, uint32_t a, uint32_t b);

/// Fills set, sets and least. `id` is by row.
PxStatus px_sets_number(PxDisjointSets *sets, const uint64_t *id, PxArena *scratch);

#endif
