#include "matter/pairs_build.h"

#include <string.h>

/* For each 8-bit mask: the indices of its set bits, lowest first, 4 bits each. */
#define LANE(mask, bit) (((mask) >> (bit)) & 1u)
#define BELOW(mask, bit) (unsigned)__builtin_popcount((mask) & ((1u << (bit)) - 1))
#define PLACE(mask, bit) (LANE(mask, bit) * (bit##u << (4 * BELOW(mask, bit))))
#define LANES1(m)                                                                                  \
    (PLACE(m, 1) | PLACE(m, 2) | PLACE(m, 3) | PLACE(m, 4) | PLACE(m, 5) | PLACE(m, 6) |           \
     PLACE(m, 7))
#define LANES4(m) LANES1((m)), LANES1((m) + 1), LANES1((m) + 2), LANES1((m) + 3)
#define LANES16(m) LANES4(m), LANES4((m) + 4), LANES4((m) + 8), LANES4((m) + 12)
#define LANES64(m) LANES16(m), LANES16((m) + 16), LANES16((m) + 32), LANES16((m) + 48)
extern const uint32_t px_front_lanes[256];
const uint32_t px_front_lanes[256] = {LANES64(0u), LANES64(64u), LANES64(128u), LANES64(192u)};

void px_pairs_init(PxPairs *pairs, const PxAllocator *allocator)
{
    *pairs = (PxPairs){.allocator = allocator};
}

static uint32_t blocks(uint32_t rows)
{
    return (uint32_t)(((uint64_t)rows + PX_BLOCK - 1) / PX_BLOCK);
}

static void rows_free(PxPairs *pairs)
{
    px_release(pairs->allocator, pairs->until, blocks(pairs->rows) * sizeof *pairs->until);
    px_release(pairs->allocator, pairs->start, (size_t)pairs->rows * sizeof *pairs->start);
    px_release(pairs->allocator, pairs->size, (size_t)pairs->rows * sizeof *pairs->size);
    pairs->start = pairs->size = pairs->until = NULL;
    pairs->rows = 0;
}

static void entries_free(PxPairs *pairs)
{
    px_release(pairs->allocator, pairs->row, pairs->room * sizeof *pairs->row);
    pairs->row = NULL;
    pairs->room = 0;
}

void px_pairs_free(PxPairs *pairs)
{
    rows_free(pairs);
    entries_free(pairs);
    px_pairs_init(pairs, pairs->allocator);
}

size_t px_pairs_bytes(const PxPairs *pairs)
{
    return 2 * (size_t)pairs->rows * sizeof *pairs->start + pairs->room * sizeof *pairs->row +
           blocks(pairs->rows) * sizeof *pairs->until;
}

static PxStatus rows_reserve(PxPairs *pairs, uint32_t rows)
{
    if (rows <= pairs->rows)
        return PX_OK;
    rows_free(pairs);
    size_t bytes = (size_t)rows * sizeof *pairs->start;
    pairs->start = px_allocate(pairs->allocator, bytes);
    pairs->size = px_allocate(pairs->allocator, bytes);
    pairs->until = px_allocate(pairs->allocator, blocks(rows) * sizeof *pairs->until);
    pairs->rows = rows;
    if (pairs->start != NULL && pairs->size != NULL && pairs->until != NULL)
        return PX_OK;
    rows_free(pairs);
    return px_fail(PX_ERR_MEMORY, "neighbours: no room for the lists of %u particles", rows);
}

static PxStatus entries_reserve(PxPairs *pairs, uint64_t entries)
{
    if (entries <= pairs->room && pairs->row != NULL)
        return PX_OK;
    if (entries > PX_PAIRS_MOST)
        return px_fail(PX_ERR_MEMORY,
                       "neighbours: %llu list entries are more than the %u possible; too many "
                       "particles crowd in one place, or there are too many of them",
                       (unsigned long long)entries, PX_PAIRS_MOST);
    entries_free(pairs);
    pairs->row = px_allocate(pairs->allocator, (size_t)entries * sizeof *pairs->row);
    if (pairs->row == NULL)
        return px_fail(PX_ERR_MEMORY, "neighbours: no room for %llu list entries",
                       (unsigned long long)entries);
    pairs->room = (size_t)entries;
    return PX_OK;
}

#define CELLS_A_BLOCK 128u

/* Counts the distances to test in advance, so that a million particles in one cell are refused
 * instead of tried. */
static void candidates_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxPairsJob *job = user;
    const PxGrid *from = job->from_grid;
    uint64_t sum = 0;
    PxGridWalk walk;
    px_grid_walk_start(&walk, job->to_grid, from->key[begin]);
    for (uint32_t c = begin; c < end; ++c) {
        PxRange run[9];
        int runs = px_grid_walk_rows(&walk, from->key[c], run);
        uint64_t candidates = 0;
        for (int k = 0; k < runs; ++k)
            candidates += run[k].end - run[k].begin;
        sum += candidates * (from->begin[c + 1] - from->begin[c]);
    }
    atomic_fetch_add_explicit(&job->candidates, sum, memory_order_relaxed);
}

/* A pass over this many candidates takes about ten seconds; a fluid has 200 per particle. */
#define MOST_CANDIDATES ((uint64_t)1 << 35)

static void find_until(PxPairs *pairs, const PxGrid *from, const PxGrid *to)
{
    uint32_t cell = 0;
    for (uint32_t b = 0; b < blocks(pairs->count); ++b) {
        uint32_t end = pairs->count - b * PX_BLOCK < PX_BLOCK ? pairs->count : (b + 1) * PX_BLOCK;
        while (from->begin[cell + 1] < end)
            ++cell;
        pairs->until[b] = px_grid_rows_until(to, from->key[cell]);
    }
}

PxStatus px_pairs_build(PxPairs *pairs, const PxGrid *from_grid, PxGridPoints from,
                        const PxGrid *to_grid, PxGridPoints to, float reach, PxIsa isa,
                        const PxThreads *threads)
{
    PX_TRY(rows_reserve(pairs, from.count));
    pairs->count = from.count;
    pairs->total = pairs->used = 0;
    if (from.count == 0)
        return PX_OK;
    PxPairsJob job = {.pairs = pairs,
                      .from_grid = from_grid,
                      .to_grid = to_grid,
                      .from = from,
                      .to = to,
                      .reach_squared = reach * reach};
    find_until(pairs, from_grid, to_grid);
    px_parallel_for(threads, from_grid->cells, CELLS_A_BLOCK, candidates_block, &job);
    uint64_t candidates = atomic_load(&job.candidates);
    if (candidates > MOST_CANDIDATES)
        return px_fail(PX_ERR_MEMORY,
                       "neighbours: %u particles have %llu candidates each on average; too many "
                       "crowd in one place",
                       from.count, (unsigned long long)(candidates / from.count));

    /* First guess of the capacity: a sphere fills 0.155 of the 27 cells around it, and padding is
     * 3.5 entries per list on average. */
    uint64_t chunks = (uint64_t)threads->count * PX_PAIRS_CHUNK * 2;
    uint64_t guess = candidates / 6 + 4 * (uint64_t)from.count + chunks;
    if (pairs->row == NULL)
        PX_TRY(entries_reserve(pairs, guess < PX_PAIRS_MOST ? guess : PX_PAIRS_MOST));
    for (;;) {
        atomic_store(&job.taken, 0);
        atomic_store(&job.total, 0);
        memset(job.chunk, 0, sizeof job.chunk);
        px_parallel_for(threads, from_grid->cells, CELLS_A_BLOCK, PX_ISA_PICK(isa, px_pairs_block),
                        &job);
        uint64_t taken = atomic_load(&job.taken);
        if (taken <= pairs->room) {
            pairs->used = taken;
            pairs->total = atomic_load(&job.total);
            return PX_OK;
        }
        uint64_t more = pairs->room + pairs->room / 4 + chunks;
        if (more > PX_PAIRS_MOST && pairs->room < PX_PAIRS_MOST)
            more = PX_PAIRS_MOST; /* last try with the largest capacity */
        PX_TRY(entries_reserve(pairs, more));
    }
}

typedef struct Isolate {
    PxPairs *pairs;
    const uint8_t *alone;
} Isolate;

static void isolate_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Isolate *job = user;
    const PxPairs *pairs = job->pairs;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t *row = pairs->row + pairs->start[i], size = pairs->size[i], kept = 0;
        for (uint32_t k = 0; k < size; ++k) {
            uint32_t j = row[k];
            if (j == i || !(job->alone[i] || job->alone[j]))
                row[kept++] = j;
        }
        for (uint32_t k = kept; k < size; ++k)
            row[k] = pairs->count; /* as padding */
        pairs->size[i] = kept;
    }
}

void px_pairs_isolate(PxPairs *pairs, const uint8_t *alone, const PxThreads *threads)
{
    Isolate job = {pairs, alone};
    px_parallel_for(threads, pairs->count, PX_BLOCK, isolate_block, &job);
    pairs->total = 0;
    for (uint32_t i = 0; i < pairs->count; ++i)
        pairs->total += pairs->size[i];
}

/* Which entries are to be removed: a bit each. Lists start at multiples of 8, so no two rows share
 * a byte. */
typedef struct Cut {
    PxPairs *pairs;
    uint8_t *bits;
    const uint32_t *of; /* rows in question; NULL: all */
    uint32_t rows;      /* their number */
    uint8_t *some;      /* of each of them: are there such entries? */
    const uint32_t *group;
    PxRowMark *mark;
    const void *user;
    uint32_t behind;
    const uint32_t *row; /* rows of which some are removed */
} Cut;

static void mark_groups_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Cut *job = user;
    const uint32_t *group = job->group;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t *row = job->pairs->row + job->pairs->start[i], own = group[i];
        uint8_t *bits = job->bits + job->pairs->start[i] / 8;
        job->some[i] = 0;
        for (uint32_t k = 0; own != 0 && k < job->pairs->size[i]; ++k) {
            bool apart = group[row[k]] != own && group[row[k]] != 0;
            bits[k / 8] = (uint8_t)((k % 8 == 0 ? 0u : bits[k / 8]) | (unsigned)apart << k % 8);
            job->some[i] |= apart;
        }
    }
}

static void mark_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Cut *job = user;
    for (uint32_t n = begin; n < end; ++n) {
        uint32_t i = job->of[n], size = job->pairs->size[i];
        const uint32_t *row = job->pairs->row + job->pairs->start[i];
        uint8_t *bits = job->bits + job->pairs->start[i] / 8;
        memset(bits, 0, (size + 7) / 8);
        job->some[n] = job->mark(job->user, i, row, size, bits);
    }
}

static void reduce_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Cut *job = user;
    for (uint32_t n = begin; n < end; ++n) {
        uint32_t i = job->row[n], size = job->pairs->size[i], kept = 0;
        uint32_t *list = job->pairs->row + job->pairs->start[i];
        const uint8_t *bits = job->bits + job->pairs->start[i] / 8;
        for (uint32_t k = 0; k < size; ++k)
            if (!(bits[k / 8] >> k % 8 & 1))
                list[kept++] = list[k];
        for (uint32_t k = kept; k < ((size + 7u) & ~7u); ++k)
            list[k] = job->behind;
        job->pairs->size[i] = kept;
    }
}

/* Marks with `mark` and removes what is marked. */
static PxStatus cut(Cut *job, PxBlockFunction *mark, PxArena *scratch, const PxThreads *threads,
                    PxPairsParted *out)
{
    PxPairs *pairs = job->pairs;
    *out = (PxPairsParted){.rows = 0};
    job->some = PX_ARENA_ARRAY(scratch, uint8_t, job->rows + 1);
    job->bits = PX_ARENA_ARRAY(scratch, uint8_t, px_round_up(pairs->used / 8 + 1, 1u << 12));
    if (job->some == NULL || job->bits == NULL)
        return px_fail(PX_ERR_MEMORY, "neighbours: no room for %u particles", pairs->count);
    px_parallel_for(threads, job->rows, job->of != NULL ? PX_BLOCK / 16 : PX_BLOCK, mark, job);
    uint32_t rows = 0;
    size_t entries = 0;
    for (uint32_t n = 0; n < job->rows; ++n)
        if (job->some[n]) {
            ++rows;
            entries += (pairs->size[job->of != NULL ? job->of[n] : n] + 7u) & ~7u;
        }
    uint32_t *row = PX_ARENA_ARRAY(scratch, uint32_t, rows),
             *size = PX_ARENA_ARRAY(scratch, uint32_t, rows),
             *entry = PX_ARENA_ARRAY(scratch, uint32_t, px_round_up(entries, 1u << 12));
    if (row == NULL || size == NULL || entry == NULL)
        return px_fail(PX_ERR_MEMORY, "neighbours: no room for %zu pairs", entries);
    *out = (PxPairsParted){rows, row, size, entry};
    job->row = row;
    for (uint32_t n = 0; n < job->rows; ++n) {
        if (!job->some[n])
            continue;
        uint32_t i = job->of != NULL ? job->of[n] : n;
        uint32_t padded = (pairs->size[i] + 7u) & ~7u;
        memcpy(entry, pairs->row + pairs->start[i], padded * sizeof *entry);
        entry += padded;
        *row++ = i;
        *size++ = pairs->size[i];
    }
    px_parallel_for(threads, rows, PX_BLOCK / 4, reduce_block, job);
    return PX_OK;
}

PxStatus px_pairs_part(PxPairs *pairs, const uint32_t *group, uint32_t behind, PxArena *scratch,
                       const PxThreads *threads, PxPairsParted *out)
{
    Cut job = {.pairs = pairs, .group = group, .rows = pairs->count, .behind = behind};
    return cut(&job, mark_groups_block, scratch, threads, out);
}

PxStatus px_pairs_cut(PxPairs *pairs, const uint32_t *row, uint32_t rows, PxRowMark *mark,
                      const void *user, uint32_t behind, PxArena *scratch, const PxThreads *threads,
                      PxPairsParted *out)
{
    Cut job = {
        .pairs = pairs, .of = row, .rows = rows, .mark = mark, .user = user, .behind = behind};
    return cut(&job, mark_block, scratch, threads, out);
}

void px_pairs_unite(PxPairs *pairs, const PxPairsParted *parted)
{
    const uint32_t *entry = parted->entry;
    for (uint32_t k = 0; k < parted->rows; ++k) {
        uint32_t i = parted->row[k], padded = (parted->size[k] + 7u) & ~7u;
        memcpy(pairs->row + pairs->start[i], entry, padded * sizeof *entry);
        pairs->size[i] = parted->size[k];
        entry += padded;
    }
}

typedef struct Pack {
    float *quad;
    const float *x, *y, *z, *w;
} Pack;

static void pack_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Pack *p = user;
    float *restrict quad = p->quad;
    const float *restrict x = p->x, *restrict y = p->y, *restrict z = p->z, *restrict w = p->w;
    for (uint32_t i = begin; i < end; ++i) {
        quad[4 * (size_t)i] = x[i];
        quad[4 * (size_t)i + 1] = y[i];
        quad[4 * (size_t)i + 2] = z[i];
        quad[4 * (size_t)i + 3] = w != NULL ? w[i] : 0.0f;
    }
}

void px_quads_pack(float *quad, const float *x, const float *y, const float *z, const float *w,
                   uint32_t rows, const PxThreads *threads)
{
    Pack pack = {quad, x, y, z, w};
    px_parallel_for(threads, rows, 4 * PX_BLOCK, pack_block, &pack);
    float *behind = quad + 4 * (size_t)rows;
    behind[0] = behind[1] = behind[2] = PX_FAR_AWAY;
    behind[3] = 0.0f;
}
