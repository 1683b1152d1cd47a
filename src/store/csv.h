/// stats.csv: a row a step, appended while a run goes on.
///
/// The first column is `step`, ascending. Rows are kept in memory until there are many or
/// px_csv_sync() is called. A killed run may leave a broken last line and rows of steps that will
/// be done again; resuming cuts them off.
///
/// Threads: one at a time.
#ifndef PX_STORE_CSV_H
#define PX_STORE_CSV_H

#include "base/memory.h"

#define PX_CSV_MAX_COLUMNS 4096u

typedef struct PxCsv PxCsv;

/// Starts a file with only the line of names, replacing an old one. `columns` does
/// not hold `step`; names have no comma, quote or line break in them.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_MEMORY; *out is NULL then.
PxStatus px_csv_create(PxCsv **out, const char *path, const char *const *columns, uint32_t count);

/// Continues a file: rows after `last_step` and everything after the first
/// broken line are cut off, aside and by renaming. The names must be the same; a
/// file that is not there is started.
/// Errors: those of px_csv_create(), and PX_ERR_FORMAT for other names.
PxStatus px_csv_resume(PxCsv **out, const char *path, const char *const *columns, uint32_t count,
                       uint64_t last_step);

/// Adds a row: a value for each column, in their order; NAN stays empty. Steps must ascend.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_csv_row(PxCsv *csv, uint64_t step, const double *values);

/// Everything to the disk. Call it before a checkpoint is written, so that the
/// file never lacks rows that a resumed run will not do again. After a failure
/// (a full disk) the rows are still held, and a later call tries again.
PxStatus px_csv_sync(PxCsv *csv);

/// A column of the last row of a file.
typedef void PxCsvFunction(void *user, const char *column, double value);

/// Calls `each` for every column of the last whole row, `step` included; for none when there is no
/// row yet. Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_csv_last(const char *path, PxCsvFunction *each, void *user);

/// Syncs and frees; frees also when the sync fails. NULL is fine.
PxStatus px_csv_close(PxCsv *csv);

#endif
