/// The room base: memory, arena, table, parallel loop, random numbers, error text.
#include "check.h"
#include "counting.h"

#include "base/arena.h"
#include "base/digest.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/table.h"
#include "phyxel/suggest.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tests request absurd sizes on purpose: under the address sanitizer too malloc() shall
 * return NULL instead of ending the program. */
PX_API const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static bool aligned(const void *memory)
{
    return (uintptr_t)memory % PX_ALIGNMENT == 0;
}

/* ------------------------------------------------------------------ memory */

TEST(memory_is_aligned_and_absurd_sizes_give_null)
{
    for (size_t bytes = 1; bytes < 5000; bytes = bytes * 3 + 1) {
        char *memory = px_allocate(NULL, bytes);
        CHECK(memory != NULL);
        CHECK(aligned(memory));
        memset(memory, 1, bytes);
        px_release(NULL, memory, bytes);
    }
    CHECK(px_allocate(NULL, 0) == NULL);
    CHECK(px_allocate(NULL, SIZE_MAX) == NULL);
    CHECK(px_allocate(NULL, SIZE_MAX - 63) == NULL);
    px_release(NULL, NULL, 17); /* nothing to do, nothing done */
}

TEST(sizes_multiply_with_a_check)
{
    size_t out = 7;
    CHECK(px_size_multiply(1000, 1000, &out));
    CHECK_EQUAL(out, 1000000);
    CHECK(px_size_multiply(SIZE_MAX, 1, &out));
    CHECK(out == SIZE_MAX);
    CHECK(!px_size_multiply(SIZE_MAX / 2 + 1, 2, &out));
    CHECK(!px_size_multiply(SIZE_MAX, SIZE_MAX, &out));
}

TEST(a_list_grows_and_refuses_impossible_sizes)
{
    PX_LIST(int) list = {0};
    for (int i = 0; i < 10000; ++i) {
        CHECK(PX_LIST_RESERVE(&list, 1));
        list.data[list.count++] = i;
    }
    for (int i = 0; i < 10000; ++i)
        CHECK_EQUAL(list.data[i], i);
    CHECK(list.capacity < 40000);
    size_t before = list.capacity;
    CHECK(!PX_LIST_RESERVE(&list, SIZE_MAX));
    CHECK(!PX_LIST_RESERVE(&list, SIZE_MAX / 2));
    CHECK(!PX_LIST_RESERVE(&list, SIZE_MAX / sizeof(int) - 5000));
    CHECK_EQUAL(list.capacity, before);
    CHECK_EQUAL(list.data[9999], 9999);
    PX_LIST_FREE(&list);
    CHECK(list.data == NULL && list.count == 0 && list.capacity == 0);
    CHECK(PX_LIST_RESERVE(&list, 3));
    PX_LIST_FREE(&list);
}

/* ------------------------------------------------------------------- arena */

TEST(arena_blocks_are_aligned_and_do_not_overlap)
{
    Counter counter;
    PxAllocator allocator = counting(&counter);
    PxArena arena;
    px_arena_init(&arena, &allocator);
    unsigned char *piece[60];
    size_t size[60];
    for (unsigned k = 0; k < 60; ++k) {
        size[k] = px_random_bits(k, 0, 0) % 20000;
        piece[k] = px_arena_take(&arena, size[k]);
        CHECK(piece[k] != NULL);
        CHECK(aligned(piece[k]));
        memset(piece[k], (int)k, size[k]);
    }
    for (unsigned k = 0; k < 60; ++k)
        for (size_t b = 0; b < size[k]; ++b)
            if (piece[k][b] != k)
                fail_msg("piece %u was overwritten at byte %zu", k, b);
    CHECK(arena.peak == arena.in_use);
    CHECK(arena.in_use <= arena.reserved);
    px_arena_free(&arena);
    CHECK_EQUAL(counter.blocks, 0);
    CHECK(!counter.wrong_size);
    CHECK_EQUAL(arena.reserved, 0);
    CHECK_EQUAL(arena.in_use, 0);
}

TEST(releasing_a_mark_frees_all_later_blocks)
{
    PxArena arena;
    px_arena_init(&arena, NULL);
    char *first = px_arena_take(&arena, 100);
    memset(first, 'a', 100);
    PxArenaMark outer = px_arena_mark(&arena);
    char *second = px_arena_take(&arena, 200);
    PxArenaMark inner = px_arena_mark(&arena);
    char *third = px_arena_take(&arena, 1000000); /* needs a block of its own */
    memset(third, 'c', 1000000);
    px_arena_release(&arena, inner);
    CHECK(px_arena_take(&arena, 64) == second + 256); /* 200 rounded up to lines */
    px_arena_release(&arena, outer);
    CHECK_EQUAL(arena.in_use, 128);
    CHECK(px_arena_take(&arena, 200) == second);
    for (int b = 0; b < 100; ++b)
        CHECK(first[b] == 'a');
    CHECK(arena.peak >= 1000000);
    px_arena_free(&arena);
}

TEST(reset_joins_the_blocks_into_one_that_suffices)
{
    Counter counter;
    PxAllocator allocator = counting(&counter);
    PxArena arena;
    px_arena_init(&arena, &allocator);
    for (int k = 0; k < 10; ++k)
        CHECK(px_arena_take(&arena, 100000) != NULL);
    CHECK(counter.blocks > 1);
    size_t peak = arena.peak;
    CHECK_OK(px_arena_reset(&arena));
    CHECK_EQUAL(counter.blocks, 1);
    CHECK(arena.reserved >= peak);
    CHECK_EQUAL(arena.in_use, 0);
    CHECK_EQUAL(arena.peak, 0);
    size_t calls = counter.calls;
    CHECK(px_arena_take(&arena, peak) != NULL);
    CHECK_EQUAL(counter.calls, calls);
    px_arena_free(&arena);
    CHECK(!counter.wrong_size);
}

/* Allocates as a solver step does: scratch memory under nested marks. */
static void step_with_marks(PxArena *arena)
{
    CHECK_OK(px_arena_reset(arena));
    for (int stage = 0; stage < 5; ++stage) {
        PxArenaMark mark = px_arena_mark(arena);
        CHECK(PX_ARENA_ARRAY(arena, float, 30000 + 1000 * stage) != NULL);
        PxArenaMark nested = px_arena_mark(arena);
        CHECK(PX_ARENA_ARRAY(arena, double, 50000) != NULL);
        px_arena_release(arena, nested);
        CHECK(PX_ARENA_ARRAY(arena, uint32_t, 10) != NULL);
        px_arena_release(arena, mark);
    }
    CHECK_EQUAL(arena->in_use, 0);
}

TEST(after_warm_up_a_step_allocates_nothing)
{
    /* The first mark is taken while the arena is still empty: the hard case. */
    Counter counter;
    PxAllocator allocator = counting(&counter);
    PxArena arena;
    px_arena_init(&arena, &allocator);
    step_with_marks(&arena);
    step_with_marks(&arena);
    size_t calls = counter.calls;
    for (int step = 0; step < 10; ++step)
        step_with_marks(&arena);
    CHECK_EQUAL(counter.calls, calls);
    px_arena_free(&arena);
    CHECK_EQUAL(counter.blocks, 0);
}

TEST(the_arena_refuses_sizes_that_overflow)
{
    PxArena arena;
    px_arena_init(&arena, NULL);
    CHECK(px_arena_take(&arena, SIZE_MAX) == NULL);
    CHECK(px_arena_take(&arena, SIZE_MAX / 2 + 1) == NULL);
    CHECK(px_arena_take(&arena, SIZE_MAX / 2) == NULL);
    CHECK(px_arena_take_array(&arena, SIZE_MAX / 4, 8) == NULL);
    CHECK(px_arena_take_array(&arena, SIZE_MAX / 4 + 2, 4) == NULL);
    CHECK(px_arena_take_array(&arena, SIZE_MAX, 1) == NULL);
    CHECK(px_arena_take_array(&arena, SIZE_MAX - 32, 1) == NULL);
    CHECK_EQUAL(arena.in_use, 0);
    CHECK(px_arena_take(&arena, 10) != NULL); /* and still works */
    px_arena_free(&arena);
}

TEST(an_arena_array_of_nothing_has_an_address)
{
    PxArena arena;
    px_arena_init(&arena, NULL);
    CHECK(px_arena_take(&arena, 0) != NULL);
    float *array = PX_ARENA_ARRAY(&arena, float, 0);
    CHECK(array != NULL);
    for (int b = 0; b < 16; ++b) /* the promised 64 bytes after the last */
        array[b] = 1.0f;
    px_arena_free(&arena);
}

TEST(an_arena_without_memory_says_so_and_recovers)
{
    Counter counter;
    PxAllocator allocator = counting(&counter);
    PxArena arena;
    px_arena_init(&arena, &allocator);
    counter.fail_at = 0;
    CHECK(px_arena_take(&arena, 1000) == NULL);
    CHECK_EQUAL(arena.in_use, 0);
    counter.fail_at = SIZE_MAX;
    CHECK(px_arena_take(&arena, 100000) != NULL);
    CHECK(px_arena_take(&arena, 100000) != NULL);
    counter.fail_at = counter.calls;
    CHECK_FAILS(px_arena_reset(&arena), PX_ERR_MEMORY, "arena");
    CHECK_EQUAL(arena.in_use, 0);
    counter.fail_at = SIZE_MAX;
    CHECK_OK(px_arena_reset(&arena));
    CHECK(px_arena_take(&arena, 100000) != NULL);
    px_arena_free(&arena);
    CHECK_EQUAL(counter.blocks, 0);
    CHECK(!counter.wrong_size);
}

/* ------------------------------------------------------------------- table */

/* Columns of every size of value, every flag, one to nine components. */
static void add_columns(PxTable *table)
{
    CHECK_OK(px_table_add(table, "id", "", PX_U64, 1, PX_COLUMN_STATE | PX_COLUMN_FRAME, NULL));
    CHECK_OK(
        px_table_add(table, "position", "m", PX_F32, 3, PX_COLUMN_STATE | PX_COLUMN_FRAME, NULL));
    CHECK_OK(px_table_add(table, "kind", "", PX_U8, 1, PX_COLUMN_STATE, NULL));
    CHECK_OK(px_table_add(table, "stress", "Pa", PX_F64, 9, PX_COLUMN_FRAME, NULL));
    CHECK_OK(px_table_add(table, "density", "kg/m^3", PX_F32, 1, PX_COLUMN_WORK, NULL));
}

/* Row `row` gets values that follow from `id` alone. */
static void fill_row(PxTable *table, uint32_t row, uint64_t id)
{
    for (uint32_t c = 0; c < table->columns; ++c)
        for (uint32_t k = 0; k < table->column[c].components; ++k) {
            uint64_t bits = px_random_bits(id, c, k);
            switch (px_type_size(table->column[c].type)) {
            case 1:
                ((uint8_t *)table->column[c].data[k])[row] = (uint8_t)bits;
                break;
            case 4:
                ((uint32_t *)table->column[c].data[k])[row] = (uint32_t)bits;
                break;
            default:
                ((uint64_t *)table->column[c].data[k])[row] = bits;
                break;
            }
        }
}

static bool row_is(const PxTable *table, uint32_t row, uint64_t id, bool with_work)
{
    for (uint32_t c = 0; c < table->columns; ++c)
        for (uint32_t k = 0; k < table->column[c].components; ++k) {
            if ((table->column[c].flags & PX_COLUMN_WORK) && !with_work)
                continue;
            uint64_t bits = px_random_bits(id, c, k);
            size_t size = px_type_size(table->column[c].type);
            if (memcmp((char *)table->column[c].data[k] + row * size, &bits, size) != 0)
                return false;
        }
    return true;
}

static bool row_is_zero(const PxTable *table, uint32_t row)
{
    static const char zero[8];
    for (uint32_t c = 0; c < table->columns; ++c)
        for (uint32_t k = 0; k < table->column[c].components; ++k) {
            size_t size = px_type_size(table->column[c].type);
            if (memcmp((char *)table->column[c].data[k] + row * size, zero, size) != 0)
                return false;
        }
    return true;
}

static void make_table(PxTable *table, const PxAllocator *allocator, uint32_t rows)
{
    px_table_init(table, allocator);
    add_columns(table);
    CHECK_OK(px_table_append(table, rows, NULL));
    for (uint32_t i = 0; i < rows; ++i)
        fill_row(table, i, 1000 + i);
}

TEST(types_have_sizes_and_names)
{
    CHECK_EQUAL(px_type_size(PX_U8), 1);
    CHECK_EQUAL(px_type_size(PX_I32), 4);
    CHECK_EQUAL(px_type_size(PX_F64), 8);
    CHECK_TEXT(px_type_name(PX_F32), "f32");
    CHECK_TEXT(px_type_name(PX_U64), "u64");
}

TEST(a_column_is_found_by_its_name)
{
    PxTable table;
    px_table_init(&table, NULL);
    uint32_t index = 99;
    CHECK_OK(px_table_add(&table, "velocity", "m/s", PX_F32, 3, PX_COLUMN_STATE, &index));
    CHECK_EQUAL(index, 0);
    CHECK_OK(px_table_add(&table, "mass", "kg", PX_F32, 1, PX_COLUMN_STATE, &index));
    CHECK_EQUAL(index, 1);
    PxColumn *mass = px_table_find(&table, "mass");
    CHECK(mass == &table.column[1]);
    CHECK_TEXT(mass->unit, "kg");
    CHECK(px_table_find(&table, "mas") == NULL);
    CHECK(px_table_find(&table, "") == NULL);
    px_table_free(&table);
    CHECK_EQUAL(table.columns, 0);
}

TEST(wrong_columns_are_refused)
{
    PxTable table;
    px_table_init(&table, NULL);
    CHECK_OK(px_table_add(&table, "mass", "kg", PX_F32, 1, PX_COLUMN_STATE, NULL));
    CHECK_FAILS(px_table_add(&table, "mass", "kg", PX_F64, 1, 0, NULL), PX_ERR_ARGUMENT,
                "'mass' already");
    CHECK_FAILS(px_table_add(&table, "a_name_of_thirty_two_characters_", "", PX_F32, 1, 0, NULL),
                PX_ERR_ARGUMENT, "too long");
    CHECK_OK(px_table_add(&table, "a_name_of_thirty_one_characters", "", PX_F32, 1, 0, NULL));
    CHECK_FAILS(px_table_add(&table, "x", "sixteen letters!", PX_F32, 1, 0, NULL), PX_ERR_ARGUMENT,
                "too long");
    CHECK_FAILS(px_table_add(&table, "x", "", PX_F32, 0, 0, NULL), PX_ERR_ARGUMENT, "0 components");
    CHECK_FAILS(px_table_add(&table, "x", "", PX_F32, 10, 0, NULL), PX_ERR_ARGUMENT,
                "10 components");
    CHECK_FAILS(px_table_add(&table, "x", "", PX_TYPE_COUNT, 1, 0, NULL), PX_ERR_ARGUMENT, "'x'");
    CHECK_EQUAL(table.columns, 2);
    for (uint32_t c = 2; c < PX_TABLE_MAX_COLUMNS; ++c) {
        char name[16];
        snprintf(name, sizeof name, "c%u", c);
        CHECK_OK(px_table_add(&table, name, "", PX_U8, 1, 0, NULL));
    }
    CHECK_FAILS(px_table_add(&table, "x", "", PX_U8, 1, 0, NULL), PX_ERR_ARGUMENT, "no room");
    px_table_free(&table);
}

TEST(a_column_added_late_is_zero_in_all_rows)
{
    Counter counter;
    PxAllocator allocator = counting(&counter);
    PxTable table;
    make_table(&table, &allocator, 100);
    CHECK_OK(px_table_add(&table, "late", "", PX_U64, 2, PX_COLUMN_STATE, NULL));
    PxColumn *late = px_table_find(&table, "late");
    for (uint32_t i = 0; i < table.count + PX_TABLE_PAD; ++i)
        CHECK(((uint64_t *)late->data[0])[i] == 0 && ((uint64_t *)late->data[1])[i] == 0);
    px_table_free(&table);
    CHECK_EQUAL(counter.blocks, 0);
    CHECK(!counter.wrong_size);
}

TEST(rows_keep_their_values_while_the_table_grows)
{
    Counter counter;
    PxAllocator allocator = counting(&counter);
    PxTable table;
    px_table_init(&table, &allocator);
    add_columns(&table);
    uint32_t first = 0, total = 0;
    for (uint32_t round = 0; round < 40; ++round) {
        CHECK_OK(px_table_append(&table, round * 3, &first));
        CHECK_EQUAL(first, total);
        for (uint32_t i = first; i < first + round * 3; ++i) {
            CHECK(row_is_zero(&table, i));
            fill_row(&table, i, 1000 + i);
        }
        total += round * 3;
        CHECK_EQUAL(table.count, total);
        CHECK(table.capacity >= table.count);
    }
    for (uint32_t i = 0; i < total; ++i)
        CHECK(row_is(&table, i, 1000 + i, true));
    CHECK_EQUAL(px_table_bytes(&table), counter.bytes);
    px_table_free(&table);
    CHECK_EQUAL(counter.blocks, 0);
    CHECK(!counter.wrong_size);
}

TEST(one_row_at_a_time_costs_few_allocations)
{
    Counter counter;
    PxAllocator allocator = counting(&counter);
    PxTable table;
    px_table_init(&table, &allocator);
    CHECK_OK(px_table_add(&table, "id", "", PX_U64, 1, PX_COLUMN_STATE, NULL));
    for (uint32_t i = 0; i < 100000; ++i)
        CHECK_OK(px_table_append(&table, 1, NULL));
    /* grows by half each time: log(1e5) / log(1.5) = 29, and the start */
    CHECK(counter.calls < 40);
    px_table_free(&table);
}

TEST(every_array_is_aligned_and_its_pad_is_readable)
{
    PxTable table;
    for (uint32_t rows = 0; rows < 70; rows += 7) {
        make_table(&table, NULL, rows);
        for (uint32_t c = 0; c < table.columns; ++c)
            for (uint32_t k = 0; k < table.column[c].components; ++k) {
                CHECK(aligned(table.column[c].data[k]));
                size_t size = px_type_size(table.column[c].type);
                const unsigned char *data = table.column[c].data[k];
                for (size_t b = rows * size; b < (rows + PX_TABLE_PAD) * size; ++b)
                    CHECK(data[b] == 0); /* an address error if it were not there */
            }
        px_table_free(&table);
    }
}

TEST(reserve_never_shrinks_and_refuses_absurd_counts)
{
    PxTable table;
    make_table(&table, NULL, 10);
    CHECK_OK(px_table_reserve(&table, 500));
    CHECK(table.capacity >= 500);
    uint32_t capacity = table.capacity;
    CHECK_OK(px_table_reserve(&table, 3));
    CHECK_EQUAL(table.capacity, capacity);
    CHECK_FAILS(px_table_reserve(&table, (size_t)PX_TABLE_MAX_ROWS + 1), PX_ERR_MEMORY, "possible");
    CHECK_FAILS(px_table_reserve(&table, SIZE_MAX), PX_ERR_MEMORY, "possible");
    CHECK_FAILS(px_table_append(&table, SIZE_MAX, NULL), PX_ERR_MEMORY, "table");
    CHECK_FAILS(px_table_append(&table, SIZE_MAX - 5, NULL), PX_ERR_MEMORY, "table");
    CHECK_FAILS(px_table_append(&table, PX_TABLE_MAX_ROWS - 9, NULL), PX_ERR_MEMORY, "table");
    CHECK_EQUAL(table.count, 10);
    for (uint32_t i = 0; i < 10; ++i)
        CHECK(row_is(&table, i, 1000 + i, true));
    px_table_free(&table);
}

TEST(permuting_moves_whole_rows)
{
    enum { N = 40001 }; /* more than one block of the parallel loop */
    for (int threads = 1; threads <= 3; threads += 2) {
        PxTable table;
        make_table(&table, NULL, N);
        uint32_t *order = malloc(N * sizeof *order);
        for (uint32_t i = 0; i < N; ++i) /* 7919 is prime: a permutation */
            order[i] = (uint32_t)((uint64_t)i * 7919 % N);
        CHECK_OK(px_table_permute(&table, order, &(PxThreads){.count = threads}));
        for (uint32_t i = 0; i < N; ++i)
            CHECK(row_is(&table, i, 1000 + order[i], false));
        CHECK_OK(px_table_permute(&table, order, &(PxThreads){.count = threads}));
        for (uint32_t i = 0; i < N; ++i)
            CHECK(row_is(&table, i, 1000 + order[order[i]], false));
        free(order);
        px_table_free(&table);
    }
}

TEST(permuting_again_allocates_nothing)
{
    Counter counter;
    PxAllocator allocator = counting(&counter);
    PxTable table;
    make_table(&table, &allocator, 100);
    uint32_t order[100];
    for (uint32_t i = 0; i < 100; ++i)
        order[i] = 99 - i;
    CHECK_OK(px_table_permute(&table, order, &(PxThreads){.count = 1}));
    size_t calls = counter.calls;
    CHECK_OK(px_table_permute(&table, order, &(PxThreads){.count = 1}));
    CHECK_EQUAL(counter.calls, calls);
    CHECK_EQUAL(px_table_bytes(&table), counter.bytes);
    CHECK_OK(px_table_reserve(&table, 1000)); /* spare arrays go and come back larger */
    CHECK_EQUAL(px_table_bytes(&table), counter.bytes);
    CHECK_OK(px_table_permute(&table, order, &(PxThreads){.count = 1}));
    for (uint32_t i = 0; i < 100; ++i)
        CHECK(row_is(&table, i, 1000 + order[i], false));
    px_table_free(&table);
    CHECK_EQUAL(counter.blocks, 0);
    CHECK(!counter.wrong_size);
}

TEST(deleting_keeps_the_order_of_the_rest)
{
    PxTable table;
    make_table(&table, NULL, 1000);
    uint8_t drop[1000];
    uint32_t kept[1000], count = 0;
    for (uint32_t i = 0; i < 1000; ++i) {
        drop[i] = (uint8_t)(px_random_bits(i, 3, 3) % 3 == 0);
        if (!drop[i])
            kept[count++] = i;
    }
    px_table_delete(&table, drop);
    CHECK_EQUAL(table.count, count);
    for (uint32_t i = 0; i < count; ++i)
        CHECK(row_is(&table, i, 1000 + kept[i], true));

    memset(drop, 0, sizeof drop);
    px_table_delete(&table, drop);
    CHECK_EQUAL(table.count, count);
    memset(drop, 255, sizeof drop);
    px_table_delete(&table, drop);
    CHECK_EQUAL(table.count, 0);
    /* rows added after a deletion are zero */
    CHECK_OK(px_table_append(&table, 5, NULL));
    for (uint32_t i = 0; i < 5; ++i)
        CHECK(row_is_zero(&table, i));
    px_table_free(&table);
}

TEST(a_table_without_columns_has_rows_too)
{
    PxTable table;
    px_table_init(&table, NULL);
    CHECK_OK(px_table_append(&table, 4, NULL));
    px_table_delete(&table, (const uint8_t[]){0, 1, 0, 1});
    CHECK_EQUAL(table.count, 2);
    px_table_free(&table);
}

TEST(rows_of_another_table_are_appended_by_name)
{
    PxTable to, from;
    make_table(&to, NULL, 10);
    px_table_init(&from, NULL);
    /* another order, one column missing, one of another type, one more */
    CHECK_OK(px_table_add(&from, "own", "", PX_U8, 1, 0, NULL));
    CHECK_OK(px_table_add(&from, "position", "m", PX_F32, 3, 0, NULL));
    CHECK_OK(px_table_add(&from, "kind", "", PX_U32, 1, 0, NULL));
    CHECK_OK(px_table_add(&from, "stress", "Pa", PX_F64, 6, 0, NULL));
    CHECK_OK(px_table_add(&from, "id", "", PX_U64, 1, 0, NULL));
    CHECK_OK(px_table_append(&from, 7, NULL));
    for (uint32_t i = 0; i < 7; ++i)
        fill_row(&from, i, 2000 + i);
    CHECK_OK(px_table_append_rows(&to, &from));
    CHECK_EQUAL(to.count, 17);
    for (uint32_t i = 0; i < 10; ++i)
        CHECK(row_is(&to, i, 1000 + i, true));
    for (uint32_t i = 0; i < 7; ++i) {
        for (uint32_t k = 0; k < 3; ++k)
            CHECK_EQUAL(((uint32_t *)px_table_find(&to, "position")->data[k])[10 + i],
                        ((uint32_t *)px_table_find(&from, "position")->data[k])[i]);
        CHECK(((uint64_t *)px_table_find(&to, "id")->data[0])[10 + i] ==
              ((uint64_t *)px_table_find(&from, "id")->data[0])[i]);
        CHECK_EQUAL(((uint8_t *)px_table_find(&to, "kind")->data[0])[10 + i], 0);
        CHECK(((double *)px_table_find(&to, "stress")->data[5])[10 + i] == 0.0);
    }
    px_table_free(&from);
    px_table_free(&to);
}

TEST(a_table_can_be_appended_to_itself)
{
    PxTable table;
    make_table(&table, NULL, 33);
    CHECK_OK(px_table_append_rows(&table, &table));
    CHECK_EQUAL(table.count, 66);
    for (uint32_t i = 0; i < 66; ++i)
        CHECK(row_is(&table, i, 1000 + i % 33, true));
    px_table_free(&table);
}

TEST(digests_are_those_of_xxh3)
{
    uint64_t whole[2], part[2];
    px_digest("", 0, whole);
    /* the published digest of nothing: 99aa06d3014798d86001c324468d497f */
    CHECK(whole[1] == 0x99aa06d3014798d8u && whole[0] == 0x6001c324468d497fu);
    char *bytes = malloc(200000), text[PX_DIGEST_TEXT];
    FILE *file = tmpfile();
    for (int k = 0; k < 200000; ++k)
        bytes[k] = (char)((unsigned)k * (unsigned)k / 7);
    CHECK(fwrite(bytes, 1, 200000, file) == 200000);
    rewind(file);
    px_digest(bytes, 200000, whole);
    px_digest_stream(file, part);
    CHECK(whole[0] == part[0] && whole[1] == part[1]);
    fclose(file);
    bytes[77777] ^= 1;
    px_digest(bytes, 200000, part);
    CHECK(whole[0] != part[0] && whole[1] != part[1]);
    px_digest_join(whole, part, part);
    px_digest_join(part, whole, whole);
    CHECK(whole[0] != part[0]);
    px_digest_text((uint64_t[2]){1, 0xabc}, text);
    CHECK_TEXT(text, "00000000000000010000000000000abc");
    free(bytes);
}

static bool same_hash(const uint64_t a[2], const uint64_t b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

TEST(the_hash_does_not_see_the_order_of_rows)
{
    PxTable table;
    make_table(&table, NULL, 500);
    uint64_t before[2], after[2];
    const uint32_t flags = PX_COLUMN_STATE | PX_COLUMN_FRAME;
    px_table_hash(&table, flags, before);
    uint32_t order[500];
    for (uint32_t i = 0; i < 500; ++i)
        order[i] = (i * 7 + 3) % 500;
    CHECK_OK(px_table_permute(&table, order, &(PxThreads){.count = 1}));
    px_table_hash(&table, flags, after);
    CHECK(same_hash(before, after));
    CHECK_OK(px_table_reserve(&table, 5000)); /* nor how much room there is */
    px_table_hash(&table, flags, after);
    CHECK(same_hash(before, after));
    px_table_free(&table);
}

TEST(the_hash_sees_every_bit_of_every_value)
{
    PxTable table;
    make_table(&table, NULL, 3);
    uint64_t before[2], after[2];
    const uint32_t flags = PX_COLUMN_STATE | PX_COLUMN_FRAME;
    px_table_hash(&table, flags, before);
    for (uint32_t c = 0; c < table.columns; ++c)
        for (uint32_t k = 0; k < table.column[c].components; ++k)
            for (uint32_t b = 0; b < 3 * 8 * px_type_size(table.column[c].type); ++b) {
                unsigned char *byte = (unsigned char *)table.column[c].data[k] + b / 8;
                *byte ^= (unsigned char)(1u << b % 8);
                px_table_hash(&table, flags, after);
                *byte ^= (unsigned char)(1u << b % 8);
                bool work = table.column[c].flags == PX_COLUMN_WORK;
                /* both halves: each must be a good hash by itself */
                CHECK((before[0] != after[0]) == !work);
                CHECK((before[1] != after[1]) == !work);
            }
    px_table_free(&table);
}

TEST(the_hash_distinguishes_similar_input)
{
    PxTable a, b;
    uint64_t ha[2], hb[2];
    /* the same values under another name, type, or number of components */
    const struct {
        const char *name;
        PxType type;
        uint32_t components;
    } kind[] = {{"mass", PX_U32, 1}, {"mast", PX_U32, 1}, {"mass", PX_I32, 1}, {"mass", PX_U32, 2}};
    for (size_t k = 1; k < PX_COUNT(kind); ++k) {
        px_table_init(&a, NULL);
        px_table_init(&b, NULL);
        CHECK_OK(px_table_add(&a, kind[0].name, "", kind[0].type, kind[0].components, 1, NULL));
        CHECK_OK(px_table_add(&b, kind[k].name, "", kind[k].type, kind[k].components, 1, NULL));
        CHECK_OK(px_table_append(&a, 5, NULL));
        CHECK_OK(px_table_append(&b, 5, NULL));
        px_table_hash(&a, 1, ha);
        px_table_hash(&b, 1, hb);
        CHECK(ha[0] != hb[0] && ha[1] != hb[1]);
        px_table_free(&a);
        px_table_free(&b);
    }
    /* two values swapped between rows, and one zero row more */
    px_table_init(&a, NULL);
    CHECK_OK(px_table_add(&a, "xy", "", PX_U32, 2, 1, NULL));
    CHECK_OK(px_table_append(&a, 2, NULL));
    uint32_t *x = a.column[0].data[0], *y = a.column[0].data[1];
    x[0] = 1, y[0] = 2, x[1] = 3, y[1] = 4;
    px_table_hash(&a, 1, ha);
    y[0] = 4, y[1] = 2;
    px_table_hash(&a, 1, hb);
    CHECK(ha[0] != hb[0] && ha[1] != hb[1]);
    y[0] = 2, y[1] = 4;
    px_table_hash(&a, 1, hb);
    CHECK(same_hash(ha, hb));
    CHECK_OK(px_table_append(&a, 1, NULL));
    px_table_hash(&a, 1, hb);
    CHECK(ha[0] != hb[0] && ha[1] != hb[1]);
    px_table_free(&a);
}

typedef enum Deed { ADD, RESERVE, APPEND, APPEND_ROWS, PERMUTE, DEEDS } Deed;

static PxStatus do_deed(PxTable *table, Deed deed, const PxTable *other, const uint32_t *order)
{
    switch (deed) {
    case ADD:
        return px_table_add(table, "more", "", PX_F64, 9, PX_COLUMN_STATE, NULL);
    case RESERVE:
        return px_table_reserve(table, 5000);
    case APPEND:
        return px_table_append(table, 5000, NULL);
    case APPEND_ROWS:
        return px_table_append_rows(table, other);
    default:
        return px_table_permute(table, order, &(PxThreads){.count = 1});
    }
}

TEST(a_failing_allocator_leaves_the_table_as_it_was)
{
    enum { N = 50 };
    uint32_t order[N];
    for (uint32_t i = 0; i < N; ++i)
        order[i] = N - 1 - i;
    PxTable other;
    make_table(&other, NULL, 300);
    for (Deed deed = 0; deed < DEEDS; ++deed) {
        bool done = false;
        for (size_t fail_at = 0; !done; ++fail_at) {
            CHECK(fail_at < 100);
            Counter counter;
            PxAllocator allocator = counting(&counter);
            PxTable table;
            make_table(&table, &allocator, N);
            counter.fail_at = counter.calls + fail_at;
            PxStatus status = do_deed(&table, deed, &other, order);
            done = status == PX_OK;
            if (!done) {
                CHECK_EQUAL(status, PX_ERR_MEMORY);
                CHECK(strstr(px_error_message(), "no room") != NULL);
                CHECK_EQUAL(table.count, N);
                CHECK_EQUAL(table.columns, 5);
                for (uint32_t i = 0; i < N; ++i)
                    if (!row_is(&table, i, 1000 + i, true))
                        fail_msg("deed %d, allocation %zu failed: row %u has changed", (int)deed,
                                 fail_at, i);
                CHECK_EQUAL(px_table_bytes(&table), counter.bytes);
            } else {
                CHECK(fail_at > 0); /* it did allocate, so the test tested something */
            }
            px_table_free(&table);
            CHECK_EQUAL(counter.blocks, 0);
            CHECK(!counter.wrong_size);
        }
    }
    px_table_free(&other);
}

/* ------------------------------------------------------------ parallel loop */

typedef struct Visits {
    uint32_t count, block;
    int threads;
    unsigned char *seen;
    int wrong;
} Visits;

static void visit(void *user, uint32_t begin, uint32_t end, int thread)
{
    Visits *visits = user;
    uint32_t wanted = visits->count - begin < visits->block ? visits->count - begin : visits->block;
    if (begin % visits->block != 0 || end - begin != wanted || thread < 0 ||
        thread >= visits->threads)
        __atomic_add_fetch(&visits->wrong, 1, __ATOMIC_RELAXED);
    for (uint32_t i = begin; i < end; ++i)
        __atomic_add_fetch(&visits->seen[i], 1, __ATOMIC_RELAXED);
}

TEST(each_row_is_visited_once_for_any_number_of_threads)
{
    const int threads[] = {1, 2, 3, 8};
    const uint32_t counts[] = {0, 1, 1023, 1024, 1025, 100003};
    const uint32_t blocks[] = {1, 7, 1024, 200000, UINT32_MAX};
    unsigned char *seen = malloc(100003);
    for (size_t t = 0; t < PX_COUNT(threads); ++t)
        for (size_t c = 0; c < PX_COUNT(counts); ++c)
            for (size_t b = 0; b < PX_COUNT(blocks); ++b) {
                if (blocks[b] == 1 && counts[c] > 2000)
                    continue; /* slow, and nothing new */
                Visits visits = {counts[c], blocks[b], threads[t], seen, 0};
                memset(seen, 0, 100003);
                px_parallel_for(&(PxThreads){.count = threads[t]}, counts[c], blocks[b], visit,
                                &visits);
                CHECK_EQUAL(visits.wrong, 0);
                for (uint32_t i = 0; i < 100003; ++i)
                    if (seen[i] != (i < counts[c]))
                        fail_msg("%d threads, %u rows, blocks of %u: row %u seen %u times",
                                 threads[t], counts[c], blocks[b], i, seen[i]);
            }
    free(seen);
}

/* The second loop adds up what the first one wrote up to the row that it waits for. */
typedef struct Steps {
    uint32_t count, block;
    uint32_t *until;
    uint32_t *first;
    uint64_t *second;
} Steps;

static void first_step(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Steps *steps = user;
    for (uint32_t i = begin; i < end; ++i)
        steps->first[i] = 1 + i;
}

static void second_step(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)end;
    (void)thread;
    Steps *steps = user;
    uint32_t until = steps->until[begin / steps->block];
    uint32_t from = until > 2000 ? until - 2000 : 0;
    for (uint32_t i = from; i < until; ++i)
        steps->second[begin / steps->block] += steps->first[i];
}

/* Plain memory: the thread sanitizer sees it if the second loop does not wait. */
static void check_chain(int threads, uint32_t count, uint32_t block, uint32_t ahead)
{
    uint32_t blocks = (count + block - 1) / block;
    Steps steps = {.count = count,
                   .block = block,
                   .until = calloc(blocks + 1, sizeof *steps.until),
                   .first = calloc(count + 1, sizeof *steps.first),
                   .second = calloc(blocks + 1, sizeof *steps.second)};
    for (uint32_t b = 0; b < blocks; ++b) {
        uint64_t until = (uint64_t)(b + 1) * block + ahead;
        steps.until[b] = until < count ? (uint32_t)until : count;
    }
    PxChain chain = {first_step, second_step, &steps, &steps, steps.until};
    px_parallel_chain(&(PxThreads){.count = threads}, count, block, &chain);
    for (uint32_t b = 0; b < blocks; ++b) {
        uint64_t until = steps.until[b], from = until > 2000 ? until - 2000 : 0;
        CHECK_EQUAL(steps.second[b], (until * (until + 1) - from * (from + 1)) / 2);
    }
    free(steps.until);
    free(steps.first);
    free(steps.second);
}

TEST(a_chain_waits_for_the_rows_it_reads)
{
    for (int threads = 1; threads <= 8; ++threads)
        for (uint32_t ahead = 0; ahead <= 40000; ahead = 10 * ahead + 40) {
            check_chain(threads, 30011, 64, ahead);
            check_chain(threads, 100, 64, ahead);
            check_chain(threads, 0, 64, ahead);
        }
}

static void count_blocks(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    uint64_t *sums = user;
    __atomic_add_fetch(&sums[0], 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&sums[1], (uint64_t)(end - begin), __ATOMIC_RELAXED);
}

TEST(the_largest_count_does_not_overflow)
{
    for (int threads = 1; threads <= 2; ++threads) {
        uint64_t sums[2] = {0, 0};
        px_parallel_for(&(PxThreads){.count = threads}, UINT32_MAX, 1u << 24, count_blocks, sums);
        CHECK_EQUAL(sums[0], 256);
        CHECK_EQUAL(sums[1], UINT32_MAX);
    }
}

/* Three blocks that wait for each other, so that they end only if three threads run them. */
static void meet(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)end;
    int *met = user; /* how many came, then who ran each block */
    met[1 + begin] = thread;
    __atomic_add_fetch(&met[0], 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&met[0], __ATOMIC_SEQ_CST) < 3)
        sched_yield();
}

TEST(three_threads_run_three_blocks_at_once)
{
    for (int round = 0; round < 20; ++round) {
        int met[4] = {0};
        px_parallel_for(&(PxThreads){.count = 3}, 3, 1, meet, met);
        CHECK_EQUAL(met[0], 3);
        CHECK_EQUAL(1 << met[1] | 1 << met[2] | 1 << met[3], 7); /* 0, 1 and 2 */
    }
}

typedef struct Total {
    uint64_t sum, blocks;
} Total;

/* Sums without atomics, because joins are serialised. */
static void join_total(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    uint64_t sum = 0;
    for (uint32_t i = begin; i < end; ++i)
        sum += i;
    Total *total = user;
    px_join_begin();
    total->sum += sum;
    ++total->blocks;
    px_join_end();
}

static bool totals_are_right(int threads, int loops)
{
    bool right = true;
    for (int k = 0; k < loops; ++k) {
        Total total = {0, 0};
        px_parallel_for(&(PxThreads){.count = threads}, 20001, 100, join_total, &total);
        right = right && total.sum == 20001ull * 20000 / 2 && total.blocks == 201;
    }
    return right;
}

TEST(blocks_join_their_results_to_one)
{
    for (int threads = 1; threads <= 8; ++threads)
        CHECK(totals_are_right(threads, 10));
}

typedef struct Nest {
    pthread_t owner;
    int *visits; /* of one outer row, by its inner rows */
    int strangers;
} Nest;

static void inner_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    Nest *nest = user;
    nest->strangers += !pthread_equal(nest->owner, pthread_self()) || thread != 0;
    for (uint32_t i = begin; i < end; ++i)
        ++nest->visits[i];
}

enum { OUTER = 60, INNER = 500 };

static void outer_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    int *visits = user, *strangers = visits + OUTER * INNER;
    for (uint32_t i = begin; i < end; ++i) {
        Nest nest = {pthread_self(), visits + (size_t)i * INNER, 0};
        px_parallel_for(&(PxThreads){.count = 3}, INNER, 7, inner_block, &nest);
        strangers[i] = nest.strangers;
    }
}

TEST(a_loop_inside_a_block_runs_on_the_thread_of_the_block)
{
    int *visits = calloc(OUTER * INNER + OUTER, sizeof *visits);
    px_parallel_for(&(PxThreads){.count = 3}, OUTER, 1, outer_block, visits);
    for (int i = 0; i < OUTER * INNER; ++i)
        CHECK_EQUAL(visits[i], 1);
    for (int i = 0; i < OUTER; ++i)
        CHECK_EQUAL(visits[OUTER * INNER + i], 0);
    free(visits);
}

static void *loop_elsewhere(void *user)
{
    bool *right = user;
    *right = totals_are_right(3, 100);
    return NULL;
}

TEST(two_threads_may_loop_at_the_same_time)
{
    bool right[2] = {false, false};
    pthread_t thread[2];
    for (int k = 0; k < 2; ++k)
        CHECK_EQUAL(pthread_create(&thread[k], NULL, loop_elsewhere, &right[k]), 0);
    for (int k = 0; k < 2; ++k)
        pthread_join(thread[k], NULL);
    CHECK(right[0]);
    CHECK(right[1]);
}

/* Runs loops in a forked child: returns 0 when they are correct, a signal when one hangs. */
static int loops_of_a_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        int met[4] = {0};
        px_parallel_for(&(PxThreads){.count = 3}, 3, 1, meet, met);
        _exit(met[0] == 3 && totals_are_right(3, 10) ? 0 : 1);
    }
    int result = -1;
    waitpid(child, &result, 0);
    return result;
}

TEST(a_forked_child_gets_its_own_threads)
{
    CHECK(totals_are_right(3, 1)); /* starts threads that the child does not inherit */
    CHECK_EQUAL(loops_of_a_child(), 0);
    CHECK(totals_are_right(3, 1));
}

static void *loop_until_told(void *user)
{
    bool *stop = user;
    bool right = true;
    while (!__atomic_load_n(stop, __ATOMIC_SEQ_CST))
        right = totals_are_right(3, 1) && right;
    return right ? user : NULL;
}

TEST(a_child_forked_in_the_middle_of_a_loop_can_loop)
{
    bool stop = false;
    pthread_t thread;
    void *right;
    int wrong = 0;
    CHECK_EQUAL(pthread_create(&thread, NULL, loop_until_told, &stop), 0);
    for (int k = 0; k < 20; ++k)
        wrong += loops_of_a_child() != 0;
    __atomic_store_n(&stop, true, __ATOMIC_SEQ_CST);
    pthread_join(thread, &right);
    CHECK_EQUAL(wrong, 0);
    CHECK(right != NULL);
}

TEST(there_is_a_thread_to_run_on)
{
    int count = px_threads_available();
    CHECK(count >= 1 && count <= PX_MAX_THREADS);
}

/* ------------------------------------------------------------------ random */

/* px_random_unit with one of id, step and number varying, the other two fixed. */
static double running(int which, uint64_t i)
{
    return px_random_unit(which == 0 ? i : 5, which == 1 ? i : 6, which == 2 ? i : 7);
}

TEST(random_numbers_are_uniform_whichever_argument_runs)
{
    enum { N = 64000, BINS = 64 };
    for (int which = 0; which < 3; ++which) {
        int bin[BINS] = {0};
        double sum = 0, square = 0, lag = 0, before = 0.5;
        for (uint64_t i = 0; i < N; ++i) {
            double u = running(which, i);
            CHECK(u >= 0.0 && u < 1.0);
            ++bin[(int)(u * BINS)];
            sum += u;
            square += u * u;
            lag += (u - 0.5) * (before - 0.5);
            before = u;
        }
        /* chi squared with 63 degrees of freedom: mean 63, deviation sqrt(126);
         * the other three are normal for large N; five deviations throughout */
        double chi = 0;
        for (int b = 0; b < BINS; ++b)
            chi += (bin[b] - N / BINS) * (double)(bin[b] - N / BINS) / (N / BINS);
        CHECK_NEAR(chi, 63, 5 * sqrt(126.0));
        CHECK_NEAR(sum / N, 0.5, 5 * sqrt(1.0 / 12 / N));
        CHECK_NEAR(square / N, 1.0 / 3, 5 * sqrt(4.0 / 45 / N));
        CHECK_NEAR(lag / N, 0, 5 * (1.0 / 12) / sqrt((double)N));
    }
}

TEST(the_three_arguments_give_unrelated_numbers)
{
    enum { N = 20000 };
    double a = 0, b = 0, c = 0;
    for (uint64_t i = 0; i < N; ++i) {
        double u = px_random_unit(i, 1, 0) - 0.5;
        a += u * (px_random_unit(i, 2, 0) - 0.5); /* the next step */
        b += u * (px_random_unit(i, 1, 1) - 0.5); /* another number */
        c += u * (px_random_unit(1, i, 0) - 0.5); /* id and step swapped */
    }
    /* the product of two such numbers has the deviation 1/12 */
    double allowed = 5 * (1.0 / 12) / sqrt((double)N);
    CHECK_NEAR(a / N, 0, allowed);
    CHECK_NEAR(b / N, 0, allowed);
    CHECK_NEAR(c / N, 0, allowed);
    CHECK(px_random_bits(1, 2, 3) != px_random_bits(2, 1, 3));
    CHECK(px_random_bits(1, 2, 3) != px_random_bits(1, 3, 2));
    CHECK(px_random_bits(1, 2, 3) != px_random_bits(3, 2, 1));
}

TEST(one_bit_of_the_id_turns_half_of_the_bits)
{
    enum { N = 2000 };
    for (int bit = 0; bit < 64; ++bit) {
        double turned = 0;
        for (uint64_t i = 0; i < N; ++i) {
            uint64_t id = px_mix(i + 99);
            turned += __builtin_popcountll(px_random_bits(id, 0, 0) ^
                                           px_random_bits(id ^ (uint64_t)1 << bit, 0, 0));
        }
        /* 64 N coin throws; five deviations of their mean */
        CHECK_NEAR(turned / N, 32, 5 * 4 / sqrt((double)N));
    }
}

TEST(random_numbers_do_not_depend_on_who_asked_before)
{
    double forward[100];
    for (uint64_t i = 0; i < 100; ++i)
        forward[i] = px_random_unit(i, 3, 1);
    for (uint64_t i = 100; i-- > 0;) {
        (void)px_random_unit(i * 31, 9, 9);
        CHECK(px_random_unit(i, 3, 1) == forward[i]);
    }
    /* stored scenes depend on these bits: they must never change */
    CHECK(px_mix(1) == 0x5692161d100b05e5u);
}

/* The inverse of px_mix, step by step from the end. */
static uint64_t unmix(uint64_t x)
{
    uint64_t a = 0xbf58476d1ce4e5b9u, b = 0x94d049bb133111ebu, ia = a, ib = b;
    for (int k = 0; k < 6; ++k) { /* Newton: each round doubles the right bits */
        ia *= 2 - a * ia;
        ib *= 2 - b * ib;
    }
    x ^= x >> 31 ^ x >> 62;
    x *= ib;
    x ^= x >> 27 ^ x >> 54;
    x *= ia;
    return x ^ x >> 30 ^ x >> 60;
}

TEST(mixing_loses_nothing)
{
    for (uint64_t i = 0; i < 10000; ++i) {
        CHECK(unmix(px_mix(i)) == i);
        CHECK(unmix(px_mix(~i * 0x9e3779b97f4a7c15u)) == ~i * 0x9e3779b97f4a7c15u);
    }
}

/* -------------------------------------------------------------- error text */

TEST(a_suggestion_keeps_some_letter_of_the_word)
{
    const char *const digits[] = {"1", "2", "3"}, *const words[] = {"akinci", "he", "csf"};
    CHECK(px_suggest("9", digits, 3) == NULL);
    CHECK(px_suggest("akinki", words, 3) == words[0]);
    CHECK(px_suggest("eh", words, 3) == words[1]);
    CHECK(px_suggest("xy", words, 3) == NULL);
}

TEST(failing_stores_the_message_and_returns_the_status)
{
    CHECK_EQUAL(px_fail(PX_ERR_IO, "%s: line %d", "scene.json", 12), PX_ERR_IO);
    CHECK_TEXT(px_error_message(), "scene.json: line 12");
    CHECK_EQUAL(px_fail_prefix(PX_ERR_FORMAT, "%s: ", "bunny"), PX_ERR_FORMAT);
    CHECK_TEXT(px_error_message(), "bunny: scene.json: line 12");
    /* the old message may be an argument of the new one */
    px_fail(PX_ERR_FORMAT, "again: %s", px_error_message());
    CHECK_TEXT(px_error_message(), "again: bunny: scene.json: line 12");
    px_fail_prefix(PX_ERR_FORMAT, "<%s> ", px_error_message());
    CHECK_TEXT(px_error_message(),
               "<again: bunny: scene.json: line 12> again: bunny: scene.json: line 12");
}

TEST(long_messages_are_cut_and_end)
{
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    px_fail(PX_ERR_IO, "%s", text);
    size_t most = strlen(px_error_message());
    CHECK(most >= 500 && most < sizeof text - 1);
    for (size_t k = 0; k < most; ++k)
        CHECK(px_error_message()[k] == 'x');
    px_fail_prefix(PX_ERR_IO, "where: "); /* the end of the message gives way */
    CHECK_EQUAL(strlen(px_error_message()), most);
    CHECK(strncmp(px_error_message(), "where: xxx", 10) == 0);
    px_fail_prefix(PX_ERR_IO, "%.*s", (int)most - 2, text); /* room for two letters */
    CHECK_EQUAL(strlen(px_error_message()), most);
    CHECK_TEXT(px_error_message() + most - 2, "wh");
    px_fail(PX_ERR_IO, "short");
    px_fail_prefix(PX_ERR_IO, "%s", text); /* longer than all there is */
    CHECK_EQUAL(strlen(px_error_message()), most);
}

static void *fail_elsewhere(void *user)
{
    bool *right = user;
    right[0] = px_error_message()[0] == '\0'; /* a new thread has failed nothing yet */
    px_fail(PX_ERR_MEMORY, "elsewhere");
    right[1] = strcmp(px_error_message(), "elsewhere") == 0;
    return NULL;
}

TEST(every_thread_has_its_own_error_message)
{
    bool right[2] = {false, false};
    pthread_t thread;
    px_fail(PX_ERR_IO, "here");
    CHECK_EQUAL(pthread_create(&thread, NULL, fail_elsewhere, right), 0);
    pthread_join(thread, NULL);
    CHECK(right[0]);
    CHECK(right[1]);
    CHECK_TEXT(px_error_message(), "here");
}

TEST(every_status_has_a_word)
{
    CHECK_TEXT(px_status_name(PX_OK), "ok");
    for (int s = PX_OK; s <= PX_ERR_UNSUPPORTED; ++s) {
        CHECK(strcmp(px_status_name((PxStatus)s), "unknown") != 0);
        for (int other = PX_OK; other < s; ++other)
            CHECK(strcmp(px_status_name((PxStatus)s), px_status_name((PxStatus)other)) != 0);
    }
    CHECK_TEXT(px_status_name((PxStatus)(PX_ERR_UNSUPPORTED + 1)), "unknown");
    CHECK_TEXT(px_status_name((PxStatus)-1), "unknown");
}

TEST_MAIN()
