#define _GNU_SOURCE /* memmem */
#include "store/ply_points.h"

#include "shape/ply_read.h"
#include "store/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest file, bytes. */
#define MAX_FILE ((size_t)16 << 30)

/* Column type of each PLY type. */
static const PxType column_types[PX_PLY_TYPES] = {
    [PX_PLY_I8] = PX_I32,  [PX_PLY_U8] = PX_U8,   [PX_PLY_I16] = PX_I32, [PX_PLY_U16] = PX_U32,
    [PX_PLY_I32] = PX_I32, [PX_PLY_U32] = PX_U32, [PX_PLY_F32] = PX_F32, [PX_PLY_F64] = PX_F64,
};

/* Groups of three properties that form one column. */
static const struct {
    const char *part[3];
    const char *name, *unit;
} vectors[] = {
    {{"x", "y", "z"}, "position", "m"},          {{"nx", "ny", "nz"}, "normal", ""},
    {{"red", "green", "blue"}, "colour", ""},    {{"vx", "vy", "vz"}, "velocity", "m/s"},
    {{"t1x", "t1y", "t1z"}, "half_axis_1", "m"}, {{"t2x", "t2y", "t2z"}, "half_axis_2", "m"},
};

/* Reads the time and the up axis from the comments that phyxel writes. */
static void read_comment(void *user, PxWord rest)
{
    PxPlyPoints *out = user;
    PxWord word = {0}, number;
    PxWord line = rest;
    double time;
    if (px_word_next(&rest, &word) && px_word_is(word, "time")) {
        if (px_word_next(&rest, &number) && px_word_number(number, &time) && isfinite(time))
            out->time = time;
        return;
    }
    if (px_word_is(word, PX_PLY_CHECKSUM))
        out->checked = true;
    if (px_word_is(word, "phyxel") || px_word_is(word, "stamp"))
        out->ours = true;
    if (px_word_is(word, "run") && px_word_next(&rest, &number) &&
        number.length == PX_DIGEST_TEXT - 1) {
        memcpy(out->run, number.at, number.length);
        if (px_word_next(&rest, &word) && px_word_is(word, "frame") &&
            px_word_next(&rest, &number) && px_word_number(number, &time) && time >= 0 &&
            time < UINT32_MAX)
            out->number = (uint32_t)time;
        return;
    }
    const char *up = memmem(line.at, line.length, " up, SI units", 13);
    if (up != NULL && up > line.at && (up[-1] == 'y' || up[-1] == 'z'))
        out->up = up[-1];
}

/* ---- header ---- */

static const PxPlyProperty *find_property(const PxPlyReader *ply, const PxPlyElement *e,
                                          const char *name)
{
    for (int k = e->first; k < e->first + e->properties; ++k)
        if (px_word_is(ply->property[k].name, name))
            return &ply->property[k];
    return NULL;
}

/* Requires an element vertex without lists, whose property names are valid column names, then
 * optionally an element face with nothing but vertex indices. */
static PxStatus check_header(const PxPlyReader *ply)
{
    const PxPlyElement *e = ply->element;
    char quote[PX_WORD_QUOTE];
    bool faces = ply->elements == 2 && px_word_is(e[1].name, "face");
    if (ply->elements == 0 || !px_word_is(e[0].name, "vertex") || (ply->elements > 1 && !faces) ||
        ply->elements > 2)
        return px_fail(PX_ERR_FORMAT, "%s: wanted element vertex, then perhaps element face",
                       ply->name);
    for (int k = 0; k < ply->elements; ++k)
        if (e[k].count > INT32_MAX)
            return px_fail(PX_ERR_FORMAT, "%s: line %zu: %llu elements, wanted fewer than 2^31",
                           ply->name, e[k].line, (unsigned long long)e[k].count);
    for (int k = e->first; k < e->first + e->properties; ++k) {
        const PxPlyProperty *p = &ply->property[k];
        char name[PX_TABLE_NAME];
        if (p->list || p->name.length >= sizeof name)
            return px_fail(PX_ERR_FORMAT, "%s: vertices have a %s '%s', wanted none", ply->name,
                           p->list ? "list" : "property with a long name",
                           px_word_quote(p->name, quote));
        memcpy(name, p->name.at, p->name.length);
        name[p->name.length] = '\0';
        if (find_property(ply, e, name) != p)
            return px_fail(PX_ERR_FORMAT, "%s: vertices have two properties '%s'", ply->name,
                           px_word_quote(p->name, quote));
    }
    if (faces && (e[1].properties != 1 || px_ply_corners(ply, &e[1]) == NULL))
        return px_fail(PX_ERR_FORMAT,
                       "%s: wanted property list uchar int vertex_indices alone of faces",
                       ply->name);
    return PX_OK;
}

/* ---- points ---- */

/* Whether the declared type can hold a number read from a text file. */
static bool fits(double value, PxPlyType type)
{
    const PxPlyTypeInfo *info = &px_ply_types[type];
    return type >= PX_PLY_F32 ||
           (value >= info->least && value <= info->most && value == floor(value));
}

static void put_value(void *to, uint32_t i, PxType type, double value)
{
    switch (type) {
    case PX_U8:
        ((uint8_t *)to)[i] = (uint8_t)value;
        break;
    case PX_I32:
        ((int32_t *)to)[i] = (int32_t)value;
        break;
    case PX_U32:
        ((uint32_t *)to)[i] = (uint32_t)value;
        break;
    case PX_F32:
        ((float *)to)[i] = (float)value;
        break;
    default:
        ((double *)to)[i] = value;
    }
}

static PxStatus read_component(const PxPlyReader *ply, const PxPlyProperty *p,
                               const PxPlyRows *rows, size_t width, PxType type, void *to)
{
    if (rows->count == 0)
        return PX_OK; /* data is NULL then */
    const uint8_t *from = rows->data + p->at;
    size_t size = px_ply_types[p->stored].size;
    bool whole = p->stored == p->type && size == px_type_size(type);
    char quote[PX_WORD_QUOTE];
    for (uint32_t i = 0; i < rows->count; ++i, from += width) {
        if (whole) {
            memcpy((uint8_t *)to + i * size, from, size);
            continue;
        }
        double value = px_ply_value(from, p->stored);
        if (!fits(value, p->type))
            return px_fail(PX_ERR_FORMAT, "%s: %s of vertex %u is %g, wanted a %s", ply->name,
                           px_word_quote(p->name, quote), i, value, px_ply_types[p->type].name);
        put_value(to, i, type, value);
    }
    return PX_OK;
}

/* Reads one or three properties of the same type into a column. */
static PxStatus read_column(const PxPlyReader *ply, const PxPlyRows *rows, const char *name,
                            const char *unit, const PxPlyProperty *const *part, uint32_t parts,
                            PxTable *points)
{
    PxType type = column_types[part[0]->type];
    uint32_t index;
    PxStatus status = px_table_add(points, name, unit, type, parts, PX_COLUMN_FRAME, &index);
    if (status != PX_OK)
        /* too many columns, or the name of an existing vector */
        return px_fail_prefix(status == PX_ERR_ARGUMENT ? PX_ERR_FORMAT : status,
                              "%s: ", ply->name);
    for (uint32_t k = 0; k < parts; ++k)
        PX_TRY(read_component(ply, part[k], rows, ply->element->width, type,
                              points->column[index].data[k]));
    return PX_OK;
}

static PxStatus read_columns(const PxPlyReader *ply, const PxPlyRows *rows, PxTable *points)
{
    const PxPlyElement *e = ply->element;
    bool taken[PX_PLY_MAX_PROPERTIES] = {false};
    PX_TRY(px_table_append(points, (uint32_t)rows->count, NULL));
    for (size_t v = 0; v < PX_COUNT(vectors); ++v) {
        const PxPlyProperty *part[3];
        bool whole = true;
        for (int k = 0; k < 3; ++k) {
            part[k] = find_property(ply, e, vectors[v].part[k]);
            whole = whole && part[k] != NULL && part[k]->type == part[0]->type;
        }
        if (!whole && v == 0)
            return px_fail(PX_ERR_FORMAT, "%s: vertices have no x, y and z of one type", ply->name);
        if (!whole)
            continue;
        for (int k = 0; k < 3; ++k)
            taken[part[k] - ply->property] = true;
        PX_TRY(read_column(ply, rows, vectors[v].name, vectors[v].unit, part, 3, points));
    }
    for (int k = e->first; k < e->first + e->properties; ++k) {
        const PxPlyProperty *part = &ply->property[k];
        char name[PX_TABLE_NAME] = "";
        memcpy(name, part->name.at, part->name.length);
        if (!taken[k])
            PX_TRY(read_column(ply, rows, name, "", &part, 1, points));
    }
    return PX_OK;
}

static PxStatus read_all(PxPlyReader *ply, PxPlyPoints *out)
{
    PX_TRY(check_header(ply));
    PxPlyRows rows;
    PX_TRY(px_ply_rows(ply, ply->element, &rows));
    PxStatus status = read_columns(ply, &rows, &out->points);
    px_ply_rows_free(&rows);
    PX_TRY(status);
    out->faces = ply->elements > 1;
    if (out->faces) {
        PxPlyTriangles triangles = {0};
        status = px_ply_faces(ply, &ply->element[1], px_ply_corners(ply, &ply->element[1]),
                              out->points.count, &triangles);
        out->triangle = triangles.data;
        out->triangles = (uint32_t)triangles.count;
        PX_TRY(status);
        if (triangles.count > INT32_MAX)
            return px_fail(PX_ERR_FORMAT, "%s: %zu triangles, wanted fewer than 2^31", ply->name,
                           triangles.count);
    }
    PxWord word;
    size_t left = (size_t)(ply->text.end - ply->text.at);
    if (ply->encoding == PX_PLY_TEXT ? px_text_word(&ply->text, &word) : left > 0)
        return px_fail(PX_ERR_FORMAT, "%s: %zu bytes after the last %s, wanted none", ply->name,
                       left, out->faces ? "face" : "vertex");
    return PX_OK;
}

PxStatus px_ply_points_parse(const char *name, const void *bytes, size_t size, PxPlyPoints *out)
{
    PxPlyReader *ply = malloc(sizeof *ply);
    *out = (PxPlyPoints){.time = NAN};
    px_table_init(&out->points, NULL);
    if (ply == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room to read it", name);
    PxStatus status = px_ply_header(ply, name, bytes, size, read_comment, out);
    if (status == PX_OK)
        status = read_all(ply, out);
    free(ply);
    if (status != PX_OK)
        px_ply_points_free(out);
    return status;
}

PxStatus px_ply_points_read(const char *path, PxPlyPoints *out)
{
    void *bytes;
    size_t size;
    *out = (PxPlyPoints){.time = NAN};
    px_table_init(&out->points, NULL);
    PX_TRY(px_file_read(path, MAX_FILE, &bytes, &size));
    PxStatus status = px_ply_points_parse(path, bytes, size, out);
    px_list_free(bytes);
    return status;
}

void px_ply_points_free(PxPlyPoints *ply)
{
    px_table_free(&ply->points);
    px_list_free(ply->triangle);
    *ply = (PxPlyPoints){.time = NAN};
    px_table_init(&ply->points, NULL);
}
