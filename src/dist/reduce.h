/// Reductions over rows: maxima, minima and sums over all threads and all ranks.
///
/// Results have the same bits for any number of threads and ranks, because every operation that
/// joins two parts is associative and commutative without rounding: maxima, minima, and sums of
/// values that were rounded to a common quantum (base/sum.h) or added in a long accumulator.
#ifndef PX_DIST_REDUCE_H
#define PX_DIST_REDUCE_H

#include "base/parallel.h"
#include "dist/dist.h"

/// The rows that a reduction covers.
typedef struct PxRows {
    const PxThreads *threads;
    const PxDist *dist; ///< NULL: this rank alone
    uint32_t count;     ///< rows that this rank owns
    uint32_t block;     ///< rows per block; 0: 4 * PX_BLOCK
} PxRows;

/// Most quantities of one kind in a reduction.
#define PX_PART_WIDTH 32

/// Result of a reduction over a block of rows or all rows. Only the first `maxima`, `minima` and
/// `sums` entries are used.
typedef struct PxPart {
    uint32_t maxima, minima, sums;
    double most[PX_PART_WIDTH];
    double least[PX_PART_WIDTH];
    double sum[PX_PART_WIDTH]; ///< of whole numbers, or of values rounded by px_sum_round()
    uint64_t id;               ///< the lowest id that a block reported; 0: none
} PxPart;

/// Reports an id.
static inline void px_part_id(PxPart *part, uint64_t id)
{
    if (id != 0 && (part->id == 0 || id < part->id))
        part->id = id;
}

/// Reduces rows [begin, end) to *part. On entry maxima and minima have their start values, sums
/// and id are 0. The function may also write results of its rows elsewhere.
typedef void PxReduceFunction(void *user, uint32_t begin, uint32_t end, PxPart *part);

/// Reduces all rows to *part, whose maxima and minima hold the values to start from. NaN is never
/// a maximum or a minimum. Returns the number of rows of all ranks.
uint64_t px_reduce(const PxRows *rows, PxReduceFunction *function, void *user, PxPart *part);

/// px_reduce() as the second loop of a chain (base/parallel.h) whose first loop, `first` and
/// `until` are given. rows->block is set.
uint64_t px_reduce_after(const PxRows *rows, PxChain chain, PxReduceFunction *function, void *user,
                         PxPart *part);

/// The number of rows of all ranks.
uint64_t px_reduce_count(const PxRows *rows);

/// Writes the values of rows [begin, end) to value[0 .. end - begin).
typedef void PxValueFunction(const void *user, uint32_t begin, uint32_t end, double *value);

/// The sum of one value per row. Two passes: the first finds the largest magnitude, from which the
/// quantum follows that the second rounds to.
double px_reduce_sum(const PxRows *rows, PxValueFunction *function, const void *user);

/// Most long accumulators in a reduction.
#define PX_SUM_WIDTH 16

/// Adds the values of rows [begin, end) to sums[0 .. width).
typedef void PxSumFunction(const void *user, uint32_t begin, uint32_t end, PxSum *sums);

/// `width` sums in long accumulators: one pass, no rounding before the end, but slower per value
/// than px_reduce_sum().
void px_reduce_exact(const PxRows *rows, uint32_t width, PxSumFunction *function, const void *user,
                     PxSum *out);

/// Joins long accumulators that each rank filled by itself: sums[k] becomes the sum over all ranks.
void px_reduce_join(const PxDist *dist, PxSum *sums, uint32_t width);

#endif
