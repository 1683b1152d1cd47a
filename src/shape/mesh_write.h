/// Writes meshes as OBJ, PLY and STL into memory; mesh_read.h reads them back.
#ifndef PX_SHAPE_MESH_WRITE_H
#define PX_SHAPE_MESH_WRITE_H

#include "base/memory.h"
#include "shape/mesh.h"

/// A growing byte buffer; starts as {0}, freed by px_bytes_free().
typedef struct PxBytes {
    char *data;
    size_t count, capacity;
} PxBytes;

void px_bytes_free(PxBytes *bytes);

/// Precision of positions, normals and texture coordinates. Other programs expect
/// single; double reads back bit for bit.
typedef enum PxMeshPrecision { PX_MESH_SINGLE, PX_MESH_DOUBLE } PxMeshPrecision;

/// All three append to `out` and leave it unchanged on failure. `comment` (may be
/// NULL, may have several lines) goes into the file and should state units and axes.
/// Errors: PX_ERR_MEMORY; PX_ERR_NUMERIC if a position overflows single precision.

/// Binary, little endian. Colours are written with 8 bits per channel.
PxStatus px_mesh_write_ply(const PxMesh *mesh, PxMeshPrecision precision, const char *comment,
                           PxBytes *out);
PxStatus px_mesh_write_obj(const PxMesh *mesh, PxMeshPrecision precision, const char *comment,
                           PxBytes *out);
/// Binary, single precision, positions only; the comment is cut to 71 bytes.
PxStatus px_mesh_write_stl(const PxMesh *mesh, const char *comment, PxBytes *out);

#endif
