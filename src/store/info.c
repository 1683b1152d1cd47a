/// Enumeration of the frames of a result folder, for `phyxel info` and programs.
#include "base/def.h"
#include "base/digest.h"
#include "store/csv.h"
#include "store/frame.h"
#include "store/run_files.h"
#include "world/stats_columns.h"

#include "phyxel/store.h"
#include "phyxel/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const float *floats(const PxTable *table, const char *name)
{
    const PxColumn *c = px_table_find(table, name);
    return c != NULL && c->type == PX_F32 && c->components == 1 ? c->data[0] : NULL;
}

static void describe_heat(const PxTable *particles, PxFrameInfo *info)
{
    const float *temperature = floats(particles, "temperature");
    const float *melted = floats(particles, "melted"), *mass = floats(particles, "mass");
    double low = INFINITY, high = -INFINITY, molten = 0, all = 0;
    for (uint32_t i = 0; temperature != NULL && i < particles->count; ++i) {
        low = fmin(low, (double)temperature[i]);
        high = fmax(high, (double)temperature[i]);
    }
    for (uint32_t i = 0; melted != NULL && i < particles->count; ++i) {
        double m = mass != NULL ? (double)mass[i] : 1;
        molten += m * (double)melted[i];
        all += m;
    }
    info->coldest = low <= high ? low : 0;
    info->hottest = low <= high ? high : 0;
    info->melted = melted == NULL ? -1 : all > 0 ? molten / all : 0;
}

/* Reports a gap in the sequence of frames. */
static bool tell_missing(uint32_t first, uint32_t last, PxInfoFunction *each, void *user)
{
    char problem[80];
    if (first == last)
        snprintf(problem, sizeof problem, "it is missing");
    else
        snprintf(problem, sizeof problem, "frames %u to %u are missing", first, last);
    PxFrameInfo info = {.number = first, .problem = problem};
    return each(user, &info);
}

static PxStatus stopped(uint32_t number)
{
    return px_fail(PX_ERR_STOPPED, "info: stopped at frame %u", number);
}

/* Joins the hashes of rigid bodies and cloth to that of the particles, where a frame has any. */
static PxStatus hash_others(const char *dir, uint32_t number, const PxThreads *threads,
                            uint64_t hash[2])
{
    PxTable other[3]; /* rigid bodies, vertices and triangles of cloth */
    for (size_t k = 0; k < PX_COUNT(other); ++k)
        px_table_init(&other[k], NULL);
    PxStatus status = px_frame_read_rigid(dir, number, &other[0], threads);
    if (status == PX_OK)
        status = px_frame_read_sheets(dir, number, &other[1], &other[2], threads);
    for (size_t k = 0; k < PX_COUNT(other); ++k) {
        uint64_t own[2];
        px_table_hash(&other[k], PX_COLUMN_FRAME, own);
        if (status == PX_OK && other[k].count > 0)
            px_digest_join(hash, own, hash);
        px_table_free(&other[k]);
    }
    return status;
}

PxStatus px_info(const char *dir, PxInfoFunction *each, void *user)
{
    PX_WANT_TEXT(dir);
    PX_WANT(each);
    PxThreads threads = {.count = px_threads_available()};
    PxNumbers numbers;
    PxRunId id;
    PX_TRY(px_frame_list(dir, &numbers));
    PxStatus status = px_run_id_read(dir, &id);
    bool known = status == PX_OK && id.run[0] != '\0';
    uint32_t next = 0; /* number of the next frame if none is missing */
    for (size_t k = 0; k < numbers.count && status == PX_OK; ++k) {
        PxFrameInfo info = {.number = numbers.data[k]};
        if (known && info.number > next && !tell_missing(next, info.number - 1, each, user))
            status = stopped(next);
        next = info.number + 1;
        PxFrameMeta meta;
        PxTable particles;
        px_table_init(&particles, NULL);
        status = px_frame_read(dir, info.number, &meta, &particles, &threads);
        uint64_t hash[2];
        if (status == PX_OK) {
            px_table_hash(&particles, PX_COLUMN_FRAME, hash);
            status = hash_others(dir, info.number, &threads, hash);
        }
        if (status == PX_OK) {
            px_digest_text(hash, info.hash);
            info.step = meta.step;
            info.time = meta.time;
            info.particles = particles.count;
            describe_heat(&particles, &info);
        } else if (status == PX_ERR_FORMAT || status == PX_ERR_IO) { /* or unreadable */
            info.problem = px_error_message();
            status = PX_OK;
        }
        if (status == PX_OK && !each(user, &info))
            status = stopped(info.number);
        px_table_free(&particles);
    }
    if (status == PX_OK && known && id.frames >= next && numbers.count > 0 &&
        !tell_missing(next, id.frames, each, user))
        status = stopped(next);
    px_run_id_free(&id);
    PX_LIST_FREE(&numbers);
    return status;
}

PxStatus px_info_files_sized(const char *dir, PxInfoFiles *out, size_t size)
{
    PX_WANT(out);
    PxInfoFiles files = {0};
    px_result_put(out, size, 0, &files, sizeof files);
    PX_WANT_TEXT(dir);
    const struct {
        PxRunFile kind;
        uint32_t *count;
    } kinds[] = {{PX_FILE_SURFACE, &files.surfaces}, {PX_FILE_SURFELS, &files.surfels},
                 {PX_FILE_SKIN, &files.skins},       {PX_FILE_SKIN_SURFELS, &files.skin_surfels},
                 {PX_FILE_COAT, &files.coats},       {PX_FILE_CONTACT, &files.contacts},
                 {PX_FILE_FOAM, &files.foams}};
    for (size_t k = 0; k < PX_COUNT(kinds); ++k) {
        PxNumbers numbers;
        PX_TRY(px_run_file_numbers(dir, kinds[k].kind, &numbers));
        *kinds[k].count = (uint32_t)numbers.count;
        PX_LIST_FREE(&numbers);
    }
    px_result_put(out, size, 0, &files, sizeof files);
    return PX_OK;
}

typedef struct Telling {
    PxInfoStatsFunction *each;
    void *user;
} Telling;

/* Unit and meaning of a column; both empty if it is unknown. */
static void describe(const char *name, const char **unit, const char **meaning)
{
    size_t length = strlen(name);
    *unit = *meaning = "";
    if (strcmp(name, PX_CLOCK_COLUMN) == 0) {
        *unit = "s";
        *meaning = "Wall-clock time of the run so far.";
    }
    for (size_t k = 0; k < PX_WALL_COLUMNS; ++k) {
        const PxWallColumn *column = &px_wall_columns[k];
        size_t ending = strlen(column->ending);
        if (length > ending && strcmp(name + length - ending, column->ending) == 0) {
            *unit = column->unit;
            *meaning = column->meaning;
        }
    }
    for (size_t k = 0; px_stats_column(k) != NULL; ++k)
        if (strcmp(px_stats_column(k)->name, name) == 0) {
            *unit = px_stats_column(k)->unit;
            *meaning = px_stats_column(k)->meaning;
        }
}

static void tell_column(void *user, const char *name, double value)
{
    const Telling *telling = user;
    const char *unit, *meaning;
    describe(name, &unit, &meaning);
    telling->each(telling->user, name, unit, meaning, value);
}

PxStatus px_info_stats(const char *dir, PxInfoStatsFunction *each, void *user)
{
    char path[PX_PATH_MAX];
    PX_WANT_TEXT(dir);
    PX_WANT(each);
    PX_TRY(px_path_join(path, dir, "stats.csv"));
    Telling telling = {each, user};
    return px_csv_last(path, tell_column, &telling);
}
