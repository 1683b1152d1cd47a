/// The hash grid: every result equals that of brute force.
#include "point_sets.h"

#include "base/parallel.h"
#include "study/hash_grid.h"

static uint32_t range(const void *structure, float x, float y, float z, float h, uint32_t *out,
                      uint32_t most)
{
    return px_hash_range(structure, x, y, z, h, out, most);
}

static void build(PxHash *hash, const Points *points, float edge)
{
    PxArena scratch;
    px_arena_init(&scratch, NULL);
    px_hash_init(hash, NULL);
    CHECK_OK(px_hash_build(hash, points->x, points->y, points->z, points->count, edge, &scratch));
    CHECK_EQUAL(scratch.in_use, 0);
    px_arena_free(&scratch);
}

TEST(range_queries_equal_trying_all_points)
{
    /* With one or two points there are three or five buckets: all of the cells
     * around collide. Edges from far too small to far too large, so that cell
     * coordinates leave 32 and 64 bits, too. */
    const uint32_t counts[] = {0, 1, 2, 33, 700};
    const float edges[] = {0.125f, 0.3f, 1e-30f, FLT_TRUE_MIN, 1e30f};
    for (PointSet set = 0; set < SET_COUNT; ++set)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
            for (size_t e = 0; e < sizeof edges / sizeof *edges; ++e) {
                Points points = points_make(set, counts[c]);
                PxHash hash;
                build(&hash, &points, edges[e]);
                check_range(&points, range, &hash, e == 0 ? 200 : 64);
                px_hash_free(&hash);
                points_free(&points);
            }
}

TEST(the_edge_may_fit_the_points_at_every_scale)
{
    /* where cells matter: about one to ten points in each */
    const struct {
        PointSet set;
        float edge;
    } pairs[] = {{SET_CLUSTERED, 0.002f}, {SET_TINY, 1e-43f}, {SET_HUGE, 3e37f}, {SET_FAR, 0.1f},
                 {SET_PAIR, 2e-10f},      {SET_PAIR, 2e-7f},  {SET_FAR, 0.001f}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
        Points points = points_make(pairs[k].set, 3000);
        PxHash hash;
        build(&hash, &points, pairs[k].edge);
        for (uint32_t i = 0; i < 100; ++i)
            for (int f = 1; f <= 4; ++f) { /* up to the scan of all points */
                float q[3] = {points.x[i], points.y[i], points.z[i]}, h = pairs[k].edge * f;
                uint32_t brute = 0;
                for (uint32_t j = 0; j < points.count; ++j)
                    brute += squared_to(&points, j, q) < h * h;
                CHECK_EQUAL(px_hash_range(&hash, q[0], q[1], q[2], h, NULL, 0), brute);
            }
        check_range(&points, range, &hash, 32);
        px_hash_free(&hash);
        points_free(&points);
    }
}

TEST(many_queries_of_the_cell_size_are_right)
{
    /* a ball that ends exactly at cell borders, from places on the borders */
    Points points = points_make(SET_LATTICE, 729);
    PxHash hash;
    build(&hash, &points, 0.125f);
    for (uint32_t i = 0; i < 729; ++i) {
        uint32_t out[32], brute = 0;
        float q[3] = {points.x[i], points.y[i], points.z[i]};
        float h = i % 2 ? 0.125f : nextafterf(0.125f, 1.0f);
        for (uint32_t j = 0; j < 729; ++j)
            brute += squared_to(&points, j, q) < h * h;
        CHECK_EQUAL(px_hash_range(&hash, q[0], q[1], q[2], h, out, 32), brute);
        if (i % 2)
            CHECK_EQUAL(brute, 1); /* the neighbours are at h, not below */
    }
    px_hash_free(&hash);
    points_free(&points);
}

TEST(rounding_does_not_hide_a_point_in_the_corner_of_its_cell)
{
    /* One point in the corner of its cell nearest to the places asked from, so
     * that cell and point are equally far away; h so that the point is below it
     * in float arithmetic, and by the way of roundings not below it in exact one. */
    Points points = points_make(SET_SAME, 1);
    points.x[0] = points.y[0] = points.z[0] = 0.0f;
    PxHash hash;
    build(&hash, &points, 1.0f);
    int tight = 0;
    for (uint64_t i = 0; i < 10000; ++i) {
        float q[3] = {between(i, 1, -0.5f, 0), between(i, 2, -0.5f, 0), between(i, 3, -0.5f, 0)};
        float d = squared_to(&points, 0, q), h = sqrtf(d) * 0.999999f;
        while (h * h <= d)
            h = nextafterf(h, 2.0f);
        double exact = 0;
        for (int a = 0; a < 3; ++a)
            exact += (double)q[a] * (double)q[a];
        tight += (double)h * (double)h < exact;
        CHECK_EQUAL(px_hash_range(&hash, q[0], q[1], q[2], h, NULL, 0), 1);
    }
    CHECK(tight > 50); /* about one in a hundred */
    px_hash_free(&hash);
    points_free(&points);
}

TEST(indices_rise_within_a_cell)
{
    Points points = points_make(SET_SAME, 500);
    PxHash hash;
    build(&hash, &points, 0.25f);
    uint32_t out[500];
    CHECK_EQUAL(px_hash_range(&hash, 0.1f, 0.2f, 0.3f, 0.1f, out, 500), 500);
    for (uint32_t i = 0; i < 500; ++i)
        CHECK_EQUAL(out[i], i);
    px_hash_free(&hash);
    points_free(&points);
}

TEST(the_number_of_buckets_is_a_prime_above_twice_the_points)
{
    for (uint32_t n = 1; n < 3000; n = n * 2 + 1) {
        Points points = points_make(SET_RANDOM, n);
        PxHash hash;
        build(&hash, &points, 0.1f);
        CHECK(hash.buckets > 2 * n);
        for (uint32_t d = 2; d * d <= hash.buckets; ++d)
            CHECK(hash.buckets % d != 0);
        px_hash_free(&hash);
        points_free(&points);
    }
}

TEST(invalid_queries_find_nothing)
{
    Points points = points_make(SET_RANDOM, 100);
    PxHash hash;
    build(&hash, &points, 0.2f);
    uint32_t out[100];
    CHECK_EQUAL(px_hash_range(&hash, 0.5f, 0.5f, 0.5f, 0.0f, out, 100), 0);
    CHECK_EQUAL(px_hash_range(&hash, 0.5f, 0.5f, 0.5f, -1.0f, out, 100), 0);
    CHECK_EQUAL(px_hash_range(&hash, 0.5f, 0.5f, 0.5f, NAN, out, 100), 0);
    CHECK_EQUAL(px_hash_range(&hash, 0.5f, NAN, 0.5f, 1.0f, out, 100), 0);
    const float far[] = {INFINITY, -INFINITY};
    for (int f = 0; f < 2; ++f) {
        CHECK_EQUAL(px_hash_range(&hash, 0.5f, 0.5f, far[f], 1.0f, out, 100), 0);
        CHECK_EQUAL(px_hash_range(&hash, 0.5f, 0.5f, far[f], INFINITY, out, 100), 0);
    }
    px_hash_free(&hash);
    points_free(&points);
}

TEST(wrong_points_and_edges_are_refused)
{
    PxArena scratch;
    px_arena_init(&scratch, NULL);
    PxHash hash;
    px_hash_init(&hash, NULL);
    Points points = points_make(SET_RANDOM, 100);
    const float edges[] = {0.0f, -1.0f, NAN, INFINITY};
    for (int e = 0; e < 4; ++e)
        CHECK_FAILS(px_hash_build(&hash, points.x, points.y, points.z, 100, edges[e], &scratch),
                    PX_ERR_ARGUMENT, "edge");
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int b = 0; b < 3; ++b) {
        points.z[17] = 0.5f;
        CHECK_OK(px_hash_build(&hash, points.x, points.y, points.z, 100, 0.1f, &scratch));
        points.z[17] = bad[b];
        CHECK_FAILS(px_hash_build(&hash, points.x, points.y, points.z, 100, 0.1f, &scratch),
                    PX_ERR_ARGUMENT, "point 17");
        CHECK_EQUAL(px_hash_range(&hash, 0, 0, 0, 10, NULL, 0), 0); /* empty, not stale */
        CHECK_EQUAL(scratch.in_use, 0);
    }
    points_free(&points);
    px_hash_free(&hash);
    px_arena_free(&scratch);
}

TEST(building_again_allocates_nothing)
{
    Counter counter;
    PxAllocator allocator = counting(&counter);
    PxArena scratch;
    px_arena_init(&scratch, &allocator);
    PxHash hash;
    px_hash_init(&hash, &allocator);
    Points points = points_make(SET_RANDOM, 5000);
    size_t calls = 0;
    for (int step = 0; step < 6; ++step) {
        CHECK_OK(px_arena_reset(&scratch));
        CHECK_OK(px_hash_build(&hash, points.x, points.y, points.z,
                               5000 - 100 * (uint32_t)(step % 3), 0.1f, &scratch));
        if (step == 2)
            calls = counter.calls;
    }
    CHECK_EQUAL(counter.calls, calls);
    px_arena_free(&scratch);
    CHECK_EQUAL(px_hash_bytes(&hash), counter.bytes);
    CHECK(px_hash_bytes(&hash) >= 5000 * 24 && px_hash_bytes(&hash) < 5000 * 25);
    px_hash_free(&hash);
    CHECK_EQUAL(counter.blocks, 0);
    CHECK_EQUAL(px_hash_bytes(&hash), 0);
    points_free(&points);
}

static void search_init(void *structure, const PxAllocator *allocator)
{
    px_hash_init(structure, allocator);
}

static PxStatus search_build(void *structure, const Points *p, uint32_t count, PxArena *scratch)
{
    return px_hash_build(structure, p->x, p->y, p->z, count, 0.1f, scratch);
}

static void search_free(void *structure)
{
    px_hash_free(structure);
}

static const Search search = {sizeof(PxHash), search_init, search_build,        search_free,
                              range,          NULL,        "hash grid: no room"};

TEST(counts_that_creep_up_cost_few_allocations)
{
    check_creeping_counts(&search);
}

TEST(a_failing_allocator_leaves_an_empty_grid)
{
    check_failing_allocator(&search, SET_RANDOM);
}

TEST(many_threads_get_the_answers_that_one_gets)
{
    check_threads(&search);
}

TEST_MAIN()
