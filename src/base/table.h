/// The table of named, typed columns that stores particles, surfels and bodies.
///
/// Structure of arrays: a column has a name, a type and 1 to 9 components, and
/// every component is a separate array, 64-byte aligned. Rows can be sorted,
/// deleted, appended, stored and sent by code that knows no particular column.
///
/// After the last row every array has PX_TABLE_PAD readable rows, so that
/// vector loops may overrun the end. The padding of neighbour lists refers to row
/// `count`.
#ifndef PX_BASE_TABLE_H
#define PX_BASE_TABLE_H

#include "base/memory.h"
#include "base/parallel.h"
#include "phyxel/column.h"

#define PX_TABLE_PAD 16u
#define PX_TABLE_MAX_COLUMNS 64u
#define PX_TABLE_MAX_COMPONENTS 9u
#define PX_TABLE_NAME 32u

/// Largest number of rows: indices are 32 bits, and neighbour lists need a padding row.
#define PX_TABLE_MAX_ROWS 0xfffffff0u

/// Bytes of one value.
size_t px_type_size(PxType type);
/// "u8", "u32", "i32", "f32", "u64", "f64".
const char *px_type_name(PxType type);

/// Use of a column.
enum {
    PX_COLUMN_STATE = 1u, ///< state of the simulation: written to checkpoints
    PX_COLUMN_FRAME = 2u, ///< output for users: written to frames
    PX_COLUMN_WORK = 4u,  ///< recomputed every step: not permuted when rows are sorted
};

typedef struct PxColumn {
    char name[PX_TABLE_NAME];
    char unit[16]; ///< SI, as written into files: "m/s"; "" for a pure number
    PxType type;
    uint32_t components;
    uint32_t flags;
    void *data[PX_TABLE_MAX_COMPONENTS]; ///< one array per component
} PxColumn;

typedef struct PxTable {
    const PxAllocator *allocator;
    uint32_t count;    ///< rows
    uint32_t capacity; ///< allocated rows, without the padding
    uint32_t columns;
    PxColumn column[PX_TABLE_MAX_COLUMNS];
    void *spare[9]; ///< target arrays of px_table_permute(), indexed by the size of a value
} PxTable;

void px_table_init(PxTable *table, const PxAllocator *allocator);
void px_table_free(PxTable *table);

/// Adds a column, zero in all rows. *out (may be NULL) is its index.
/// Errors: PX_ERR_ARGUMENT for a name in use or too long, PX_ERR_MEMORY.
PxStatus px_table_add(PxTable *table, const char *name, const char *unit, PxType type,
                      uint32_t components, uint32_t flags, uint32_t *out);

/// The column of that name, or NULL.
PxColumn *px_table_find(const PxTable *table, const char *name);

/// Allocates room for `rows` rows and keeps the contents. Never shrinks.
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

/// True if both have the same columns in the same order.
bool px_table_alike(const PxTable *a, const PxTable *b);

/// Makes `to` a copy of `from`: the same columns in the same order, the same rows. Allocates
/// nothing if `to` has these columns and enough capacity. After a failure `to` is unchanged or
/// empty.
PxStatus px_table_copy(PxTable *to, const PxTable *from);

/// True if `table` has every column of `like` that has any of `flags`, with the same type and
/// number of components. *missing (may be NULL) names the first that it lacks.
bool px_table_fits(const PxTable *table, const PxTable *like, uint32_t flags, const char **missing);

/// Moves row order[k] to row k in every column except the PX_COLUMN_WORK ones, whose
/// contents are undefined afterwards. `order` is a permutation.
/// Allocates only when the table has grown since the last call.
PxStatus px_table_permute(PxTable *table, const uint32_t *order, const PxThreads *threads);

/// Copies row row[k] of `from` to row k of `to`, for k below `count`. Columns that `to` lacks are
/// added; those it has must be the first ones of `from`, in the same order.
PxStatus px_table_gather(PxTable *to, const PxTable *from, const uint32_t *row, uint32_t count,
                         const PxThreads *threads);

/// The inverse: copies row k of `from` to row row[k] of `to`, for the PX_COLUMN_STATE columns.
void px_table_scatter(PxTable *to, const PxTable *from, const uint32_t *row,
                      const PxThreads *threads);

/// Deletes the rows with drop[row] != 0; the others keep their order.
void px_table_delete(PxTable *table, const uint8_t *drop);

/// Undoes additions: keeps the first `rows` rows and the first `columns` columns.
void px_table_cut(PxTable *table, uint32_t rows, uint32_t columns);

/// First column with a number that is not finite, and its row; NULL: all are finite.
const PxColumn *px_table_unfinite(const PxTable *table, uint32_t *row);

/// First column with a number that is not finite or whose size exceeds `most`, and its row; NULL:
/// none.
const PxColumn *px_table_beyond(const PxTable *table, double most, uint32_t *row);

/// Bytes held.
size_t px_table_bytes(const PxTable *table);

/// 128-bit hash over name, type and values of every column with any of `flags`. Two
/// tables with the same rows in any order have the same hash.
void px_table_hash(const PxTable *table, uint32_t flags, uint64_t hash[2]);

#endif
