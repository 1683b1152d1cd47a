/// Surfaces as binary little-endian PLY files, such as DIR/surface/000001.ply.
///
/// Vertices have x y z nx ny nz red green blue, surfels also a radius, then the additional columns
/// by name (vx vy vz temperature ...). Faces have vertex_indices. A file may hold several parts,
/// one per material; then vertices also have the number of their material. The first comment is a
/// checksum (shape/ply_read.h).
#ifndef PX_STORE_SURFACE_PLY_H
#define PX_STORE_SURFACE_PLY_H

#include "phyxel/surface.h"
#include "store/file.h"
#include "store/text_buffer.h"

typedef struct PxPlyPart {
    uint32_t vertices, triangles;
    const float (*position)[3], (*normal)[3];
    const float *radius; ///< surfels only
    const uint32_t (*triangle)[3];
    float *const *column; ///< `columns` of them
    uint8_t colour[3];    ///< of all vertices, if no columns give it
    uint32_t material;
} PxPlyPart;

typedef struct PxPlySurface {
    const char *comment; ///< comment lines of the header, each ending in a line break
    const PxPlyPart *part;
    size_t parts;
    char (*name)[40]; ///< of the columns
    uint32_t columns;
    int colour;   ///< index of the first of three colour columns, in 0 .. 1; -1 for none
    bool surfels; ///< points with a radius, no faces
    PxFileCheck check;
    bool materials; ///< vertices have the number of their material
} PxPlySurface;

/// Writes the file atomically.
/// Errors: PX_ERR_IO, PX_ERR_MEMORY for more than 2^31 vertices or faces.
PxStatus px_surface_ply_write(const char *path, const PxPlySurface *surface);

/// The comment lines at the beginning of such a file, from at most `size` - 1 bytes of the header,
/// zero-terminated. Errors: PX_ERR_IO.
PxStatus px_surface_ply_header(const char *path, char *out, size_t size);

#endif
