#include "store/surface_ply.h"

#include "base/digest.h"
#include "shape/ply_read.h"
#include "shape/ply_write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* x y z, nx ny nz, a radius, a colour, the columns, and the material. */
#define MAX_VALUES (11u + PX_SURFACE_COLUMNS)

/* What is written, and the digest of what follows the line of the checksum. */
typedef struct Sink {
    PxFile *file;
    PxDigestStream *digest;
    bool begun; /* that line was written */
} Sink;

/* First bytes of every file. The digits of the checksum follow; they are written last, when all
 * other bytes are known. */
#define HEAD "ply\nformat binary_little_endian 1.0\ncomment " PX_PLY_CHECKSUM " "

static PxStatus put_to_file(void *user, const void *bytes, size_t size)
{
    Sink *sink = user;
    size_t skip = 0;
    if (!sink->begun) { /* the whole header comes in one piece */
        skip = sizeof HEAD - 1 + PX_DIGEST_TEXT;
        PX_ASSERT(size > skip && memcmp(bytes, HEAD, sizeof HEAD - 1) == 0);
        sink->begun = true;
    }
    px_digest_add(sink->digest, (const char *)bytes + skip, size - skip);
    return px_file_put(sink->file, bytes, size);
}

static PxStatus put_checksum(Sink *sink)
{
    uint64_t digest[2];
    char text[PX_DIGEST_TEXT];
    px_digest_end(sink->digest, digest);
    sink->digest = NULL;
    px_digest_text(digest, text);
    if (pwrite(sink->file->descriptor, text, PX_DIGEST_TEXT - 1, sizeof HEAD - 1) !=
        PX_DIGEST_TEXT - 1)
        return px_fail(PX_ERR_IO, "cannot write '%s': %s", sink->file->path, strerror(errno));
    return PX_OK;
}

static bool is_colour(const PxPlySurface *s, uint32_t column)
{
    return s->colour >= 0 && column >= (uint32_t)s->colour && column < (uint32_t)s->colour + 3;
}

/* Lists the vertex properties of a part. */
static uint32_t list_values(const PxPlySurface *s, const PxPlyPart *part,
                            PxPlyValues out[MAX_VALUES])
{
    static const char *const names[] = {"x", "y", "z", "nx", "ny", "nz", "red", "green", "blue"};
    uint32_t count = 0;
    for (int k = 0; k < 6; ++k) {
        const float(*from)[3] = k < 3 ? part->position : part->normal;
        out[count++] = (PxPlyValues){names[k], PX_PLY_F32, PX_PLY_F32,
                                     (const float *)(const void *)from + k % 3, sizeof *from};
    }
    if (s->surfels)
        out[count++] = (PxPlyValues){"radius", PX_PLY_F32, PX_PLY_F32, part->radius, sizeof(float)};
    for (int k = 0; k < 3; ++k)
        out[count++] = s->colour >= 0
                           ? (PxPlyValues){names[6 + k], PX_PLY_U8, PX_PLY_F32,
                                           part->column[s->colour + k], sizeof(float)}
                           : (PxPlyValues){names[6 + k], PX_PLY_U8, PX_PLY_U8, &part->colour[k], 0};
    for (uint32_t c = 0; c < s->columns; ++c)
        if (!is_colour(s, c))
            out[count++] =
                (PxPlyValues){s->name[c], PX_PLY_F32, PX_PLY_F32, part->column[c], sizeof(float)};
    if (s->materials)
        out[count++] = (PxPlyValues){"material", PX_PLY_U32, PX_PLY_U32, &part->material, 0};
    return count;
}

static PxStatus put_all(Sink *out, const PxPlySurface *s, const char *comment)
{
    uint64_t vertices = 0, faces = 0;
    for (size_t k = 0; k < s->parts; ++k) {
        vertices += s->part[k].vertices;
        faces += s->part[k].triangles;
    }
    if (vertices > INT32_MAX || faces > INT32_MAX)
        return px_fail(PX_ERR_MEMORY, "'%s' would have %llu vertices and %llu faces, too many",
                       out->file->path, (unsigned long long)vertices, (unsigned long long)faces);
    PxPlySink sink = {put_to_file, out};
    PxPlyValues values[MAX_VALUES];
    /* without vertices the columns have no data, but the header needs their names */
    float *none[PX_SURFACE_COLUMNS] = {NULL};
    uint32_t count = list_values(s, s->parts > 0 ? s->part : &(PxPlyPart){.column = none}, values);
    PX_TRY(px_ply_put_header(&sink, comment, values, count, vertices, !s->surfels, faces));
    for (size_t k = 0; k < s->parts; ++k) {
        count = list_values(s, &s->part[k], values);
        PX_TRY(px_ply_put_vertices(&sink, values, count, s->part[k].vertices));
    }
    uint32_t first = 0;
    for (size_t k = 0; k < s->parts && !s->surfels; ++k) {
        PX_TRY(px_ply_put_triangles(&sink, s->part[k].triangle, s->part[k].triangles, first));
        first += s->part[k].vertices;
    }
    return PX_OK;
}

PxStatus px_surface_ply_write(const char *path, const PxPlySurface *s)
{
    PxFile file = {.descriptor = -1};
    Sink sink = {.file = &file, .digest = px_digest_begin()};
    PxText comment = {0};
    px_text_add(&comment, PX_PLY_CHECKSUM " %032d\n%s%c", 0, s->comment, '\0');
    PxStatus status = px_text_check(&comment, path);
    if (status == PX_OK && sink.digest == NULL)
        status = px_fail(PX_ERR_MEMORY, "no room to write '%s'", path);
    if (status == PX_OK)
        status = px_file_begin(&file, path);
    if (status == PX_OK)
        status = put_all(&sink, s, comment.data);
    if (status == PX_OK)
        status = put_checksum(&sink);
    if (status == PX_OK)
        status = px_file_commit_checked(&file, s->check);
    px_file_abandon(&file);
    px_digest_end(sink.digest, (uint64_t[2]){0});
    px_text_free(&comment);
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
