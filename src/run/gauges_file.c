#include "run/gauges_file.h"

#include "store/file.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Times closer than this, s, share a row. */
#define SAME_TIME 1e-9

static PxStatus add_name(PxGaugesFile *file, const char *name, const char *unit)
{
    char text[160];
    snprintf(text, sizeof text, "%s [%s]", name, unit);
    char *copy = strdup(text);
    if (copy == NULL || !PX_LIST_RESERVE(&file->names, 1) || !PX_LIST_RESERVE(&file->values, 1)) {
        free(copy);
        return px_fail(PX_ERR_MEMORY, "gauges.csv: no room for the columns");
    }
    file->names.data[file->names.count++] = copy;
    file->values.data[file->values.count++] = NAN;
    return PX_OK;
}

static PxStatus add_names(PxGaugesFile *file, const PxWorld *world)
{
    PX_TRY(add_name(file, "time", "s"));
    for (size_t k = 0; k < world->gauges.count; ++k) {
        const PxGauge *gauge = &world->gauges.data[k];
        PxGaugeId id = {(uint32_t)k + 1, gauge->generation};
        if (!PX_LIST_RESERVE(&file->first, 1))
            return px_fail(PX_ERR_MEMORY, "gauges.csv: no room for the columns");
        file->first.data[file->first.count++] = file->names.count;
        for (size_t c = 0; gauge->live && c < gauge->channels; ++c) {
            char name[96];
            const char *unit;
            PX_TRY(px_world_gauge_column(world, id, c, name, &unit));
            PX_TRY(add_name(file, name, unit));
        }
    }
    return PX_OK;
}

PxStatus px_gauges_file_open(PxGaugesFile *file, const char *dir, const PxWorld *world, bool resume,
                             uint64_t step, uint64_t rows)
{
    char path[PX_PATH_MAX];
    if (px_world_gauge_count(world) == 0)
        return PX_OK;
    PX_TRY(add_names(file, world));
    PX_TRY(px_path_join(path, dir, "gauges.csv"));
    const char *const *names = (const char *const *)file->names.data;
    uint32_t count = (uint32_t)file->names.count;
    return resume ? px_csv_resume_rows(&file->csv, path, names, count, step, rows)
                  : px_csv_create_rows(&file->csv, path, names, count);
}

PxStatus px_gauges_file_rows_of_step(PxGaugesFile *file, const PxWorld *world, uint64_t step)
{
    size_t count = file->csv != NULL ? world->readings.count : 0;
    for (size_t k = 0; k < count;) {
        double time = world->readings.data[k].time, *value = file->values.data;
        for (size_t c = 0; c < file->values.count; ++c)
            value[c] = NAN;
        value[0] = time;
        for (; k < count && world->readings.data[k].time < time + SAME_TIME; ++k) {
            const PxReading *reading = &world->readings.data[k];
            memcpy(value + file->first.data[reading->slot],
                   world->reading_values.data + reading->first,
                   world->gauges.data[reading->slot].channels * sizeof *value);
        }
        PX_TRY(px_csv_row(file->csv, step, value));
    }
    return PX_OK;
}

uint64_t px_gauges_file_rows(const PxGaugesFile *file)
{
    return file->csv != NULL ? px_csv_rows(file->csv) : 0;
}

PxStatus px_gauges_file_sync(PxGaugesFile *file)
{
    return file->csv != NULL ? px_csv_sync(file->csv) : PX_OK;
}

PxStatus px_gauges_file_close(PxGaugesFile *file)
{
    PxStatus status = px_csv_close(file->csv);
    for (size_t k = 0; k < file->names.count; ++k)
        free(file->names.data[k]);
    PX_LIST_FREE(&file->names);
    PX_LIST_FREE(&file->values);
    PX_LIST_FREE(&file->first);
    file->csv = NULL;
    return status;
}
