/// The table of named, typed columns that particles, surfels and bodies live in.
///
/// Structure of arrays: a column has a name, a type and 1 to 9 components, and
/// every component is an array of its own, 64-byte aligned. Rows can be sorted,
/// deleted, appended, stored and shipped by code that knows no column.
///
/// After the last row every array has PX_TABLE_PAD readable rows, so that
/// vector loops may run over the end. Row `count` is the row that padded
/// neighbour lists point at.
#ifndef PX_BASE_TABLE_H
#define PX_BASE_TABLE_H

#include "base/memory.h"
#include "base/parallel.h"
#include "phyxel/column.h"

#define PX_TABLE_PAD 16u
#define PX_TABLE_MAX_COLUMNS 64u
#define PX_TABLE_MAX_COMPONENTS 9u
#define PX_TABLE_NAME 32u

/// Most rows a table may have: indices are 32 bit, and lists need a spare one.
#define PX_TABLE_MAX_ROWS 0xfffffff0u

/// Bytes of one value.
size_t px_type_size(PxType type);
/// "u8", "u32", "i32", "f32", "u64", "f64".
const char *px_type_name(PxType type);

/// What a column is for.
enum {
    PX_COLUMN_STATE = 1u, ///< needed to go on: goes into checkpoints
    PX_COLUMN_FRAME = 2u, ///< of interest to people: goes into frames
    PX_COLUMN_WORK = 4u,  ///< recomputed every step: not moved when rows are sorted
};

typedef struct PxColumn {
    char name[PX_TABLE_NAME];
    char unit[16]; ///< SI, as written into files: "m/s"; "" for a pure number
    PxType type;
    uint32_t components;
    uint32_t flags;
    void *data[PX_TABLE_MAX_COMPONENTS]; ///< one array a component
} PxColumn;

typedef struct PxTable {
    const PxAllocator *allocator;
    uint32_t count;    ///< rows
    uint32_t capacity; ///< rows there is room for, without the pad
    uint32_t columns;
    PxColumn column[PX_TABLE_MAX_COLUMNS];
    void *spare[9]; ///< by size of a value: where sorting puts its result
} PxTable;

void px_table_init(PxTable *table, const PxAllocator *allocator);
void px_table_free(PxTable *table);

/// Adds a column, zero in all rows. The index is *out (may be NULL).
/// Errors: PX_ERR_ARGUMENT for a name in use or too long, PX_ERR_MEMORY.
PxStatus px_table_add(PxTable *table, const char *name, const char *unit, PxType type,
                      uint32_t components, uint32_t flags, uint32_t *out);

/// The column of that name, or NULL.
PxColumn *px_table_find(const PxTable *table, const char *name);

/// Room for `rows` rows; the contents stay. Never shrinks.
PxStatus px_table_reserve(PxTable *table, size_t rows);

/// Appends `rows` zeroed rows; *first is the first of them.
PxStatus px_table_append(PxTable *table, size_t rows, uint32_t *first);

/// Appends all rows of `from`: columns of the same name and type are copied,
/// columns that `from` lacks are zero.
PxStatus px_table_append_rows(PxTable *table, const PxTable *from);
/// The same for rows [first, first + count) of `from`.
PxStatus px_table_append_part(PxTable *table, const PxTable *from, uint32_t first, uint32_t count);

/// Adds the columns of `from` that have any of `flags` and that `table` lacks, without rows.
PxStatus px_table_add_like(PxTable *table, const PxTable *from, uint32_t flags);

/// Do both have the same columns in the same order?
bool px_table_alike(const PxTable *a, const PxTable *b);

/// Makes `to` a copy of `from`: the same columns in the same order, the same rows. Allocates
/// nothing when `to` has these columns and the room already. After a failure `to` is as before
/// or empty.
PxStatus px_table_copy(PxTable *to, const PxTable *from);

/// Does `table` have every column of `like` that has any of `flags`, with the same type and
/// number of components? *missing (may be NULL) names the first that it lacks.
bool px_table_fits(const PxTable *table, const PxTable *like, uint32_t flags, const char **missing);

/// Row k becomes what row order[k] was, for every column but the PX_COLUMN_WORK
/// ones (their contents are undefined afterwards). `order` is a permutation.
/// Allocates only when the table has grown since the last call.
PxStatus px_table_permute(PxTable *table, const uint32_t *order, const PxThreads *threads);

/// Row k of `to` becomes row[k] of `from`, for k below `count`. Columns that `to` lacks are added;
/// those it has must be the first ones of `from`, in the same order.
PxStatus px_table_gather(PxTable *to, const PxTable *from, const uint32_t *row, uint32_t count,
                         const PxThreads *threads);

/// The way back: row[k] of `to` becomes row k of `from`, for the PX_COLUMN_STATE columns.
void px_table_scatter(PxTable *to, const PxTable *from, const uint32_t *row,
                      const PxThreads *threads);

/// Deletes the rows with drop[row] != 0; the others keep their order.
void px_table_delete(PxTable *table, const uint8_t *drop);

/// Bytes held.
size_t px_table_bytes(const PxTable *table);

/// Order-independent 128-bit hash over rows: every column with any of `flags`,
/// its name and type, each row's values. Two tables with the same rows in any
/// order have the same hash.
void px_table_hash(const PxTable *table, uint32_t flags, uint64_t hash[2]);

#endif
