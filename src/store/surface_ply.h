/// Surfaces as PLY files, binary little endian: what DIR/surface/000001.ply is.
///
/// Vertices have x y z nx ny nz red green blue, then whatever columns there are by name (vx vy vz
/// temperature ...), surfels a radius as well. Faces have vertex_indices. A file may hold
/// several parts, one a material; then vertices have the number of their part's material, too.
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
    uint8_t colour[3];    ///< of all vertices, where no columns hold it
    uint32_t material;
} PxPlyPart;

typedef struct PxPlySurface {
    const char *comment; ///< lines, each ended; words of the header are put before them
    const PxPlyPart *part;
    size_t parts;
    char (*name)[40]; ///< of the columns
    uint32_t columns;
    int colour;     ///< first of three columns in 0 .. 1 that are the colour; -1 for none
    bool surfels;   ///< points with a radius, no faces
    bool materials; ///< vertices say their part's material
} PxPlySurface;

/// Writes the file, whole or not at all.
/// Errors: PX_ERR_IO, PX_ERR_MEMORY for more than 2^31 vertices or faces.
PxStatus px_surface_ply_write(const char *path, const PxPlySurface *surface);

/// The comment lines at the beginning of such a file, up to `size` - 1 bytes of the header, ended
/// by a zero. Errors: PX_ERR_IO.
PxStatus px_surface_ply_header(const char *path, char *out, size_t size);

#endif
