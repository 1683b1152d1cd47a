#include "render/ply_table.h"

#include "shape/mesh_read.h"
#include "store/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, NO_TYPE } Type;

static const struct {
    const char *word;
    Type type;
} type_words[] = {
    {"char", INT8},     {"int8", INT8},       {"uchar", UINT8},    {"uint8", UINT8},
    {"short", INT16},   {"int16", INT16},     {"ushort", UINT16},  {"uint16", UINT16},
    {"int", INT32},     {"int32", INT32},     {"uint", UINT32},    {"uint32", UINT32},
    {"float", FLOAT32}, {"float32", FLOAT32}, {"double", FLOAT64}, {"float64", FLOAT64}};

static const size_t type_size[] = {1, 1, 2, 2, 4, 4, 4, 8, 0};

static Type type_find(const char *word)
{
    for (size_t k = 0; k < PX_COUNT(type_words); ++k)
        if (strcmp(type_words[k].word, word) == 0)
            return type_words[k].type;
    return NO_TYPE;
}

static double value_at(const uint8_t *p, Type type)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        float f32;
        double f64;
    } v;
    memcpy(&v, p, type_size[type]);
    switch (type) {
    case INT8:
        return v.i8;
    case UINT8:
        return v.u8;
    case INT16:
        return v.i16;
    case UINT16:
        return v.u16;
    case INT32:
        return v.i32;
    case UINT32:
        return v.u32;
    case FLOAT32:
        return (double)v.f32;
    case FLOAT64:
        return v.f64;
    default:
        return 0;
    }
}

/* ---- the header ---- */

typedef struct Header {
    uint64_t points, faces;
    Type type[PX_PLY_MOST_COLUMNS]; /* of a point's numbers */
    uint32_t columns;
    char name[PX_PLY_MOST_COLUMNS][32];
    Type count_type, corner_type; /* of a face's list */
    size_t size;                  /* bytes up to the first point */
} Header;

/* The next line, without its end; false after the last. */
static bool next_line(const char *text, size_t size, size_t *at, char *line, size_t room)
{
    const char *end = memchr(text + *at, '\n', size - *at);
    if (end == NULL)
        return false;
    size_t length = (size_t)(end - (text + *at));
    size_t kept = length < room ? length : room - 1;
    memcpy(line, text + *at, kept);
    line[kept] = '\0';
    if (kept > 0 && line[kept - 1] == '\r')
        line[kept - 1] = '\0';
    *at += length + 1;
    return true;
}

static PxStatus wrong(const char *name, int line, const char *what)
{
    return px_fail(PX_ERR_FORMAT, "%s:%d: %s", name, line, what);
}

static PxStatus read_header(const char *name, const char *text, size_t size, Header *h)
{
    char line[256], a[64], b[64], c[64], d[64], e[64];
    size_t at = 0;
    int number = 0, element = 0; /* 1: vertex, 2: face */
    *h = (Header){.count_type = NO_TYPE, .corner_type = NO_TYPE};
    while (next_line(text, size, &at, line, sizeof line)) {
        int words = sscanf(line, "%63s %63s %63s %63s %63s", a, b, c, d, e);
        ++number;
        if (number == 1 && strcmp(line, "ply") != 0)
            return wrong(name, 1, "it is no PLY file");
        if (words < 1 || number == 1 || strcmp(a, "comment") == 0 || strcmp(a, "obj_info") == 0)
            continue;
        if (strcmp(a, "end_header") == 0) {
            h->size = at;
            return PX_OK;
        }
        if (strcmp(a, "format") == 0) {
            if (words < 2 || strcmp(b, "binary_little_endian") != 0)
                return wrong(name, number, "wanted format binary_little_endian");
        } else if (strcmp(a, "element") == 0 && words >= 3) {
            char *end;
            unsigned long long count = strtoull(c, &end, 10);
            if (*end != '\0' || c[0] == '-' || count > UINT32_MAX / 4)
                return wrong(name, number, "that is no number of elements");
            element = strcmp(b, "vertex") == 0 ? 1 : strcmp(b, "face") == 0 ? 2 : 3;
            if (element == 1 && h->columns == 0)
                h->points = count;
            else if (element == 2)
                h->faces = count;
            else
                return wrong(name, number, "wanted elements vertex and face, in this order");
        } else if (strcmp(a, "property") == 0 && words >= 3 && element == 1) {
            if (h->columns == PX_PLY_MOST_COLUMNS || strlen(c) >= sizeof h->name[0] ||
                type_find(b) == NO_TYPE)
                return wrong(name, number, "that property of a vertex cannot be read");
            strcpy(h->name[h->columns], c);
            h->type[h->columns++] = type_find(b);
        } else if (strcmp(a, "property") == 0 && words == 5 && element == 2 &&
                   strcmp(b, "list") == 0 && h->count_type == NO_TYPE) {
            h->count_type = type_find(c);
            h->corner_type = type_find(d);
            if (h->count_type > UINT32 || h->corner_type > UINT32)
                return wrong(name, number, "a list of corners wants whole numbers");
        } else {
            return wrong(name, number, "that line of the header is not understood");
        }
    }
    return wrong(name, number, "the header does not end");
}

/* ---- what follows it ---- */

static bool take(void **out, size_t count, size_t size)
{
    size_t bytes;
    if (count == 0)
        return true;
    return px_size_multiply(count, size, &bytes) && (*out = px_allocate(NULL, bytes)) != NULL;
}

static PxStatus read_points(const char *name, const uint8_t *data, size_t size, const Header *h,
                            PxPlyTable *out, size_t *used)
{
    size_t stride = 0, offset[PX_PLY_MOST_COLUMNS];
    for (uint32_t k = 0; k < h->columns; ++k) {
        offset[k] = stride;
        stride += type_size[h->type[k]];
    }
    if (stride == 0 || h->points > size / stride)
        return px_fail(PX_ERR_FORMAT, "%s: it ends too early: %llu points of %zu bytes are missing",
                       name, (unsigned long long)h->points, stride);
    out->points = (uint32_t)h->points;
    for (uint32_t k = 0; k < h->columns; ++k) {
        memcpy(out->name[k], h->name[k], sizeof out->name[k]);
        if (!take((void **)&out->column[k], out->points, sizeof(float)))
            return px_fail(PX_ERR_MEMORY, "%s: no room for %u points", name, out->points);
        out->columns = k + 1;
        bool place = strlen(h->name[k]) == 1 && strchr("xyz", h->name[k][0]) != NULL;
        for (uint32_t i = 0; i < out->points; ++i) {
            float v = (float)value_at(data + i * stride + offset[k], h->type[k]);
            if (place && !isfinite(v))
                return px_fail(PX_ERR_FORMAT, "%s: %s of point %u is %g, wanted a finite number",
                               name, h->name[k], i, (double)v);
            out->column[k][i] = v;
        }
    }
    *used = stride * out->points;
    return PX_OK;
}

static PxStatus read_faces(const char *name, const uint8_t *data, size_t size, const Header *h,
                           PxPlyTable *out)
{
    size_t count_size = type_size[h->count_type], corner_size = type_size[h->corner_type], at = 0;
    if (h->faces > size / (count_size + 1) + 1)
        return px_fail(PX_ERR_FORMAT, "%s: it ends too early: %llu faces are missing", name,
                       (unsigned long long)h->faces);
    PX_LIST(uint32_t) flat = {0};
    PxStatus status = PX_OK;
    for (uint64_t f = 0; f < h->faces && status == PX_OK; ++f) {
        double corners = at + count_size <= size ? value_at(data + at, h->count_type) : -1;
        at += count_size;
        if (corners < 0 || corners > 1000 || (size - at) / corner_size < (size_t)corners) {
            status = px_fail(PX_ERR_FORMAT, "%s: face %llu is damaged or missing", name,
                             (unsigned long long)f);
            break;
        }
        if (corners >= 3 && !PX_LIST_RESERVE(&flat, 3 * ((size_t)corners - 2)))
            status = px_fail(PX_ERR_MEMORY, "%s: no room for its faces", name);
        uint32_t first = 0, last = 0;
        for (int k = 0; k < (int)corners && status == PX_OK; ++k, at += corner_size) {
            double corner = value_at(data + at, h->corner_type);
            if (corner < 0 || corner >= out->points)
                status = px_fail(PX_ERR_FORMAT, "%s: face %llu has corner %.0f of %u points", name,
                                 (unsigned long long)f, corner, out->points);
            uint32_t c = status == PX_OK ? (uint32_t)corner : 0;
            if (k >= 2 && status == PX_OK) { /* a fan from the first corner */
                flat.data[flat.count++] = first;
                flat.data[flat.count++] = last;
                flat.data[flat.count++] = c;
            }
            first = k == 0 ? c : first;
            last = c;
        }
    }
    out->triangles = (uint32_t)(flat.count / 3);
    if (status == PX_OK && !take((void **)&out->triangle, out->triangles, sizeof *out->triangle))
        status = px_fail(PX_ERR_MEMORY, "%s: no room for %u triangles", name, out->triangles);
    if (status == PX_OK && out->triangles > 0)
        memcpy(out->triangle, flat.data, (size_t)12 * out->triangles);
    PX_LIST_FREE(&flat);
    return status;
}

PxStatus px_ply_table_parse(const char *name, const void *bytes, size_t size, PxPlyTable *out)
{
    Header h;
    size_t used = 0;
    *out = (PxPlyTable){0};
    PX_TRY(read_header(name, bytes, size, &h));
    const uint8_t *data = (const uint8_t *)bytes + h.size;
    PxStatus status = read_points(name, data, size - h.size, &h, out, &used);
    if (status == PX_OK && h.faces > 0 && h.count_type == NO_TYPE)
        status = px_fail(PX_ERR_FORMAT, "%s: its faces have no list of corners", name);
    if (status == PX_OK && h.faces > 0)
        status = read_faces(name, data + used, size - h.size - used, &h, out);
    if (status == PX_OK &&
        (px_ply_column(out, "x") == NULL || px_ply_column(out, "y") == NULL ||
         px_ply_column(out, "z") == NULL) &&
        h.points > 0)
        status = px_fail(PX_ERR_FORMAT, "%s: its points have no x, y and z", name);
    if (status != PX_OK)
        px_ply_table_free(out);
    return status;
}

PxStatus px_ply_table_read(const char *path, PxPlyTable *out)
{
    void *bytes;
    size_t size;
    *out = (PxPlyTable){0};
    PX_TRY(px_file_read(path, (size_t)PX_MESH_MAX_FILE, &bytes, &size));
    PxStatus status = px_ply_table_parse(path, bytes, size, out);
    px_list_free(bytes);
    return status;
}

void px_ply_table_free(PxPlyTable *table)
{
    for (uint32_t k = 0; k < PX_PLY_MOST_COLUMNS; ++k)
        px_release(NULL, table->column[k], 0);
    px_release(NULL, table->triangle, 0);
    *table = (PxPlyTable){0};
}

const float *px_ply_column(const PxPlyTable *table, const char *name)
{
    for (uint32_t k = 0; k < table->columns; ++k)
        if (strcmp(table->name[k], name) == 0)
            return table->column[k];
    return NULL;
}
