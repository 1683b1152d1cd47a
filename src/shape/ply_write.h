/// The one writer of PLY files: binary little endian, an element `vertex` and optionally an element
/// `face` of triangles.
#ifndef PX_SHAPE_PLY_WRITE_H
#define PX_SHAPE_PLY_WRITE_H

#include "base/fail.h"
#include "shape/ply_type.h"

#include <stdbool.h>

/// Receives the bytes of the file.
typedef struct PxPlySink {
    PxStatus (*put)(void *user, const void *bytes, size_t size);
    void *user;
} PxPlySink;

/// One vertex property. Values are converted from type `from` to `type`: floating point to U8 is a
/// colour channel, scaled by 255.
typedef struct PxPlyValues {
    const char *name;
    PxPlyType type, from;
    const void *data; ///< value of the first vertex
    size_t stride;    ///< bytes from vertex to vertex; 0: one value for all
} PxPlyValues;

/// Writes the header. `comment` (may be NULL) may have several lines; control characters in them
/// become spaces.
PxStatus px_ply_put_header(const PxPlySink *sink, const char *comment, const PxPlyValues *values,
                           uint32_t count, uint64_t vertices, bool faces, uint64_t triangles);

/// Writes vertices, in one or more calls.
PxStatus px_ply_put_vertices(const PxPlySink *sink, const PxPlyValues *values, uint32_t count,
                             uint64_t vertices);

/// Then writes triangles, adding `first` to their vertex indices.
PxStatus px_ply_put_triangles(const PxPlySink *sink, const uint32_t (*triangle)[3],
                              uint64_t triangles, uint32_t first);

#endif
