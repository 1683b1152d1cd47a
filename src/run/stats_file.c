#include "run/stats_file.h"

#include "store/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* First the numbers of PxStats, then those that depend on what is in the world, then `wall`, the
 * only one that differs from run to run. */

static PxStatus add_name(PxStatsFile *file, const char *name)
{
    char *copy = strdup(name);
    if (copy == NULL || !PX_LIST_RESERVE(&file->names, 1)) {
        free(copy);
        return px_fail(PX_ERR_MEMORY, "stats.csv: no room for the columns");
    }
    file->names.data[file->names.count++] = copy;
    return PX_OK;
}

static PxStatus add_names(PxStatsFile *file, const PxWorld *world)
{
    (void)world;
    for (size_t k = 1; px_stats_column(k) != NULL; ++k) /* `step` is the file's own */
        PX_TRY(add_name(file, px_stats_column(k)->name));
    return add_name(file, "wall");
}

static void add_value(PxStatsFile *file, double value)
{
    file->values.data[file->values.count++] = value;
}

PxStatus px_stats_file_open(PxStatsFile *file, const char *dir, const PxWorld *world, bool resume,
                            uint64_t step)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, dir, "stats.csv"));
    PX_TRY(add_names(file, world));
    if (!PX_LIST_RESERVE(&file->values, file->names.count))
        return px_fail(PX_ERR_MEMORY, "stats.csv: no room for the columns");
    const char *const *names = (const char *const *)file->names.data;
    uint32_t count = (uint32_t)file->names.count;
    return resume ? px_csv_resume(&file->csv, path, names, count, step)
                  : px_csv_create(&file->csv, path, names, count);
}

PxStatus px_stats_file_row(PxStatsFile *file, const PxWorld *world, const PxStats *stats,
                           double wall)
{
    (void)world;
    file->values.count = 0;
    for (size_t k = 1; px_stats_column(k) != NULL; ++k)
        add_value(file, px_stats_value(stats, px_stats_column(k)));
    add_value(file, wall);
    return px_csv_row(file->csv, stats->step, file->values.data);
}

PxStatus px_stats_file_close(PxStatsFile *file)
{
    PxStatus status = px_csv_close(file->csv);
    for (size_t k = 0; k < file->names.count; ++k)
        free(file->names.data[k]);
    PX_LIST_FREE(&file->names);
    PX_LIST_FREE(&file->values);
    file->csv = NULL;
    return status;
}
