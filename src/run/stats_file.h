/// Writer of DIR/stats.csv: its columns, and one row after every step.
#ifndef PX_RUN_STATS_FILE_H
#define PX_RUN_STATS_FILE_H

#include "phyxel/world.h"
#include "store/csv.h"

/// Initialise with {0}.
typedef struct PxStatsFile {
    PxCsv *csv;
    PX_LIST(char *) names;   ///< of the columns without `step`
    PX_LIST(double) values;  ///< one per column
    PX_LIST(uint32_t) walls; ///< those with force columns, as numbers in the world's list
} PxStatsFile;

/// Creates the file with the columns of this world, or with `resume` continues it after `step`.
/// Errors: those of px_csv_create() and px_csv_resume().
PxStatus px_stats_file_open(PxStatsFile *file, const char *dir, const PxWorld *world, bool resume,
                            uint64_t step);

/// Adds the row of a step. `wall` is the wall-clock time of the run so far, s.
PxStatus px_stats_file_row(PxStatsFile *file, const PxWorld *world, const PxStats *stats,
                           double wall);

/// Syncs and frees; frees even when the sync fails.
PxStatus px_stats_file_close(PxStatsFile *file);

#endif
