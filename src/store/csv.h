/// stats.csv: a row a step, appended while a run goes on.
///
/// The first column is `step`, ascending; the others are filled by name. Rows are
/// kept in memory until there are many or px_csv_sync() is called. A killed run may
/// leave a broken last line and rows of steps that will be done again; resuming
/// cuts them off.
///
/// Threads: one at a time.
#ifndef PX_STORE_CSV_H
#define PX_STORE_CSV_H

#include "base/memory.h"

#define PX_CSV_MAX_COLUMNS 128u

typedef struct PxCsv PxCsv;

/// Starts a file with only the line of names, replacing an old one. `columns` does
/// not hold `step`; names have no comma, quote or line break in them.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_MEMORY; *out is NULL then.
PxStatus px_csv_create(PxCsv **out, const char *path, const char *const *columns, uint32_t count);

/// Goes on with a file: rows after `last_step` and everything after the first
/// broken line are cut off, aside and by renaming. The names must be the same; a
/// file that is not there is started.
/// Errors: those of px_csv_create(), and PX_ERR_FORMAT for other names.
PxStatus px_csv_resume(PxCsv **out, const char *path, const char *const *columns, uint32_t count,
                       uint64_t last_step);

/// The value of a column in the row being filled.
/// Errors: PX_ERR_ARGUMENT for a column that is not there.
PxStatus px_csv_set(PxCsv *csv, const char *column, double value);

/// Ends the row; columns that were not set stay empty. Steps must ascend.
PxStatus px_csv_row(PxCsv *csv, uint64_t step);

/// Everything to the disk. Call it before a checkpoint is written, so that the
/// file never lacks rows that a resumed run will not do again. After a failure
/// (a full disk) the rows are still held, and a later call tries again.
PxStatus px_csv_sync(PxCsv *csv);

/// Syncs and frees; frees also when the sync fails. NULL is fine.
PxStatus px_csv_close(PxCsv *csv);

#endif
