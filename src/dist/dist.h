/// The only door to other ranks. This is the serial back end: one rank that
/// owns every row. Code above calls these wherever a result must be the same
/// for any number of ranks; an MPI back end replaces dist.c alone.
#ifndef PX_DIST_DIST_H
#define PX_DIST_DIST_H

#include "base/sum.h"
#include "base/table.h"

typedef struct PxDist {
    int rank, size;
} PxDist;

void px_dist_init(PxDist *dist);

/// The operations behind px_reduce() (dist/reduce.h), which everything above this room calls
/// instead: value[k] becomes the largest, the smallest, the sum of all ranks' value[k]. Sums are of
/// whole numbers or of quanta (px_sum_round()), so that the additions are exact.
void px_dist_max(const PxDist *dist, double *value, uint32_t count);
void px_dist_min(const PxDist *dist, double *value, uint32_t count);
void px_dist_sum(const PxDist *dist, double *value, uint32_t count);
/// The same for long accumulators.
void px_dist_merge(const PxDist *dist, PxSum *sum, uint32_t count);
/// The lowest id of all ranks; 0 means none.
void px_dist_lowest_id(const PxDist *dist, uint64_t *id);

/// Sends rows to the ranks whose space they have moved into, and takes theirs.
PxStatus px_dist_migrate(const PxDist *dist, PxTable *table);

/// Appends copies of other ranks' rows within `reach` of this one's space; the
/// owned rows stay in front. *owned is their number.
PxStatus px_dist_copies(const PxDist *dist, PxTable *table, double reach, uint32_t *owned);

/// Ids are made from what asks (a body, an emitter: `source`) and a serial
/// number within it, so they do not depend on ranks and are never used twice.
static inline uint64_t px_dist_id(uint32_t source, uint64_t serial)
{
    return ((uint64_t)source + 1) << 40 | serial;
}
/// What asked for the id.
static inline uint32_t px_dist_source(uint64_t id)
{
    return (uint32_t)(id >> 40) - 1;
}
#define PX_DIST_MOST_SERIALS ((uint64_t)1 << 40)

#endif
