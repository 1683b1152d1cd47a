/// The grid and the neighbour lists against brute force.
#include "check.h"

#include "base/random.h"
#include "base/table.h"
#include "matter/pairs.h"

#include <stdlib.h>

enum { N = 1500 };

typedef struct Cloud {
    float x[N + 16], y[N + 16], z[N + 16];
    uint64_t id[N];
    uint32_t count;
} Cloud;

typedef enum Kind {
    UNIFORM,
    CLUSTERED,
    COPLANAR,
    COINCIDENT,
    COLLINEAR,
    FAR_AWAY,
    STRAY,
    KINDS
} Kind;

static void cloud_make(Cloud *c, Kind kind, uint32_t count)
{
    c->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        float u = (float)px_random_unit(i, kind, 0), v = (float)px_random_unit(i, kind, 1),
              w = (float)px_random_unit(i, kind, 2);
        c->x[i] = u - 0.3f;
        c->y[i] = v - 0.7f;
        c->z[i] = w;
        c->id[i] = px_random_bits(i, kind, 3);
        switch (kind) {
        case CLUSTERED:
            c->x[i] = 0.02f * u + (float)(i % 5);
            c->y[i] = 0.02f * v * (float)(i % 3);
            break;
        case COPLANAR:
            c->y[i] = 0.25f;
            break;
        case COINCIDENT:
            c->x[i] = c->y[i] = c->z[i] = 0.125f;
            break;
        case COLLINEAR:
            c->x[i] = c->z[i] = -1.0f;
            break;
        case FAR_AWAY:
            c->x[i] += 4096.0f;
            c->y[i] -= 65536.0f;
            break;
        case STRAY: /* a few particles flew off: cells are folded */
            if (i % 100 == 0)
                c->x[i] = i % 200 == 0 ? 3e30f : -2e9f;
            break;
        default:
            break;
        }
    }
}

/* Sorts the cloud by the grid, as a step does. */
static void cloud_sort(Cloud *c, PxGrid *grid, const PxGridFrame *frame, PxArena *arena,
                       const PxThreads *threads)
{
    uint32_t order[N];
    PxGridPoints points = {c->x, c->y, c->z, c->count};
    CHECK_OK(px_grid_sort(grid, frame, points, c->id, order, arena, threads));
    Cloud old = *c;
    for (uint32_t k = 0; k < c->count; ++k) {
        c->x[k] = old.x[order[k]];
        c->y[k] = old.y[order[k]];
        c->z[k] = old.z[order[k]];
        c->id[k] = old.id[order[k]];
    }
}

static bool is_near(const Cloud *a, uint32_t i, const Cloud *b, uint32_t j, float h)
{
    float dx = b->x[j] - a->x[i], dy = b->y[j] - a->y[i], dz = b->z[j] - a->z[i];
    return dx * dx + dy * dy + dz * dz < h * h;
}

static void check_lists(Kind kind, float h, int thread_count, PxIsa isa)
{
    static Cloud a, b;
    PxThreads threads = {.count = thread_count};
    cloud_make(&a, kind, N);
    cloud_make(&b, (kind + 1) % KINDS, 700);
    PxArena arena;
    px_arena_init(&arena, NULL);
    PxGridPoints sets[2] = {{a.x, a.y, a.z, a.count}, {b.x, b.y, b.z, b.count}};
    PxGridFrame frame = px_grid_frame(h, sets, 2, &threads, NULL);
    PxGrid grid_a, grid_b;
    px_grid_init(&grid_a, NULL);
    px_grid_init(&grid_b, NULL);
    cloud_sort(&a, &grid_a, &frame, &arena, &threads);
    cloud_sort(&b, &grid_b, &frame, &arena, &threads);
    for (uint32_t k = 0; k + 1 < a.count; ++k) {
        uint64_t here = px_grid_key(&frame, a.x[k], a.y[k], a.z[k]);
        uint64_t next = px_grid_key(&frame, a.x[k + 1], a.y[k + 1], a.z[k + 1]);
        CHECK(here < next || (here == next && a.id[k] < a.id[k + 1]));
    }

    PxPairs own, other;
    px_pairs_init(&own, NULL);
    px_pairs_init(&other, NULL);
    CHECK_OK(px_pairs_build(&own, &grid_a, sets[0], &grid_a, sets[0], h, isa, &threads));
    CHECK_OK(px_pairs_build(&other, &grid_a, sets[0], &grid_b, sets[1], h, isa, &threads));
    const PxPairs *lists[2] = {&own, &other};
    const Cloud *clouds[2] = {&a, &b};
    for (int which = 0; which < 2; ++which) {
        const PxPairs *p = lists[which];
        uint64_t total = 0;
        for (uint32_t i = 0; i < a.count; ++i) {
            const uint32_t *row = p->row + p->start[i];
            uint32_t k = 0;
            for (uint32_t j = 0; j < clouds[which]->count; ++j)
                if (is_near(&a, i, clouds[which], j, h)) {
                    CHECK(k < p->size[i]);
                    CHECK_EQUAL(row[k], j);
                    CHECK(j < p->until[i / PX_BLOCK]);
                    ++k;
                }
            CHECK_EQUAL(p->size[i], k);
            for (; (k & 7) != 0; ++k)
                CHECK_EQUAL(row[k], clouds[which]->count);
            CHECK_EQUAL(p->start[i] % 8, 0);
            CHECK(p->until[i / PX_BLOCK] <= p->until[(a.count - 1) / PX_BLOCK]);
            total += p->size[i];
        }
        CHECK_EQUAL(p->total, total);
    }
    /* queries in no order find the same */
    for (uint32_t i = 0; i < a.count; i += 37) {
        PxRange rows[9];
        int runs = px_grid_rows(&grid_b, a.x[i], a.y[i], a.z[i], rows);
        uint32_t found = 0;
        for (int k = 0; k < runs; ++k)
            for (uint32_t j = rows[k].begin; j < rows[k].end; ++j)
                found += is_near(&a, i, &b, j, h);
        CHECK_EQUAL(found, other.size[i]);
    }
    px_pairs_free(&own);
    px_pairs_free(&other);
    px_grid_free(&grid_a);
    px_grid_free(&grid_b);
    px_arena_free(&arena);
}

TEST(lists_equal_brute_force_on_every_kind_of_cloud)
{
    for (Kind kind = 0; kind < KINDS; ++kind)
        for (int threads = 1; threads <= 3; threads += 2)
            check_lists(kind, 0.11f, threads, px_isa_best());
}

TEST(lists_equal_brute_force_without_avx2)
{
    for (Kind kind = 0; kind < KINDS; ++kind)
        check_lists(kind, 0.11f, 1, PX_ISA_BASE);
}

TEST(cells_smaller_and_larger_than_the_cloud_work)
{
    check_lists(UNIFORM, 0.003f, 2, px_isa_best());
    check_lists(UNIFORM, 7.0f, 2, px_isa_best());
}

TEST(pairs_on_the_edge_of_the_reach_are_not_missed)
{
    /* Lattice points exactly one reach apart, and rounding errors of all sizes. */
    Cloud c;
    PxThreads threads = {.count = 1};
    PxArena arena;
    px_arena_init(&arena, NULL);
    for (int trial = 0; trial < 40; ++trial) {
        float h = 0.01f + 0.001f * (float)trial, shift = 0.37f * (float)trial;
        c.count = 1000;
        for (uint32_t i = 0; i < 1000; ++i) {
            c.x[i] = shift + h * (float)(i % 10);
            c.y[i] = shift + h * (float)(i / 10 % 10);
            c.z[i] = h * (float)(i / 100);
            c.id[i] = i;
        }
        PxGridPoints points = {c.x, c.y, c.z, c.count};
        PxGridFrame frame = px_grid_frame(h, &points, 1, &threads, NULL);
        PxGrid grid;
        PxPairs pairs;
        px_grid_init(&grid, NULL);
        px_pairs_init(&pairs, NULL);
        cloud_sort(&c, &grid, &frame, &arena, &threads);
        CHECK_OK(px_pairs_build(&pairs, &grid, points, &grid, points, h, px_isa_best(), &threads));
        uint64_t brute = 0;
        for (uint32_t i = 0; i < 1000; ++i)
            for (uint32_t j = 0; j < 1000; ++j)
                brute += is_near(&c, i, &c, j, h);
        CHECK_EQUAL(pairs.total, brute);
        px_pairs_free(&pairs);
        px_grid_free(&grid);
    }
    px_arena_free(&arena);
}

TEST(an_empty_cloud_has_no_pairs)
{
    PxThreads threads = {.count = 2};
    PxArena arena;
    px_arena_init(&arena, NULL);
    float none[16] = {0};
    uint32_t order[1];
    PxGridPoints points = {none, none, none, 0};
    PxGridFrame frame = px_grid_frame(0.1, &points, 1, &threads, NULL);
    PxGrid grid;
    PxPairs pairs;
    px_grid_init(&grid, NULL);
    px_pairs_init(&pairs, NULL);
    CHECK_OK(px_grid_sort(&grid, &frame, points, NULL, order, &arena, &threads));
    CHECK_OK(px_pairs_build(&pairs, &grid, points, &grid, points, 0.1f, px_isa_best(), &threads));
    CHECK_EQUAL(pairs.total, 0);
    PxRange rows[9];
    CHECK_EQUAL(px_grid_rows(&grid, 0, 0, 0, rows), 0);
    px_pairs_free(&pairs);
    px_grid_free(&grid);
    px_arena_free(&arena);
}

TEST(a_heap_in_one_place_is_refused_not_tried)
{
    /* 300 000 particles at one point would have 9e10 pairs. */
    enum { MANY = 300000 };
    PxThreads threads = {.count = 2};
    PxArena arena;
    px_arena_init(&arena, NULL);
    float *zero = calloc(MANY + 16, sizeof *zero);
    uint32_t *order = calloc(MANY, sizeof *order);
    PxGridPoints points = {zero, zero, zero, MANY};
    PxGridFrame frame = px_grid_frame(0.1, &points, 1, &threads, NULL);
    PxGrid grid;
    PxPairs pairs;
    px_grid_init(&grid, NULL);
    px_pairs_init(&pairs, NULL);
    CHECK_OK(px_grid_sort(&grid, &frame, points, NULL, order, &arena, &threads));
    CHECK_FAILS(px_pairs_build(&pairs, &grid, points, &grid, points, 0.1f, px_isa_best(), &threads),
                PX_ERR_MEMORY, "crowd");
    px_pairs_free(&pairs);
    px_grid_free(&grid);
    px_arena_free(&arena);
    free(zero);
    free(order);
}

TEST_MAIN()
