#include "shape/volume.h"

#include "shape/mesh_read.h"
#include "shape/parse_text.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Largest number of samples: 1290 along each axis. Numbers of vertices stay below 2^32. */
#define MOST_SAMPLES 0x7fffffffull
/* Deflate shortens by a factor of 1032 at most (zlib's technical details). */
#define MOST_SHORTENED 1032u
/* Largest coordinate and step in a header. */
#define MOST_LENGTH 1e9

static const size_t size_of[PX_SAMPLE_TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};

/* ---- header -------------------------------------------------------------------------- */

static const struct {
    const char *name;
    PxSampleType type;
} type_names[] = {
    {"signed char", PX_SAMPLE_I8},
    {"int8", PX_SAMPLE_I8},
    {"int8_t", PX_SAMPLE_I8},
    {"uchar", PX_SAMPLE_U8},
    {"unsigned char", PX_SAMPLE_U8},
    {"uint8", PX_SAMPLE_U8},
    {"uint8_t", PX_SAMPLE_U8},
    {"short", PX_SAMPLE_I16},
    {"short int", PX_SAMPLE_I16},
    {"signed short", PX_SAMPLE_I16},
    {"signed short int", PX_SAMPLE_I16},
    {"int16", PX_SAMPLE_I16},
    {"int16_t", PX_SAMPLE_I16},
    {"ushort", PX_SAMPLE_U16},
    {"unsigned short", PX_SAMPLE_U16},
    {"unsigned short int", PX_SAMPLE_U16},
    {"uint16", PX_SAMPLE_U16},
    {"uint16_t", PX_SAMPLE_U16},
    {"int", PX_SAMPLE_I32},
    {"signed int", PX_SAMPLE_I32},
    {"int32", PX_SAMPLE_I32},
    {"int32_t", PX_SAMPLE_I32},
    {"uint", PX_SAMPLE_U32},
    {"unsigned int", PX_SAMPLE_U32},
    {"uint32", PX_SAMPLE_U32},
    {"uint32_t", PX_SAMPLE_U32},
    {"float", PX_SAMPLE_F32},
    {"double", PX_SAMPLE_F64},
};

bool px_sample_type(const char *name, size_t length, PxSampleType *out)
{
    for (size_t k = 0; k < sizeof type_names / sizeof *type_names; ++k)
        if (px_word_is((PxWord){name, length}, type_names[k].name)) {
            *out = type_names[k].type;
            return true;
        }
    return false;
}

/* One line of a header while it is read. */
typedef struct Reading {
    const char *name;
    size_t line;
    PxWord value;
    bool dimension, type, sizes, encoding, endian; /* fields that have been read */
    PxNrrd *out;
} Reading;

static PxStatus wrong(const Reading *r, const char *wanted)
{
    char quote[PX_WORD_QUOTE];
    return px_fail(PX_ERR_FORMAT, "%s: line %zu: '%s', expected %s", r->name, r->line,
                   px_word_quote(r->value, quote), wanted);
}

static PxStatus read_dimension(Reading *r)
{
    uint64_t dimension;
    if (!px_word_size(r->value, &dimension))
        return wrong(r, "the number of dimensions");
    if (dimension != 3)
        return px_fail(PX_ERR_UNSUPPORTED,
                       "%s: has %llu dimensions; a volume of single samples has 3", r->name,
                       (unsigned long long)dimension);
    r->dimension = true;
    return PX_OK;
}

static PxStatus read_type(Reading *r)
{
    if (!px_sample_type(r->value.at, r->value.length, &r->out->type))
        return wrong(r, "a type of samples: uint8, int16, uint16, int32, uint32, float, double");
    r->type = true;
    return PX_OK;
}

static PxStatus read_sizes(Reading *r)
{
    PxWord line = r->value, word;
    uint64_t all = 1;
    for (int k = 0; k < 3; ++k) {
        uint64_t size;
        if (!px_word_next(&line, &word) || !px_word_size(word, &size) || size == 0)
            return wrong(r, "three sizes above 0");
        if (size > MOST_SAMPLES || all * size > MOST_SAMPLES)
            return px_fail(PX_ERR_FORMAT, "%s: line %zu: more than %llu samples", r->name, r->line,
                           MOST_SAMPLES);
        all *= size;
        r->out->samples[k] = (uint32_t)size;
    }
    r->sizes = true;
    return px_word_next(&line, &word) ? wrong(r, "three sizes") : PX_OK;
}

static PxStatus read_encoding(Reading *r)
{
    static const struct {
        const char *name;
        PxSampleEncoding encoding;
    } names[] = {{"raw", PX_SAMPLES_RAW},  {"gzip", PX_SAMPLES_GZIP}, {"gz", PX_SAMPLES_GZIP},
                 {"txt", PX_SAMPLES_TEXT}, {"text", PX_SAMPLES_TEXT}, {"ascii", PX_SAMPLES_TEXT}};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        if (px_word_is_nocase(r->value, names[k].name)) {
            r->out->encoding = names[k].encoding;
            r->encoding = true;
            return PX_OK;
        }
    return wrong(r, "an encoding: raw, gzip or text");
}

static PxStatus read_endian(Reading *r)
{
    r->out->big_endian = px_word_is_nocase(r->value, "big");
    if (!r->out->big_endian && !px_word_is_nocase(r->value, "little"))
        return wrong(r, "'little' or 'big'");
    r->endian = true;
    return PX_OK;
}

static bool is_length(double x)
{
    return fabs(x) <= MOST_LENGTH; /* false for NaN */
}

static PxStatus read_spacings(Reading *r)
{
    PxWord line = r->value, word;
    PxVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; ++k) {
        double spacing;
        if (!px_word_next(&line, &word) || !px_word_number(word, &spacing))
            return wrong(r, "three spacings");
        if (isnan(spacing)) /* NRRD's word for unknown */
            spacing = 1;
        if (!(spacing > 0) || !is_length(spacing))
            return wrong(r, "three spacings above 0");
        r->out->step[k] = px_scale(unit[k], spacing);
    }
    r->out->stepped = true;
    return PX_OK;
}

/* "(x,y,z)" at the start of the line. */
static bool read_vector(PxWord *line, PxVec3 *out)
{
    double number[3];
    const char *at = line->at, *end = at + line->length;
    while (at < end && (*at == ' ' || *at == '\t'))
        ++at;
    for (int k = 0; k < 3; ++k) {
        if (at >= end || *at++ != (k == 0 ? '(' : ','))
            return false;
        while (at < end && *at == ' ')
            ++at;
        const char *start = at;
        while (at < end && *at != ',' && *at != ')' && *at != ' ')
            ++at;
        if (!px_word_number((PxWord){start, (size_t)(at - start)}, &number[k]) ||
            !is_length(number[k]))
            return false;
        while (at < end && *at == ' ')
            ++at;
    }
    if (at >= end || *at++ != ')')
        return false;
    *line = (PxWord){at, (size_t)(end - at)};
    *out = px_vec(number[0], number[1], number[2]);
    return true;
}

static PxStatus read_directions(Reading *r)
{
    PxWord line = r->value;
    for (int k = 0; k < 3; ++k)
        if (!read_vector(&line, &r->out->step[k]))
            return wrong(r, "three vectors such as (0.7,0,0)");
    r->out->stepped = true;
    return PX_OK;
}

static PxStatus read_origin(Reading *r)
{
    PxWord line = r->value;
    return read_vector(&line, &r->out->origin) ? PX_OK : wrong(r, "a vector such as (0,0,0)");
}

/* A stranger's file must not name files elsewhere. */
static PxStatus read_data_file(Reading *r)
{
    if (r->value.length == 0 || r->value.length >= sizeof r->out->data_file ||
        memchr(r->value.at, '/', r->value.length) != NULL ||
        memchr(r->value.at, '%', r->value.length) != NULL ||
        memchr(r->value.at, '\0', r->value.length) != NULL || px_word_is(r->value, "LIST") ||
        r->value.at[0] == '.')
        return wrong(r, "the name of one file in the same folder");
    memcpy(r->out->data_file, r->value.at, r->value.length);
    r->out->data_file[r->value.length] = '\0';
    return PX_OK;
}

static PxStatus read_byte_skip(Reading *r)
{
    return px_word_size(r->value, &r->out->byte_skip) ? PX_OK : wrong(r, "a number of bytes");
}

static PxStatus read_line_skip(Reading *r)
{
    uint64_t lines;
    if (!px_word_size(r->value, &lines) || lines > UINT32_MAX)
        return wrong(r, "a number of lines");
    r->out->line_skip = (uint32_t)lines;
    return PX_OK;
}

static const struct {
    const char *name;
    PxStatus (*read)(Reading *r);
} fields[] = {
    {"dimension", read_dimension},
    {"type", read_type},
    {"sizes", read_sizes},
    {"encoding", read_encoding},
    {"endian", read_endian},
    {"spacings", read_spacings},
    {"space directions", read_directions},
    {"space origin", read_origin},
    {"data file", read_data_file},
    {"datafile", read_data_file},
    {"byte skip", read_byte_skip},
    {"byteskip", read_byte_skip},
    {"line skip", read_line_skip},
    {"lineskip", read_line_skip},
};

/* "field: value"; other fields and "key:=value" say nothing about the samples. */
static PxStatus read_field(Reading *r, PxWord line)
{
    const char *colon = memchr(line.at, ':', line.length);
    if (colon == NULL) {
        r->value = line;
        return wrong(r, "'field: value'");
    }
    PxWord field = {line.at, (size_t)(colon - line.at)};
    const char *at = colon + 1, *end = line.at + line.length;
    if (at < end && *at == '=')
        return PX_OK;
    while (at < end && (*at == ' ' || *at == '\t'))
        ++at;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        --end;
    r->value = (PxWord){at, (size_t)(end - at)};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; ++k)
        if (px_word_is_nocase(field, fields[k].name))
            return fields[k].read(r);
    return PX_OK;
}

static PxStatus check_steps(const char *name, const PxNrrd *h)
{
    double det = px_dot(px_cross(h->step[0], h->step[1]), h->step[2]);
    double lengths = px_length(h->step[0]) * px_length(h->step[1]) * px_length(h->step[2]);
    if (!(fabs(det) > 1e-6 * lengths))
        return px_fail(PX_ERR_FORMAT, "%s: the directions of its axes lie in a plane", name);
    return PX_OK;
}

PxStatus px_nrrd_header(const char *name, const void *bytes, size_t size, PxNrrd *out)
{
    *out = (PxNrrd){.step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    PxTextReader text = px_text(bytes, size);
    Reading r = {.name = name, .line = 1, .out = out};
    PxWord line;
    if (!px_text_line(&text, &line) || line.length < 8 || memcmp(line.at, "NRRD000", 7) != 0)
        return px_fail(PX_ERR_FORMAT, "%s: is no NRRD file: it does not begin with 'NRRD000'",
                       name);
    bool ended = false;
    while (!ended && px_text_line(&text, &line)) {
        ++r.line;
        ended = line.length == 0;
        if (!ended && line.at[0] != '#')
            PX_TRY(read_field(&r, line));
    }
    out->data = (size_t)(text.at - (const char *)bytes);
    if (!r.dimension || !r.type || !r.sizes || !r.encoding)
        return px_fail(PX_ERR_FORMAT, "%s: the header lacks '%s'", name,
                       !r.dimension ? "dimension"
                       : !r.type    ? "type"
                       : !r.sizes   ? "sizes"
                                    : "encoding");
    if (!ended && out->data_file[0] == '\0')
        return px_fail(PX_ERR_FORMAT, "%s: ends within its header; an empty line ends it", name);
    if (size_of[out->type] > 1 && out->encoding != PX_SAMPLES_TEXT && !r.endian)
        return px_fail(PX_ERR_FORMAT, "%s: the header lacks 'endian'", name);
    return check_steps(name, out);
}

/* ---- samples ------------------------------------------------------------------------- */

static double sample(const unsigned char *at, PxSampleType type, bool big_endian)
{
    unsigned char own[8] = {0};
    size_t size = size_of[type];
    for (size_t k = 0; k < size; ++k)
        own[k] = at[big_endian ? size - 1 - k : k];
    uint64_t bits = 0;
    for (size_t k = 0; k < size; ++k)
        bits |= (uint64_t)own[k] << (8 * k);
    float f32;
    double f64;
    uint32_t low = (uint32_t)bits;
    memcpy(&f32, &low, sizeof f32);
    memcpy(&f64, &bits, sizeof f64);
    switch (type) {
    case PX_SAMPLE_I8:
        return (int8_t)(uint8_t)bits;
    case PX_SAMPLE_I16:
        return (int16_t)(uint16_t)bits;
    case PX_SAMPLE_I32:
        return (int32_t)low;
    case PX_SAMPLE_F32:
        return (double)f32;
    case PX_SAMPLE_F64:
        return f64;
    default:
        return (double)bits;
    }
}

/* Inflates exactly `wanted` bytes, after `skip` bytes. */
static PxStatus inflate_all(const char *name, const void *bytes, size_t size, uint64_t skip,
                            unsigned char *out, size_t wanted)
{
    z_stream stream = {0};
    if (inflateInit2(&stream, 15 + 32) != Z_OK) /* + 32: gzip or zlib by the header */
        return px_fail(PX_ERR_MEMORY, "%s: no room to decompress", name);
    const unsigned char *in = bytes;
    unsigned char waste[4096];
    size_t done = 0;
    int status = Z_OK;
    while (done < wanted && status == Z_OK) {
        if (stream.avail_in == 0) {
            stream.next_in = (unsigned char *)(uintptr_t)in; /* zlib reads it only */
            stream.avail_in = (uInt)(size < 1u << 30 ? size : 1u << 30);
            in += stream.avail_in;
            size -= stream.avail_in;
            if (stream.avail_in == 0)
                break;
        }
        size_t room = skip > 0 ? (skip < sizeof waste ? (size_t)skip : sizeof waste)
                               : (wanted - done < 1u << 30 ? wanted - done : 1u << 30);
        stream.next_out = skip > 0 ? waste : out + done;
        stream.avail_out = (uInt)room;
        status = inflate(&stream, Z_NO_FLUSH);
        size_t made = room - stream.avail_out;
        if (skip > 0)
            skip -= made;
        else
            done += made;
        if (status == Z_BUF_ERROR) /* it wants more input */
            status = Z_OK;
        if (status == Z_STREAM_END && done < wanted && (stream.avail_in > 0 || size > 0))
            status = inflateReset(&stream); /* a gzip file may have several members */
    }
    inflateEnd(&stream);
    if (done < wanted)
        return px_fail(PX_ERR_FORMAT, "%s: its compressed samples are damaged or end too early",
                       name);
    return PX_OK;
}

static PxStatus read_binary(const char *name, const PxNrrd *h, const void *bytes, size_t size,
                            size_t count, float *value)
{
    size_t each = size_of[h->type], wanted = count * each;
    unsigned char *inflated = NULL;
    const unsigned char *at = bytes;
    if (h->encoding == PX_SAMPLES_GZIP) {
        inflated = malloc(wanted);
        if (inflated == NULL)
            return px_fail(PX_ERR_MEMORY, "%s: no room for %zu bytes", name, wanted);
        PxStatus status = inflate_all(name, bytes, size, h->byte_skip, inflated, wanted);
        if (status != PX_OK) {
            free(inflated);
            return status;
        }
        at = inflated;
    } else
        at += h->byte_skip;
    for (size_t k = 0; k < count; ++k)
        value[k] = (float)sample(at + k * each, h->type, h->big_endian);
    free(inflated);
    return PX_OK;
}

static PxStatus read_text(const char *name, const void *bytes, size_t size, size_t count,
                          float *value)
{
    PxTextReader text = px_text(bytes, size);
    for (size_t k = 0; k < count; ++k) {
        PxWord word;
        double number;
        if (!px_text_word(&text, &word) || !px_word_number(word, &number))
            return px_fail(PX_ERR_FORMAT, "%s: sample %zu of %zu is missing or no number", name,
                           k + 1, count);
        value[k] = (float)number;
    }
    return PX_OK;
}

/* Is there enough data for the samples? Asked before memory is taken. */
static bool may_hold(const PxNrrd *h, size_t size, size_t count)
{
    size_t wanted = count * size_of[h->type];
    if (h->encoding == PX_SAMPLES_TEXT)
        return count <= size / 2 + 1;
    if (h->encoding == PX_SAMPLES_GZIP)
        return wanted / MOST_SHORTENED <= size && h->byte_skip / MOST_SHORTENED <= size;
    return h->byte_skip <= size && wanted <= size - h->byte_skip;
}

PxStatus px_volume_read(const char *name, const PxNrrd *h, const void *bytes, size_t size,
                        PxVolume *out)
{
    *out = (PxVolume){.samples = {h->samples[0], h->samples[1], h->samples[2]},
                      .step = {h->step[0], h->step[1], h->step[2]},
                      .origin = h->origin,
                      .least = INFINITY,
                      .most = -INFINITY};
    PxTextReader text = px_text(bytes, size);
    PxWord line;
    for (uint32_t k = 0; k < h->line_skip; ++k)
        if (!px_text_line(&text, &line))
            return px_fail(PX_ERR_FORMAT, "%s: has fewer than %u lines to skip", name,
                           h->line_skip);
    size_t left = (size_t)(text.end - text.at);
    size_t count = (size_t)h->samples[0] * h->samples[1] * h->samples[2];
    if (!may_hold(h, left, count))
        return px_fail(PX_ERR_FORMAT, "%s: %zu bytes cannot hold its %u x %u x %u samples", name,
                       left, h->samples[0], h->samples[1], h->samples[2]);
    float *value = malloc(count * sizeof *value);
    if (value == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room for %zu samples", name, count);
    PxStatus status = h->encoding == PX_SAMPLES_TEXT
                          ? read_text(name, text.at, left, count, value)
                          : read_binary(name, h, text.at, left, count, value);
    for (size_t k = 0; k < count && status == PX_OK; ++k) {
        if (!isfinite(value[k]))
            status = px_fail(PX_ERR_FORMAT, "%s: sample %zu is not finite", name, k + 1);
        out->least = fmin(out->least, (double)value[k]);
        out->most = fmax(out->most, (double)value[k]);
    }
    if (status != PX_OK) {
        free(value);
        return status;
    }
    out->value = value;
    return PX_OK;
}

void px_volume_free(PxVolume *volume)
{
    free(volume->value);
    volume->value = NULL;
}

PxStatus px_volume_read_file(const char *path, PxVolume *out)
{
    void *bytes = NULL;
    size_t size = 0;
    PxNrrd header;
    *out = (PxVolume){.value = NULL};
    PX_TRY(px_mesh_file_bytes(path, "a NRRD volume", &bytes, &size));
    PxStatus status = px_nrrd_header(path, bytes, size, &header);
    if (status == PX_OK && header.data_file[0] != '\0')
        status =
            px_fail(PX_ERR_UNSUPPORTED, "%s: its samples are in '%s', wanted them in the same file",
                    path, header.data_file);
    if (status == PX_OK)
        status = px_volume_read(path, &header, (const char *)bytes + header.data,
                                size - header.data, out);
    free(bytes);
    if (status != PX_OK)
        *out = (PxVolume){.value = NULL};
    return status;
}
