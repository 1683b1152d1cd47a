/// Checkpoints: DIR/checkpoints/000012.h5, a saved world (world/saved.h) in a container.
///
/// The last two are kept, so that a run can resume from the older one if the newest is
/// damaged. Older ones are removed only after the new one is synced to disk.
#ifndef PX_STORE_CHECKPOINT_H
#define PX_STORE_CHECKPOINT_H

#include "store/container.h"
#include "world/saved.h"

/// Format version that is written; files of any other version are refused.
#define PX_CHECKPOINT_FORMAT 4u

/// Writes dir/checkpoints/NUMBER.h5 atomically and uncompressed (the folder must exist): the
/// numbers of the saved world, the PX_COLUMN_STATE columns of its tables, and the caller's scalars.
/// Then removes all older checkpoints but the one before it. A scalar must not have the name of one
/// of the world's numbers, nor be called `kind`, `format`, `number` or `phyxel`. Errors:
/// PX_ERR_ARGUMENT, PX_ERR_MEMORY, PX_ERR_IO.
PxStatus px_checkpoint_write(const char *dir, uint32_t number, const PxSavedWorld *saved,
                             const PxScalar *scalars, size_t count, PxFileCheck check,
                             const PxThreads *threads);

/// Reads a checkpoint into an empty saved world (px_saved_create()) and into the values of the
/// scalars. Other contents of the file are ignored.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_checkpoint_read(const char *dir, uint32_t number, PxSavedWorld *saved,
                            PxScalar *scalars, size_t count, const PxThreads *threads);

/// Finds the newest undamaged checkpoint with a number of at most `most`; *found is false when
/// there is no checkpoint up to `most`. Errors: PX_ERR_FORMAT when all of them are damaged.
PxStatus px_checkpoint_latest(const char *dir, uint32_t most, uint32_t *number, bool *found);

#endif
