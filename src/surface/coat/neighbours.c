#include "surface/coat/neighbours.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static PxStatus no_room(size_t count)
{
    return px_fail(PX_ERR_MEMORY, "coat: no room for neighbour lists of %zu points", count);
}

#define TAKE(scratch, pointer, elements)                                                           \
    (((pointer) = px_arena_take_array((scratch), (elements), sizeof *(pointer))) != NULL)

/* ---- trees ---- */

typedef struct Boxes {
    PxCoatTree *tree;
    uint32_t level;
    uint32_t below; /* number of points or boxes one level down */
} Boxes;

static void boxes_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Boxes *b = user;
    for (int k = 0; k < 3; ++k) {
        const float *low = b->level > 0 ? b->tree->box[b->level - 1][k] : b->tree->at[k];
        const float *high = b->level > 0 ? b->tree->box[b->level - 1][3 + k] : b->tree->at[k];
        for (uint32_t i = begin; i < end; ++i) {
            float least = INFINITY, most = -INFINITY;
            uint32_t from = 8 * i, to = from + 8 < b->below ? from + 8 : b->below;
            for (uint32_t j = from; j < to; ++j) {
                least = low[j] < least ? low[j] : least;
                most = high[j] > most ? high[j] : most;
            }
            b->tree->box[b->level][k][i] = least;
            b->tree->box[b->level][3 + k][i] = most;
        }
    }
}

PxStatus px_coat_tree_make(PxArena *scratch, const PxThreads *threads, float *const at[3],
                           uint32_t count, PxCoatTree *tree)
{
    *tree = (PxCoatTree){.count = count, .at = {at[0], at[1], at[2]}};
    for (uint32_t below = count; below > 0; ++tree->levels) {
        uint32_t boxes = below / 8 + (below % 8 > 0);
        uint32_t room = (boxes + 7) / 8 * 8; /* the padding holds empty boxes */
        for (int k = 0; k < 6; ++k)
            if (!TAKE(scratch, tree->box[tree->levels][k], (size_t)room + 8))
                return no_room(count);
        Boxes b = {tree, tree->levels, below};
        PX_TRY(px_parallel_try(threads, room, PX_BLOCK, boxes_block, &b));
        if (boxes <= 8) {
            ++tree->levels;
            break;
        }
        below = boxes;
    }
    return PX_OK;
}

PxStatus px_coat_tree_make_sorted(PxArena *scratch, const PxThreads *threads, float *const at[3],
                                  uint32_t count, float edge, PxCoatTree *tree)
{
    uint32_t *order;
    float *sorted[3];
    if (!TAKE(scratch, order, (size_t)count + 1))
        return no_room(count);
    PX_TRY(px_coat_morton_order(scratch, at, count, edge, order));
    for (int k = 0; k < 3; ++k) {
        if (!TAKE(scratch, sorted[k], (size_t)count + 8))
            return no_room(count);
        for (uint32_t i = 0; i < count; ++i)
            sorted[k][i] = at[k][order[i]];
    }
    PX_TRY(px_coat_tree_make(scratch, threads, sorted, count, tree));
    tree->name = order;
    return PX_OK;
}

uint32_t px_coat_tree_query(const PxCoatTree *tree, PxIsa isa, const float low[3],
                            const float high[3], float reach, uint32_t *row, uint32_t room)
{
    return PX_ISA_PICK(isa, px_coat_tree_query_rows)(tree, low, high, reach, row, room);
}

/* ---- lists ---- */

void px_coat_rows_free(PxCoatRows *rows)
{
    px_release(rows->allocator, rows->row, rows->room * sizeof *rows->row);
    rows->row = NULL;
    rows->room = 0;
}

PxStatus px_coat_bunch(PxArena *scratch, float *const at[3], uint32_t count, float width,
                       PxCoatLists *lists)
{
    *lists = (PxCoatLists){0};
    if (!TAKE(scratch, lists->begin, (size_t)count + 1))
        return no_room(count);
    for (uint32_t i = 0; i < count;) {
        float low[3] = {at[0][i], at[1][i], at[2][i]}, high[3] = {low[0], low[1], low[2]};
        lists->begin[lists->count++] = i;
        uint32_t end = count - i < 8 ? count : i + 8;
        for (++i; i < end; ++i) {
            float widest = 0.0f;
            for (int k = 0; k < 3; ++k) {
                low[k] = at[k][i] < low[k] ? at[k][i] : low[k];
                high[k] = at[k][i] > high[k] ? at[k][i] : high[k];
                widest = high[k] - low[k] > widest ? high[k] - low[k] : widest;
            }
            if (widest > width)
                break;
        }
    }
    lists->begin[lists->count] = count;
    if (!TAKE(scratch, lists->start, (size_t)lists->count + 1) ||
        !TAKE(scratch, lists->size, (size_t)lists->count + 1))
        return no_room(count);
    return PX_OK;
}

#define CHUNK 32768u /* entries that a thread reserves at a time */
#define BUNCHES 64u  /* bunches a block */

typedef struct Chunk {
    _Alignas(64) size_t at;
    size_t end;
} Chunk;

typedef struct Listing {
    PxIsa isa;
    float *const *at;
    const PxCoatTree *others;
    float reach;
    const float *hot;
    PxCoatRows *rows;
    PxCoatLists *lists;
    _Atomic size_t taken; /* may exceed the room: nothing is written there */
    Chunk chunk[PX_MAX_THREADS];
} Listing;

static bool is_inactive(const float *hot, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; hot != NULL && i < end; ++i)
        if (hot[i] > 0.0f)
            return false;
    return hot != NULL;
}

/* Where a list is stored depends on the threads, its content does not. */
static void listing_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    Listing *l = user;
    Chunk *chunk = &l->chunk[thread];
    for (uint32_t b = begin; b < end; ++b) {
        uint32_t first = l->lists->begin[b], behind = l->lists->begin[b + 1];
        float low[3], high[3];
        l->lists->start[b] = l->lists->size[b] = 0;
        if (is_inactive(l->hot, first, behind))
            continue;
        for (int k = 0; k < 3; ++k) {
            low[k] = high[k] = l->at[k][first];
            for (uint32_t i = first + 1; i < behind; ++i) {
                low[k] = l->at[k][i] < low[k] ? l->at[k][i] : low[k];
                high[k] = l->at[k][i] > high[k] ? l->at[k][i] : high[k];
            }
        }
        for (size_t want = CHUNK;; want *= 2) {
            size_t left = chunk->end - chunk->at;
            uint32_t count = UINT32_MAX;
            if (left > PX_COAT_QUERY_PAD && chunk->end <= l->rows->room)
                count = px_coat_tree_query(l->others, l->isa, low, high, l->reach,
                                           l->rows->row + chunk->at,
                                           (uint32_t)(left - PX_COAT_QUERY_PAD));
            if (count != UINT32_MAX) {
                l->lists->start[b] = (uint32_t)chunk->at;
                l->lists->size[b] = count;
                chunk->at += count;
                break;
            }
            chunk->at = atomic_fetch_add_explicit(&l->taken, want, memory_order_relaxed);
            chunk->end = chunk->at + want;
            if (chunk->end > l->rows->room)
                break; /* px_coat_list() repeats this with more room */
        }
    }
}

PxStatus px_coat_list(PxArena *scratch, const PxThreads *threads, PxIsa isa, float *const at[3],
                      const PxCoatTree *others, float reach, const float *hot, PxCoatRows *rows,
                      PxCoatLists *lists)
{
    PxArenaMark mark = px_arena_mark(scratch);
    Listing *l;
    if (!TAKE(scratch, l, 1))
        return no_room(lists->count);
    size_t guess = 64 * (size_t)lists->count + (size_t)threads->count * CHUNK;
    for (size_t want = rows->room > 0 ? rows->room : guess;; want += want / 2) {
        if (want > UINT32_MAX)
            return px_fail(PX_ERR_MEMORY, "coat: %zu neighbours are too many to list", want);
        if (want > rows->room) {
            px_coat_rows_free(rows);
            rows->row = px_allocate(rows->allocator, want * sizeof *rows->row);
            if (rows->row == NULL)
                return no_room(want);
            rows->room = want;
        }
        *l = (Listing){isa, at, others, reach, hot, rows, lists, 0, {{0, 0}}};
        PX_TRY(px_parallel_try(threads, lists->count, BUNCHES, listing_block, l));
        if (atomic_load(&l->taken) <= rows->room)
            break;
    }
    lists->row = rows->row;
    px_arena_release(scratch, mark);
    return PX_OK;
}

/* ---- sorting ---- */

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

void px_coat_sort_keyed(PxCoatKeyed *from, PxCoatKeyed *other, uint32_t count)
{
    uint64_t all = 0, first = count > 0 ? from[0].id : 0;
    for (uint32_t k = 0; k < count; ++k)
        all |= from[k].id ^ first;
    PxCoatKeyed *begin = from;
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        if ((all >> shift & (DIGITS - 1)) == 0)
            continue;
        uint32_t place[DIGITS] = {0}, sum = 0;
        for (uint32_t k = 0; k < count; ++k)
            ++place[from[k].id >> shift & (DIGITS - 1)];
        for (uint32_t d = 0; d < DIGITS; ++d) {
            uint32_t here = place[d];
            place[d] = sum;
            sum += here;
        }
        for (uint32_t k = 0; k < count; ++k)
            other[place[from[k].id >> shift & (DIGITS - 1)]++] = from[k];
        PxCoatKeyed *t = from;
        from = other;
        other = t;
    }
    if (from != begin)
        memcpy(begin, from, count * sizeof *begin);
}

/* Spreads the lowest 21 bits: two zeros between each and the next. */
static uint64_t spread(uint64_t v)
{
    v = (v | v << 32) & 0x1f00000000ffffu;
    v = (v | v << 16) & 0x1f0000ff0000ffu;
    v = (v | v << 8) & 0x100f00f00f00f00fu;
    v = (v | v << 4) & 0x10c30c30c30c30c3u;
    return (v | v << 2) & 0x1249249249249249u;
}

PxStatus px_coat_morton_order(PxArena *scratch, float *const at[3], uint32_t count, float edge,
                              uint32_t *order)
{
    PxArenaMark mark = px_arena_mark(scratch);
    PxCoatKeyed *keyed, *other;
    if (!TAKE(scratch, keyed, (size_t)count + 1) || !TAKE(scratch, other, (size_t)count + 1))
        return no_room(count);
    float low[3] = {0}, per = 1.0f / edge;
    for (int k = 0; count > 0 && k < 3; ++k) {
        low[k] = at[k][0];
        for (uint32_t i = 1; i < count; ++i)
            low[k] = at[k][i] < low[k] ? at[k][i] : low[k];
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t key = 0;
        for (int k = 0; k < 3; ++k) {
            float cell = (at[k][i] - low[k]) * per;
            key |= spread(cell < 2097151.0f ? (uint64_t)cell : 2097151u) << k;
        }
        keyed[i] = (PxCoatKeyed){key, i};
    }
    px_coat_sort_keyed(keyed, other, count);
    for (uint32_t i = 0; i < count; ++i)
        order[i] = keyed[i].row;
    px_arena_release(scratch, mark);
    return PX_OK;
}
