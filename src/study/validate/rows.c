#include "study/validate/validate.h"

#include "phyxel/version.h"
#include "store/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes what `put` prints, as a whole or not at all. */
static PxStatus write_text(const char *path,
                           void (*put)(FILE *out, const PxRow *rows, size_t count),
                           const PxRow *rows, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return px_fail(PX_ERR_MEMORY, "bench: no room for %s", path);
    put(out, rows, count);
    bool bad = ferror(out) != 0;
    bad |= fclose(out) != 0;
    PxStatus status = bad ? px_fail(PX_ERR_MEMORY, "bench: no room for %s", path)
                          : px_file_write_atomic(path, text, size);
    free(text);
    return status;
}

/* ---- CSV ---- */

static void put_name(FILE *out, const char *name)
{
    for (; *name != '\0'; ++name)
        fputc(*name == ',' ? ';' : *name, out);
    fputc(',', out);
}

static void put_number(FILE *out, double value, char end)
{
    if (isfinite(value))
        fprintf(out, "%.6g", value);
    fputc(end, out);
}

static void put_csv(FILE *out, const PxRow *rows, size_t count)
{
    fputs("version,case,solver,model,cells,figure,value,reference,error_percent,wanted_percent,"
          "error_at_twice_percent,measured\n",
          out);
    for (size_t k = 0; k < count; ++k) {
        const PxRow *row = &rows[k];
        put_name(out, PX_VERSION);
        put_name(out, row->name.name);
        put_name(out, row->name.solver);
        put_name(out, row->name.model);
        put_number(out, row->name.cells, ',');
        put_name(out, row->name.figure);
        put_number(out, row->figure.measured, ',');
        put_number(out, row->figure.reference, ',');
        put_number(out, 100 * row->figure.error, ',');
        put_number(out, 100 * row->figure.within, ',');
        put_number(out, 100 * row->coarse, ',');
        fprintf(out, "%s\n", row->day != NULL ? row->day : "");
    }
}

PxStatus px_rows_write_csv(const char *path, const PxRow *rows, size_t count)
{
    return write_text(path, put_csv, rows, count);
}

/* Ends the field at *at, and returns it; NULL after the last of the line. */
static char *cut_field(char **at)
{
    char *field = *at;
    if (field == NULL)
        return NULL;
    size_t length = strcspn(field, ",\n");
    *at = field[length] == ',' ? field + length + 1 : NULL;
    field[length] = '\0';
    for (char *c = field; *c != '\0'; ++c)
        *c = *c == ';' ? ',' : *c;
    return field;
}

static double number_in(const char *field)
{
    return field[0] != '\0' ? strtod(field, NULL) : NAN;
}

static PxStatus read_row(const char *path, char *line, PxRow *out)
{
    enum {
        VERSION,
        CASE,
        SOLVER,
        MODEL,
        CELLS,
        FIGURE,
        VALUE,
        REFERENCE,
        ERROR,
        WANTED,
        TWICE,
        MEASURED, /* older tables lack it */
        ALL
    };
    char *field[ALL];
    for (int k = 0; k < ALL; ++k) {
        field[k] = cut_field(&line);
        if (field[k] == NULL && k < MEASURED)
            return px_fail(PX_ERR_FORMAT, "'%s': a row has %d fields, wanted %d", path, k, ALL);
    }
    *out = (PxRow){
        .name = {field[CASE], field[SOLVER], field[MODEL], field[FIGURE], number_in(field[CELLS])},
        .figure = {field[FIGURE], number_in(field[VALUE]), number_in(field[REFERENCE]),
                   fabs(number_in(field[ERROR])) / 100, number_in(field[WANTED]) / 100},
        .coarse = number_in(field[TWICE]) / 100,
        .day = field[MEASURED] != NULL ? field[MEASURED] : ""};
    return PX_OK;
}

PxStatus px_rows_read_csv(const char *path, PxRowTable *out)
{
    void *bytes;
    size_t size, lines = 0;
    *out = (PxRowTable){0};
    PX_TRY(px_file_read(path, (size_t)1 << 24, &bytes, &size));
    out->text = bytes;
    for (size_t k = 0; k < size; ++k)
        lines += out->text[k] == '\n';
    out->row = calloc(lines + 1, sizeof *out->row);
    PxStatus status = out->row != NULL ? PX_OK : px_fail(PX_ERR_MEMORY, "bench: no room for rows");
    char *end = strchr(out->text, '\n'); /* of the header */
    while (status == PX_OK && end != NULL && end[1] != '\0') {
        char *line = end + 1;
        end = strchr(line, '\n');
        if (end != NULL)
            status = read_row(path, line, &out->row[out->count++]);
    }
    if (status != PX_OK)
        px_row_table_free(out);
    return status;
}

void px_row_table_free(PxRowTable *table)
{
    px_list_free(table->text);
    free(table->row);
    *table = (PxRowTable){0};
}

/* ---- the page ---- */

static void put_cell(FILE *out, double value, int digits)
{
    if (isfinite(value))
        fprintf(out, " %.*g |", digits, value);
    else
        fputs("  |", out);
}

static void put_table(FILE *out, const PxValidateGroup *group, const PxRow *rows, size_t count)
{
    fputs(
        "\n| case | solver | model | spacings | figure | value | reference | error % | wanted % | "
        "at twice the spacing % | last release | measured |\n"
        "|---|---|---|--:|---|--:|--:|--:|--:|--:|--:|---|\n",
        out);
    for (size_t k = 0; k < count; ++k) {
        const PxRow *row = &rows[k];
        if (row->group != group)
            continue;
        bool bad = !isnan(row->figure.within) && !px_row_good(row);
        fprintf(out, "| %s | %s | %s | %.0f | %s |", row->name.name, row->name.solver,
                row->name.model, row->name.cells, row->name.figure);
        put_cell(out, row->figure.measured, 5);
        put_cell(out, row->figure.reference, 6);
        if (bad)
            fprintf(out, " **%.3g** |", 100 * row->figure.error);
        else
            put_cell(out, 100 * row->figure.error, 3);
        put_cell(out, 100 * row->figure.within, 6);
        put_cell(out, 100 * row->coarse, 3);
        put_cell(out, row->last, 5);
        fprintf(out, " %s |\n", row->day != NULL ? row->day : "");
    }
}

/* Cases of the group that have no row. */
static void put_missing(FILE *out, const PxValidateGroup *group, const PxRow *rows, size_t count)
{
    const char *between = "\nNot measured: ";
    for (size_t k = 0; k < group->count; ++k) {
        const PxValidateCase *c = &group->cases[k];
        const char *model = c->model != NULL ? c->model : "";
        bool found = false;
        for (size_t r = 0; r < count && !found; ++r)
            found = strcmp(rows[r].name.name, c->name) == 0 &&
                    strcmp(rows[r].name.solver, c->solver) == 0 &&
                    strcmp(rows[r].name.model, model) == 0 && rows[r].name.cells == c->cells;
        if (found)
            continue;
        fprintf(out, "%s%s, %s%s%s, %.0f spacings", between, c->name, c->solver,
                model[0] != '\0' ? ", " : "", model, c->cells);
        between = "; ";
    }
    fputs(between[0] == ';' ? ".\n" : "", out);
}

/* Rows that are not within their limits. */
static void put_short(FILE *out, const PxRow *rows, size_t count)
{
    fputs("\n## What falls short\n\n", out);
    for (size_t k = 0; k < count; ++k) {
        const PxRow *row = &rows[k];
        if (isnan(row->figure.within) || px_row_good(row))
            continue;
        fprintf(out, "- %s, %s%s%s: %s: ", row->name.name, row->name.solver,
                row->name.model[0] != '\0' ? ", " : "", row->name.model, row->name.figure);
        if (isfinite(row->figure.error))
            fprintf(out, "error %.3g %%, wanted %.3g %%\n", 100 * row->figure.error,
                    100 * row->figure.within);
        else
            fputs("did not finish\n", out);
    }
    fputc('\n', out);
    for (size_t k = 0; px_validate_group(k) != NULL; ++k)
        if (px_validate_group(k)->falls_short != NULL)
            fprintf(out, "%s", px_validate_group(k)->falls_short);
}

static void put_page(FILE *out, const PxRow *rows, size_t count)
{
    size_t wanted = 0, good = 0;
    for (size_t k = 0; k < count; ++k) {
        wanted += !isnan(rows[k].figure.within);
        good += px_row_good(&rows[k]);
    }
    fprintf(
        out,
        "<!-- Written by `phyxel bench validate --write docs/validation.md`; the texts are in "
        "src/study/validate/. -->\n"
        "# The physics against formulas\n\n"
        "`phyxel bench validate` measures every case of fluids, solids and heat for which a "
        "formula or a law gives the result,\nand writes this page. The figures do not depend on "
        "the machine or on the number of threads. `--quick` measures a part of the\ncases, at "
        "one spacing each; `--test WORD` those whose names contain the word.\n\n"
        "**%zu of %zu figures are within the wanted error.** Errors beyond it are printed in "
        "bold. \"Spacings\" is the number of spacings\nalong the characteristic length of the "
        "case; \"last release\" is the value of the row in\n"
        "[bench/results/validate.csv](../bench/results/validate.csv); \"measured\" is the day on "
        "which the figure was measured. Not every case is\nmeasured again after each change, so "
        "an older figure may be that of older code.\n",
        good, wanted);
    for (size_t k = 0; px_validate_group(k) != NULL; ++k) {
        const PxValidateGroup *group = px_validate_group(k);
        fprintf(out, "\n## %s\n\n%s", group->title, group->about);
        put_table(out, group, rows, count);
        put_missing(out, group, rows, count);
    }
    put_short(out, rows, count);
}

PxStatus px_rows_write_page(const char *path, const PxRow *rows, size_t count)
{
    return write_text(path, put_page, rows, count);
}
