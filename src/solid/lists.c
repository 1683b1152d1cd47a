#include "solid/lists.h"

#include "base/mat3.h"

#include <string.h>

/* A direction in which the neighbours reach less than this part of where they reach
 * furthest counts as one in which there are none (squares of lengths). The outermost layers of
 * lattices have 0.49 (edges) and more. */
#define FLAT 0.03

/* Neighbourhoods that flowed together may be so lopsided that their linear fit leaps at a touch,
 * and would make the whole body's steps short. A cell whose inverse moment matrix has a trace above
 * this over h^2 counts for less, by the square: its forces have the matrix twice, so that a
 * cell is never stiffer than one at this trace. (By the first power, ten rows over the tip of a
 * spike, nearly in a plane, with a trace of 2000, blew up a block that melted on it.)
 * Lattices have 6 within and 19 in a corner. */
#define LOPSIDED 40
/* Likewise a pair is held as if the neighbourhood had at least this much sum of w X^2, in
 * h^2; lattices have 1.5 within and 0.5 in a corner. */
#define CROWDED 0.25

enum { ARRAYS = 8 };

/* The arrays with one number a particle. */
static void arrays_of(PxSolidLists *l, float **out[ARRAYS])
{
    int n = 0;
    for (int k = 0; k < 3; ++k)
        out[n++] = &l->sum[k];
    for (int k = 0; k < 3; ++k)
        out[n++] = &l->normal[k];
    out[n++] = &l->spread;
    out[n++] = &l->whole;
}

void px_solid_lists_init(PxSolidLists *lists, const PxAllocator *allocator)
{
    *lists = (PxSolidLists){.allocator = allocator};
    px_pairs_init(&lists->pairs, allocator);
    px_grid_init(&lists->grid, allocator);
}

static size_t array_bytes(uint32_t room)
{
    return ((size_t)room + PX_TABLE_PAD) * sizeof(float);
}

static void free_arrays(PxSolidLists *l)
{
    float **array[ARRAYS];
    arrays_of(l, array);
    for (int k = 0; k < ARRAYS; ++k) {
        px_release(l->allocator, *array[k], array_bytes(l->room));
        *array[k] = NULL;
    }
    px_release(l->allocator, l->start, array_bytes(l->room));
    px_release(l->allocator, l->inverse, 6 * array_bytes(l->room));
    l->start = NULL;
    l->inverse = NULL;
    l->room = 0;
}

static void free_entries(PxSolidLists *l)
{
    px_release(l->allocator, l->other, l->pair_room * sizeof *l->other);
    px_release(l->allocator, l->pair, l->pair_room * 4 * sizeof *l->pair);
    l->other = NULL;
    l->pair = NULL;
    l->pair_room = 0;
}

void px_solid_lists_free(PxSolidLists *lists)
{
    free_arrays(lists);
    free_entries(lists);
    px_pairs_free(&lists->pairs);
    px_grid_free(&lists->grid);
}

size_t px_solid_lists_bytes(const PxSolidLists *l)
{
    return (ARRAYS + 7) * array_bytes(l->room) + l->pair_room * 5 * sizeof(float) +
           px_pairs_bytes(&l->pairs) + px_grid_bytes(&l->grid);
}

static double largest_support(PxSolidPoints body)
{
    float most = 0;
    for (uint32_t i = 0; i < body.count; ++i)
        most = body.support[i] > most ? body.support[i] : most;
    return (double)most;
}

static float extent(const float *x, uint32_t count)
{
    float low = count > 0 ? x[0] : 0.0f, high = low;
    for (uint32_t i = 1; i < count; ++i) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    return high - low;
}

/* The grid orders by its z first. With the body's longest axis there, neighbours lie nearest
 * together: of a beam along x of 12 by 12, within 350 rows instead of 2,000, which the cache holds.
 */
static PxGridPoints grid_points(PxSolidPoints body)
{
    const float *axis[3] = {body.x, body.y, body.z};
    float length[3];
    for (int k = 0; k < 3; ++k)
        length[k] = extent(axis[k], body.count);
    for (int k = 0; k < 3; ++k) { /* three exchanges of neighbours sort three */
        int a = k % 2;
        if (!(length[a] > length[a + 1]))
            continue;
        const float *other = axis[a];
        float shorter = length[a + 1];
        axis[a] = axis[a + 1];
        axis[a + 1] = other;
        length[a + 1] = length[a];
        length[a] = shorter;
    }
    return (PxGridPoints){axis[0], axis[1], axis[2], body.count};
}

PxStatus px_solid_order(PxSolidLists *lists, PxSolidPoints body, uint32_t *order, PxArena *scratch,
                        const PxThreads *threads)
{
    PxGridPoints points = grid_points(body);
    PxGridFrame frame = px_grid_frame(largest_support(body), &points, 1, threads);
    return px_grid_sort(&lists->grid, &frame, points, body.id, order, scratch, threads);
}

PxStatus px_solid_lists_begin(PxSolidLists *l, uint32_t count)
{
    l->count = 0;
    l->entries = 0;
    l->total = 0;
    l->flat = false;
    if (count > UINT32_MAX / 16)
        return px_fail(PX_ERR_MEMORY, "solids: %u particles, more than %u", count, UINT32_MAX / 16);
    if (count > l->room) {
        free_arrays(l);
        float **array[ARRAYS];
        arrays_of(l, array);
        bool there = true;
        for (int k = 0; k < ARRAYS; ++k) {
            *array[k] = px_allocate(l->allocator, array_bytes(count));
            there = there && *array[k] != NULL;
            if (*array[k] != NULL)
                memset(*array[k], 0, array_bytes(count));
        }
        l->start = px_allocate(l->allocator, array_bytes(count));
        l->inverse = px_allocate(l->allocator, 6 * array_bytes(count));
        l->room = count;
        if (l->inverse != NULL)
            memset(l->inverse, 0, 6 * array_bytes(count));
        if (!there || l->start == NULL || l->inverse == NULL) {
            free_arrays(l);
            return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
        }
    }
    if (l->start != NULL)
        l->start[0] = 0;
    return PX_OK;
}

static PxStatus reserve_entries(PxSolidLists *l, size_t more)
{
    size_t wanted = l->entries + more;
    if (wanted <= l->pair_room)
        return PX_OK;
    if (wanted > PX_PAIRS_MOST)
        return px_fail(PX_ERR_MEMORY, "solids: more than %u pairs", PX_PAIRS_MOST);
    PxSolidLists old = *l;
    l->pair_room = px_round_up(wanted + wanted / 4, 16);
    l->other = px_allocate(l->allocator, l->pair_room * sizeof *l->other);
    l->pair = px_allocate(l->allocator, l->pair_room * 4 * sizeof *l->pair);
    if (l->other == NULL || l->pair == NULL) {
        free_entries(l);
        *l = old;
        return px_fail(PX_ERR_MEMORY, "solids: no room for %zu pairs", wanted);
    }
    if (l->entries > 0) {
        memcpy(l->other, old.other, l->entries * sizeof *l->other);
        memcpy(l->pair, old.pair, l->entries * 4 * sizeof *l->pair);
    }
    free_entries(&old);
    return PX_OK;
}

typedef struct Job {
    PxSolidLists *lists;
    PxSolidPoints body;
    uint32_t first; /* row of the body's first particle among all */
    const uint32_t *size;
} Job;

/* The weight of a pair of a body, 0 beyond its reach. */
static float pair_weight(PxSolidPoints b, uint32_t i, uint32_t j)
{
    float x = b.x[j] - b.x[i], y = b.y[j] - b.y[i], z = b.z[j] - b.z[i];
    return px_solid_weight(x * x + y * y + z * z, 0.5f * (b.support[i] + b.support[j]));
}

static void count_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxPairs *pairs = &job->lists->pairs;
    uint32_t *size = job->lists->start + job->first + 1;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t *row = pairs->row + pairs->start[i];
        size[i] = 0;
        for (uint32_t k = 0; k < pairs->size[i]; ++k)
            size[i] += row[k] != i && pair_weight(job->body, i, row[k]) > 0.0f;
    }
}

/* The inverse of the moment matrix A = sum w X X^T, in the directions in which there is
 * somebody (001 section 3.3: safe inversion); in the others 0. */
static void invert(PxSolidLists *l, uint32_t i, PxMat3 moment, double h)
{
    PxVec3 value;
    PxMat3 axes, inverse = {{{0}}};
    px_mat3_eigen(moment, &value, &axes);
    double eigen[3] = {value.x, value.y, value.z};
    int there = 0;
    for (int k = 0; k < 3; ++k)
        if (value.x > 0 && eigen[k] > FLAT * value.x) {
            PxVec3 a = px_mat3_column(axes, k);
            inverse = px_mat3_add(inverse, px_mat3_scale(px_mat3_outer(a, a), 1 / eigen[k]));
            ++there;
        }
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    for (int k = 0; k < 6; ++k)
        l->inverse[px_solid_at(i, k, 6)] = (float)inverse.m[at[k][0]][at[k][1]];
    PxVec3 normal = there == 2 ? px_mat3_column(axes, 2) : px_vec(0, 0, 0);
    l->normal[0][i] = (float)normal.x;
    l->normal[1][i] = (float)normal.y;
    l->normal[2][i] = (float)normal.z;
    double trace = px_mat3_trace(inverse) * h * h;
    double part = trace > LOPSIDED ? LOPSIDED / trace : 1;
    l->whole[i] = there < 2 ? 0.0f : (float)(part * part);
}

static void entry_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxSolidLists *l = job->lists;
    PxSolidPoints b = job->body;
    const PxPairs *pairs = &l->pairs;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t *row = pairs->row + pairs->start[i];
        uint32_t place = l->start[job->first + i];
        PxMat3 moment = {{{0}}};
        PxVec3 sum = {0, 0, 0};
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = row[k];
            float w = j == i ? 0.0f : pair_weight(b, i, j);
            if (!(w > 0.0f))
                continue;
            float *pair = l->pair + 4 * (size_t)place;
            float way[3] = {b.x[j] - b.x[i], b.y[j] - b.y[i], b.z[j] - b.z[i]};
            for (int c = 0; c < 3; ++c)
                pair[c] = w * way[c];
            pair[3] = w;
            l->other[place++] = 16 * (job->first + j);
            PxVec3 x = {(double)way[0], (double)way[1], (double)way[2]};
            PxVec3 wx = {(double)pair[0], (double)pair[1], (double)pair[2]};
            moment = px_mat3_add(moment, px_mat3_outer(wx, x));
            sum = px_add(sum, wx);
        }
        if (place < l->start[job->first + i + 1]) { /* loops take two at a time */
            memset(l->pair + 4 * (size_t)place, 0, 4 * sizeof *l->pair);
            l->other[place] = 16 * (job->first + i);
        }
        l->sum[0][job->first + i] = (float)sum.x;
        l->sum[1][job->first + i] = (float)sum.y;
        l->sum[2][job->first + i] = (float)sum.z;
        double h = (double)b.support[i], spread = px_mat3_trace(moment);
        l->spread[job->first + i] =
            (float)(spread > 0 && spread < CROWDED * h * h ? CROWDED * h * h : spread);
        invert(l, job->first + i, moment, h);
    }
}

PxStatus px_solid_lists_add(PxSolidLists *l, PxSolidPoints body, PxArena *scratch, PxIsa isa,
                            const PxThreads *threads)
{
    double reach = largest_support(body);
    PxGridPoints points = grid_points(body);
    PxGridFrame frame = px_grid_frame(reach, &points, 1, threads);
    PxArenaMark mark = px_arena_mark(scratch);
    uint32_t *order = PX_ARENA_ARRAY(scratch, uint32_t, body.count);
    if (order == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room to sort %u particles", body.count);
    /* They lie in this order already; what is wanted is the grid. */
    PX_TRY(px_grid_sort(&l->grid, &frame, points, body.id, order, scratch, threads));
    px_arena_release(scratch, mark);
    PX_TRY(
        px_pairs_build(&l->pairs, &l->grid, points, &l->grid, points, (float)reach, isa, threads));
    Job job = {.lists = l, .body = body, .first = l->count};
    px_parallel_for(threads, body.count, PX_BLOCK, count_block, &job);
    uint64_t total = l->start[l->count];
    for (uint32_t i = 0; i < body.count; ++i) {
        l->total += l->start[l->count + i + 1];
        total += (l->start[l->count + i + 1] + 1) & ~1u;
        if (total > PX_PAIRS_MOST)
            return px_fail(PX_ERR_MEMORY, "solids: more than %u pairs", PX_PAIRS_MOST);
        l->start[l->count + i + 1] = (uint32_t)total;
    }
    PX_TRY(reserve_entries(l, (size_t)total - l->entries));
    px_parallel_for(threads, body.count, PX_BLOCK, entry_block, &job);
    for (uint32_t i = l->count; i < l->count + body.count; ++i)
        l->flat = l->flat || l->normal[0][i] != 0.0f || l->normal[1][i] != 0.0f ||
                  l->normal[2][i] != 0.0f;
    l->entries = (size_t)total;
    l->count += body.count;
    return PX_OK;
}
