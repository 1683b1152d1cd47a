/// Difficult sets of points for search structures, and brute-force results.
#ifndef PX_TEST_POINT_SETS_H
#define PX_TEST_POINT_SETS_H

#include "check.h"
#include "counting.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "base/random.h"

#include <float.h>
#include <stdbool.h>
#include <stdlib.h>

typedef enum PointSet {
    SET_RANDOM,     /* in a unit cube */
    SET_CLUSTERED,  /* tight clusters, far between */
    SET_FLAT,       /* in the plane z = 0.25 */
    SET_TILTED,     /* in a plane across the axes */
    SET_SAME,       /* all in one place */
    SET_FEW_PLACES, /* in five places */
    SET_AXIS,       /* on a line along x */
    SET_DIAGONAL,   /* on a line across */
    SET_LATTICE,    /* many equal distances */
    SET_FAR,        /* a unit cube a million units away: floats 0.06 apart */
    SET_SCALES,     /* nested ever closer around one place, at all sizes floats have */
    SET_HUGE,       /* up to the largest float, so that distances overflow */
    SET_TINY,       /* subnormal, so that squares underflow */
    SET_PAIR,       /* two clusters, a billion of their sizes apart */
    SET_ADJACENT,   /* with no float between their coordinates */
    SET_COUNT
} PointSet;

typedef struct Points {
    PointSet set;
    uint32_t count;
    float *x, *y, *z;
} Points;

static inline float between(uint64_t i, uint64_t what, float low, float high)
{
    return low + (high - low) * (float)px_random_unit(i, 77, what);
}

static inline void point_of(PointSet set, uint64_t i, float p[3])
{
    float u = between(i, 0, 0, 1), v = between(i, 1, 0, 1), w = between(i, 2, 0, 1);
    float sign[3];
    for (uint64_t k = 0; k < 3; ++k)
        sign[k] = px_random_bits(i, 78, k) % 2 ? 1.0f : -1.0f;
    p[0] = u, p[1] = v, p[2] = w;
    switch (set) {
    case SET_CLUSTERED:
        for (uint64_t k = 0; k < 3; ++k)
            p[k] = between(px_random_bits(i, 79, 0) % 7, 80 + k, -50, 50) + 0.01f * p[k];
        break;
    case SET_FLAT:
        p[2] = 0.25f;
        break;
    case SET_TILTED:
        p[2] = 0.3f * u - 0.7f * v;
        break;
    case SET_SAME:
        p[0] = 0.1f, p[1] = 0.2f, p[2] = 0.3f;
        break;
    case SET_FEW_PLACES:
        for (uint64_t k = 0; k < 3; ++k)
            p[k] = between(px_random_bits(i, 79, 0) % 5, 80 + k, 0, 1);
        break;
    case SET_AXIS:
        p[1] = p[2] = 0.5f;
        break;
    case SET_DIAGONAL:
        p[1] = u, p[2] = 1 - u;
        break;
    case SET_LATTICE:
        p[0] = 0.125f * (float)(i % 9), p[1] = 0.125f * (float)(i / 9 % 9);
        p[2] = 0.125f * (float)(i / 81);
        break;
    case SET_FAR:
        p[0] += 1e6f, p[1] -= 1e6f, p[2] += 1e6f;
        break;
    case SET_SCALES:
        for (uint64_t k = 0; k < 3; ++k)
            p[k] = sign[k] * ldexpf(1.0f, (int)(px_random_bits(i, 79, k) % 276) - 149);
        break;
    case SET_HUGE:
        for (int k = 0; k < 3; ++k)
            p[k] = sign[k] * p[k] * FLT_MAX;
        break;
    case SET_TINY:
        for (int k = 0; k < 3; ++k)
            p[k] = sign[k] * p[k] * 1e-42f;
        break;
    case SET_PAIR:
        for (int k = 0; k < 3; ++k)
            p[k] = i % 2 ? 1e-9f * p[k] : 1.0f + 1e-6f * p[k];
        break;
    case SET_ADJACENT:
        for (uint64_t k = 0; k < 3; ++k)
            p[k] = sign[k] > 0 ? 1.0f : nextafterf(1.0f, k == 0 ? 0.0f : 2.0f);
        break;
    default:
        break;
    }
}

static inline Points points_make(PointSet set, uint32_t count)
{
    size_t bytes = (count + 1) * sizeof(float);
    Points points = {set, count, malloc(bytes), malloc(bytes), malloc(bytes)};
    for (uint32_t i = 0; i < count; ++i) {
        float p[3];
        point_of(set, i, p);
        points.x[i] = p[0], points.y[i] = p[1], points.z[i] = p[2];
    }
    return points;
}

static inline void points_free(Points *points)
{
    free(points->x);
    free(points->y);
    free(points->z);
}

static inline float squared_to(const Points *points, uint32_t i, const float q[3])
{
    float dx = points->x[i] - q[0], dy = points->y[i] - q[1], dz = points->z[i] - q[2];
    return (dx * dx + dy * dy) + dz * dz;
}

/* Query position k: a point, near one, anywhere around, or far outside. */
static inline void place_to_ask(const Points *points, uint64_t k, float q[3])
{
    uint64_t i = points->count > 0 ? px_random_bits(k, 90, 0) % points->count : 0;
    point_of(points->set, i, q);
    switch (k % 4) {
    case 1:
        for (uint64_t a = 0; a < 3; ++a)
            q[a] += q[a] * between(k, 91 + a, -0.01f, 0.01f);
        break;
    case 2:
        for (uint64_t a = 0; a < 3; ++a) {
            float other[3];
            point_of(points->set, px_random_bits(k, 91, a) % (points->count + 1), other);
            q[a] = other[a];
        }
        break;
    case 3:
        for (uint64_t a = 0; a < 3; ++a)
            q[a] = between(k, 91 + a, -3, 3);
        break;
    }
}

/* A query distance: of every size, and some that are the exact distance of two points, so that <
 * and <= differ. */
static inline float distance_to_ask(const Points *points, uint64_t k, const float q[3])
{
    static const float fixed[] = {0.05f, 0.125f, 0.3f, 1.0f, 1e6f, 1e-30f, FLT_MAX, INFINITY};
    if (k % 2 == 0)
        return fixed[k / 2 % 8];
    float d = points->count > 0
                  ? squared_to(points, (uint32_t)(px_random_bits(k, 95, 0) % points->count), q)
                  : 1.0f;
    return k % 4 == 1 ? sqrtf(d) : 2.0f * sqrtf(d);
}

typedef uint32_t RangeFunction(const void *structure, float x, float y, float z, float h,
                               uint32_t *out, uint32_t most);

/* Compares `times` range queries with brute force. */
static inline void check_range(const Points *points, RangeFunction *range, const void *structure,
                               uint64_t times)
{
    uint32_t n = points->count;
    uint32_t *all = malloc((n + 1) * sizeof *all), *some = malloc((n + 1) * sizeof *some);
    unsigned char *seen = malloc(n + 1);
    for (uint64_t k = 0; k < times; ++k) {
        float q[3];
        place_to_ask(points, k, q);
        float h = distance_to_ask(points, k / 4, q);
        uint32_t found = range(structure, q[0], q[1], q[2], h, all, n);
        if (found > n)
            fail_msg("set %d, query %u: %u found of %u", (int)points->set, (unsigned)k, found, n);
        memset(seen, 0, n + 1);
        for (uint32_t i = 0; i < found; ++i) {
            CHECK(all[i] < n);
            ++seen[all[i]];
        }
        float hh = h * h;
        for (uint32_t i = 0; i < n; ++i)
            if (seen[i] != (squared_to(points, i, q) < hh && h > 0))
                fail_msg("set %d, %u points, query %u (%g %g %g) within %g: point %u at %g was "
                         "found %u times",
                         (int)points->set, n, (unsigned)k, (double)q[0], (double)q[1], (double)q[2],
                         (double)h, i, sqrt((double)squared_to(points, i, q)), seen[i]);
        /* with a smaller array: the same count, and the first of them */
        CHECK_EQUAL(range(structure, q[0], q[1], q[2], h, NULL, 0), found);
        uint32_t most = found / 2;
        some[most] = 0xdeadbeef;
        CHECK_EQUAL(range(structure, q[0], q[1], q[2], h, some, most), found);
        CHECK(some[most] == 0xdeadbeef);
        CHECK(memcmp(some, all, most * sizeof *all) == 0);
    }
    free(seen);
    free(some);
    free(all);
}

/* ---- what is true of every structure that finds neighbours ---- */

/// Such a structure: how it is made and asked. `no_room` begins its message of PX_ERR_MEMORY.
typedef struct Search {
    size_t size;
    void (*init)(void *structure, const PxAllocator *allocator);
    PxStatus (*build)(void *structure, const Points *points, uint32_t count, PxArena *scratch);
    void (*free)(void *structure);
    RangeFunction *range;
    RangeFunction *nearest; ///< the nearest points, `h` unused; NULL: it cannot find them
    const char *no_room;
} Search;

static inline void check_creeping_counts(const Search *search)
{
    Counter counter;
    PxAllocator allocator = counting(&counter);
    PxArena scratch;
    px_arena_init(&scratch, NULL);
    void *structure = malloc(search->size);
    search->init(structure, &allocator);
    Points points = points_make(SET_RANDOM, 1000);
    for (uint32_t n = 100; n < 1000; ++n)
        CHECK_OK(search->build(structure, &points, n, &scratch));
    /* grows by half each time: log(10) / log(1.5) = 6 times five arrays */
    CHECK(counter.calls < 50);
    search->free(structure);
    CHECK_EQUAL(counter.blocks, 0);
    free(structure);
    px_arena_free(&scratch);
    points_free(&points);
}

/// Every allocation fails in turn: the structure is empty then, and can be built again.
static inline void check_failing_allocator(const Search *search, PointSet set)
{
    Points points = points_make(set, 3000);
    void *structure = malloc(search->size);
    bool done = false;
    for (size_t fail_at = 0; !done; ++fail_at) {
        CHECK(fail_at < 30);
        Counter counter = {.fail_at = fail_at};
        PxAllocator allocator = {count_allocate, count_release, &counter};
        PxArena scratch;
        px_arena_init(&scratch, &allocator);
        search->init(structure, &allocator);
        PxStatus status = search->build(structure, &points, points.count, &scratch);
        done = status == PX_OK;
        if (!done) {
            CHECK_EQUAL(status, PX_ERR_MEMORY);
            CHECK(strstr(px_error_message(), search->no_room) != NULL);
            uint32_t out;
            CHECK_EQUAL(search->range(structure, 0, 0, 0, INFINITY, NULL, 0), 0);
            CHECK(search->nearest == NULL || search->nearest(structure, 0, 0, 0, 0, &out, 1) == 0);
            counter.fail_at = SIZE_MAX; /* and recovers */
            CHECK_OK(search->build(structure, &points, points.count, &scratch));
        }
        check_range(&points, search->range, structure, 4);
        search->free(structure);
        px_arena_free(&scratch);
        CHECK_EQUAL(counter.blocks, 0);
        CHECK_EQUAL(counter.bytes, 0);
    }
    free(structure);
    points_free(&points);
}

typedef struct Crowd {
    const Points *points;
    RangeFunction *range;
    const void *structure;
    uint64_t *answer;
} Crowd;

static inline void ask_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Crowd *crowd = user;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t out[64];
        const Points *p = crowd->points;
        uint32_t n = crowd->range(crowd->structure, p->x[i], p->y[i], p->z[i], 0.08f, out, 64);
        uint64_t hash = n;
        for (uint32_t k = 0; k < n && k < 64; ++k)
            hash = px_mix(hash ^ out[k]);
        crowd->answer[i] = hash;
    }
}

/// Three threads that ask at the same time get the answers that one gets.
static inline void check_threads(const Search *search)
{
    enum { N = 10000 };
    Points points = points_make(SET_RANDOM, N);
    PxArena scratch;
    px_arena_init(&scratch, NULL);
    void *structure = malloc(search->size);
    search->init(structure, NULL);
    CHECK_OK(search->build(structure, &points, N, &scratch));
    uint64_t *answer = malloc(2 * N * sizeof *answer);
    RangeFunction *const asked[] = {search->range, search->nearest};
    for (size_t k = 0; k < 2 && asked[k] != NULL; ++k) {
        Crowd one = {&points, asked[k], structure, answer},
              many = {&points, asked[k], structure, answer + N};
        px_parallel_for(&(PxThreads){.count = 1}, N, 256, ask_block, &one);
        px_parallel_for(&(PxThreads){.count = 3}, N, 256, ask_block, &many);
        CHECK(memcmp(answer, answer + N, N * sizeof *answer) == 0);
    }
    free(answer);
    search->free(structure);
    free(structure);
    px_arena_free(&scratch);
    points_free(&points);
}

#endif
