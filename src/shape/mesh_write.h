/// Writes meshes as OBJ, PLY and STL into memory; mesh_read.h reads them back.
#ifndef PX_SHAPE_MESH_WRITE_H
#define PX_SHAPE_MESH_WRITE_H

#include "base/memory.h"
#include "shape/mesh.h"

/// Bytes that grow; start as {0}, end with px_bytes_free().
typedef struct PxBytes {
    char *data;
    size_t count, capacity;
} PxBytes;

void px_bytes_free(PxBytes *bytes);

/// How positions, normals and texture coordinates are written. Single precision
/// is what other programs expect; double precision gives the same bits back.
typedef enum PxMeshPrecision { PX_MESH_SINGLE, PX_MESH_DOUBLE } PxMeshPrecision;

/// All three add to `out` and leave it as it was when they fail. `comment` (may
/// be NULL, may have several lines) goes into the file: units and axes belong
/// there. Errors: PX_ERR_MEMORY, PX_ERR_NUMERIC if a position is too large for
/// single precision where that is wanted.

/// Binary, little endian. Colours become 8 bits each.
PxStatus px_mesh_write_ply(const PxMesh *mesh, PxMeshPrecision precision, const char *comment,
                           PxBytes *out);
PxStatus px_mesh_write_obj(const PxMesh *mesh, PxMeshPrecision precision, const char *comment,
                           PxBytes *out);
/// Binary, single precision, positions only; of the comment 71 bytes.
PxStatus px_mesh_write_stl(const PxMesh *mesh, const char *comment, PxBytes *out);

#endif
