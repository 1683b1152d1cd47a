#include "store/ply_points.h"

#include "shape/parse_text.h"
#include "store/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest file, bytes. */
#define MAX_FILE ((size_t)16 << 30)

enum { MAX_PROPERTIES = 256 };

typedef enum Type { I8, U8, I16, U16, I32, U32, F32, F64, TYPES } Type;

/* What a property's values become in a table. */
static const struct {
    const char *name, *other_name;
    size_t size;
    PxType to;
} types[TYPES] = {
    [I8] = {"char", "int8", 1, PX_I32},      [U8] = {"uchar", "uint8", 1, PX_U8},
    [I16] = {"short", "int16", 2, PX_I32},   [U16] = {"ushort", "uint16", 2, PX_U32},
    [I32] = {"int", "int32", 4, PX_I32},     [U32] = {"uint", "uint32", 4, PX_U32},
    [F32] = {"float", "float32", 4, PX_F32}, [F64] = {"double", "float64", 8, PX_F64},
};

/* Three properties that make one column. */
static const struct {
    const char *part[3];
    const char *name, *unit;
} vectors[] = {
    {{"x", "y", "z"}, "position", "m"},          {{"nx", "ny", "nz"}, "normal", ""},
    {{"red", "green", "blue"}, "colour", ""},    {{"vx", "vy", "vz"}, "velocity", "m/s"},
    {{"t1x", "t1y", "t1z"}, "half_axis_1", "m"}, {{"t2x", "t2y", "t2z"}, "half_axis_2", "m"},
};

typedef struct Property {
    char name[PX_TABLE_NAME];
    Type type;
    size_t at; /* bytes from the start of a row */
} Property;

typedef struct Header {
    uint64_t points, faces;
    Property property[MAX_PROPERTIES];
    uint32_t properties;
    size_t width; /* bytes of a point */
    bool has_points, has_faces, has_corners;
    Type count, corner; /* types of a face's list */
    size_t size;        /* bytes up to the first point */
} Header;

static bool type_named(const char *word, Type *out)
{
    for (int k = 0; k < TYPES; ++k)
        if (strcmp(word, types[k].name) == 0 || strcmp(word, types[k].other_name) == 0) {
            *out = (Type)k;
            return true;
        }
    return false;
}

static double value_at(const uint8_t *from, Type type)
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
    memcpy(&v, from, types[type].size);
    switch (type) {
    case I8:
        return v.i8;
    case U8:
        return v.u8;
    case I16:
        return v.i16;
    case U16:
        return v.u16;
    case I32:
        return v.i32;
    case U32:
        return v.u32;
    case F32:
        return (double)v.f32;
    default:
        return v.f64;
    }
}

/* ---- header ---- */

static PxStatus wrong(const char *name, int line, const char *what, const char *text)
{
    return px_fail(PX_ERR_FORMAT, "%s: line %d: '%.40s', wanted %s", name, line, text, what);
}

/* Comments of ours say when it is and which way is up. */
static void read_comment(const char *line, PxPlyPoints *out)
{
    const char *up = strstr(line, " up, SI units");
    if (strncmp(line, "comment time ", 13) == 0) {
        char *end;
        void *locale = px_text_plain_begin();
        double time = strtod(line + 13, &end);
        px_text_plain_end(locale);
        if (end != line + 13 && isfinite(time))
            out->time = time;
    } else if (up != NULL && up > line && (up[-1] == 'y' || up[-1] == 'z')) {
        out->up = up[-1];
    }
}

static PxStatus read_element(const char *name, int number, const char *line, const char *what,
                             const char *count, Header *h)
{
    char *end;
    unsigned long long rows = strtoull(count, &end, 10);
    bool vertex = strcmp(what, "vertex") == 0, face = strcmp(what, "face") == 0;
    if (count[0] < '0' || count[0] > '9' || *end != '\0' || rows > INT32_MAX)
        return wrong(name, number, "a number of elements below 2^31", line);
    if ((vertex && h->has_points) || (face && (h->has_faces || !h->has_points)) ||
        (!vertex && !face))
        return wrong(name, number, "element vertex, then perhaps element face", line);
    if (vertex) {
        h->points = rows;
        h->has_points = true;
    } else {
        h->faces = rows;
        h->has_faces = true;
    }
    return PX_OK;
}

static PxStatus read_property(const char *name, int number, const char *line, int words,
                              char word[5][64], Header *h)
{
    if (h->has_faces) {
        if (words != 5 || strcmp(word[1], "list") != 0 || h->has_corners ||
            !type_named(word[2], &h->count) || !type_named(word[3], &h->corner) ||
            h->count >= F32 || h->corner >= F32)
            return wrong(name, number, "property list uchar int vertex_indices alone", line);
        h->has_corners = true;
        return PX_OK;
    }
    if (h->properties == MAX_PROPERTIES)
        return wrong(name, number, "fewer properties", line);
    Property *p = &h->property[h->properties];
    if (!h->has_points || words != 3 || !type_named(word[1], &p->type) ||
        strlen(word[2]) >= sizeof p->name)
        return wrong(name, number, "property TYPE NAME of a vertex", line);
    for (uint32_t k = 0; k < h->properties; ++k)
        if (strcmp(h->property[k].name, word[2]) == 0)
            return wrong(name, number, "another name than one before", line);
    strcpy(p->name, word[2]);
    p->at = h->width;
    h->width += types[p->type].size;
    ++h->properties;
    return PX_OK;
}

static PxStatus read_header(const char *name, const char *bytes, size_t size, Header *h,
                            PxPlyPoints *out)
{
    bool format = false;
    for (int number = 1;; ++number) {
        char line[256], word[5][64] = {""};
        const char *end = memchr(bytes + h->size, '\n', size - h->size);
        if (end == NULL)
            return px_fail(PX_ERR_FORMAT, "%s: line %d: the header does not end", name, number);
        size_t length = (size_t)(end - (bytes + h->size));
        length = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, bytes + h->size, length);
        line[length] = '\0';
        line[strcspn(line, "\r")] = '\0';
        h->size = (size_t)(end - bytes) + 1;
        int words =
            sscanf(line, "%63s %63s %63s %63s %63s", word[0], word[1], word[2], word[3], word[4]);
        if (number == 1) {
            if (strcmp(line, "ply") != 0)
                return wrong(name, number, "ply, as PLY files begin", line);
        } else if (words < 1 || strcmp(word[0], "comment") == 0 ||
                   strcmp(word[0], "obj_info") == 0) {
            read_comment(line, out);
        } else if (strcmp(word[0], "end_header") == 0) {
            break;
        } else if (strcmp(word[0], "format") == 0) {
            format = true;
            if (strcmp(word[1], "binary_little_endian") != 0 || strcmp(word[2], "1.0") != 0)
                return wrong(name, number, "format binary_little_endian 1.0", line);
        } else if (strcmp(word[0], "element") == 0) {
            PX_TRY(read_element(name, number, line, word[1], word[2], h));
        } else if (strcmp(word[0], "property") == 0) {
            PX_TRY(read_property(name, number, line, words, word, h));
        } else {
            return wrong(name, number, "format, comment, element, property or end_header", line);
        }
    }
    if (!format || !h->has_points || h->width == 0 || (h->has_faces && !h->has_corners))
        return px_fail(PX_ERR_FORMAT, "%s: the header lacks %s", name,
                       !format          ? "the format"
                       : !h->has_points ? "element vertex"
                       : h->width == 0  ? "properties of vertices"
                                        : "property list ... vertex_indices");
    return PX_OK;
}

/* ---- points ---- */

static const Property *find_property(const Header *h, const char *name)
{
    for (uint32_t k = 0; k < h->properties; ++k)
        if (strcmp(h->property[k].name, name) == 0)
            return &h->property[k];
    return NULL;
}

/* A column of one or three properties of the same type. */
static PxStatus read_column(const Header *h, const uint8_t *data, const char *name,
                            const char *unit, const Property *const *part, uint32_t parts,
                            PxTable *points)
{
    Type type = part[0]->type;
    uint32_t index;
    PX_TRY(px_table_add(points, name, unit, types[type].to, parts, PX_COLUMN_FRAME, &index));
    for (uint32_t k = 0; k < parts; ++k) {
        void *to = points->column[index].data[k];
        const uint8_t *from = data + part[k]->at;
        size_t size = types[type].size;
        for (uint32_t i = 0; i < points->count; ++i, from += h->width) {
            if (type == I8 || type == I16)
                ((int32_t *)to)[i] = (int32_t)value_at(from, type);
            else if (type == U16)
                ((uint32_t *)to)[i] = (uint32_t)value_at(from, type);
            else
                memcpy((uint8_t *)to + i * size, from, size);
        }
    }
    return PX_OK;
}

static PxStatus read_points(const char *name, const Header *h, const uint8_t *data, size_t size,
                            PxTable *points)
{
    bool taken[MAX_PROPERTIES] = {false};
    if (h->points > size / h->width)
        return px_fail(PX_ERR_FORMAT, "%s: %zu bytes after the header, wanted %llu vertices of %zu",
                       name, size, (unsigned long long)h->points, h->width);
    PX_TRY(px_table_append(points, h->points, NULL));
    for (size_t v = 0; v < PX_COUNT(vectors); ++v) {
        const Property *part[3];
        bool whole = true;
        for (int k = 0; k < 3; ++k) {
            part[k] = find_property(h, vectors[v].part[k]);
            whole = whole && part[k] != NULL && part[k]->type == part[0]->type;
        }
        if (!whole && v == 0)
            return px_fail(PX_ERR_FORMAT, "%s: vertices have no x, y and z of one type", name);
        if (!whole)
            continue;
        for (int k = 0; k < 3; ++k)
            taken[part[k] - h->property] = true;
        PX_TRY(read_column(h, data, vectors[v].name, vectors[v].unit, part, 3, points));
    }
    for (uint32_t k = 0; k < h->properties; ++k) {
        const Property *part = &h->property[k];
        if (taken[k])
            continue;
        PxStatus status = read_column(h, data, part->name, "", &part, 1, points);
        if (status != PX_OK)
            /* too many, or the name of a vector that is there */
            return px_fail_prefix(status == PX_ERR_ARGUMENT ? PX_ERR_FORMAT : status, "%s: ", name);
    }
    return PX_OK;
}

/* ---- faces ---- */

static PxStatus damaged(const char *name, const char *what, uint64_t face)
{
    return px_fail(PX_ERR_FORMAT, "%s: face %llu %s", name, (unsigned long long)face, what);
}

static PxStatus read_faces(const char *name, const Header *h, const uint8_t *data, size_t size,
                           PxPlyPoints *out)
{
    struct {
        uint32_t (*data)[3];
        size_t count, capacity;
    } list = {0};
    size_t count_size = types[h->count].size, corner_size = types[h->corner].size, at = 0;
    PxStatus status = PX_OK;
    for (uint64_t f = 0; f < h->faces && status == PX_OK; ++f) {
        if (size - at < count_size) {
            status = damaged(name, "is missing: the file ends too early", f);
            break;
        }
        double corners = value_at(data + at, h->count);
        at += count_size;
        if (!(corners >= 3)) {
            status = damaged(name, "has fewer than 3 corners", f);
            break;
        }
        if ((double)((size - at) / corner_size) < corners) {
            status = damaged(name, "is cut off: the file ends too early", f);
            break;
        }
        uint32_t first = 0, last = 0;
        for (uint32_t k = 0; k < (uint32_t)corners && status == PX_OK; ++k, at += corner_size) {
            double corner = value_at(data + at, h->corner);
            if (!(corner >= 0 && corner < (double)h->points)) {
                status = px_fail(PX_ERR_FORMAT, "%s: face %llu names vertex %.0f of %llu", name,
                                 (unsigned long long)f, corner, (unsigned long long)h->points);
            } else if (k >= 2 && !PX_LIST_RESERVE(&list, 1)) {
                status = px_fail(PX_ERR_MEMORY, "%s: no room for its faces", name);
            } else if (k >= 2) {
                uint32_t *t = list.data[list.count++];
                t[0] = first;
                t[1] = last;
                t[2] = (uint32_t)corner;
            }
            first = k == 0 && status == PX_OK ? (uint32_t)corner : first;
            last = status == PX_OK ? (uint32_t)corner : last;
        }
    }
    if (status == PX_OK && at != size)
        status = px_fail(PX_ERR_FORMAT, "%s: %zu bytes after the last face, wanted none", name,
                         size - at);
    if (status == PX_OK && list.count > INT32_MAX)
        status =
            px_fail(PX_ERR_FORMAT, "%s: %zu triangles, wanted fewer than 2^31", name, list.count);
    out->triangle = list.data;
    out->triangles = (uint32_t)list.count;
    return status;
}

PxStatus px_ply_points_parse(const char *name, const void *bytes, size_t size, PxPlyPoints *out)
{
    Header *h = calloc(1, sizeof *h);
    *out = (PxPlyPoints){.time = NAN};
    px_table_init(&out->points, NULL);
    if (h == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room to read it", name);
    PxStatus status = read_header(name, bytes, size, h, out);
    const uint8_t *data = (const uint8_t *)bytes + h->size;
    if (status == PX_OK)
        status = read_points(name, h, data, size - h->size, &out->points);
    if (status == PX_OK) {
        out->faces = h->has_faces;
        size_t used = h->points * h->width;
        data += used;
        if (h->has_faces)
            status = read_faces(name, h, data, size - h->size - used, out);
        else if (size - h->size != used)
            status = px_fail(PX_ERR_FORMAT, "%s: %zu bytes after the last vertex, wanted none",
                             name, size - h->size - used);
    }
    free(h);
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
