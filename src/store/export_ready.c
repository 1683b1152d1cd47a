/// Preparation of a frame for all exporters: checks positions, converts axes, selects columns and
/// assigns colours.
#include "store/export.h"

#include "store/column_form.h"
#include "store/palette.h"

#include "phyxel/suggest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void px_export_frame_init(PxExportFrame *frame)
{
    *frame = (PxExportFrame){0};
    px_table_init(&frame->points, NULL);
    px_table_init(&frame->cells, NULL);
    px_table_init(&frame->rigid, NULL);
    px_table_init(&frame->joints, NULL);
}

void px_export_frame_free(PxExportFrame *frame)
{
    for (uint32_t k = 0; k < 3; ++k)
        px_release(NULL, frame->own_colour.data[k], frame->points.count);
    px_table_free(&frame->points);
    px_table_free(&frame->cells);
    px_table_free(&frame->rigid);
    px_table_free(&frame->joints);
    px_list_free(frame->triangle);
    *frame = (PxExportFrame){0};
}

static bool is_real(const PxColumn *column, uint32_t components)
{
    return column != NULL && column->components == components &&
           (column->type == PX_F32 || column->type == PX_F64);
}

static const PxColumn *find_vector(const PxTable *points, const char *name)
{
    const PxColumn *column = px_table_find(points, name);
    return is_real(column, 3) ? column : NULL;
}

static const char *kind(const PxExportFrame *frame)
{
    return frame->surface ? "vertex" : "particle";
}

/* Checks that all positions are finite, and computes their bounds. */
static PxStatus check_positions(PxExportFrame *frame)
{
    double low[3], high[3];
    for (uint32_t k = 0; k < 3; ++k) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (uint32_t i = 0; i < frame->points.count; ++i) {
            double x = px_export_real(frame->position, k, i);
            if (!isfinite(x))
                return px_fail(PX_ERR_NUMERIC,
                               "export: frame %u: position %c of %s %u is %g, wanted a finite "
                               "number",
                               frame->meta.number, "xyz"[k], kind(frame), i, x);
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    frame->bounds = (PxBounds){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    return PX_OK;
}

/* ---- columns ---- */

/* Lists the names of the columns for a message. */
static void list_names(const PxTable *points, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t c = 0; c < points->columns && used < size; ++c)
        used += (size_t)snprintf(out + used, size - used, "%s%s", c > 0 ? ", " : "",
                                 points->column[c].name);
}

static PxStatus no_column(const PxExportFrame *frame, const char *wrong)
{
    const char *names[PX_TABLE_MAX_COLUMNS];
    char known[512];
    for (uint32_t c = 0; c < frame->points.columns; ++c)
        names[c] = frame->points.column[c].name;
    const char *near = px_suggest(wrong, names, frame->points.columns);
    list_names(&frame->points, known, sizeof known);
    return px_fail(PX_ERR_ARGUMENT, "export: frame %u has no column '%s'%s%s%s; it has %s",
                   frame->meta.number, wrong, near != NULL ? ", did you mean '" : "",
                   near != NULL ? near : "", near != NULL ? "'?" : "", known);
}

/* Sets chosen[c] for the columns named in the list. */
static PxStatus read_choice(const PxExportFrame *frame, const char *list, bool *chosen)
{
    for (const char *word = list;; ++word) {
        char name[PX_TABLE_NAME];
        size_t length = strcspn(word, ",");
        if (length == 0)
            return px_fail(PX_ERR_ARGUMENT,
                           "export: columns are '%.80s', wanted names with commas between them",
                           list);
        snprintf(name, sizeof name, "%.*s", (int)length, word);
        const PxColumn *column = length < sizeof name ? px_table_find(&frame->points, name) : NULL;
        if (column == NULL)
            return no_column(frame, name);
        chosen[column - frame->points.column] = true;
        word += length;
        if (*word == '\0')
            return PX_OK;
    }
}

static PxStatus choose_columns(PxExportFrame *frame, const char *list)
{
    bool chosen[PX_TABLE_MAX_COLUMNS] = {false};
    if (list != NULL)
        PX_TRY(read_choice(frame, list, chosen));
    for (uint32_t c = 0; c < frame->points.columns; ++c) {
        const PxColumn *column = &frame->points.column[c];
        if (list == NULL || chosen[c] || column == frame->position || column == frame->normal ||
            column == frame->colour)
            frame->column[frame->columns++] = column;
        else if (column == frame->velocity)
            frame->velocity = NULL;
    }
    return PX_OK;
}

/* ---- colours ---- */

static uint8_t colour_byte(double value)
{
    return value > 0 ? value < 1 ? (uint8_t)(255 * value + 0.5) : 255 : 0;
}

/* Makes three bytes per point, from a column in 0 .. 1 or from the palette. */
static PxStatus make_colours(PxExportFrame *frame)
{
    const PxColumn *from = find_vector(&frame->points, "colour");
    const PxColumn *material = px_table_find(&frame->points, "material");
    if (material != NULL && material->type != PX_U32)
        material = NULL;
    PxColumn *to = &frame->own_colour;
    strcpy(to->name, "colour");
    to->type = PX_U8;
    to->components = 3;
    uint32_t count = frame->points.count;
    for (uint32_t k = 0; k < 3 && count > 0; ++k) {
        uint8_t *data = to->data[k] = px_allocate(NULL, count);
        if (data == NULL)
            return px_fail(PX_ERR_MEMORY, "export: no room for the colours of %u points", count);
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t slot = material != NULL ? ((const uint32_t *)material->data[0])[i] : 0;
            data[i] = from != NULL ? colour_byte(px_export_real(from, k, i)) : px_palette(slot)[k];
        }
    }
    frame->colour = to;
    /* Replaces the column it was made from. */
    for (uint32_t c = 0; c < frame->columns; ++c)
        if (frame->column[c] == from) {
            frame->column[c] = to;
            return PX_OK;
        }
    frame->column[frame->columns++] = to;
    return PX_OK;
}

/* ---- axes ---- */

static void set_real(const PxColumn *column, uint32_t component, uint32_t row, double value)
{
    if (column->type == PX_F32)
        ((float *)column->data[component])[row] = (float)value;
    else
        ((double *)column->data[component])[row] = value;
}

/* With R the rotation: v -> R v for vectors, S -> R S R^T for tensors. */
static void turn_column(const PxColumn *column, uint32_t count, bool to_z)
{
    double s = to_z ? 1 : -1; /* y' = -s z, z' = s y */
    bool tensor = px_column_form(column) == PX_FORM_TENSOR;
    for (uint32_t i = 0; i < count; ++i) {
        double v[6] = {0};
        for (uint32_t k = 0; k < column->components; ++k)
            v[k] = px_export_real(column, k, i);
        set_real(column, 1, i, tensor ? v[2] : -s * v[2]);
        set_real(column, 2, i, tensor ? v[1] : s * v[1]);
        if (!tensor)
            continue;
        set_real(column, 3, i, -s * v[5]);
        set_real(column, 4, i, -v[4]);
        set_real(column, 5, i, s * v[3]);
    }
}

/* Rotates by 90 degrees about x, which maps the up axis without mirroring. */
static void turn(PxExportFrame *frame, char up)
{
    if (up == '\0' || up == frame->meta.up)
        return;
    for (uint32_t c = 0; c < frame->points.columns; ++c)
        if (px_column_in_world_axes(&frame->points.column[c]))
            turn_column(&frame->points.column[c], frame->points.count, up == 'z');
    frame->meta.up = up;
}

PxStatus px_export_ready(PxExportFrame *frame, const PxExportDef *def, bool colour)
{
    frame->position = find_vector(&frame->points, "position");
    frame->normal = find_vector(&frame->points, "normal");
    frame->velocity = find_vector(&frame->points, "velocity");
    const PxColumn *given = px_table_find(&frame->points, "colour");
    if (given != NULL && given->type == PX_U8 && given->components == 3)
        frame->colour = given;
    if (frame->position == NULL)
        return px_fail(PX_ERR_FORMAT, "export: frame %u has no position of three floats or doubles",
                       frame->meta.number);
    turn(frame, def->up);
    PX_TRY(check_positions(frame));
    PX_TRY(choose_columns(frame, def->columns));
    return colour && frame->colour == NULL ? make_colours(frame) : PX_OK;
}
