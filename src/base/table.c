#include "base/table.h"

#include "base/digest.h"

#include <float.h>
#include <math.h>
#include <string.h>

size_t px_type_size(PxType type)
{
    static const size_t sizes[PX_TYPE_COUNT] = {
        [PX_U8] = 1, [PX_U32] = 4, [PX_I32] = 4, [PX_F32] = 4, [PX_U64] = 8, [PX_F64] = 8};
    return sizes[type];
}

const char *px_type_name(PxType type)
{
    static const char *const names[PX_TYPE_COUNT] = {
        [PX_U8] = "u8",   [PX_U32] = "u32", [PX_I32] = "i32",
        [PX_F32] = "f32", [PX_U64] = "u64", [PX_F64] = "f64"};
    return names[type];
}

void px_table_init(PxTable *table, const PxAllocator *allocator)
{
    memset(table, 0, sizeof *table);
    table->allocator = allocator;
}

/* Bytes of one component's array for `rows` rows with their pad. */
static size_t array_bytes(PxType type, size_t rows)
{
    return px_round_up((rows + PX_TABLE_PAD) * px_type_size(type), PX_ALIGNMENT);
}

static size_t spare_bytes(const PxTable *table, size_t size)
{
    return px_round_up(((size_t)table->capacity + PX_TABLE_PAD) * size, PX_ALIGNMENT);
}

static void spare_release(PxTable *table)
{
    for (size_t size = 1; size <= 8; size *= 2) {
        px_release(table->allocator, table->spare[size], spare_bytes(table, size));
        table->spare[size] = NULL;
    }
}

void px_table_cut(PxTable *table, uint32_t rows, uint32_t columns)
{
    table->count = rows < table->count ? rows : table->count;
    while (table->columns > columns) {
        PxColumn *column = &table->column[--table->columns];
        for (uint32_t k = 0; k < column->components; ++k)
            px_release(table->allocator, column->data[k],
                       array_bytes(column->type, table->capacity));
    }
}

void px_table_free(PxTable *table)
{
    px_table_cut(table, 0, 0);
    spare_release(table);
    px_table_init(table, table->allocator);
}

PxStatus px_table_add(PxTable *table, const char *name, const char *unit, PxType type,
                      uint32_t components, uint32_t flags, uint32_t *out)
{
    if (strlen(name) >= PX_TABLE_NAME || strlen(unit) >= sizeof table->column[0].unit)
        return px_fail(PX_ERR_ARGUMENT, "table: the name or unit of column '%s' is too long", name);
    if (components < 1 || components > PX_TABLE_MAX_COMPONENTS || (unsigned)type >= PX_TYPE_COUNT)
        return px_fail(PX_ERR_ARGUMENT, "table: column '%s' has %u components, wanted 1 to %u",
                       name, components, PX_TABLE_MAX_COMPONENTS);
    if (px_table_find(table, name) != NULL)
        return px_fail(PX_ERR_ARGUMENT, "table: there is a column '%s' already", name);
    if (table->columns == PX_TABLE_MAX_COLUMNS)
        return px_fail(PX_ERR_ARGUMENT, "table: no room for column '%s', %u is the most", name,
                       PX_TABLE_MAX_COLUMNS);

    PxColumn *column = &table->column[table->columns];
    memset(column, 0, sizeof *column);
    strcpy(column->name, name);
    strcpy(column->unit, unit);
    column->type = type;
    column->components = components;
    column->flags = flags;
    size_t bytes = array_bytes(type, table->capacity);
    for (uint32_t k = 0; k < components; ++k) {
        column->data[k] = px_allocate(table->allocator, bytes);
        if (column->data[k] == NULL) {
            while (k-- > 0)
                px_release(table->allocator, column->data[k], bytes);
            return px_fail(PX_ERR_MEMORY, "table: no room for column '%s' of %u rows", name,
                           table->capacity);
        }
        memset(column->data[k], 0, bytes);
    }
    if (out != NULL)
        *out = table->columns;
    ++table->columns;
    return PX_OK;
}

static bool same_kind(const PxColumn *a, const PxColumn *b)
{
    return a->type == b->type && a->components == b->components;
}

PxColumn *px_table_find(const PxTable *table, const char *name)
{
    for (uint32_t c = 0; c < table->columns; ++c)
        if (strcmp(table->column[c].name, name) == 0)
            return (PxColumn *)&table->column[c];
    return NULL;
}

PxStatus px_table_reserve(PxTable *table, size_t rows)
{
    if (rows <= table->capacity)
        return PX_OK;
    if (rows > PX_TABLE_MAX_ROWS)
        return px_fail(PX_ERR_MEMORY, "table: %zu rows are more than the %u possible", rows,
                       PX_TABLE_MAX_ROWS);
    size_t wanted = (size_t)table->capacity + table->capacity / 2;
    if (wanted < rows || table->count == 0)
        wanted = rows;
    if (wanted > PX_TABLE_MAX_ROWS)
        wanted = PX_TABLE_MAX_ROWS;

    /* Allocates all new arrays first, so that a failure leaves the table unchanged. */
    void *fresh[PX_TABLE_MAX_COLUMNS][PX_TABLE_MAX_COMPONENTS] = {{NULL}};
    bool full = false;
    for (uint32_t c = 0; c < table->columns && !full; ++c)
        for (uint32_t k = 0; k < table->column[c].components && !full; ++k) {
            fresh[c][k] = px_allocate(table->allocator, array_bytes(table->column[c].type, wanted));
            full = fresh[c][k] == NULL;
        }
    for (uint32_t c = 0; c < table->columns; ++c) {
        PxColumn *column = &table->column[c];
        size_t old_bytes = array_bytes(column->type, table->capacity);
        size_t new_bytes = array_bytes(column->type, wanted);
        size_t used = (size_t)table->count * px_type_size(column->type);
        for (uint32_t k = 0; k < column->components; ++k) {
            if (full) {
                px_release(table->allocator, fresh[c][k], new_bytes);
                continue;
            }
            memcpy(fresh[c][k], column->data[k], used);
            memset((char *)fresh[c][k] + used, 0, new_bytes - used);
            px_release(table->allocator, column->data[k], old_bytes);
            column->data[k] = fresh[c][k];
        }
    }
    if (full)
        return px_fail(PX_ERR_MEMORY, "table: no room for %zu rows", wanted);
    spare_release(table);
    table->capacity = (uint32_t)wanted;
    return PX_OK;
}

PxStatus px_table_append(PxTable *table, size_t rows, uint32_t *first)
{
    if (rows > PX_TABLE_MAX_ROWS) /* before the sum below can wrap */
        return px_fail(PX_ERR_MEMORY, "table: %zu rows are more than the %u possible", rows,
                       PX_TABLE_MAX_ROWS);
    PX_TRY(px_table_reserve(table, (size_t)table->count + rows));
    for (uint32_t c = 0; c < table->columns; ++c) {
        PxColumn *column = &table->column[c];
        size_t size = px_type_size(column->type);
        for (uint32_t k = 0; k < column->components; ++k)
            memset((char *)column->data[k] + (size_t)table->count * size, 0, rows * size);
    }
    if (first != NULL)
        *first = table->count;
    table->count += (uint32_t)rows;
    return PX_OK;
}

PxStatus px_table_append_part(PxTable *table, const PxTable *from, uint32_t first, uint32_t count)
{
    uint32_t to;
    PX_TRY(px_table_append(table, count, &to));
    for (uint32_t c = 0; c < table->columns; ++c) {
        PxColumn *column = &table->column[c];
        const PxColumn *source = px_table_find(from, column->name);
        if (source == NULL || !same_kind(source, column))
            continue;
        size_t size = px_type_size(column->type);
        for (uint32_t k = 0; k < column->components; ++k)
            memcpy((char *)column->data[k] + to * size,
                   (const char *)source->data[k] + first * size, count * size);
    }
    return PX_OK;
}

PxStatus px_table_append_rows(PxTable *table, const PxTable *from)
{
    return px_table_append_part(table, from, 0, from->count);
}

static PxStatus add_like(PxTable *table, const PxColumn *column)
{
    return px_table_add(table, column->name, column->unit, column->type, column->components,
                        column->flags, NULL);
}

PxStatus px_table_add_like(PxTable *table, const PxTable *from, uint32_t flags)
{
    for (uint32_t c = 0; c < from->columns; ++c)
        if ((from->column[c].flags & flags) && px_table_find(table, from->column[c].name) == NULL)
            PX_TRY(add_like(table, &from->column[c]));
    return PX_OK;
}

bool px_table_alike(const PxTable *a, const PxTable *b)
{
    bool alike = a->columns == b->columns;
    for (uint32_t c = 0; alike && c < a->columns; ++c)
        alike = strcmp(a->column[c].name, b->column[c].name) == 0 &&
                same_kind(&a->column[c], &b->column[c]) && a->column[c].flags == b->column[c].flags;
    return alike;
}

PxStatus px_table_copy(PxTable *to, const PxTable *from)
{
    bool alike = px_table_alike(to, from);
    PxStatus status = PX_OK;
    if (!alike)
        px_table_free(to);
    for (uint32_t c = to->columns; status == PX_OK && c < from->columns; ++c)
        status = add_like(to, &from->column[c]);
    if (status == PX_OK)
        status = px_table_reserve(to, from->count);
    if (status != PX_OK) {
        if (!alike)
            px_table_free(to);
        return status;
    }
    to->count = 0;
    return px_table_append_rows(to, from); /* there is room */
}

bool px_table_fits(const PxTable *table, const PxTable *like, uint32_t flags, const char **missing)
{
    for (uint32_t c = 0; c < like->columns; ++c) {
        const PxColumn *column = px_table_find(table, like->column[c].name);
        if ((like->column[c].flags & flags) &&
            (column == NULL || !same_kind(column, &like->column[c]))) {
            if (missing != NULL)
                *missing = like->column[c].name;
            return false;
        }
    }
    return true;
}

typedef struct Permute {
    const uint32_t *order;
    const void *from;
    void *to;
    size_t size;
} Permute;

static void permute_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Permute *p = user;
    const uint32_t *order = p->order;
#define PERMUTE(type)                                                                              \
    do {                                                                                           \
        const type *from = p->from;                                                                \
        type *to = p->to;                                                                          \
        for (uint32_t i = begin; i < end; ++i)                                                     \
            to[i] = from[order[i]];                                                                \
    } while (0)
    switch (p->size) {
    case 1:
        PERMUTE(uint8_t);
        break;
    case 4:
        PERMUTE(uint32_t);
        break;
    default:
        PERMUTE(uint64_t);
        break;
    }
#undef PERMUTE
}

PxStatus px_table_permute(PxTable *table, const uint32_t *order, const PxThreads *threads)
{
    /* Allocates all spare arrays first: a failure must not leave only some columns
     * permuted. */
    for (uint32_t c = 0; c < table->columns; ++c) {
        PxColumn *column = &table->column[c];
        size_t size = px_type_size(column->type);
        if ((column->flags & PX_COLUMN_WORK) || table->spare[size] != NULL)
            continue;
        size_t bytes = array_bytes(column->type, table->capacity);
        table->spare[size] = px_allocate(table->allocator, bytes);
        if (table->spare[size] == NULL)
            return px_fail(PX_ERR_MEMORY, "table: no room to sort %u rows", table->count);
        memset(table->spare[size], 0, bytes);
    }
    for (uint32_t c = 0; c < table->columns; ++c) {
        PxColumn *column = &table->column[c];
        if (column->flags & PX_COLUMN_WORK)
            continue;
        size_t size = px_type_size(column->type);
        for (uint32_t k = 0; k < column->components; ++k) {
            Permute p = {order, column->data[k], table->spare[size], size};
            px_parallel_for(threads, table->count, 16 * PX_BLOCK, permute_block, &p);
            table->spare[size] = column->data[k];
            column->data[k] = p.to;
        }
    }
    return PX_OK;
}

PxStatus px_table_gather(PxTable *to, const PxTable *from, const uint32_t *row, uint32_t count,
                         const PxThreads *threads)
{
    for (uint32_t c = to->columns; c < from->columns; ++c)
        PX_TRY(add_like(to, &from->column[c]));
    to->count = 0;
    PX_TRY(px_table_append(to, count, NULL));
    for (uint32_t c = 0; c < to->columns; ++c)
        for (uint32_t k = 0; k < to->column[c].components; ++k) {
            Permute p = {row, from->column[c].data[k], to->column[c].data[k],
                         px_type_size(from->column[c].type)};
            px_parallel_for(threads, count, 16 * PX_BLOCK, permute_block, &p);
        }
    return PX_OK;
}

static void scatter_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Permute *p = user;
#define SCATTER(type)                                                                              \
    do {                                                                                           \
        const type *from = p->from;                                                                \
        type *to = p->to;                                                                          \
        for (uint32_t i = begin; i < end; ++i)                                                     \
            to[p->order[i]] = from[i];                                                             \
    } while (0)
    switch (p->size) {
    case 1:
        SCATTER(uint8_t);
        break;
    case 4:
        SCATTER(uint32_t);
        break;
    default:
        SCATTER(uint64_t);
        break;
    }
#undef SCATTER
}

void px_table_scatter(PxTable *to, const PxTable *from, const uint32_t *row,
                      const PxThreads *threads)
{
    for (uint32_t c = 0; c < from->columns; ++c) {
        if (!(from->column[c].flags & PX_COLUMN_STATE))
            continue;
        for (uint32_t k = 0; k < from->column[c].components; ++k) {
            Permute p = {row, from->column[c].data[k], to->column[c].data[k],
                         px_type_size(from->column[c].type)};
            px_parallel_for(threads, from->count, 16 * PX_BLOCK, scatter_block, &p);
        }
    }
}

void px_table_delete(PxTable *table, const uint8_t *drop)
{
    /* Remaining rows are moved in contiguous runs, as few rows are deleted at a time. */
    uint32_t count = table->count, first = 0, left = 0;
    while (first < count && !drop[first])
        ++first;
    for (uint32_t c = 0; c < table->columns; ++c) {
        PxColumn *column = &table->column[c];
        size_t size = px_type_size(column->type);
        for (uint32_t k = 0; k < column->components; ++k) {
            char *data = column->data[k];
            uint32_t kept = first, i = first;
            while (i < count) {
                while (i < count && drop[i])
                    ++i;
                uint32_t begin = i;
                while (i < count && !drop[i])
                    ++i;
                memmove(data + kept * size, data + begin * size, (i - begin) * size);
                kept += i - begin;
            }
        }
    }
    for (uint32_t i = 0; i < count; ++i)
        left += drop[i] == 0;
    table->count = left;
}

static bool is_within(const PxColumn *c, uint32_t component, uint32_t row, double most)
{
    return c->type == PX_F32   ? fabs((double)((const float *)c->data[component])[row]) <= most
           : c->type == PX_F64 ? fabs(((const double *)c->data[component])[row]) <= most
                               : true; /* false for NaN */
}

const PxColumn *px_table_beyond(const PxTable *table, double most, uint32_t *row)
{
    for (uint32_t c = 0; c < table->columns; ++c) {
        const PxColumn *column = &table->column[c];
        bool real = column->type == PX_F32 || column->type == PX_F64;
        for (uint32_t k = 0; real && k < column->components; ++k)
            for (uint32_t i = 0; i < table->count; ++i)
                if (!is_within(column, k, i, most)) {
                    *row = i;
                    return column;
                }
    }
    return NULL;
}

const PxColumn *px_table_unfinite(const PxTable *table, uint32_t *row)
{
    return px_table_beyond(table, DBL_MAX, row);
}

size_t px_table_bytes(const PxTable *table)
{
    size_t bytes = 0;
    for (uint32_t c = 0; c < table->columns; ++c)
        bytes += table->column[c].components * array_bytes(table->column[c].type, table->capacity);
    for (size_t size = 1; size <= 8; size *= 2)
        if (table->spare[size] != NULL)
            bytes += spare_bytes(table, size);
    return bytes;
}

/* Appends the bytes of a value, lowest first. */
static size_t put_value(uint8_t *to, const PxColumn *column, uint32_t component, uint32_t row)
{
    size_t size = px_type_size(column->type);
    const uint8_t *from = (const uint8_t *)column->data[component] + size * row;
    for (size_t k = 0; k < size; ++k)
        to[k] = from[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? k : size - 1 - k];
    return size;
}

void px_table_hash(const PxTable *table, uint32_t flags, uint64_t hash[2])
{
    /* Row digests are summed, so that the order of rows does not matter. */
    uint8_t bytes[PX_TABLE_MAX_COLUMNS * PX_TABLE_MAX_COMPONENTS * sizeof(uint64_t)];
    uint64_t sum[2] = {0, 0}, row[2], shape[2];
    for (uint32_t i = 0; i < table->count; ++i) {
        size_t size = 0;
        for (uint32_t c = 0; c < table->columns; ++c)
            for (uint32_t k = 0; k < table->column[c].components; ++k)
                if (table->column[c].flags & flags)
                    size += put_value(bytes + size, &table->column[c], k, i);
        px_digest(bytes, size, row);
        sum[0] += row[0];
        sum[1] += row[1];
    }
    /* types and names of the columns */
    px_digest_join((uint64_t[2]){table->count, 0}, sum, hash);
    for (uint32_t c = 0; c < table->columns; ++c) {
        const PxColumn *column = &table->column[c];
        if (!(column->flags & flags))
            continue;
        px_digest(column->name, strlen(column->name), shape);
        shape[0] += (uint64_t)column->type * 16 + column->components;
        px_digest_join(hash, shape, hash);
    }
}
