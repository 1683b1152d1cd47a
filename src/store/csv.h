/// Writer and reader of stats.csv, which has one row per step, appended during a run.
///
/// The first column is `step`, ascending. Rows are buffered until 64 KiB are full or
/// px_csv_sync() is called. A killed run may leave an incomplete last line, and rows of steps that
/// the resumed run computes again; px_csv_resume() truncates the file before them.
///
/// Threads: one at a time.
#ifndef PX_STORE_CSV_H
#define PX_STORE_CSV_H

#include "base/memory.h"

#define PX_CSV_MAX_COLUMNS 4096u

typedef struct PxCsv PxCsv;

/// Creates a file with only the header line, replacing an old one. `columns` excludes
/// `step`; names must not contain a comma, quote or line break.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_MEMORY; *out is NULL then.
PxStatus px_csv_create(PxCsv **out, const char *path, const char *const *columns, uint32_t count);

/// Continues a file: rows after `last_step` and everything from the first malformed
/// line on are removed, by atomic replacement of the file. The header must have the
/// same names, and the rows must reach to `last_step`, unless it is 0.
/// Errors: those of px_csv_create(); PX_ERR_FORMAT for different names, and when the file or rows
/// are missing.
PxStatus px_csv_resume(PxCsv **out, const char *path, const char *const *columns, uint32_t count,
                       uint64_t last_step);

/// Creates or continues a file in which a step may have several rows or none, such as gauges.csv.
/// `rows` is the number of rows up to `last_step` that must be there. Errors: as above.
PxStatus px_csv_create_rows(PxCsv **out, const char *path, const char *const *columns,
                            uint32_t count);
PxStatus px_csv_resume_rows(PxCsv **out, const char *path, const char *const *columns,
                            uint32_t count, uint64_t last_step, uint64_t rows);

/// Number of rows so far.
uint64_t px_csv_rows(const PxCsv *csv);

/// Adds a row with one value per column, in order; NAN gives an empty cell. Steps must
/// ascend.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_csv_row(PxCsv *csv, uint64_t step, const double *values);

/// Flushes and syncs the file; PX_ERR_IO too when it was removed. Call it before a checkpoint is
/// written: a resumed run does not recompute the rows before its checkpoint. After a failure (a
/// full disk) the rows stay buffered, and a later call tries again.
PxStatus px_csv_sync(PxCsv *csv);

/// A column of the last row of a file.
typedef void PxCsvFunction(void *user, const char *column, double value);

/// Calls `each` for every column of the last complete row, including `step`; does not call it when
/// there is no row yet. Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_csv_last(const char *path, PxCsvFunction *each, void *user);

/// Syncs and frees; frees even when the sync fails. NULL is allowed.
PxStatus px_csv_close(PxCsv *csv);

#endif
