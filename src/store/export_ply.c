/// Stanford PLY, binary little endian: x y z nx ny nz red green blue vx vy vz by the names that
/// other programs look for, as far as they are there, then all other columns; faces as
/// vertex_indices.
///
/// PLY has no 64-bit integers, and a double holds only 53 bits of an id: a column of
/// them becomes two of 32 bits, NAME_low and NAME_high.
#include "store/export.h"

#include <stdlib.h>
#include <string.h>

/* One property: a component of a column, or half of one. */
typedef struct Property {
    const uint8_t *data; /* of the first row */
    size_t size;         /* bytes of the property */
    size_t stride;       /* bytes from row to row */
} Property;

/* Every component of every column, each perhaps in two halves. */
#define MAX_PROPERTIES ((PX_TABLE_MAX_COLUMNS + 1) * PX_TABLE_MAX_COMPONENTS * 2)

static void add_property(PxText *header, Property *property, uint32_t *count, const char *type,
                         const char *name, const void *data, size_t size, size_t stride)
{
    px_text_add(header, "property %s %s\n", type, name);
    property[(*count)++] = (Property){data, size, stride};
}

static void add_column(PxText *header, Property *property, uint32_t *count, const PxColumn *column,
                       const char *const *names)
{
    static const char *const words[PX_TYPE_COUNT] = {
        [PX_U8] = "uchar",  [PX_U32] = "uint",   [PX_I32] = "int",
        [PX_F32] = "float", [PX_F64] = "double", [PX_U64] = "uint"};
    size_t size = px_type_size(column->type);
    for (uint32_t k = 0; k < column->components; ++k) {
        char name[PX_TABLE_NAME + 4], half[PX_TABLE_NAME + 10];
        const uint8_t *data = column->data[k];
        px_export_component(column, k, name);
        if (column->type != PX_U64) {
            add_property(header, property, count, words[column->type],
                         names != NULL ? names[k] : name, data, size, size);
            continue;
        }
        strcat(strcpy(half, name), "_low");
        add_property(header, property, count, "uint", half, data, 4, 8);
        strcat(strcpy(half, name), "_high");
        add_property(header, property, count, "uint", half, data + 4, 4, 8);
    }
}

static PxStatus put_rows(PxFile *file, const Property *property, uint32_t properties, uint32_t rows)
{
    size_t width = 0;
    for (uint32_t p = 0; p < properties; ++p)
        width += property[p].size;
    uint8_t *block = malloc(PX_EXPORT_BLOCK * width);
    if (block == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", file->path);
    PxStatus status = PX_OK;
    for (size_t first = 0; first < rows && status == PX_OK; first += PX_EXPORT_BLOCK) {
        uint32_t count = px_export_rows(first, rows);
        uint8_t *to = block;
        for (uint32_t p = 0; p < properties; ++p) {
            const uint8_t *from = property[p].data + first * property[p].stride;
            for (uint32_t i = 0; i < count; ++i)
                memcpy(to + i * width, from + i * property[p].stride, property[p].size);
            to += property[p].size;
        }
        status = px_file_put(file, block, count * width);
    }
    free(block);
    return status;
}

static PxStatus put_faces(PxFile *file, const PxExportFrame *frame)
{
    enum { RECORD = 13 }; /* how many corners, and three of them */
    uint8_t *block = malloc((size_t)PX_EXPORT_BLOCK * RECORD);
    if (block == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", file->path);
    PxStatus status = PX_OK;
    for (size_t first = 0; first < frame->triangles && status == PX_OK; first += PX_EXPORT_BLOCK) {
        uint32_t count = px_export_rows(first, frame->triangles);
        for (uint32_t i = 0; i < count; ++i) {
            block[i * RECORD] = 3;
            memcpy(block + i * RECORD + 1, frame->triangle[first + i], RECORD - 1);
        }
        status = px_file_put(file, block, (size_t)count * RECORD);
    }
    free(block);
    return status;
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
    Property *property = malloc(MAX_PROPERTIES * sizeof *property);
    if (property == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", file->path);

    PxText header = {0};
    uint32_t count = 0;
    px_text_add(&header, "ply\nformat binary_little_endian 1.0\ncomment ");
    px_export_title(&header, frame);
    px_text_add(&header, "\ncomment time ");
    px_text_add_f64(&header, frame->meta.time);
    px_text_add(&header, "\nelement vertex %u\n", frame->points.count);
    for (size_t k = 0; k < PX_COUNT(first); ++k)
        if (first[k].column != NULL)
            add_column(&header, property, &count, first[k].column, first[k].names);
    for (uint32_t c = 0; c < frame->columns; ++c) {
        const PxColumn *column = frame->column[c];
        if (column != frame->position && column != frame->normal && column != frame->colour &&
            column != frame->velocity)
            add_column(&header, property, &count, column, NULL);
    }
    if (frame->surface)
        px_text_add(&header, "element face %u\nproperty list uchar int vertex_indices\n",
                    frame->triangles);
    px_text_add(&header, "end_header\n");
    PxStatus status = px_export_flush(file, &header, true);
    if (status == PX_OK)
        status = put_rows(file, property, count, frame->points.count);
    if (status == PX_OK && frame->surface)
        status = put_faces(file, frame);
    px_text_free(&header);
    free(property);
    return status;
}
