/// Checkpoints: DIR/checkpoints/000012.h5, all that is needed to go on.
///
/// The last two are kept: should the newest turn out to be damaged, the one before
/// it serves. An older one is removed only when the new one is safe on the disk.
#ifndef PX_STORE_CHECKPOINT_H
#define PX_STORE_CHECKPOINT_H

#include "store/container.h"

/// Of what is written now; files of another format are refused.
#define PX_CHECKPOINT_FORMAT 1u

/// A table and its name in the file.
typedef struct PxNamedTable {
    const char *name; ///< letters, digits and _
    PxTable *table;
} PxNamedTable;

/// What a checkpoint holds: the PX_COLUMN_STATE columns of some tables, and scalars.
/// The names `kind`, `format`, `number` and `phyxel` are taken.
typedef struct PxCheckpoint {
    const PxNamedTable *tables;
    size_t table_count;
    PxScalar *scalars;
    size_t scalar_count;
} PxCheckpoint;

/// Writes dir/checkpoints/NUMBER.h5, uncompressed, whole or not at all; then removes
/// all but this one and the one before it.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY, PX_ERR_IO.
PxStatus px_checkpoint_write(const char *dir, uint32_t number, const PxCheckpoint *contents,
                             const PxThreads *threads);

/// Reads one: the rows of the tables are replaced, the values of the scalars filled
/// in. What the file holds beyond that is passed over.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_checkpoint_read(const char *dir, uint32_t number, const PxCheckpoint *contents,
                            const PxThreads *threads);

/// The number of the newest checkpoint that is whole; *found is false when there is
/// none at all. Errors: PX_ERR_FORMAT when there are some and none is whole.
PxStatus px_checkpoint_latest(const char *dir, uint32_t *number, bool *found);

#endif
