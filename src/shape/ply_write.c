#include "shape/ply_write.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows assembled at a time. */
#define BLOCK 4096u

/* ---- header ---- */

typedef struct Header {
    char *data;
    size_t count, capacity;
    bool full;
} Header;

static void add_bytes(Header *h, const char *bytes, size_t size)
{
    h->full = h->full || !PX_LIST_RESERVE(h, size);
    if (h->full)
        return;
    memcpy(h->data + h->count, bytes, size);
    h->count += size;
}

static void add(Header *h, const char *text)
{
    add_bytes(h, text, strlen(text));
}

static void add_count(Header *h, const char *text, uint64_t count)
{
    char line[64];
    snprintf(line, sizeof line, "%s %llu\n", text, (unsigned long long)count);
    add(h, line);
}

static void add_comment(Header *h, const char *comment)
{
    while (comment != NULL && *comment != '\0') {
        size_t length = strcspn(comment, "\n");
        add(h, "comment ");
        for (size_t k = 0; k < length; ++k)
            add_bytes(h, (unsigned char)comment[k] < ' ' ? " " : &comment[k], 1);
        add(h, "\n");
        comment += length + (comment[length] == '\n');
    }
}

PxStatus px_ply_put_header(const PxPlySink *sink, const char *comment, const PxPlyValues *values,
                           uint32_t count, uint64_t vertices, bool faces, uint64_t triangles)
{
    Header h = {0};
    add(&h, "ply\nformat binary_little_endian 1.0\n");
    add_comment(&h, comment);
    add_count(&h, "element vertex", vertices);
    for (uint32_t k = 0; k < count; ++k) {
        add(&h, "property ");
        add(&h, px_ply_types[values[k].type].name);
        add(&h, " ");
        add(&h, values[k].name);
        add(&h, "\n");
    }
    if (faces) {
        add_count(&h, "element face", triangles);
        add(&h, "property list uchar int vertex_indices\n");
    }
    add(&h, "end_header\n");
    PxStatus status = h.full ? px_fail(PX_ERR_MEMORY, "no room for the header of a PLY file")
                             : sink->put(sink->user, h.data, h.count);
    PX_LIST_FREE(&h);
    return status;
}

/* ---- values ---- */

/* Writes `size` bytes in little-endian order. */
static void put_bytes(uint8_t *to, const void *from, size_t size)
{
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        memcpy(to, from, size);
        return;
    }
    for (size_t k = 0; k < size; ++k)
        to[k] = ((const uint8_t *)from)[size - 1 - k];
}

static uint8_t colour_byte(const void *from, PxPlyType type)
{
    if (type == PX_PLY_F64)
        return (uint8_t)nearbyint(255 * fmin(fmax(px_ply_value(from, type), 0), 1));
    float value = (float)px_ply_value(from, type);
    return value > 0.0f ? value < 1.0f ? (uint8_t)(255.0f * value + 0.5f) : 255 : 0;
}

static void put_column(uint8_t *to, size_t width, const PxPlyValues *v, uint64_t first,
                       uint32_t rows)
{
    size_t size = px_ply_types[v->type].size;
    const uint8_t *from = (const uint8_t *)v->data + first * v->stride;
    for (uint32_t i = 0; i < rows; ++i, to += width, from += v->stride) {
        if (v->from == v->type) {
            put_bytes(to, from, size);
        } else if (v->type == PX_PLY_U8) {
            *to = colour_byte(from, v->from);
        } else {
            float single = (float)px_ply_value(from, v->from);
            put_bytes(to, &single, sizeof single);
        }
    }
}

PxStatus px_ply_put_vertices(const PxPlySink *sink, const PxPlyValues *values, uint32_t count,
                             uint64_t vertices)
{
    size_t width = 0;
    for (uint32_t k = 0; k < count; ++k) {
        PX_ASSERT(values[k].from == values[k].type ||
                  (values[k].from >= PX_PLY_F32 &&
                   (values[k].type == PX_PLY_U8 || values[k].type == PX_PLY_F32)));
        width += px_ply_types[values[k].type].size;
    }
    uint8_t *block = malloc(BLOCK * width + 1);
    if (block == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write %llu vertices",
                       (unsigned long long)vertices);
    PxStatus status = PX_OK;
    for (uint64_t first = 0; first < vertices && status == PX_OK; first += BLOCK) {
        uint32_t rows = vertices - first < BLOCK ? (uint32_t)(vertices - first) : BLOCK;
        uint8_t *to = block;
        for (uint32_t k = 0; k < count; ++k) {
            put_column(to, width, &values[k], first, rows);
            to += px_ply_types[values[k].type].size;
        }
        status = sink->put(sink->user, block, rows * width);
    }
    free(block);
    return status;
}

PxStatus px_ply_put_triangles(const PxPlySink *sink, const uint32_t (*triangle)[3],
                              uint64_t triangles, uint32_t first)
{
    enum { RECORD = 13 }; /* how many corners, and three of them */
    uint8_t *block = malloc((size_t)BLOCK * RECORD);
    if (block == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write %llu triangles",
                       (unsigned long long)triangles);
    PxStatus status = PX_OK;
    for (uint64_t t = 0; t < triangles && status == PX_OK;) {
        uint8_t *to = block;
        for (uint64_t end = triangles - t > BLOCK ? t + BLOCK : triangles; t < end; ++t) {
            *to++ = 3;
            for (int c = 0; c < 3; ++c, to += 4)
                put_bytes(to, &(uint32_t){first + triangle[t][c]}, 4);
        }
        status = sink->put(sink->user, block, (size_t)(to - block));
    }
    free(block);
    return status;
}
