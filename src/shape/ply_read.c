#include "shape/ply_read.h"

#include "base/digest.h"

#include <math.h>
#include <string.h>

/* True if the file is binary in native byte order. */
static bool is_native(const PxPlyReader *ply)
{
    return ply->encoding ==
           (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? PX_PLY_LITTLE : PX_PLY_BIG);
}

/* ---- header ---- */

static bool type_named(PxWord word, PxPlyType *out)
{
    for (int k = 0; k < PX_PLY_TYPES; ++k)
        if (px_word_is(word, px_ply_types[k].name) ||
            px_word_is(word, px_ply_types[k].other_name)) {
            *out = (PxPlyType)k;
            return true;
        }
    return false;
}

static PxStatus read_format(PxPlyReader *ply, size_t line, PxWord rest)
{
    PxWord word = {"", 0}, version = {"", 0};
    char quote[PX_WORD_QUOTE];
    px_word_next(&rest, &word);
    px_word_next(&rest, &version);
    if (px_word_is(word, "ascii"))
        ply->encoding = PX_PLY_TEXT;
    else if (px_word_is(word, "binary_little_endian"))
        ply->encoding = PX_PLY_LITTLE;
    else if (px_word_is(word, "binary_big_endian"))
        ply->encoding = PX_PLY_BIG;
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

static bool same_word(PxWord a, PxWord b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static PxStatus read_element(PxPlyReader *ply, size_t line, PxWord rest)
{
    PxWord name = {"", 0}, count = {"", 0};
    char quote[PX_WORD_QUOTE];
    px_word_next(&rest, &name);
    px_word_next(&rest, &count);
    if (ply->elements == PX_PLY_MAX_ELEMENTS)
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: more than %d elements", ply->name, line,
                       PX_PLY_MAX_ELEMENTS);
    PxPlyElement *e = &ply->element[ply->elements];
    *e = (PxPlyElement){.name = name, .first = ply->properties, .line = line};
    if (!px_word_size(count, &e->count))
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: an element with '%s' for its count", ply->name,
                       line, px_word_quote(count, quote));
    for (int k = 0; k < ply->elements; ++k)
        if (same_word(ply->element[k].name, name))
            return px_fail(PX_ERR_FORMAT, "%s: line %zu: element %s for the second time", ply->name,
                           line, px_word_quote(name, quote));
    ++ply->elements;
    return PX_OK;
}

static PxStatus read_property(PxPlyReader *ply, size_t line, PxWord rest)
{
    char quote[PX_WORD_QUOTE];
    if (ply->elements == 0)
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: a property before the first element",
                       ply->name, line);
    if (ply->properties == PX_PLY_MAX_PROPERTIES)
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: more than %d properties", ply->name, line,
                       PX_PLY_MAX_PROPERTIES);
    PxPlyProperty *p = &ply->property[ply->properties];
    *p = (PxPlyProperty){.list = false};
    PxWord word = {"", 0};
    px_word_next(&rest, &word);
    if (px_word_is(word, "list")) {
        p->list = true;
        px_word_next(&rest, &word);
        if (!type_named(word, &p->length_type) || p->length_type >= PX_PLY_F32)
            return px_fail(PX_ERR_FORMAT,
                           "%s: line %zu: '%s' as the type of a list's length, wanted uchar, int "
                           "or another whole number",
                           ply->name, line, px_word_quote(word, quote));
        px_word_next(&rest, &word);
    }
    if (!type_named(word, &p->type))
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: '%s' as a type, wanted float, int, ...",
                       ply->name, line, px_word_quote(word, quote));
    if (!px_word_next(&rest, &p->name))
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: a property without a name", ply->name, line);
    ++ply->element[ply->elements - 1].properties;
    ++ply->properties;
    return PX_OK;
}

/* Computes the offsets of the properties in a row. */
static void lay_out(PxPlyReader *ply)
{
    for (int k = 0; k < ply->elements; ++k) {
        PxPlyElement *e = &ply->element[k];
        for (int j = e->first; j < e->first + e->properties; ++j) {
            PxPlyProperty *p = &ply->property[j];
            e->lists |= p->list;
            if (p->list)
                continue;
            p->stored = ply->encoding == PX_PLY_TEXT ? PX_PLY_F64 : p->type;
            p->at = e->width;
            e->width += px_ply_types[p->stored].size;
        }
    }
}

/* Compares the checksum, if the comment is one, with the bytes after its line. */
static PxStatus check_checksum(const PxPlyReader *ply, PxWord comment)
{
    PxWord word, digits;
    uint64_t digest[2];
    char text[PX_DIGEST_TEXT];
    if (!px_word_next(&comment, &word) || !px_word_is(word, PX_PLY_CHECKSUM))
        return PX_OK;
    px_digest(ply->text.at, (size_t)(ply->text.end - ply->text.at), digest);
    px_digest_text(digest, text);
    if (!px_word_next(&comment, &digits) || !px_word_is(digits, text))
        return px_fail(PX_ERR_FORMAT, "%s: the file is damaged: its checksum does not fit",
                       ply->name);
    return PX_OK;
}

PxStatus px_ply_header(PxPlyReader *ply, const char *name, const void *bytes, size_t size,
                       PxPlyComment *comment, void *user)
{
    PxWord rest, word;
    char quote[PX_WORD_QUOTE];
    bool format = false;
    *ply = (PxPlyReader){.name = name, .text = px_text(bytes, size)};
    ply->bytes = ply->text.at;
    if (!px_text_line(&ply->text, &rest) || !px_word_is(rest, "ply"))
        return px_fail(PX_ERR_FORMAT, "%s: line 1: wanted the word ply alone, as PLY files begin",
                       name);
    for (;;) {
        size_t line = ply->text.line;
        if (!px_text_line(&ply->text, &rest))
            return px_fail(PX_ERR_FORMAT,
                           "%s: line %zu: the file ends inside the header, wanted end_header", name,
                           line);
        if (!px_word_next(&rest, &word) || px_word_is(word, "obj_info"))
            continue;
        if (px_word_is(word, "end_header"))
            break;
        if (px_word_is(word, "comment")) {
            PX_TRY(check_checksum(ply, rest));
            if (comment != NULL)
                comment(user, rest);
        } else if (px_word_is(word, "format")) {
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
                           name, line, px_word_quote(word, quote));
        }
    }
    if (!format)
        return px_fail(PX_ERR_FORMAT, "%s: the header has no format line", name);
    lay_out(ply);
    return PX_OK;
}

const PxPlyElement *px_ply_element(const PxPlyReader *ply, const char *name)
{
    for (int k = 0; k < ply->elements; ++k)
        if (px_word_is(ply->element[k].name, name))
            return &ply->element[k];
    return NULL;
}

const PxPlyProperty *px_ply_corners(const PxPlyReader *ply, const PxPlyElement *e)
{
    for (int k = e->first; k < e->first + e->properties; ++k) {
        const PxPlyProperty *p = &ply->property[k];
        if (p->list && p->type < PX_PLY_F32 &&
            (px_word_is(p->name, "vertex_indices") || px_word_is(p->name, "vertex_index")))
            return p;
    }
    return NULL;
}

/* ---- values ---- */

static PxStatus truncated(const PxPlyReader *ply, const PxPlyElement *e, uint64_t row)
{
    char quote[PX_WORD_QUOTE];
    return px_fail(PX_ERR_FORMAT,
                   "%s: the file ends at byte %zu inside %s %llu, but line %zu announces %llu of "
                   "them",
                   ply->name, (size_t)(ply->text.end - ply->bytes), px_word_quote(e->name, quote),
                   (unsigned long long)row, e->line, (unsigned long long)e->count);
}

static size_t bytes_left(const PxPlyReader *ply)
{
    return (size_t)(ply->text.end - ply->text.at);
}

/* Reads the next value and moves past it. */
static PxStatus read_value(PxPlyReader *ply, const PxPlyElement *e, uint64_t row, PxPlyType type,
                           double *out)
{
    if (ply->encoding == PX_PLY_TEXT) {
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
    size_t size = px_ply_types[type].size;
    if (bytes_left(ply) < size)
        return truncated(ply, e, row);
    if (is_native(ply)) {
        *out = px_ply_value(ply->text.at, type);
    } else {
        char value[8];
        for (size_t k = 0; k < size; ++k)
            value[k] = ply->text.at[size - 1 - k];
        *out = px_ply_value(value, type);
    }
    ply->text.at += size;
    return PX_OK;
}

/* The position in the data, for messages: a line of text or a byte. */
static size_t place(const PxPlyReader *ply)
{
    return ply->encoding == PX_PLY_TEXT ? ply->text.line : (size_t)(ply->text.at - ply->bytes);
}

static const char *place_name(const PxPlyReader *ply)
{
    return ply->encoding == PX_PLY_TEXT ? "line" : "byte";
}

static PxStatus list_length(PxPlyReader *ply, const PxPlyElement *e, uint64_t row,
                            const PxPlyProperty *p, uint64_t *out)
{
    double length;
    PX_TRY(read_value(ply, e, row, p->length_type, &length));
    if (!(length >= 0 && length <= UINT32_MAX) || length != floor(length))
        return px_fail(PX_ERR_FORMAT, "%s: %s %zu: a list with %g for its length", ply->name,
                       place_name(ply), place(ply), length);
    *out = (uint64_t)length;
    return PX_OK;
}

static PxStatus skip_property(PxPlyReader *ply, const PxPlyElement *e, uint64_t row,
                              const PxPlyProperty *p)
{
    uint64_t length = 1;
    double value;
    if (p->list)
        PX_TRY(list_length(ply, e, row, p, &length));
    for (uint64_t j = 0; j < length; ++j)
        PX_TRY(read_value(ply, e, row, p->type, &value));
    return PX_OK;
}

/* Rows without properties take no bytes and are ignored; all others take at least one, so
 * the size of the file bounds every loop. */
static uint64_t row_count(const PxPlyElement *e)
{
    return e->properties > 0 ? e->count : 0;
}

PxStatus px_ply_skip(PxPlyReader *ply, const PxPlyElement *e)
{
    for (uint64_t row = 0; row < row_count(e); ++row)
        for (int k = e->first; k < e->first + e->properties; ++k)
            PX_TRY(skip_property(ply, e, row, &ply->property[k]));
    return PX_OK;
}

/* ---- rows ---- */

/* Writes the values of one row to `to`, in native byte order. */
static PxStatus convert_row(PxPlyReader *ply, const PxPlyElement *e, uint64_t row, uint8_t *to)
{
    for (int k = e->first; k < e->first + e->properties; ++k) {
        const PxPlyProperty *p = &ply->property[k];
        if (p->list) {
            PX_TRY(skip_property(ply, e, row, p));
        } else if (ply->encoding == PX_PLY_TEXT) {
            double value;
            PX_TRY(read_value(ply, e, row, p->type, &value));
            memcpy(to + p->at, &value, sizeof value);
        } else {
            size_t size = px_ply_types[p->type].size;
            bool same = is_native(ply);
            if (bytes_left(ply) < size)
                return truncated(ply, e, row);
            for (size_t b = 0; b < size; ++b)
                to[p->at + b] = (uint8_t)ply->text.at[same ? b : size - 1 - b];
            ply->text.at += size;
        }
    }
    return PX_OK;
}

static PxStatus convert_rows(PxPlyReader *ply, const PxPlyElement *e, PxPlyRows *out)
{
    for (uint64_t row = 0; row < out->count; ++row) {
        if (!PX_LIST_RESERVE(&out->own, e->width + 1))
            return px_fail(PX_ERR_MEMORY, "%s: no room for %llu rows", ply->name,
                           (unsigned long long)row);
        PX_TRY(convert_row(ply, e, row, out->own.data + out->own.count));
        out->own.count += e->width;
    }
    out->data = out->own.data;
    return PX_OK;
}

PxStatus px_ply_rows(PxPlyReader *ply, const PxPlyElement *e, PxPlyRows *out)
{
    *out = (PxPlyRows){.count = row_count(e)};
    if (e->lists || !is_native(ply)) {
        PxStatus status = convert_rows(ply, e, out);
        if (status != PX_OK)
            px_ply_rows_free(out);
        return status;
    }
    if (out->count > 0 && out->count > bytes_left(ply) / e->width)
        return truncated(ply, e, bytes_left(ply) / e->width);
    out->data = (const uint8_t *)ply->text.at;
    ply->text.at += out->count * e->width;
    return PX_OK;
}

void px_ply_rows_free(PxPlyRows *rows)
{
    PX_LIST_FREE(&rows->own);
    *rows = (PxPlyRows){0};
}

/* ---- faces ---- */

static PxStatus read_polygon(PxPlyReader *ply, const PxPlyElement *e, uint64_t row,
                             const PxPlyProperty *p, uint64_t vertices, PxPlyTriangles *out)
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
        if (!(index >= 0 && index < (double)vertices) || index != floor(index))
            return px_fail(PX_ERR_FORMAT,
                           "%s: %s %zu: face %llu names vertex %.10g of %llu, wanted a whole "
                           "number below that",
                           ply->name, place_name(ply), place(ply), (unsigned long long)row, index,
                           (unsigned long long)vertices);
        uint32_t now = (uint32_t)index;
        if (k >= 2) {
            if (!PX_LIST_RESERVE(out, 1))
                return px_fail(PX_ERR_MEMORY, "%s: no room for %zu triangles", ply->name,
                               out->count);
            uint32_t *t = out->data[out->count++];
            t[0] = first;
            t[1] = last;
            t[2] = now;
        }
        first = k == 0 ? now : first;
        last = now;
    }
    return PX_OK;
}

PxStatus px_ply_faces(PxPlyReader *ply, const PxPlyElement *e, const PxPlyProperty *corners,
                      uint64_t vertices, PxPlyTriangles *out)
{
    for (uint64_t row = 0; row < row_count(e); ++row)
        for (int k = e->first; k < e->first + e->properties; ++k) {
            const PxPlyProperty *p = &ply->property[k];
            if (p == corners)
                PX_TRY(read_polygon(ply, e, row, p, vertices, out));
            else
                PX_TRY(skip_property(ply, e, row, p));
        }
    return PX_OK;
}
