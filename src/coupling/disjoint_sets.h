/// Disjoint sets of rows (union-find), numbered by the least id in each: the numbers do not depend
/// on the order of rows, nor on the ranks that own them.
///
/// Each rank joins the rows that it sees: its own, copies of other ranks' rows, and rows that all
/// ranks have (of the elastic set). px_sets_number() then calls every set by its least id and
/// gathers from all ranks which names are of one set: that of a copy here and on the rank that owns
/// it; those of a row that all ranks have. Joining these names is the same work on every rank.
#ifndef PX_COUPLING_DISJOINT_SETS_H
#define PX_COUPLING_DISJOINT_SETS_H

#include "base/arena.h"
#include "base/fail.h"
#include "dist/dist.h"

/// The root of a row that is in no set.
#define PX_NO_SET UINT32_MAX

typedef struct PxDisjointSets {
    uint32_t count;  ///< rows that this rank sees
    uint32_t *root;  ///< by row: another row of its set, or itself
    uint32_t *set;   ///< by row: number of its set, + 1; 0: in none. After px_sets_number()
    uint32_t sets;   ///< how many
    uint64_t *least; ///< by set: the least id in it
} PxDisjointSets;

/// Which rows belong to whom: first those of this rank, then copies, then rows that all ranks have.
typedef struct PxSetsRanks {
    const PxDist *dist;
    uint32_t owned, copies;
} PxSetsRanks;

/// Takes scratch for `count` rows, each in no set. Errors: PX_ERR_MEMORY.
PxStatus px_sets_begin(PxDisjointSets *sets, uint32_t count, PxArena *scratch);

/// Puts a row into a set of its own.
static inline void px_sets_add(PxDisjointSets *s, uint32_t i)
{
    s->root[i] = i;
}

/// Joins the sets of two rows that are in some.
void px_sets_join(PxDisjointSets *sets, uint32_t a, uint32_t b);

/// Fills set, sets and least. `id` is by row. `ranks` is NULL if every rank has all rows.
/// Errors: PX_ERR_MEMORY.
PxStatus px_sets_number(PxDisjointSets *sets, const uint64_t *id, const PxSetsRanks *ranks,
                        PxArena *scratch);

#endif
