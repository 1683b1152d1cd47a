/// Sums whose bits do not depend on the order of additions, used for every sum over particles.
///
/// A long accumulator after Kulisch (1971): a fixed-point number wide enough for
/// every double, so additions are exact and associative, and the result is the same
/// for any split over threads or ranks. It is the exact sum rounded once.
#ifndef PX_BASE_SUM_H
#define PX_BASE_SUM_H

#include <stdbool.h>
#include <stdint.h>

/// 32-bit digits in 64-bit limbs: limb k has weight 2^(32 k - 1088). 1074 bits below
/// one for the smallest subnormal, 1024 above, the rest for carries.
#define PX_SUM_LIMBS 68

typedef struct PxSum {
    int64_t limb[PX_SUM_LIMBS];
    uint32_t pending; ///< additions since carries were last propagated
    bool nan, plus_infinity, minus_infinity;
} PxSum;

/// An empty sum is PxSum sum = {0}.
void px_sum_add(PxSum *sum, double value);
/// sum += other.
void px_sum_merge(PxSum *sum, const PxSum *other);
/// The exact total, rounded to nearest, ties to even. NaN if a NaN or both
/// infinities were added.
double px_sum_value(const PxSum *sum);

/// The cheap way, for values with a known bound: round each value to a multiple of a
/// quantum so large that every partial sum fits in 53 bits. Then every addition is
/// exact and their order does not matter. The error of the total is at most
/// count^2 bound / 2^53.
///   double magic = px_sum_magic(bound, count);
///   sum += px_sum_round(magic, value);        for all values, in any order
/// `bound` and `count` must cover all rows of all ranks.
double px_sum_magic(double bound, uint64_t count);

static inline double px_sum_round(double magic, double value)
{
    /* One ulp of `magic` is the quantum, so the addition rounds to a multiple of it. */
    return (value + magic) - magic;
}

#endif
