#include "study/tension_folder.h"

#include "base/fail.h"
#include "store/frame.h"
#include "study/tension_page.h"
#include "world/columns.h"
#include "world/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Coefficients as in 004 section 6.6.1. csf is not in it; its sigma (N/m) moves the cube
 * about as fast as akinci's gamma does. */
const PxTensionSet px_tension_sets[PX_TENSION_MODELS] = {
    {"akinci",
     "\u03b3",
     {0.2, 0.4, 0.6, 0.8, 1},
     {0xfcae91, 0xfb6a4a, 0xde2d26, 0xa50f15, 0x67000d}},
    {"becker",
     "\u03c6",
     {0.02, 0.035, 0.05, 0.065, 0.08},
     {0xa1d99b, 0x74c476, 0x31a354, 0x006d2c, 0x00341b}},
    {"becker-cut",
     "\u03c6",
     {0.02, 0.035, 0.05, 0.065, 0.08},
     {0x9ecae1, 0x6baed6, 0x3182bd, 0x08519c, 0x082060}},
    {"he", "\u03ba", {0.2, 0.6, 1, 1.4, 1.8}, {0xdfc27d, 0xcf9f4d, 0xbf812d, 0x8c510a, 0x543005}},
    {"csf", "\u03c3", {40, 80, 120, 160, 200}, {0xbcbddc, 0x9e9ac8, 0x756bb1, 0x54278f, 0x3f007d}},
};

const char *const px_tension_solvers[PX_TENSION_SOLVERS] = {"dfsph", "iisph", "pcisph", "sesph"};

/* ---- order -------------------------------------------------------------- */

static size_t set_of(const char *tension)
{
    size_t k = 0;
    while (k < PX_TENSION_MODELS && strcmp(px_tension_sets[k].name, tension) != 0)
        ++k;
    return k;
}

static size_t solver_of(const char *pressure)
{
    size_t k = 0;
    while (k < PX_TENSION_SOLVERS && strcmp(px_tension_solvers[k], pressure) != 0)
        ++k;
    return k;
}

static int compare(const PxTensionCase *a, const PxTensionCase *b)
{
    const double key[][2] = {
        {a->test, b->test},
        {(double)solver_of(a->pressure), (double)solver_of(b->pressure)},
        {(double)set_of(a->tension), (double)set_of(b->tension)},
        {a->strength, b->strength},
    };
    for (size_t k = 0; k < PX_COUNT(key); ++k)
        if (key[k][0] < key[k][1] || key[k][0] > key[k][1])
            return key[k][0] < key[k][1] ? -1 : 1;
    return 0;
}

static bool insert(PxTensionFolder *folder, const PxTensionRow *row)
{
    size_t k = 0;
    while (k < folder->rows.count && compare(&folder->rows.data[k].c, &row->c) < 0)
        ++k;
    if (k < folder->rows.count && compare(&folder->rows.data[k].c, &row->c) == 0) {
        folder->rows.data[k] = *row;
        return true;
    }
    if (!PX_LIST_RESERVE(&folder->rows, 1))
        return false;
    memmove(folder->rows.data + k + 1, folder->rows.data + k,
            (folder->rows.count - k) * sizeof *row);
    folder->rows.data[k] = *row;
    ++folder->rows.count;
    return true;
}

/* ---- summary.csv -------------------------------------------------------- */

#define CASE_COLUMNS "test,pressure,tension,strength,scale,seconds,threads"

static void write_names(FILE *out)
{
    fputs(CASE_COLUMNS, out);
    for (size_t k = 0; k < px_tension_column_count; ++k)
        fprintf(out, ",%s", px_tension_columns[k].name);
    fputc('\n', out);
}

static PxStatus write_summary(const PxTensionFolder *folder)
{
    char path[PX_PATH_MAX], *text = NULL;
    size_t size = 0;
    PX_TRY(px_path_join(path, folder->path, "summary.csv"));
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return px_fail(PX_ERR_MEMORY, "bench: no room for the summary");
    write_names(out);
    for (size_t i = 0; i < folder->rows.count; ++i) {
        PxTensionRow row = folder->rows.data[i];
        fprintf(out, "%d,%s,%s,%.9g,%.9g,%.9g,%d", row.c.test, row.c.pressure, row.c.tension,
                row.c.strength, row.c.scale, row.c.seconds, row.c.threads);
        for (size_t k = 0; k < px_tension_column_count; ++k) {
            double value = px_tension_value(&row.r, k);
            fputc(',', out);
            if (isfinite(value))
                fprintf(out, "%.9g", value);
        }
        fputc('\n', out);
    }
    PxStatus status = fclose(out) != 0 ? px_fail(PX_ERR_MEMORY, "bench: no room for the summary")
                                       : px_file_write_atomic(path, text, size);
    free(text);
    return status;
}

/* The next cell of a line, zero-terminated; NULL after the last. */
static char *next_cell(char **line)
{
    char *cell = *line;
    if (cell == NULL)
        return NULL;
    char *comma = strchr(cell, ',');
    *line = comma != NULL ? comma + 1 : NULL;
    if (comma != NULL)
        *comma = '\0';
    return cell;
}

static bool read_number(char **line, double *out)
{
    char *cell = next_cell(line), *end;
    if (cell == NULL)
        return false;
    *out = cell[0] == '\0' ? NAN : strtod(cell, &end);
    return cell[0] == '\0' || *end == '\0';
}

static bool read_word(char **line, char *out, size_t size)
{
    char *cell = next_cell(line);
    if (cell == NULL || strlen(cell) >= size)
        return false;
    strcpy(out, cell);
    return true;
}

static bool read_row(char *line, PxTensionRow *row)
{
    double test, threads;
    bool good = read_number(&line, &test) && test >= 1 && test <= PX_TENSION_TESTS &&
                read_word(&line, row->c.pressure, sizeof row->c.pressure) &&
                read_word(&line, row->c.tension, sizeof row->c.tension) &&
                read_number(&line, &row->c.strength) && read_number(&line, &row->c.scale) &&
                read_number(&line, &row->c.seconds) && read_number(&line, &threads) &&
                threads >= 0 && threads <= 1e6 && set_of(row->c.tension) < PX_TENSION_MODELS &&
                solver_of(row->c.pressure) < PX_TENSION_SOLVERS;
    if (!good)
        return false;
    row->c.test = (int)test;
    row->c.threads = (int)threads;
    for (size_t k = 0; k < px_tension_column_count; ++k)
        if (!read_number(&line, &px_tension_value(&row->r, k)))
            return false;
    return line == NULL;
}

static PxStatus read_summary(PxTensionFolder *folder)
{
    char path[PX_PATH_MAX], *names = NULL;
    void *bytes;
    size_t size;
    PX_TRY(px_path_join(path, folder->path, "summary.csv"));
    if (!px_file_exists(path))
        return PX_OK;
    PX_TRY(px_file_read(path, 16u << 20, &bytes, &size));
    FILE *out = open_memstream(&names, &size);
    if (out != NULL) {
        write_names(out);
        fclose(out);
    }
    PxStatus status = PX_OK;
    char *rest = NULL, *line = strtok_r(bytes, "\n", &rest);
    if (names == NULL)
        status = px_fail(PX_ERR_MEMORY, "bench: no room for the summary");
    else if (line == NULL || strncmp(line, names, strlen(names) - 1) != 0)
        status =
            px_fail(PX_ERR_FORMAT,
                    "%s: has other columns than this phyxel writes; wanted another folder", path);
    for (size_t number = 2; status == PX_OK && (line = strtok_r(NULL, "\n", &rest)) != NULL;
         ++number) {
        PxTensionRow row = {.c.test = 0};
        if (!read_row(line, &row))
            status =
                px_fail(PX_ERR_FORMAT, "%s: line %zu is no run of the benchmark", path, number);
        else if (!insert(folder, &row))
            status = px_fail(PX_ERR_MEMORY, "bench: no room for the summary");
    }
    free(names);
    px_list_free(bytes);
    return status;
}

/* ---- the folder --------------------------------------------------------- */

PxStatus px_tension_folder_open(PxTensionFolder *folder, const char *path)
{
    *folder = (PxTensionFolder){.path = ""};
    char inner[PX_PATH_MAX];
    PX_TRY(px_path_join(inner, path, "runs"));
    PX_TRY(px_folder_make(inner));
    PX_TRY(px_path_join(inner, path, "plots"));
    PX_TRY(px_folder_make(inner));
    snprintf(folder->path, sizeof folder->path, "%s", path);
    PxStatus status = read_summary(folder);
    if (status != PX_OK)
        px_tension_folder_free(folder);
    return status;
}

void px_tension_folder_free(PxTensionFolder *folder)
{
    PX_LIST_FREE(&folder->rows);
}

void px_tension_name(const PxTensionCase *c, char *out, size_t size)
{
    snprintf(out, size, "%d-%s-%s-%g", c->test, c->pressure, c->tension, c->strength);
}

/* Are two numbers equal up to the rounding of summary.csv? */
static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-8 * fabs(a);
}

bool px_tension_folder_has(const PxTensionFolder *folder, const PxTensionCase *c)
{
    char path[PX_PATH_MAX], name[128];
    px_tension_name(c, name, sizeof name);
    if (px_path_join(path, folder->path, "runs/%s.csv", name) != PX_OK || !px_file_exists(path))
        return false;
    for (size_t k = 0; k < folder->rows.count; ++k) {
        const PxTensionCase *o = &folder->rows.data[k].c;
        if (o->test == c->test && strcmp(o->pressure, c->pressure) == 0 &&
            strcmp(o->tension, c->tension) == 0 && same(o->strength, c->strength) &&
            same(o->scale, c->scale) && same(o->seconds, c->seconds))
            return true;
    }
    return false;
}

PxStatus px_tension_folder_frame(const PxTensionFolder *folder, const PxTensionCase *c,
                                 uint32_t number, PxWorld *world, const PxThreads *threads)
{
    char run[PX_PATH_MAX], inner[PX_PATH_MAX], name[128];
    px_tension_name(c, name, sizeof name);
    PX_TRY(px_path_join(run, folder->path, "runs/%s", name));
    PX_TRY(px_path_join(inner, run, "frames"));
    PX_TRY(px_folder_make(inner));
    PxFrameMeta meta = {.number = number,
                        .step = px_world_state(world).step,
                        .time = px_world_time(world),
                        .spacing = px_tension_spacing(c->test),
                        .up = 'y'};
    snprintf(meta.name, sizeof meta.name, "%s", name);
    PX_TRY(px_world_refresh_columns(world));
    return px_frame_write(run, &meta, px_world_particles(world), threads);
}

PxStatus px_tension_folder_add(PxTensionFolder *folder, const PxTensionRow *row, const char *steps,
                               const char *slice)
{
    char path[PX_PATH_MAX], name[128];
    px_tension_name(&row->c, name, sizeof name);
    PX_TRY(px_path_join(path, folder->path, "runs/%s-slice.csv", name));
    PX_TRY(px_file_write_atomic(path, slice, strlen(slice)));
    PX_TRY(px_path_join(path, folder->path, "runs/%s.csv", name));
    PX_TRY(px_file_write_atomic(path, steps, strlen(steps)));
    if (!insert(folder, row))
        return px_fail(PX_ERR_MEMORY, "bench: no room for the summary");
    return write_summary(folder);
}

PxStatus px_tension_folder_finish(const PxTensionFolder *folder, const char *machine, bool *plotted)
{
    PX_TRY(px_tension_plots(folder, plotted));
    return px_tension_page(folder, machine, *plotted);
}
