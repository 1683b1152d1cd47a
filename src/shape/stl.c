/// Reads meshes from STL files: triangles without shared corners, as text or in records of 50
/// bytes.
#include "shape/keys.h"
#include "shape/mesh_read.h"
#include "shape/parse_text.h"

#include <string.h>

#define HEADER_SIZE 84u /* 80 bytes of anything and the number of triangles */
#define RECORD_SIZE 50u /* normal, three corners, two bytes of anything */

typedef struct Stl {
    const char *name;
    PxMeshBuilder builder;
    PxKeys keys;
} Stl;

static uint32_t little(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static double little_float(const unsigned char *at)
{
    uint32_t bits = little(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Corners at the same place are one vertex. */
static PxStatus keep_triangle(Stl *stl, const PxVec3 corner[3])
{
    PxMeshBuilder *b = &stl->builder;
    bool room = PX_LIST_RESERVE(&b->triangle, 1) && PX_LIST_RESERVE(&b->position, 3);
    for (int k = 0; room && k < 3; ++k) {
        size_t before = stl->keys.count;
        uint32_t vertex = px_keys_add(&stl->keys, px_key_of_point(corner[k]));
        room = vertex != PX_KEY_NONE;
        if (stl->keys.count > before)
            b->position.data[b->position.count++] = corner[k];
        b->triangle.data[b->triangle.count][k] = vertex;
    }
    b->triangle.count += room;
    return room ? PX_OK
                : px_fail(PX_ERR_MEMORY, "%s: no room for %zu triangles", stl->name,
                          b->triangle.count);
}

static PxStatus read_binary(Stl *stl, const unsigned char *bytes, size_t size)
{
    if (size < HEADER_SIZE)
        return px_fail(
            PX_ERR_FORMAT,
            "%s: %zu bytes, wanted the word solid (STL as text) or at least the %u bytes "
            "of a header (binary STL)",
            stl->name, size, HEADER_SIZE);
    uint32_t count = little(bytes + HEADER_SIZE - 4);
    size_t there = (size - HEADER_SIZE) / RECORD_SIZE;
    if (count > there)
        return px_fail(PX_ERR_FORMAT,
                       "%s: the file ends at byte %zu after %zu triangles, but byte %u announces "
                       "%u of them",
                       stl->name, size, there, HEADER_SIZE - 4, count);
    for (uint32_t t = 0; t < count; ++t) {
        const unsigned char *at = bytes + HEADER_SIZE + (size_t)t * RECORD_SIZE + 12;
        PxVec3 corner[3];
        for (int k = 0; k < 3; ++k) {
            corner[k] = px_vec(little_float(at + 12 * k), little_float(at + 12 * k + 4),
                               little_float(at + 12 * k + 8));
            if (!px_finite(corner[k]))
                return px_fail(PX_ERR_FORMAT,
                               "%s: byte %zu: a corner of triangle %u is (%g, %g, %g), must be "
                               "finite",
                               stl->name, (size_t)(at + 12 * k - bytes), t, corner[k].x,
                               corner[k].y, corner[k].z);
        }
        PX_TRY(keep_triangle(stl, corner));
    }
    return PX_OK;
}

static PxStatus unexpected(const Stl *stl, const PxTextReader *text, PxWord word,
                           const char *wanted)
{
    char quote[PX_WORD_QUOTE];
    if (word.length == 0)
        return px_fail(PX_ERR_FORMAT, "%s: line %zu: the file ends, wanted %s", stl->name,
                       text->line, wanted);
    return px_fail(PX_ERR_FORMAT, "%s: line %zu: '%s', wanted %s", stl->name, text->line,
                   px_word_quote(word, quote), wanted);
}

static PxStatus want(const Stl *stl, PxTextReader *text, const char *wanted)
{
    PxWord word;
    px_text_word(text, &word);
    return px_word_is_nocase(word, wanted) ? PX_OK : unexpected(stl, text, word, wanted);
}

static PxStatus want_vector(const Stl *stl, PxTextReader *text, PxVec3 *out)
{
    double n[3];
    for (int k = 0; k < 3; ++k) {
        PxWord word;
        px_text_word(text, &word);
        if (!px_word_number(word, &n[k]))
            return unexpected(stl, text, word, "a number");
    }
    *out = px_vec(n[0], n[1], n[2]);
    return PX_OK;
}

/* After "facet". */
static PxStatus read_facet(Stl *stl, PxTextReader *text)
{
    PxVec3 normal, corner[3];
    PX_TRY(want(stl, text, "normal"));
    PX_TRY(want_vector(stl, text, &normal)); /* may be anything, even nan */
    PX_TRY(want(stl, text, "outer"));
    PX_TRY(want(stl, text, "loop"));
    for (int k = 0; k < 3; ++k) {
        PX_TRY(want(stl, text, "vertex"));
        PX_TRY(want_vector(stl, text, &corner[k]));
        if (!px_finite(corner[k]))
            return px_fail(PX_ERR_FORMAT, "%s: line %zu: vertex (%g, %g, %g), must be finite",
                           stl->name, text->line, corner[k].x, corner[k].y, corner[k].z);
    }
    PX_TRY(want(stl, text, "endloop"));
    PX_TRY(want(stl, text, "endfacet"));
    return keep_triangle(stl, corner);
}

/* One or more of: solid NAME, facets, endsolid NAME. */
static PxStatus read_text(Stl *stl, const void *bytes, size_t size)
{
    PxTextReader text = px_text(bytes, size);
    PxWord word, rest;
    while (px_text_word(&text, &word)) {
        if (!px_word_is_nocase(word, "solid"))
            return unexpected(stl, &text, word, "solid");
        px_text_line(&text, &rest);
        for (;;) {
            px_text_word(&text, &word);
            if (px_word_is_nocase(word, "endsolid"))
                break;
            if (!px_word_is_nocase(word, "facet"))
                return unexpected(stl, &text, word, "facet or endsolid");
            PX_TRY(read_facet(stl, &text));
        }
        px_text_line(&text, &rest);
    }
    return PX_OK;
}

/* Binary files may begin with "solid" too, so the size is checked first. */
static bool is_binary_sized(const void *bytes, size_t size)
{
    return size >= HEADER_SIZE &&
           (uint64_t)size ==
               HEADER_SIZE +
                   (uint64_t)RECORD_SIZE * little((const unsigned char *)bytes + HEADER_SIZE - 4);
}

static bool begins_with_solid(const void *bytes, size_t size)
{
    PxTextReader text = px_text(bytes, size);
    PxWord word;
    return px_text_word(&text, &word) && px_word_is_nocase(word, "solid");
}

bool px_mesh_looks_like_stl(const void *bytes, size_t size)
{
    return is_binary_sized(bytes, size) || begins_with_solid(bytes, size);
}

PxStatus px_mesh_read_stl(const char *name, const void *bytes, size_t size, PxMesh **out)
{
    *out = NULL;
    if (size > PX_MESH_MAX_FILE)
        return px_fail(PX_ERR_FORMAT, "%s: %zu bytes, at most %llu allowed", name, size,
                       (unsigned long long)PX_MESH_MAX_FILE);
    Stl stl = {.name = name};
    PxStatus status = !is_binary_sized(bytes, size) && begins_with_solid(bytes, size)
                          ? read_text(&stl, bytes, size)
                          : read_binary(&stl, bytes, size);
    if (status == PX_OK)
        status = px_mesh_builder_finish(&stl.builder, name, out);
    px_keys_free(&stl.keys);
    px_mesh_builder_free(&stl.builder);
    return status;
}
