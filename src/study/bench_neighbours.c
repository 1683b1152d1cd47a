/// Neighbour search: the sorted grid, the kd-tree and the hash grid on the same 10,000, 100,000 and
/// 1 million points (000 section 7.1.3).
///
/// The points are a perturbed lattice with about 30 neighbours each. `build` is the time to build
/// the structure from points in random order; `query` the time to find the neighbours of every
/// point, first in the order of the structure, as a simulation does, then in random order. The list
/// row is what a step does with particles: sort them and write neighbour lists.
#include "study/bench.h"

#include "base/arena.h"
#include "base/profile.h"
#include "base/random.h"
#include "dist/reduce.h"
#include "matter/pairs.h"
#include "spatial/grid.h"
#include "study/hash_grid.h"
#include "spatial/kdtree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FOUND = 256 };

#define SPACING 0.01f
#define REACH 0.02f

/* Points, in random order and in the order of the grid. */
typedef struct Cloud {
    uint32_t count;
    float *x, *y, *z;    /* random order */
    float *sx, *sy, *sz; /* sorted by the grid */
    uint32_t *order;
    PxArena arena;
} Cloud;

static void cloud_free(Cloud *c)
{
    float *const arrays[] = {c->x, c->y, c->z, c->sx, c->sy, c->sz};
    for (size_t k = 0; k < PX_COUNT(arrays); ++k)
        px_release(NULL, arrays[k], 0);
    px_release(NULL, c->order, 0);
    px_arena_free(&c->arena);
}

static PxStatus cloud_make(Cloud *c, uint32_t edge)
{
    *c = (Cloud){.count = edge * edge * edge};
    px_arena_init(&c->arena, NULL);
    float **arrays[] = {&c->x, &c->y, &c->z, &c->sx, &c->sy, &c->sz};
    bool full = true;
    for (size_t k = 0; k < PX_COUNT(arrays); ++k) {
        *arrays[k] = px_allocate(NULL, ((size_t)c->count + 16) * sizeof(float));
        full = full && *arrays[k] != NULL;
        if (*arrays[k] != NULL)
            memset(*arrays[k] + c->count, 0, 16 * sizeof(float));
    }
    c->order = px_allocate(NULL, (size_t)c->count * sizeof *c->order);
    if (!full || c->order == NULL) {
        cloud_free(c);
        return px_fail(PX_ERR_MEMORY, "bench: no room for %u points", c->count);
    }
    /* Fisher-Yates shuffle, so that memory order is unrelated to position. */
    for (uint32_t i = 0; i < c->count; ++i)
        c->order[i] = i;
    for (uint32_t i = c->count; i-- > 1;) {
        uint32_t j = (uint32_t)(px_random_bits(i, 0, 0) % (i + 1)), swap = c->order[i];
        c->order[i] = c->order[j];
        c->order[j] = swap;
    }
    for (uint32_t i = 0; i < c->count; ++i) {
        uint32_t k = c->order[i];
        const uint32_t at[3] = {k % edge, k / edge % edge, k / edge / edge};
        float p[3];
        for (uint32_t a = 0; a < 3; ++a)
            p[a] = SPACING * ((float)at[a] + 0.2f * (float)px_random_unit(k, 1, a));
        c->x[i] = p[0];
        c->y[i] = p[1];
        c->z[i] = p[2];
    }
    return PX_OK;
}

/* Times and memory of one structure. */
typedef struct Cost {
    const char *name;
    double build, ordered, random, bytes, found; /* s, s, s, bytes, points in all */
} Cost;

static void report(PxBench *bench, const Cloud *cloud, const Cost *cost)
{
    double n = cloud->count;
    px_report_row(bench->report, cost->name, 1e3 * cost->build, 1e9 * cost->build / n,
                  1e9 * cost->ordered / n, 1e9 * cost->random / n, cost->bytes / n,
                  cost->found / n);
}

/* ---- the grid ----------------------------------------------------------- */

typedef struct Ask {
    const Cloud *cloud;
    const PxGrid *grid;
    const PxKdTree *tree;
    const PxHash *hash;
    const float *x, *y, *z; /* where to ask */
} Ask;

static void ask_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Ask *ask = user;
    const Cloud *c = ask->cloud;
    uint32_t out[MOST_FOUND];
    uint64_t found = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float x = ask->x[i], y = ask->y[i], z = ask->z[i];
        if (ask->tree != NULL) {
            found += px_kdtree_range(ask->tree, x, y, z, REACH, out, MOST_FOUND);
        } else if (ask->hash != NULL) {
            found += px_hash_range(ask->hash, x, y, z, REACH, out, MOST_FOUND);
        } else {
            PxRange run[9];
            int runs = px_grid_rows(ask->grid, x, y, z, run);
            for (int k = 0; k < runs; ++k)
                for (uint32_t j = run[k].begin; j < run[k].end; ++j) {
                    float dx = c->sx[j] - x, dy = c->sy[j] - y, dz = c->sz[j] - z;
                    found += dx * dx + dy * dy + dz * dz < REACH * REACH;
                }
        }
    }
    part->sum[0] = (double)found;
}

/* Time to find the neighbours of all points of the arrays. */
static double ask_all(PxBench *bench, Ask ask, const float *x, const float *y, const float *z,
                      double *found)
{
    ask.x = x;
    ask.y = y;
    ask.z = z;
    double began = px_clock();
    PxRows rows = {&bench->threads, NULL, ask.cloud->count, PX_BLOCK};
    PxPart total = {.sums = 1};
    px_reduce(&rows, ask_part, &ask, &total);
    *found = total.sum[0];
    return px_clock() - began;
}

static PxStatus sort_cloud(PxBench *bench, Cloud *c, PxGrid *grid, double *took)
{
    double began = px_clock();
    PxGridPoints points = {c->x, c->y, c->z, c->count};
    PxGridFrame frame = px_grid_frame((double)REACH, &points, 1, &bench->threads, NULL);
    PX_TRY(px_grid_sort(grid, &frame, points, NULL, c->order, &c->arena, &bench->threads));
    for (uint32_t i = 0; i < c->count; ++i) {
        c->sx[i] = c->x[c->order[i]];
        c->sy[i] = c->y[c->order[i]];
        c->sz[i] = c->z[c->order[i]];
    }
    *took = px_clock() - began;
    return PX_OK;
}

static PxStatus measure_grid(PxBench *bench, Cloud *c, int repeats)
{
    Cost cost = {"sorted grid", INFINITY, INFINITY, INFINITY, 0, 0};
    Cost lists = {"grid + lists", INFINITY, INFINITY, NAN, 0, 0};
    PxGrid grid;
    PxPairs pairs;
    px_grid_init(&grid, NULL);
    px_pairs_init(&pairs, NULL);
    PxStatus status = PX_OK;
    for (int k = 0; k < repeats && status == PX_OK; ++k) {
        double took, found;
        status = sort_cloud(bench, c, &grid, &took);
        if (status != PX_OK)
            break;
        Ask ask = {.cloud = c, .grid = &grid};
        cost.build = fmin(cost.build, took);
        cost.ordered = fmin(cost.ordered, ask_all(bench, ask, c->sx, c->sy, c->sz, &found));
        cost.random = fmin(cost.random, ask_all(bench, ask, c->x, c->y, c->z, &cost.found));
        PxGridPoints sorted = {c->sx, c->sy, c->sz, c->count};
        double began = px_clock();
        status = px_pairs_build(&pairs, &grid, sorted, &grid, sorted, REACH, bench->isa,
                                &bench->threads);
        lists.build = cost.build;
        lists.ordered = fmin(lists.ordered, px_clock() - began);
    }
    cost.bytes = (double)px_grid_bytes(&grid) + 12.0 * c->count;
    lists.bytes = cost.bytes + (double)px_pairs_bytes(&pairs);
    lists.found = (double)pairs.total;
    if (status == PX_OK) {
        report(bench, c, &cost);
        report(bench, c, &lists);
    }
    px_pairs_free(&pairs);
    px_grid_free(&grid);
    return status;
}

/* ---- the others --------------------------------------------------------- */

static PxStatus measure_tree(PxBench *bench, Cloud *c, int repeats)
{
    Cost cost = {"kd-tree", INFINITY, INFINITY, INFINITY, 0, 0};
    PxKdTree tree;
    px_kdtree_init(&tree, NULL);
    PxStatus status = PX_OK;
    for (int k = 0; k < repeats && status == PX_OK; ++k) {
        double began = px_clock();
        status = px_kdtree_build(&tree, c->x, c->y, c->z, c->count, &c->arena);
        cost.build = fmin(cost.build, px_clock() - began);
        Ask ask = {.cloud = c, .tree = &tree};
        cost.ordered = fmin(cost.ordered, ask_all(bench, ask, tree.x, tree.y, tree.z, &cost.found));
        cost.random = fmin(cost.random, ask_all(bench, ask, c->x, c->y, c->z, &cost.found));
    }
    cost.bytes = (double)px_kdtree_bytes(&tree);
    if (status == PX_OK)
        report(bench, c, &cost);
    px_kdtree_free(&tree);
    return status;
}

static PxStatus measure_hash(PxBench *bench, Cloud *c, int repeats)
{
    Cost cost = {"hash table", INFINITY, INFINITY, INFINITY, 0, 0};
    PxHash hash;
    px_hash_init(&hash, NULL);
    PxStatus status = PX_OK;
    for (int k = 0; k < repeats && status == PX_OK; ++k) {
        double began = px_clock();
        status = px_hash_build(&hash, c->x, c->y, c->z, c->count, REACH, &c->arena);
        cost.build = fmin(cost.build, px_clock() - began);
        Ask ask = {.cloud = c, .hash = &hash};
        /* its own order is that of hash values; queries come in the order of cells */
        cost.ordered = fmin(cost.ordered, ask_all(bench, ask, c->sx, c->sy, c->sz, &cost.found));
        cost.random = fmin(cost.random, ask_all(bench, ask, c->x, c->y, c->z, &cost.found));
    }
    cost.bytes = (double)px_hash_bytes(&hash);
    if (status == PX_OK)
        report(bench, c, &cost);
    px_hash_free(&hash);
    return status;
}

PxStatus px_bench_neighbours(PxBench *bench)
{
    static const uint32_t edges[] = {22, 46, 100};
    static const PxReportColumn columns[] = {
        {"structure", "structure", "%s"},         {"build_ms", "build ms", "%.2f"},
        {"build_ns", "build ns/point", "%.1f"},   {"query_ns", "query ns, in order", "%.1f"},
        {"query_random_ns", "at random", "%.1f"}, {"bytes", "bytes/point", "%.1f"},
        {"found", "found/point", "%.2f"},
    };
    for (size_t k = 0; k < PX_COUNT(edges); ++k) {
        Cloud cloud;
        PX_TRY(px_bench_next(bench, "neighbours of %u^3 points", edges[k]));
        PX_TRY(cloud_make(&cloud, edges[k]));
        char key[32], title[64];
        snprintf(key, sizeof key, "points_%u", cloud.count);
        snprintf(title, sizeof title, "%u points", cloud.count);
        px_report_table(bench->report, key, title, columns, PX_COUNT(columns));
        int repeats = bench->def.quick ? 3 : 7;
        PxStatus status = measure_grid(bench, &cloud, repeats);
        if (status == PX_OK)
            status = measure_tree(bench, &cloud, repeats);
        if (status == PX_OK)
            status = measure_hash(bench, &cloud, repeats);
        cloud_free(&cloud);
        PX_TRY(status);
    }
    px_report_note(
        bench->report,
        "\nGrid and lists share their build; the query of the lists is the time to write "
        "them.\nBuilding the kd-tree and the hash table uses one thread, all else %d.",
        bench->threads.count);
    return PX_OK;
}
