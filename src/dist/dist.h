/// Communication with other ranks; no other file knows of them.
///
/// A rank is a process that owns a part of the rows. It also sees copies of the rows of other ranks
/// that lie near its own: owned rows come first, copies after them. A pass writes owned rows only;
/// before a pass reads what neighbours wrote in an earlier one, px_dist_refresh() brings the copies
/// up to date. Results over all rows go through px_reduce() (dist/reduce.h). All ranks make these
/// calls in the same order, also ranks without rows.
///
/// Without a back end there is one rank, which owns every row, and the calls do nothing. Tests have
/// a back end of two ranks in one process (test/test_ranks.c); MPI will be another.
#ifndef PX_DIST_DIST_H
#define PX_DIST_DIST_H

#include "base/sum.h"
#include "base/table.h"

/// A value of every row of an array.
typedef struct PxDistArray {
    void *first;   ///< value of row 0
    size_t size;   ///< bytes of a value
    size_t stride; ///< bytes from row to row
} PxDistArray;

/// Functions of a back end; see those of the same names below.
typedef struct PxDistBackend {
    void (*max)(void *state, double *value, uint32_t count);
    void (*min)(void *state, double *value, uint32_t count);
    void (*sum)(void *state, double *value, uint32_t count);
    void (*merge)(void *state, PxSum *sum, uint32_t count);
    void (*lowest_id)(void *state, uint64_t *id);
    void (*refresh)(void *state, PxDistArray array, uint32_t owned, uint32_t copies);
} PxDistBackend;

typedef struct PxDist {
    int rank, size;
    const PxDistBackend *backend; ///< NULL: one rank
    void *state;                  ///< the back end's
} PxDist;

void px_dist_init(PxDist *dist);

/// value[k] becomes the maximum, minimum or sum of all ranks' value[k]. Summands are whole numbers
/// or multiples of a quantum (px_sum_round()), so that additions are exact. Rooms other than dist/
/// call px_reduce() (dist/reduce.h) instead.
void px_dist_max(const PxDist *dist, double *value, uint32_t count);
void px_dist_min(const PxDist *dist, double *value, uint32_t count);
void px_dist_sum(const PxDist *dist, double *value, uint32_t count);
/// Sums of long accumulators over all ranks.
void px_dist_merge(const PxDist *dist, PxSum *sum, uint32_t count);
/// The lowest id of all ranks; 0 means none.
void px_dist_lowest_id(const PxDist *dist, uint64_t *id);

/// Copies the values of rows [owned, owned + copies) from the ranks that own them.
void px_dist_refresh(const PxDist *dist, PxDistArray array, uint32_t owned, uint32_t copies);

/// Sends rows to the ranks whose region they have moved into, and receives rows from them.
PxStatus px_dist_migrate(const PxDist *dist, PxTable *table);

/// Appends copies of other ranks' rows within `reach` of this rank's region, after the owned rows.
/// *owned is the number of owned rows.
PxStatus px_dist_copies(const PxDist *dist, PxTable *table, double reach, uint32_t *owned);

/// Id of a new particle, made from the body or emitter that creates it (`source`) and a serial
/// number within that, so ids do not depend on ranks and are never reused.
static inline uint64_t px_dist_id(uint32_t source, uint64_t serial)
{
    return ((uint64_t)source + 1) << 40 | serial;
}
#define PX_DIST_MOST_SERIALS ((uint64_t)1 << 40)

#endif
