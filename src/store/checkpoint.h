/// Checkpoints: DIR/checkpoints/000012.h5, a saved world (world/saved.h) in a container.
///
/// The last two are kept: should the newest turn out to be damaged, the one before
/// it serves. An older one is removed only when the new one is safe on the disk.
#ifndef PX_STORE_CHECKPOINT_H
#define PX_STORE_CHECKPOINT_H

#include "store/container.h"
#include "world/saved.h"

/// Of what is written now; files of another format are refused.
#define PX_CHECKPOINT_FORMAT 2u

/// Writes dir/checkpoints/NUMBER.h5, uncompressed, whole or not at all: the numbers of the saved
/// world, the PX_COLUMN_STATE columns of its tables, and the caller's scalars. Then removes all
/// but this one and the one before it. The names of scalars must not be those of numbers, nor
/// `kind`, `format`, `number` or `phyxel`.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY, PX_ERR_IO.
PxStatus px_checkpoint_write(const char *dir, uint32_t number, const PxSavedWorld *saved,
                             const PxScalar *scalars, size_t count, const PxThreads *threads);

/// Reads one into an empty saved world (px_saved_create()) and the values of the scalars. What the
/// file holds beyond that is ignored.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_checkpoint_read(const char *dir, uint32_t number, PxSavedWorld *saved,
                            PxScalar *scalars, size_t count, const PxThreads *threads);

/// The number of the newest checkpoint that is whole and not after `most`; *found is false when
/// there is none at all up to there. Errors: PX_ERR_FORMAT when there are some and none is usable.
PxStatus px_checkpoint_latest(const char *dir, uint32_t most, uint32_t *number, bool *found);

#endif
