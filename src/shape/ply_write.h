/// The one writer of PLY files: binary little endian, an element vertex and perhaps an element
/// face of triangles.
#ifndef PX_SHAPE_PLY_WRITE_H
#define PX_SHAPE_PLY_WRITE_H

#include "base/fail.h"
#include "shape/ply_type.h"

#include <stdbool.h>

/// Where bytes go.
typedef struct PxPlySink {
    PxStatus (*put)(void *user, const void *bytes, size_t size);
    void *user;
} PxPlySink;

/// One property of vertices. Values are converted where `from` differs: floating point to U8 is a
/// colour, of which 1 is full.
typedef struct PxPlyValues {
    const char *name;
    PxPlyType type, from;
    const void *data; ///< of the first vertex
    size_t stride;    ///< bytes from vertex to vertex; 0: all have the same
} PxPlyValues;

/// The header. `comment` (may be NULL) has lines; control characters in them become spaces.
PxStatus px_ply_put_header(const PxPlySink *sink, const char *comment, const PxPlyValues *values,
                           uint32_t count, uint64_t vertices, bool faces, uint64_t triangles);

/// Vertices; in several calls if they come in parts.
PxStatus px_ply_put_vertices(const PxPlySink *sink, const PxPlyValues *values, uint32_t count,
                             uint64_t vertices);

/// Then triangles, whose corners count from vertex `first`.
PxStatus px_ply_put_triangles(const PxPlySink *sink, const uint32_t (*triangle)[3],
                              uint64_t triangles, uint32_t first);

#endif
