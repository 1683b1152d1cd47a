/* PLY (Turk 1994): a header in words that says which elements follow, with which
 * properties of which types; then the values, as text or binary. */
#include "shape/mesh_read.h"
#include "shape/parse_text.h"

#include <string.h>

#define MAX_ELEMENTS 64
#define MAX_PROPERTIES 512 /* of all elements together */

typedef enum Type { I8, U8, I16, U16, I32, U32, F32, F64, TYPES } Type;

static const struct {
    const char *name, *other_name;
    size_t size;
    double full; /* value of a full colour */
} types[TYPES] = {
    [I8] = {"char", "int8", 1, 127},         [U8] = {"uchar", "uint8", 1, 255},
    [I16] = {"short", "int16", 2, 32767},    [U16] = {"ushort", "uint16", 2, 65535},
    [I32] = {"int", "int32", 4, 0x7fffffff}, [U32] = {"uint", "uint32", 4, 0xffffffff},
    [F32] = {"float", "float32", 4, 1},      [F64] = {"double", "float64", 8, 1},
};

/* What a property is to us. */
typedef enum Role { X, Y, Z, NX, NY, NZ, RED, GREEN, BLUE, U, V, CORNERS, PASSED_OVER } Role;
#define ROLES (PASSED_OVER + 1)

/* Names that properties of a vertex go by. */
static const char *const vertex_names[CORNERS][3] = {
    [X] = {"x"},
    [Y] = {"y"},
    [Z] = {"z"},
    [NX] = {"nx"},
    [NY] = {"ny"},
    [NZ] = {"nz"},
    [RED] = {"red", "diffuse_red"},
    [GREEN] = {"green", "diffuse_green"},
    [BLUE] = {"blue", "diffuse_blue"},
    [U] = {"u", "s", "texture_u"},
    [V] = {"v", "t", "texture_v"},
};

typedef struct Property {
    Role role;
    bool list;
    Type count_type, type;
} Property;

typedef enum Kind { VERTEX, FACE, OTHER } Kind;

typedef struct Element {
    Kind kind;
    uint64_t count;
    int first, properties;
    size_t line; /* of the header */
    PxWord name;
} Element;

typedef enum Encoding { ASCII, LITTLE, BIG } Encoding;

typedef struct Ply {
    const char *name;
    const char *bytes;
    PxText text;
    Encoding encoding;
    int elements, properties;
    Element element[MAX_ELEMENTS];
    Property property[MAX_PROPERTIES];
    bool has[ROLES]; /* some property has this role */
    PxMeshBuilder builder;
} Ply;

/* ---- header ---- */

static bool type_named(PxWord word, Type *out)
{
    for (int k = 0; k < TYPES; ++k)
        if (px_word_is(word, types[k].name) || px_word_is(word, types[k].other_name)) {
            *out = (Type)k;
            return true;
        }
    return false;
}

static PxStatus read_format(Ply *ply, size_t line, PxWord rest)
{
    PxWord word = {"", 0}, version = {"", 0};
    char quote[PX_WORD_QUOTE];
    px_word_next(&rest, &word);
    px_word_next(&rest, &version);
    if (px_word_is(word, "ascii"))
        ply->encoding = ASCII;
    else if (px_word_is(word, "binary_little_endian"))
        ply->encoding = LITTLE;
    else if (px_word_is(word, "binary_big_endian"))
        ply->encoding = BIG;
    else
        return px_fail(PX_ERR_FORMAT,
                       "%s: line %zu: format is '%s', wanted ascii, binary_little_endian or "
                       "binary_big_endian",
                       ply->name, line, px_word_quote(word, quote));
    if (!px_word_is(version, "1.0"))
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: format version is '%s', wanted 1.0", ply->name,
                       line, px_word_quote(version, quote));
    return PX_OK;
}

static PxStatus read_element(Ply *ply, size_t line, PxWord rest)
{
    PxWord name = {"", 0}, count = {"", 0};
    char quote[PX_WORD_QUOTE];
    px_word_next(&rest, &name);
    px_word_next(&rest, &count);
    if (ply->elements == MAX_ELEMENTS)
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: more than %d elements", ply->name, line,
                       MAX_ELEMENTS);
    Element *e = &ply->element[ply->elements++];
    *e = (Element){OTHER, 0, ply->properties, 0, line, name};
    if (px_word_is(name, "vertex"))
        e->kind = VERTEX;
    if (px_word_is(name, "face"))
        e->kind = FACE;
    if (!px_word_size(count, &e->count))
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: an element with '%s' for its count", ply->name,
                       line, px_word_quote(count, quote));
    if (e->kind != OTHER && e->count > PX_MESH_MAX_VERTICES)
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: %llu of element %s, at most %u allowed",
                       ply->name, line, (unsigned long long)e->count, px_word_quote(name, quote),
                       PX_MESH_MAX_VERTICES);
    for (int k = 0; k + 1 < ply->elements; ++k)
        if (e->kind != OTHER && ply->element[k].kind == e->kind)
            return px_fail(PX_ERR_FORMAT, "%s: line %zu: element %s for the second time", ply->name,
                           line, px_word_quote(name, quote));
    return PX_OK;
}

/* A second property of the same role is passed over. */
static Role role_named(const Ply *ply, PxWord name)
{
    for (int role = 0; role < CORNERS; ++role)
        for (int k = 0; k < 3 && vertex_names[role][k] != NULL; ++k)
            if (px_word_is(name, vertex_names[role][k]) && !ply->has[role])
                return (Role)role;
    return PASSED_OVER;
}

static PxStatus read_property(Ply *ply, size_t line, PxWord rest)
{
    char quote[PX_WORD_QUOTE];
    if (ply->elements == 0)
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: a property before the first element",
                       ply->name, line);
    if (ply->properties == MAX_PROPERTIES)
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: more than %d properties", ply->name, line,
                       MAX_PROPERTIES);
    Element *e = &ply->element[ply->elements - 1];
    Property *p = &ply->property[ply->properties];
    *p = (Property){PASSED_OVER, false, U8, U8};
    PxWord word = {"", 0}, name = {"", 0};
    px_word_next(&rest, &word);
    if (px_word_is(word, "list")) {
        p->list = true;
        px_word_next(&rest, &word);
        if (!type_named(word, &p->count_type) || p->count_type >= F32)
            return px_fail(PX_ERR_FORMAT,
                           "%s: line %zu: '%s' as the type of a list's length, wanted uchar, int "
                           "or another whole number",
                           ply->name, line, px_word_quote(word, quote));
        px_word_next(&rest, &word);
    }
    if (!type_named(word, &p->type))
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: '%s' as a type, wanted float, int, ...",
                       ply->name, line, px_word_quote(word, quote));
    if (!px_word_next(&rest, &name))
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: a property without a name", ply->name, line);
    if (e->kind == VERTEX && !p->list)
        p->role = role_named(ply, name);
    if (e->kind == FACE && p->list && p->type < F32 && !ply->has[CORNERS] &&
        (px_word_is(name, "vertex_indices") || px_word_is(name, "vertex_index")))
        p->role = CORNERS;
    ply->has[p->role] = true;
    ++e->properties;
    ++ply->properties;
    return PX_OK;
}

static PxStatus read_header(Ply *ply)
{
    PxWord rest, word;
    char quote[PX_WORD_QUOTE];
    bool format = false;
    if (!px_text_line(&ply->text, &rest) || !px_word_is(rest, "ply"))
        return px_fail(PX_ERR_FORMAT, "%s: line 1: wanted the word ply alone, as PLY files begin",
                       ply->name);
    for (;;) {
        size_t line = ply->text.line;
        if (!px_text_line(&ply->text, &rest))
            return px_fail(PX_ERR_FORMAT,
                           "%s: line %zu: the file ends inside the header, wanted end_header",
                           ply->name, line);
        if (!px_word_next(&rest, &word) || px_word_is(word, "comment") ||
            px_word_is(word, "obj_info"))
            continue;
        if (px_word_is(word, "end_header"))
            break;
        if (px_word_is(word, "format")) {
            PX_TRY(read_format(ply, line, rest));
            format = true;
        } else if (px_word_is(word, "element")) {
            PX_TRY(read_element(ply, line, rest));
        } else if (px_word_is(word, "property")) {
            PX_TRY(read_property(ply, line, rest));
        } else {
            return px_fail(PX_ERR_FORMAT,
                           "%s: line %zu: begins with '%s', wanted format, element, property or "
                           "end_header",
                           ply->name, line, px_word_quote(word, quote));
        }
    }
    if (!format)
        return px_fail(PX_ERR_FORMAT, "%s: the header has no format line", ply->name);
    if (!ply->has[X] || !ply->has[Y] || !ply->has[Z])
        return px_fail(PX_ERR_FORMAT, "%s: the header has no element vertex with x, y and z",
                       ply->name);
    if (!ply->has[CORNERS])
        return px_fail(PX_ERR_FORMAT,
                       "%s: the header has no element face with a list of whole numbers "
                       "vertex_indices",
                       ply->name);
    return PX_OK;
}

/* ---- values ---- */

static PxStatus truncated(const Ply *ply, const Element *e, uint64_t row)
{
    char quote[PX_WORD_QUOTE];
    return px_fail(PX_ERR_FORMAT,
                   "%s: the file ends at byte %zu inside %s %llu, but line %zu announces %llu of "
                   "them",
                   ply->name, (size_t)(ply->text.end - ply->bytes), px_word_quote(e->name, quote),
                   (unsigned long long)row, e->line, (unsigned long long)e->count);
}

/* The next value, as a double: exact for all types of the format. */
static PxStatus read_value(Ply *ply, const Element *e, uint64_t row, Type type, double *out)
{
    if (ply->encoding == ASCII) {
        PxWord word;
        char quote[PX_WORD_QUOTE], element[PX_WORD_QUOTE];
        if (!px_text_word(&ply->text, &word))
            return truncated(ply, e, row);
        if (!px_word_number(word, out))
            return px_fail(PX_ERR_FORMAT, "%s: line %zu: '%s' in %s %llu, wanted a number",
                           ply->name, ply->text.line, px_word_quote(word, quote),
                           px_word_quote(e->name, element), (unsigned long long)row);
        return PX_OK;
    }
    size_t size = types[type].size;
    if ((size_t)(ply->text.end - ply->text.at) < size)
        return truncated(ply, e, row);
    uint64_t bits = 0;
    for (size_t k = 0; k < size; ++k) {
        uint64_t byte = (unsigned char)ply->text.at[k];
        bits |= byte << 8 * (ply->encoding == LITTLE ? k : size - 1 - k);
    }
    ply->text.at += size;
    uint32_t half = (uint32_t)bits;
    float single;
    switch (type) {
    case I8:
        *out = (int8_t)bits;
        break;
    case I16:
        *out = (int16_t)bits;
        break;
    case I32:
        *out = (int32_t)bits;
        break;
    case F32:
        memcpy(&single, &half, sizeof single);
        *out = single;
        break;
    case F64:
        memcpy(out, &bits, sizeof *out);
        break;
    default:
        *out = (double)bits;
    }
    return PX_OK;
}

static PxStatus no_room(const Ply *ply)
{
    return px_fail(PX_ERR_MEMORY, "%s: no room for %zu vertices and %zu triangles", ply->name,
                   ply->builder.position.count, ply->builder.triangle.count);
}

/* A place in the data, for messages: a line of text or a byte. */
static size_t place(const Ply *ply)
{
    return ply->encoding == ASCII ? ply->text.line : (size_t)(ply->text.at - ply->bytes);
}

static const char *place_name(const Ply *ply)
{
    return ply->encoding == ASCII ? "line" : "byte";
}

static PxStatus list_length(Ply *ply, const Element *e, uint64_t row, const Property *p,
                            uint64_t *out)
{
    double length;
    PX_TRY(read_value(ply, e, row, p->count_type, &length));
    if (!(length >= 0 && length <= 0xffffffff) || length != floor(length))
        return px_fail(PX_ERR_FORMAT, "%s: %s %zu: a list with %g for its length", ply->name,
                       place_name(ply), place(ply), length);
    *out = (uint64_t)length;
    return PX_OK;
}

static PxStatus read_corners(Ply *ply, const Element *e, uint64_t row, const Property *p)
{
    uint64_t corners;
    uint32_t first = 0, last = 0;
    PX_TRY(list_length(ply, e, row, p, &corners));
    if (corners < 3)
        return px_fail(PX_ERR_FORMAT, "%s: %s %zu: face %llu has %llu corners, wanted 3 or more",
                       ply->name, place_name(ply), place(ply), (unsigned long long)row,
                       (unsigned long long)corners);
    for (uint64_t k = 0; k < corners; ++k) {
        double index;
        PX_TRY(read_value(ply, e, row, p->type, &index));
        if (!(index >= 0 && index < PX_MESH_MAX_VERTICES) || index != floor(index))
            return px_fail(PX_ERR_FORMAT,
                           "%s: %s %zu: face %llu names vertex %g, wanted 0 to the number of "
                           "vertices",
                           ply->name, place_name(ply), place(ply), (unsigned long long)row, index);
        uint32_t now = (uint32_t)index;
        if (k == 0)
            first = now;
        if (k >= 2) {
            if (!PX_LIST_RESERVE(&ply->builder.triangle, 1))
                return no_room(ply);
            uint32_t *t = ply->builder.triangle.data[ply->builder.triangle.count++];
            t[0] = first;
            t[1] = last;
            t[2] = now;
        }
        last = now;
    }
    return PX_OK;
}

static PxStatus keep_vertex(Ply *ply, const double value[ROLES])
{
    PxMeshBuilder *b = &ply->builder;
    if (!PX_LIST_RESERVE(&b->position, 1))
        return no_room(ply);
    b->position.data[b->position.count++] = px_vec(value[X], value[Y], value[Z]);
    if (ply->has[NX] && ply->has[NY] && ply->has[NZ]) {
        if (!PX_LIST_RESERVE(&b->normal, 1))
            return no_room(ply);
        b->normal.data[b->normal.count++] = px_vec(value[NX], value[NY], value[NZ]);
    }
    if (ply->has[RED] && ply->has[GREEN] && ply->has[BLUE]) {
        if (!PX_LIST_RESERVE(&b->colour, 1))
            return no_room(ply);
        b->colour.data[b->colour.count++] = px_vec(value[RED], value[GREEN], value[BLUE]);
    }
    if (ply->has[U] && ply->has[V]) {
        if (!PX_LIST_RESERVE(&b->uv, 1))
            return no_room(ply);
        b->uv.data[b->uv.count++] = (PxUv){value[U], value[V]};
    }
    return PX_OK;
}

static PxStatus read_row(Ply *ply, const Element *e, uint64_t row)
{
    double value[ROLES] = {0};
    for (int k = e->first; k < e->first + e->properties; ++k) {
        const Property *p = &ply->property[k];
        if (p->role == CORNERS) {
            PX_TRY(read_corners(ply, e, row, p));
        } else if (p->list) {
            uint64_t length;
            PX_TRY(list_length(ply, e, row, p, &length));
            for (uint64_t j = 0; j < length; ++j)
                PX_TRY(read_value(ply, e, row, p->type, &value[PASSED_OVER]));
        } else {
            PX_TRY(read_value(ply, e, row, p->type, &value[p->role]));
            if (p->role == RED || p->role == GREEN || p->role == BLUE)
                value[p->role] /= types[p->type].full;
        }
    }
    return e->kind == VERTEX ? keep_vertex(ply, value) : PX_OK;
}

static PxStatus read_values(Ply *ply)
{
    for (int k = 0; k < ply->elements; ++k) {
        const Element *e = &ply->element[k];
        /* Every row takes at least a byte, so no count makes this run for long;
         * a row without properties takes none, and is not there. */
        for (uint64_t row = 0; e->properties > 0 && row < e->count; ++row)
            PX_TRY(read_row(ply, e, row));
    }
    return PX_OK;
}

bool px_mesh_looks_like_ply(const void *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "ply", 3) == 0 &&
           (((const char *)bytes)[3] == '\n' || ((const char *)bytes)[3] == '\r');
}

PxStatus px_mesh_read_ply(const char *name, const void *bytes, size_t size, PxMesh **out)
{
    *out = NULL;
    if (size > PX_MESH_MAX_FILE)
        return px_fail(PX_ERR_FORMAT, "%s: %zu bytes, at most %llu allowed", name, size,
                       (unsigned long long)PX_MESH_MAX_FILE);
    Ply ply = {.name = name, .text = px_text(bytes, size)};
    ply.bytes = ply.text.at;
    PxStatus status = read_header(&ply);
    if (status == PX_OK)
        status = read_values(&ply);
    if (status == PX_OK)
        status = px_mesh_builder_finish(&ply.builder, name, out);
    px_mesh_builder_free(&ply.builder);
    return status;
}
