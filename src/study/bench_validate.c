/// Validation bench: fluids, solids, heat and surfaces compared with formulas.
///
/// The cases are in src/study/validate/. The full bench also measures most of them at twice their
/// spacing, to check that a finer spacing is not worse.
#include "study/bench.h"
#include "study/validate/validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Rows {
    PxRowTable before; /* rows that are not measured again */
    PxRow *data;
    size_t count, room;
    int left_out, cases;
    char today[16];    /* of rows that are measured now */
    char failed[4000]; /* cases that did not finish, and why */
} Rows;

static const char *model_of(const PxValidateCase *c)
{
    return c->model != NULL ? c->model : "";
}

/* "column at rest, dfsph, implicit" */
static void describe(const PxValidateCase *c, char *out, size_t size)
{
    snprintf(out, size, "%s, %s%s%s", c->name, c->solver, c->model != NULL ? ", " : "",
             model_of(c));
}

/* Whether a comma-separated list is empty or has a word that the case's description contains. */
static bool selected(const char *list, const PxValidateCase *c)
{
    char text[256];
    describe(c, text, sizeof text);
    if (list == NULL)
        return true;
    while (*list != '\0') {
        char word[64];
        size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
                 list);
        if (length > 0 && strstr(text, word) != NULL)
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

/* A failing case is a result; running out of memory and being stopped end the bench. */
static bool ends_it(PxStatus status)
{
    return status == PX_ERR_MEMORY || status == PX_ERR_STOPPED || status == PX_ERR_ARGUMENT;
}

static PxStatus measure(PxBench *bench, const PxValidateCase *c, double coarser, PxFigures *out,
                        Rows *rows)
{
    char text[256];
    describe(c, text, sizeof text);
    *out = (PxFigures){.count = 0};
    PX_TRY(px_bench_next(bench, "%s%s", text, coarser > 1 ? ", at twice the spacing" : ""));
    PxStatus status = c->measure(c, coarser, bench->threads.count, out);
    if (status != PX_OK && !ends_it(status)) {
        size_t at = strlen(rows->failed);
        snprintf(rows->failed + at, sizeof rows->failed - at, "  %s: %s\n", text,
                 px_error_message());
        px_figures_add(out, "finished", NAN, NAN, NAN, 0);
        status = PX_OK;
    }
    return status;
}

static PxStatus add_row(Rows *rows, const PxRow *row)
{
    if (rows->count == rows->room) {
        size_t room = 2 * rows->room + 64;
        PxRow *grown = realloc(rows->data, room * sizeof *grown);
        if (grown == NULL)
            return px_fail(PX_ERR_MEMORY, "bench: no room for %zu rows", room);
        rows->data = grown;
        rows->room = room;
    }
    rows->data[rows->count++] = *row;
    return PX_OK;
}

static PxStatus report_row(PxBench *bench, const PxValidateGroup *group, const PxRow *measured,
                           Rows *rows)
{
    PxRow row = *measured;
    const PxFigure *f = &row.figure;
    row.group = group;
    row.last = px_last_release(&row.name);
    px_report_row(bench->report, row.name.name, row.name.solver, row.name.model, row.name.cells,
                  f->what, f->measured, f->reference, 100 * f->error, 100 * f->within,
                  100 * row.coarse, row.last,
                  isnan(f->within)    ? ""
                  : px_row_good(&row) ? "yes"
                                      : "NO");
    return add_row(rows, &row);
}

/* Takes the rows of a case from those measured before; *found: there are some. */
static PxStatus take_case(PxBench *bench, const PxValidateGroup *group, const PxValidateCase *c,
                          Rows *rows, bool *found)
{
    *found = false;
    for (size_t k = 0; k < rows->before.count; ++k) {
        const PxRow *row = &rows->before.row[k];
        if (strcmp(row->name.name, c->name) != 0 || strcmp(row->name.solver, c->solver) != 0 ||
            strcmp(row->name.model, model_of(c)) != 0 || row->name.cells != c->cells)
            continue;
        PX_TRY(report_row(bench, group, row, rows));
        *found = true;
    }
    return PX_OK;
}

static PxStatus measure_case(PxBench *bench, const PxValidateGroup *group, const PxValidateCase *c,
                             Rows *rows)
{
    PxFigures fine, coarse = {.count = 0};
    if (c->twice && !bench->def.quick)
        PX_TRY(measure(bench, c, 2, &coarse, rows));
    PX_TRY(measure(bench, c, 1, &fine, rows));
    for (size_t k = 0; k < fine.count; ++k) {
        const PxFigure *f = &fine.figure[k];
        PxRow row = {.name = {c->name, c->solver, model_of(c), f->what, c->cells},
                     .figure = *f,
                     .coarse = k < coarse.count ? coarse.figure[k].error : NAN,
                     .day = rows->today};
        PX_TRY(report_row(bench, group, &row, rows));
    }
    /* after each case, so that a stopped bench can go on */
    return bench->def.csv != NULL ? px_rows_write_csv(bench->def.csv, rows->data, rows->count)
                                  : PX_OK;
}

/* Counts, and the names of what is not within its limit. */
static void summary(PxBench *bench, const Rows *rows)
{
    int wanted = 0, good = 0, worse = 0, since = 0, known = 0;
    px_report_note(bench->report,
                   "\ncells: number of spacings in the depth, gap, radius, width, length or "
                   "wavelength of the case;\nat twice: error at twice the spacing; last: value in "
                   "the last release.\n");
    for (size_t k = 0; k < rows->count; ++k) {
        const PxRow *row = &rows->data[k];
        const PxFigure *f = &row->figure;
        if (isnan(f->within))
            continue;
        ++wanted;
        good += px_row_good(row);
        /* worse by more than a tenth of the allowed error; less is noise */
        worse += f->error > row->coarse + 0.1 * f->within;
        known += !isnan(row->last);
        double scale = f->reference != 0 ? fabs(f->reference) : 1;
        since += f->error > fabs(row->last - f->reference) / scale + 0.1 * f->within;
        if (!px_row_good(row))
            px_report_note(bench->report, "not within its limit: %s, %s%s%s: %s", row->name.name,
                           row->name.solver, row->name.model[0] != '\0' ? ", " : "",
                           row->name.model, f->what);
    }
    if (rows->failed[0] != '\0')
        px_report_note(bench->report, "did not finish:\n%s", rows->failed);
    px_report_note(bench->report, "%d of %d figures within their limits", good, wanted);
    px_report_note(bench->report, "%d of %d worse than in the last release", since, known);
    if (bench->def.quick || rows->left_out > 0)
        px_report_note(bench->report, "left out: %d of %d cases%s", rows->left_out, rows->cases,
                       bench->def.quick ? ", and the second spacing" : "");
    else
        px_report_note(bench->report, "%d worse than at twice the spacing", worse);
}

static PxStatus run_cases(PxBench *bench, Rows *rows)
{
    const PxBenchDef *def = &bench->def;
    int chosen = 0;
    for (size_t g = 0; px_validate_group(g) != NULL; ++g) {
        const PxValidateGroup *group = px_validate_group(g);
        for (size_t k = 0; k < group->count; ++k) {
            const PxValidateCase *c = &group->cases[k];
            bool wanted = (!def->quick || c->quick) && selected(def->tests, c), found = false;
            ++rows->cases;
            chosen += wanted;
            /* with a list of cases, these are measured again and the others taken from the file */
            if (def->tests == NULL ? wanted : def->from != NULL && !wanted)
                PX_TRY(take_case(bench, group, c, rows, &found));
            if (!found && wanted)
                PX_TRY(measure_case(bench, group, c, rows));
            rows->left_out += !found && !wanted;
        }
    }
    if (chosen == 0)
        return px_fail(PX_ERR_ARGUMENT, "bench: no case of validate has '%.60s' in its name",
                       def->tests);
    summary(bench, rows);
    if (def->csv != NULL)
        PX_TRY(px_rows_write_csv(def->csv, rows->data, rows->count));
    return def->page != NULL ? px_rows_write_page(def->page, rows->data, rows->count) : PX_OK;
}

PxStatus px_bench_validate(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"case", "case", "%s"},           {"solver", "solver", "%s"},
        {"model", "model", "%s"},         {"cells", "cells", "%.0f"},
        {"figure", "figure", "%s"},       {"value", "value", "%.5g"},
        {"reference", "reference", "%g"}, {"error", "error %", "%.3g"},
        {"wanted", "wanted %", "%g"},     {"error_at_twice", "at twice %", "%.3g"},
        {"last", "last", "%.5g"},         {"pass", "pass", "%s"},
    };
    if (bench->def.page != NULL &&
        (bench->def.quick || (bench->def.tests != NULL && bench->def.from == NULL)))
        return px_fail(PX_ERR_ARGUMENT,
                       "bench: --write needs every case: no --quick, and --test only "
                       "with --from");
    px_report_table(bench->report, "figures", "physics against formulas", columns,
                    PX_COUNT(columns));
    Rows rows = {.data = NULL};
    PxStatus status = PX_OK;
    time_t now = time(NULL);
    struct tm day;
    if (gmtime_r(&now, &day) != NULL)
        strftime(rows.today, sizeof rows.today, "%Y-%m-%d", &day);
    if (bench->def.from != NULL)
        status = px_rows_read_csv(bench->def.from, &rows.before);
    if (status == PX_OK)
        status = run_cases(bench, &rows);
    px_row_table_free(&rows.before);
    free(rows.data);
    return status;
}
