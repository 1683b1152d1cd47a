#include "store/surface_ply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Vertices or faces that are turned into bytes at a time. */
enum { BLOCK = 8192 };

static bool is_colour(const PxPlySurface *s, uint32_t column)
{
    return s->colour >= 0 && column >= (uint32_t)s->colour && column < (uint32_t)s->colour + 3;
}

static void add_comment(PxText *header, const char *comment)
{
    while (*comment != '\0') {
        size_t length = strcspn(comment, "\n");
        px_text_add(header, "comment ");
        for (size_t k = 0; k < length; ++k) /* a name may hold anything */
            px_text_add(header, "%c", (unsigned char)comment[k] < ' ' ? ' ' : comment[k]);
        px_text_add(header, "\n");
        comment += length + (comment[length] == '\n');
    }
}

static void add_header(PxText *header, const PxPlySurface *s, uint64_t vertices, uint64_t faces)
{
    px_text_add(header, "ply\nformat binary_little_endian 1.0\n");
    add_comment(header, s->comment);
    px_text_add(header, "element vertex %llu\n", (unsigned long long)vertices);
    static const char *const first[] = {"x", "y", "z", "nx", "ny", "nz"};
    for (int k = 0; k < 6; ++k)
        px_text_add(header, "property float %s\n", first[k]);
    if (s->surfels)
        px_text_add(header, "property float radius\n");
    px_text_add(header, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
    for (uint32_t c = 0; c < s->columns; ++c)
        if (!is_colour(s, c))
            px_text_add(header, "property float %s\n", s->name[c]);
    if (s->materials)
        px_text_add(header, "property uint material\n");
    if (!s->surfels)
        px_text_add(header, "element face %llu\nproperty list uchar int vertex_indices\n",
                    (unsigned long long)faces);
    px_text_add(header, "end_header\n");
}

static uint8_t *put(uint8_t *to, const void *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return to + size;
}

static uint8_t colour_byte(float value)
{
    return value > 0.0f ? value < 1.0f ? (uint8_t)(255.0f * value + 0.5f) : 255 : 0;
}

static PxStatus put_vertices(PxFile *file, const PxPlySurface *s, const PxPlyPart *part,
                             uint8_t *block)
{
    for (uint32_t v = 0; v < part->vertices;) {
        uint8_t *to = block;
        for (uint32_t end = part->vertices - v > BLOCK ? v + BLOCK : part->vertices; v < end; ++v) {
            to = put(to, part->position[v], sizeof part->position[v]);
            to = put(to, part->normal[v], sizeof part->normal[v]);
            if (s->surfels)
                to = put(to, &part->radius[v], sizeof part->radius[v]);
            for (int k = 0; k < 3; ++k)
                *to++ =
                    s->colour >= 0 ? colour_byte(part->column[s->colour + k][v]) : part->colour[k];
            for (uint32_t c = 0; c < s->columns; ++c)
                if (!is_colour(s, c))
                    to = put(to, &part->column[c][v], sizeof(float));
            if (s->materials)
                to = put(to, &part->material, sizeof part->material);
        }
        PX_TRY(px_file_put(file, block, (size_t)(to - block)));
    }
    return PX_OK;
}

static PxStatus put_faces(PxFile *file, const PxPlyPart *part, uint32_t first, uint8_t *block)
{
    for (uint32_t t = 0; t < part->triangles;) {
        uint8_t *to = block;
        for (uint32_t end = part->triangles - t > BLOCK ? t + BLOCK : part->triangles; t < end;
             ++t) {
            *to++ = 3;
            for (int c = 0; c < 3; ++c) {
                uint32_t index = first + part->triangle[t][c];
                to = put(to, &index, sizeof index);
            }
        }
        PX_TRY(px_file_put(file, block, (size_t)(to - block)));
    }
    return PX_OK;
}

static PxStatus put_all(PxFile *file, const PxPlySurface *s, uint8_t *block)
{
    uint64_t vertices = 0, faces = 0;
    for (size_t k = 0; k < s->parts; ++k) {
        vertices += s->part[k].vertices;
        faces += s->part[k].triangles;
    }
    if (vertices > INT32_MAX || faces > INT32_MAX)
        return px_fail(PX_ERR_MEMORY, "'%s' would have %llu vertices and %llu faces, too many",
                       file->path, (unsigned long long)vertices, (unsigned long long)faces);
    PxText header = {0};
    add_header(&header, s, vertices, faces);
    PxStatus status = px_text_check(&header, file->path);
    if (status == PX_OK)
        status = px_file_put(file, header.data, header.count);
    px_text_free(&header);
    for (size_t k = 0; k < s->parts && status == PX_OK; ++k)
        status = put_vertices(file, s, &s->part[k], block);
    uint32_t first = 0;
    for (size_t k = 0; k < s->parts && status == PX_OK && !s->surfels; ++k) {
        status = put_faces(file, &s->part[k], first, block);
        first += s->part[k].vertices;
    }
    return status;
}

PxStatus px_surface_ply_write(const char *path, const PxPlySurface *s)
{
    uint8_t *block = malloc(BLOCK * (7 * 4 + 3 + 4 + 4 * (size_t)PX_SURFACE_COLUMNS));
    if (block == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", path);
    PxFile file = {.descriptor = -1};
    PxStatus status = px_file_begin(&file, path);
    if (status == PX_OK)
        status = put_all(&file, s, block);
    if (status == PX_OK)
        status = px_file_commit(&file);
    px_file_abandon(&file);
    free(block);
    return status;
}

PxStatus px_surface_ply_header(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "rb");
    out[0] = '\0';
    if (file == NULL)
        return px_fail(PX_ERR_IO, "'%s' cannot be opened: %s", path, strerror(errno));
    size_t got = fread(out, 1, size - 1, file);
    fclose(file);
    out[got] = '\0';
    char *end = strstr(out, "\nelement vertex ");
    if (end != NULL)
        end[1] = '\0';
    return PX_OK;
}
