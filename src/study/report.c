#include "study/report.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 20, CELL = 64 };

struct PxReport {
    json_t *root;
    json_t *rows; /* of the last table; borrowed */
    FILE *out;
    char *text;
    size_t size;
    PxReportColumn column[MOST_COLUMNS];
    size_t columns;
    /* Cells of the last table, until the column widths are known. */
    char (*cell)[CELL];
    size_t cells, room;
    bool failed;
};

PxReport *px_report_create(const char *name)
{
    PxReport *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->root = json_object();
    r->out = open_memstream(&r->text, &r->size);
    if (r->root == NULL || r->out == NULL) {
        px_report_free(r);
        return NULL;
    }
    json_object_set_new(r->root, "bench", json_string(name));
    return r;
}

void px_report_free(PxReport *r)
{
    if (r == NULL)
        return;
    json_decref(r->root);
    if (r->out != NULL)
        fclose(r->out);
    free(r->text);
    free(r->cell);
    free(r);
}

void px_report_fact(PxReport *r, const char *key, const char *text)
{
    if (r == NULL)
        return;
    json_object_set_new(r->root, key, json_string(text));
    fprintf(r->out, "%s: %s\n", key, text);
}

void px_report_number(PxReport *r, const char *key, double value, const char *unit)
{
    if (r == NULL)
        return;
    json_object_set_new(r->root, key, json_real(value));
    fprintf(r->out, "%s: %.6g%s%s\n", key, value, unit[0] != '\0' ? " " : "", unit);
}

static bool is_text(const PxReportColumn *column)
{
    return strcmp(column->format, "%s") == 0;
}

/* Prints the cells of the last table, columns as wide as they need. */
static void flush_table(PxReport *r)
{
    if (r->columns == 0)
        return;
    for (size_t row = 0; row * r->columns < r->cells; ++row) {
        for (size_t c = 0; c < r->columns; ++c) {
            size_t width = 0;
            for (size_t k = c; k < r->cells; k += r->columns)
                width = strlen(r->cell[k]) > width ? strlen(r->cell[k]) : width;
            int pad = is_text(&r->column[c]) ? -(int)width : (int)width;
            fprintf(r->out, "%s%*s", c > 0 ? "  " : "", pad, r->cell[row * r->columns + c]);
        }
        fputc('\n', r->out);
    }
    r->cells = r->columns = 0;
}

static char *new_cell(PxReport *r)
{
    if (r->cells == r->room) {
        size_t room = r->room * 2 + 64;
        void *grown = realloc(r->cell, room * sizeof *r->cell);
        if (grown == NULL) {
            r->failed = true;
            return NULL;
        }
        r->cell = grown;
        r->room = room;
    }
    return r->cell[r->cells++];
}

void px_report_table(PxReport *r, const char *key, const char *title, const PxReportColumn *columns,
                     size_t count)
{
    if (r == NULL || count > MOST_COLUMNS)
        return;
    flush_table(r);
    fprintf(r->out, "\n%s\n", title);
    memcpy(r->column, columns, count * sizeof *columns);
    r->columns = count;
    r->rows = json_array();
    json_object_set_new(r->root, key, r->rows);
    for (size_t c = 0; c < count; ++c) {
        char *cell = new_cell(r);
        if (cell != NULL)
            snprintf(cell, CELL, "%s", columns[c].title);
    }
}

void px_report_row(PxReport *r, ...)
{
    if (r == NULL || r->columns == 0)
        return;
    va_list arguments;
    va_start(arguments, r);
    json_t *row = json_object();
    json_array_append_new(r->rows, row);
    for (size_t c = 0; c < r->columns; ++c) {
        const PxReportColumn *column = &r->column[c];
        char *cell = new_cell(r);
        if (is_text(column)) {
            const char *text = va_arg(arguments, const char *);
            json_object_set_new(row, column->key, json_string(text));
            if (cell != NULL)
                snprintf(cell, CELL, "%s", text);
            continue;
        }
        double value = va_arg(arguments, double);
        json_object_set_new(row, column->key, isfinite(value) ? json_real(value) : json_null());
        if (cell == NULL)
            continue;
        cell[0] = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* formats come from our own tables */
        if (isfinite(value))
            snprintf(cell, CELL, column->format, value);
#pragma GCC diagnostic pop
    }
    va_end(arguments);
}

void px_report_note(PxReport *r, const char *format, ...)
{
    if (r == NULL)
        return;
    flush_table(r);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(r->out, format, arguments);
    va_end(arguments);
    fputc('\n', r->out);
}

PxStatus px_report_finish(PxReport *r, char **text, char **json)
{
    *text = *json = NULL;
    if (r == NULL)
        return px_fail(PX_ERR_MEMORY, "bench: no room for the report");
    flush_table(r);
    bool written = fflush(r->out) == 0 && !ferror(r->out);
    char *object = json_dumps(r->root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    char *table = written ? strdup(r->text) : NULL;
    size_t length = object != NULL ? strlen(object) : 0;
    char *line = object != NULL ? realloc(object, length + 2) : NULL;
    if (table == NULL || line == NULL || r->failed) {
        free(table);
        free(line != NULL ? line : object);
        return px_fail(PX_ERR_MEMORY, "bench: no room for the report");
    }
    memcpy(line + length, "\n", 2);
    *text = table;
    *json = line;
    return PX_OK;
}
