/// Writer of DIR/gauges.csv: a row for each time at which gauges completed samples.
///
/// Columns are `step`, `time [s]` and the values of all gauges with their units. Gauges that have
/// no sample at that time, and values without matter, leave their cells empty. Scenes without
/// gauges have no such file.
#ifndef PX_RUN_GAUGES_FILE_H
#define PX_RUN_GAUGES_FILE_H

#include "phyxel/world.h"
#include "store/csv.h"

/// Initialise with {0}.
typedef struct PxGaugesFile {
    PxCsv *csv;             ///< NULL: the world has no gauges
    PX_LIST(char *) names;  ///< of the columns without `step`
    PX_LIST(double) values; ///< one per column
    PX_LIST(size_t) first;  ///< column of each gauge's first value, by slot
} PxGaugesFile;

/// Creates the file with the columns of this world, or with `resume` continues it after `step`, up
/// to which it had `rows` rows. Errors: those of px_csv_create_rows() and px_csv_resume_rows().
PxStatus px_gauges_file_open(PxGaugesFile *file, const char *dir, const PxWorld *world, bool resume,
                             uint64_t step, uint64_t rows);

/// Adds the samples that were completed in the last step, whose number is `step`.
PxStatus px_gauges_file_rows_of_step(PxGaugesFile *file, const PxWorld *world, uint64_t step);

/// Number of rows so far.
uint64_t px_gauges_file_rows(const PxGaugesFile *file);

PxStatus px_gauges_file_sync(PxGaugesFile *file);

/// Syncs and frees; frees even when the sync fails.
PxStatus px_gauges_file_close(PxGaugesFile *file);

#endif
