/// Sums: exact, order-independent, correctly rounded.
#include "check.h"

#include "base/random.h"
#include "dist/reduce.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Doubles of wildly different size: 2^-300 .. 2^300, both signs. */
static double wild(uint64_t i)
{
    double unit = px_random_unit(i, 0, 0) - 0.5;
    return ldexp(unit, (int)(px_random_bits(i, 0, 1) % 600) - 300);
}

TEST(an_empty_sum_is_zero)
{
    PxSum sum = {0};
    CHECK(px_sum_value(&sum) == 0.0);
}

TEST(one_value_comes_back_unchanged)
{
    const double values[] = {1.0,
                             -1.0,
                             0.1,
                             DBL_MAX,
                             -DBL_MAX,
                             DBL_MIN,
                             5e-324,
                             -5e-324,
                             1e-310,
                             3.0e300,
                             0x1p-1060,
                             0x1.fffffffffffffp1023,
                             0x1.0000000000001p-1022};
    for (size_t k = 0; k < sizeof values / sizeof *values; ++k) {
        PxSum sum = {0};
        px_sum_add(&sum, values[k]);
        CHECK(px_sum_value(&sum) == values[k]);
    }
    for (uint64_t i = 0; i < 10000; ++i) {
        PxSum sum = {0};
        px_sum_add(&sum, wild(i));
        CHECK(px_sum_value(&sum) == wild(i));
    }
}

TEST(cancellation_leaves_the_exact_remainder)
{
    PxSum sum = {0};
    px_sum_add(&sum, 1e300);
    px_sum_add(&sum, 1e-300);
    px_sum_add(&sum, -1e300);
    CHECK(px_sum_value(&sum) == 1e-300);
}

TEST(two_values_round_as_the_machine_rounds)
{
    /* IEEE addition of two doubles is correctly rounded, so it is a reference. */
    for (uint64_t i = 0; i < 20000; ++i) {
        double a = wild(2 * i), b = ldexp(wild(2 * i + 1), 0);
        if (i % 2)
            b = a * (px_random_unit(i, 7, 7) - 0.5);
        PxSum sum = {0};
        px_sum_add(&sum, a);
        px_sum_add(&sum, b);
        CHECK(px_sum_value(&sum) == a + b);
    }
}

TEST(order_and_grouping_do_not_matter)
{
    enum { N = 3000 };
    PxSum forward = {0}, backward = {0}, part[7];
    memset(part, 0, sizeof part);
    for (int i = 0; i < N; ++i) {
        px_sum_add(&forward, wild((uint64_t)i));
        px_sum_add(&backward, wild((uint64_t)(N - 1 - i)));
        px_sum_add(&part[i % 7], wild((uint64_t)i));
    }
    for (int k = 1; k < 7; ++k)
        px_sum_merge(&part[0], &part[k]);
    double value = px_sum_value(&forward);
    CHECK(value != 0.0);
    CHECK(px_sum_value(&backward) == value);
    CHECK(px_sum_value(&part[0]) == value);
}

static void add_wild(const void *user, uint32_t begin, uint32_t end, PxSum *sums)
{
    (void)user;
    for (uint32_t i = begin; i < end; ++i) {
        px_sum_add(&sums[0], wild(i));
        px_sum_add(&sums[1], 0.1);
    }
}

TEST(one_two_and_eight_threads_give_the_same_bits)
{
    enum { N = 200001 };
    PxSum one[2], many[2];
    px_reduce_exact(&(PxRows){.threads = &(PxThreads){.count = 1}, .count = N}, 2, add_wild, NULL,
                    one);
    for (int threads = 2; threads <= 8; threads *= 2) {
        px_reduce_exact(&(PxRows){.threads = &(PxThreads){.count = threads}, .count = N}, 2,
                        add_wild, NULL, many);
        CHECK(px_sum_value(&many[0]) == px_sum_value(&one[0]));
        CHECK(px_sum_value(&many[1]) == px_sum_value(&one[1]));
    }
    /* a product of two doubles is rounded once, as the sum must be */
    CHECK(px_sum_value(&one[1]) == 0.1 * 200001.0);
}

/* ---- reductions ---------------------------------------------------------- */

typedef struct Reduced {
    double magic;
    uint32_t named; /* rows whose ids are reported: multiples of it */
} Reduced;

static void reduce_wild(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Reduced *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        double value = wild(i) * 1e-290;
        part->most[0] = value > part->most[0] ? value : part->most[0];
        part->least[0] = value < part->least[0] ? value : part->least[0];
        part->sum[0] += px_sum_round(job->magic, sin(i));
        part->sum[1] += 1;
        if (i > 0 && i % job->named == 0)
            px_part_id(part, i);
    }
}

TEST(reductions_have_the_same_bits_for_any_threads_and_blocks)
{
    enum { N = 100003 };
    Reduced job = {px_sum_magic(1, N), 70001};
    PxPart one = {.maxima = 1, .minima = 1, .sums = 2, .most = {-INFINITY}, .least = {INFINITY}};
    PxPart start = one;
    CHECK(px_reduce(&(PxRows){.threads = &(PxThreads){.count = 1}, .count = N}, reduce_wild, &job,
                    &one) == N);
    for (int threads = 2; threads <= 8; threads *= 2) {
        PxPart many = start;
        PxRows rows = {.threads = &(PxThreads){.count = threads}, .count = N, .block = 77};
        px_reduce(&rows, reduce_wild, &job, &many);
        CHECK(many.most[0] == one.most[0] && many.least[0] == one.least[0]);
        CHECK(many.sum[0] == one.sum[0]);
        CHECK(many.sum[1] == N);
        CHECK(many.id == 70001);
    }
}

TEST(a_reduction_over_no_rows_returns_its_initial_value)
{
    PxPart part = {.maxima = 1, .minima = 1, .sums = 1, .most = {-3}, .least = {4}, .sum = {5}};
    CHECK(px_reduce(&(PxRows){.threads = &(PxThreads){.count = 2}}, reduce_wild, NULL, &part) == 0);
    CHECK(part.most[0] == -3);
    CHECK(part.least[0] == 4);
    CHECK(part.sum[0] == 0);
    CHECK(part.id == 0);
}

static void sine_values(const void *user, uint32_t begin, uint32_t end, double *value)
{
    (void)user;
    for (uint32_t i = begin; i < end; ++i)
        value[i - begin] = sin(i);
}

static void sine_rows(const void *user, uint32_t begin, uint32_t end, PxSum *sums)
{
    (void)user;
    for (uint32_t i = begin; i < end; ++i)
        px_sum_add(&sums[0], sin(i));
}

TEST(sums_of_one_value_per_row_agree_with_the_long_accumulator)
{
    enum { N = 100003 };
    PxRows rows = {.threads = &(PxThreads){.count = 1}, .count = N};
    PxSum exact;
    px_reduce_exact(&rows, 1, sine_rows, NULL, &exact);
    double sum = px_reduce_sum(&rows, sine_values, NULL);
    /* the error that base/sum.h allows: count^2 bound / 2^53 */
    CHECK_NEAR(sum, px_sum_value(&exact), (double)N * N / 9e15);
    for (int threads = 2; threads <= 8; threads *= 2) {
        rows.threads = &(PxThreads){.count = threads};
        CHECK(px_reduce_sum(&rows, sine_values, NULL) == sum);
    }
}

TEST(infinities_and_nan_are_kept)
{
    PxSum sum = {0};
    px_sum_add(&sum, INFINITY);
    px_sum_add(&sum, 1.0);
    CHECK(px_sum_value(&sum) == INFINITY);
    px_sum_add(&sum, -INFINITY);
    CHECK(isnan(px_sum_value(&sum)));
    PxSum other = {0};
    px_sum_add(&other, NAN);
    CHECK(isnan(px_sum_value(&other)));
}

TEST(rounded_values_add_up_to_the_same_bits_in_any_order)
{
    enum { N = 100000 };
    double magic = px_sum_magic(0.5, N), forward = 0, backward = 0, strided = 0;
    PxSum exact = {0};
    for (int i = 0; i < N; ++i) {
        double value = px_random_unit((uint64_t)i, 3, 3) - 0.5;
        forward += px_sum_round(magic, value);
        px_sum_add(&exact, value);
        backward += px_sum_round(magic, px_random_unit((uint64_t)(N - 1 - i), 3, 3) - 0.5);
    }
    for (int k = 0; k < 7; ++k) {
        double part = 0;
        for (int i = k; i < N; i += 7)
            part += px_sum_round(magic, px_random_unit((uint64_t)i, 3, 3) - 0.5);
        strided += part;
    }
    CHECK(forward == backward);
    CHECK(forward == strided);
    /* each value is off by half a quantum at most: 0.5 N 2^-51 / 2 */
    CHECK_NEAR(forward, px_sum_value(&exact), N * 0.5 * N * 0x1p-51);
    CHECK(forward != 0);
}

TEST_MAIN()
