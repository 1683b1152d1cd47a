/// The kd-tree: every result equals that of brute force.
#include "point_sets.h"

#include "base/parallel.h"
#include "spatial/kdtree.h"

static uint32_t range(const void *structure, float x, float y, float z, float h, uint32_t *out,
                      uint32_t most)
{
    return px_kdtree_range(structure, x, y, z, h, out, most);
}

static void build(PxKdTree *tree, const Points *points)
{
    PxArena scratch;
    px_arena_init(&scratch, NULL);
    px_kdtree_init(tree, NULL);
    CHECK_OK(px_kdtree_build(tree, points->x, points->y, points->z, points->count, &scratch));
    CHECK_EQUAL(scratch.in_use, 0);
    px_arena_free(&scratch);
}

TEST(range_queries_equal_trying_all_points)
{
    const uint32_t counts[] = {0, 1, 2, 33, 700};
    for (PointSet set = 0; set < SET_COUNT; ++set)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
            Points points = points_make(set, counts[c]);
            PxKdTree tree;
            build(&tree, &points);
            check_range(&points, range, &tree, 200);
            px_kdtree_free(&tree);
            points_free(&points);
        }
}

TEST(many_points_are_found_too)
{
    const PointSet sets[] = {SET_RANDOM, SET_CLUSTERED, SET_SCALES, SET_SAME, SET_FAR};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; ++s) {
        Points points = points_make(sets[s], 30000);
        PxKdTree tree;
        build(&tree, &points);
        check_range(&points, range, &tree, 64);
        px_kdtree_free(&tree);
        points_free(&points);
    }
}

/* out[] must be the first of all points in the order (distance, index). */
static void check_nearest(const Points *points, const PxKdTree *tree, uint64_t k, uint32_t wanted)
{
    uint32_t n = points->count;
    uint32_t *out = malloc((wanted + 1) * sizeof *out);
    float *squared = malloc((wanted + 1) * sizeof *squared), q[3];
    unsigned char *seen = calloc(n + 1, 1);
    place_to_ask(points, k, q);
    uint32_t found = px_kdtree_nearest(tree, q[0], q[1], q[2], wanted, out, squared);
    CHECK_EQUAL(found, wanted < n ? wanted : n);
    for (uint32_t i = 0; i < found; ++i) {
        CHECK(out[i] < n && !seen[out[i]]);
        seen[out[i]] = 1;
        CHECK(squared[i] == squared_to(points, out[i], q));
        if (i > 0 &&
            !(squared[i - 1] < squared[i] || (squared[i - 1] == squared[i] && out[i - 1] < out[i])))
            fail_msg("set %d: number %u, point %u at %g, comes after point %u at %g",
                     (int)points->set, i, out[i], (double)squared[i], out[i - 1],
                     (double)squared[i - 1]);
    }
    if (found > 0)
        for (uint32_t i = 0; i < n; ++i) {
            float d = squared_to(points, i, q), last = squared[found - 1];
            if (!seen[i] && (d < last || (d == last && i < out[found - 1])))
                fail_msg("set %d, query %u for %u: point %u at %g was left out, the last is %u at "
                         "%g",
                         (int)points->set, (unsigned)k, wanted, i, (double)d, out[found - 1],
                         (double)last);
        }
    free(seen);
    free(squared);
    free(out);
}

TEST(the_nearest_are_those_of_trying_all_points)
{
    const uint32_t counts[] = {0, 1, 5, 700}, wanted[] = {0, 1, 2, 7, 30, 700, 1000};
    for (PointSet set = 0; set < SET_COUNT; ++set)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
            Points points = points_make(set, counts[c]);
            PxKdTree tree;
            build(&tree, &points);
            for (uint64_t k = 0; k < 40; ++k)
                for (size_t w = 0; w < sizeof wanted / sizeof *wanted; ++w)
                    check_nearest(&points, &tree, k, wanted[w]);
            px_kdtree_free(&tree);
            points_free(&points);
        }
}

TEST(of_points_equally_near_the_smaller_index_wins)
{
    Points points = points_make(SET_SAME, 1000);
    PxKdTree tree;
    build(&tree, &points);
    uint32_t out[10];
    float squared[10];
    CHECK_EQUAL(px_kdtree_nearest(&tree, 5, 5, 5, 10, out, squared), 10);
    for (uint32_t i = 0; i < 10; ++i)
        CHECK_EQUAL(out[i], i);
    px_kdtree_free(&tree);
    points_free(&points);
}

TEST(points_in_one_place_make_one_leaf)
{
    Points points = points_make(SET_SAME, 100000);
    PxKdTree tree;
    build(&tree, &points);
    CHECK_EQUAL(tree.nodes, 1);
    px_kdtree_free(&tree);
    points_free(&points);
}

TEST(lines_and_planes_of_points_need_no_more_nodes_than_others)
{
    const PointSet sets[] = {SET_RANDOM, SET_TILTED, SET_DIAGONAL, SET_CLUSTERED, SET_FAR};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; ++s) {
        Points points = points_make(sets[s], 20000);
        PxKdTree tree;
        build(&tree, &points);
        /* leaves of up to 32 points, a third full at worst, two nodes for each */
        CHECK(tree.nodes < 2 * 20000 / (32 / 3));
        px_kdtree_free(&tree);
        points_free(&points);
    }
}

TEST(invalid_queries_find_nothing)
{
    Points points = points_make(SET_RANDOM, 100);
    PxKdTree tree;
    build(&tree, &points);
    uint32_t out[100];
    float squared[100];
    CHECK_EQUAL(px_kdtree_range(&tree, 0.5f, 0.5f, 0.5f, 0.0f, out, 100), 0);
    CHECK_EQUAL(px_kdtree_range(&tree, 0.5f, 0.5f, 0.5f, -1.0f, out, 100), 0);
    CHECK_EQUAL(px_kdtree_range(&tree, 0.5f, 0.5f, 0.5f, NAN, out, 100), 0);
    CHECK_EQUAL(px_kdtree_range(&tree, NAN, 0.5f, 0.5f, 1.0f, out, 100), 0);
    CHECK_EQUAL(px_kdtree_range(&tree, 0.5f, 0.5f, INFINITY, 1.0f, out, 100), 0);
    CHECK_EQUAL(px_kdtree_nearest(&tree, 0.5f, NAN, 0.5f, 3, out, squared), 0);
    CHECK_EQUAL(px_kdtree_nearest(&tree, 0.5f, 0.5f, 0.5f, 0, out, squared), 0);
    /* infinitely far away all are equally near */
    CHECK_EQUAL(px_kdtree_nearest(&tree, INFINITY, 0.5f, 0.5f, 3, out, squared), 3);
    CHECK(out[0] == 0 && out[1] == 1 && out[2] == 2 && squared[2] == INFINITY);
    px_kdtree_free(&tree);
    points_free(&points);
}

TEST(points_that_are_not_finite_are_refused_by_number)
{
    PxArena scratch;
    px_arena_init(&scratch, NULL);
    PxKdTree tree;
    px_kdtree_init(&tree, NULL);
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int b = 0; b < 3; ++b) {
        Points points = points_make(SET_RANDOM, 100);
        CHECK_OK(px_kdtree_build(&tree, points.x, points.y, points.z, 100, &scratch));
        points.y[42] = bad[b];
        CHECK_FAILS(px_kdtree_build(&tree, points.x, points.y, points.z, 100, &scratch),
                    PX_ERR_ARGUMENT, "point 42");
        CHECK_EQUAL(px_kdtree_range(&tree, 0, 0, 0, 10, NULL, 0), 0); /* empty, not stale */
        CHECK_EQUAL(scratch.in_use, 0);
        points_free(&points);
    }
    px_kdtree_free(&tree);
    px_arena_free(&scratch);
}

TEST(building_again_allocates_nothing)
{
    Counter counter;
    PxAllocator allocator = counting(&counter);
    PxArena scratch;
    px_arena_init(&scratch, &allocator);
    PxKdTree tree;
    px_kdtree_init(&tree, &allocator);
    Points points = points_make(SET_RANDOM, 5000);
    size_t calls = 0;
    for (int step = 0; step < 6; ++step) {
        CHECK_OK(px_arena_reset(&scratch));
        CHECK_OK(px_kdtree_build(&tree, points.x, points.y, points.z,
                                 5000 - 100 * (uint32_t)(step % 3), &scratch));
        if (step == 2)
            calls = counter.calls;
    }
    CHECK_EQUAL(counter.calls, calls);
    px_arena_free(&scratch);
    CHECK_EQUAL(px_kdtree_bytes(&tree), counter.bytes);
    /* four arrays of points, and the nodes */
    CHECK(px_kdtree_bytes(&tree) >= 5000 * 16 && px_kdtree_bytes(&tree) < 5000 * 24);
    px_kdtree_free(&tree);
    CHECK_EQUAL(counter.blocks, 0);
    CHECK_EQUAL(px_kdtree_bytes(&tree), 0);
    points_free(&points);
}

static void search_init(void *structure, const PxAllocator *allocator)
{
    px_kdtree_init(structure, allocator);
}

static PxStatus search_build(void *structure, const Points *p, uint32_t count, PxArena *scratch)
{
    return px_kdtree_build(structure, p->x, p->y, p->z, count, scratch);
}

static void search_free(void *structure)
{
    px_kdtree_free(structure);
}

/* Up to five. */
static uint32_t nearest(const void *structure, float x, float y, float z, float h, uint32_t *out,
                        uint32_t most)
{
    (void)h;
    float squared[5];
    return px_kdtree_nearest(structure, x, y, z, most < 5 ? most : 5, out, squared);
}

static const Search search = {sizeof(PxKdTree), search_init,       search_build, search_free, range,
                              nearest,          "kd-tree: no room"};

TEST(counts_that_creep_up_cost_few_allocations)
{
    check_creeping_counts(&search);
}

TEST(a_failing_allocator_leaves_an_empty_tree)
{
    /* at several scales, so that the first guess at the nodes is too small */
    check_failing_allocator(&search, SET_SCALES);
}

TEST(many_threads_get_the_answers_that_one_gets)
{
    check_threads(&search);
}

TEST_MAIN()
