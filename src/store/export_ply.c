/// Stanford PLY export, binary little endian: x y z nx ny nz red green blue vx vy vz under their
/// customary names, if present, then all other columns; faces as vertex_indices.
///
/// PLY has no 64-bit integers, and a double holds only 53 bits of an id, so a column of
/// 64-bit integers becomes two of 32 bits, NAME_low and NAME_high.
#include "shape/ply_write.h"
#include "store/column_form.h"
#include "store/export.h"

#include <stdio.h>
#include <stdlib.h>

/* All components of all columns, each split into two halves at most. */
#define MAX_VALUES ((PX_TABLE_MAX_COLUMNS + 1) * PX_TABLE_MAX_COMPONENTS * 2)

typedef struct Values {
    PxPlyValues value[MAX_VALUES];
    char name[MAX_VALUES][PX_TABLE_NAME + 10];
    uint32_t count;
} Values;

static void add_value(Values *v, PxPlyType type, const char *name, const char *ending,
                      const void *data, size_t stride)
{
    snprintf(v->name[v->count], sizeof v->name[0], "%s%s", name, ending);
    v->value[v->count] = (PxPlyValues){v->name[v->count], type, type, data, stride};
    ++v->count;
}

static void add_column(Values *v, const PxColumn *column, const char *const *names)
{
    static const PxPlyType types[PX_TYPE_COUNT] = {
        [PX_U8] = PX_PLY_U8,   [PX_U32] = PX_PLY_U32, [PX_I32] = PX_PLY_I32,
        [PX_F32] = PX_PLY_F32, [PX_F64] = PX_PLY_F64, [PX_U64] = PX_PLY_U32};
    for (uint32_t k = 0; k < column->components; ++k) {
        char own[PX_COMPONENT_NAME];
        px_component_name(column, k, own);
        const char *name = names != NULL ? names[k] : own;
        PxPlyType type = types[column->type];
        const uint8_t *data = column->data[k];
        if (column->type != PX_U64) {
            add_value(v, type, name, "", data, px_type_size(column->type));
            continue;
        }
        add_value(v, type, own, "_low", data, 8);
        add_value(v, type, own, "_high", data != NULL ? data + 4 : NULL, 8);
    }
}

static PxStatus put_to_file(void *user, const void *bytes, size_t size)
{
    return px_file_put(user, bytes, size);
}

PxStatus px_export_ply(PxFile *file, const PxExportFrame *frame)
{
    static const char *const position_names[] = {"x", "y", "z"};
    static const char *const normal_names[] = {"nx", "ny", "nz"};
    static const char *const colour_names[] = {"red", "green", "blue"};
    static const char *const velocity_names[] = {"vx", "vy", "vz"};
    const struct {
        const PxColumn *column;
        const char *const *names;
    } first[] = {{frame->position, position_names},
                 {frame->normal, normal_names},
                 {frame->colour, colour_names},
                 {frame->velocity, velocity_names}};
    Values *values = malloc(sizeof *values);
    if (values == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", file->path);
    values->count = 0;
    for (size_t k = 0; k < PX_COUNT(first); ++k)
        if (first[k].column != NULL)
            add_column(values, first[k].column, first[k].names);
    for (uint32_t c = 0; c < frame->columns; ++c) {
        const PxColumn *column = frame->column[c];
        if (column != frame->position && column != frame->normal && column != frame->colour &&
            column != frame->velocity)
            add_column(values, column, NULL);
    }
    PxText comment = {0};
    px_export_title(&comment, frame);
    px_text_add(&comment, "\ntime ");
    px_text_add_f64(&comment, frame->meta.time);
    px_text_add(&comment, "%c", '\0');
    PxPlySink sink = {put_to_file, file};
    PxStatus status = px_text_check(&comment, file->path);
    if (status == PX_OK)
        status = px_ply_put_header(&sink, comment.data, values->value, values->count,
                                   frame->points.count, frame->surface, frame->triangles);
    if (status == PX_OK)
        status = px_ply_put_vertices(&sink, values->value, values->count, frame->points.count);
    if (status == PX_OK && frame->surface)
        status =
            px_ply_put_triangles(&sink, (const uint32_t(*)[3])frame->triangle, frame->triangles, 0);
    px_text_free(&comment);
    free(values);
    return status;
}
