/// Communication with other ranks; no other file knows of them.
///
/// A rank is a process that owns a part of the rows: those in whole coarse cells of the grid, cubes
/// of 2 x 2 x 2 of its cells. It also sees copies of the rows of other ranks that are neighbours of
/// its own: owned rows come first, copies after them. A pass writes owned rows only. What it needs
/// of others comes through one of these calls:
///
///   px_dist_refresh()   values of neighbours: required before a pass reads what an earlier pass
///                       wrote in rows that may be copies
///   px_reduce()         a number over all rows (dist/reduce.h)
///   px_dist_gather()    a list to which every rank contributes what it owns: coarse cells,
///                       connections between components
///   px_dist_share()     an array that every rank holds whole, as the elastic set is: each rank
///                       writes the values of the rows that it owns
///
/// The results are the same on every rank and have the same bits for any number of ranks. All ranks
/// make these calls in the same order, also ranks without rows: whether a call is made may depend
/// only on values that are the same on every rank.
///
/// Without a back end there is one rank, which owns every row, and the calls do nothing. Tests have
/// a back end of two ranks in one process (test/test_ranks.c); MPI will be another.
#ifndef PX_DIST_DIST_H
#define PX_DIST_DIST_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/sum.h"

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
    void *(*gather)(void *state, const void *mine, size_t bytes, PxArena *scratch, size_t *total);
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

/// Joins the ranks' lists of entries of `size` bytes, rank after rank. *all is `mine` itself if
/// there is one rank; otherwise it is in scratch. Errors: PX_ERR_MEMORY.
PxStatus px_dist_gather(const PxDist *dist, const void *mine, uint32_t count, size_t size,
                        PxArena *scratch, const void **all, uint32_t *total);

/// Row number of something that another rank owns.
#define PX_ELSEWHERE UINT32_MAX

/// Completes an array of `count` values that every rank holds whole: value k comes from the rank
/// for which row[k] is not PX_ELSEWHERE. Errors: PX_ERR_MEMORY.
PxStatus px_dist_share(const PxDist *dist, PxDistArray array, const uint32_t *row, uint32_t count,
                       PxArena *scratch);

/// Are there other ranks?
static inline bool px_dist_shared(const PxDist *dist)
{
    return dist != NULL && dist->backend != NULL;
}

/// Id of a new particle, made from the body or emitter that creates it (`source`) and a serial
/// number within that, so ids do not depend on ranks and are never reused.
static inline uint64_t px_dist_id(uint32_t source, uint64_t serial)
{
    return ((uint64_t)source + 1) << 40 | serial;
}
#define PX_DIST_MOST_SERIALS ((uint64_t)1 << 40)

#endif
