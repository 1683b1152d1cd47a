/// Points with everything that belongs to them, and triangles, out of PLY files: surfaces and
/// surfels as they are stored beside a run.
///
/// The reader of meshes (shape/mesh_read.h) keeps positions, normals and colours to build shapes
/// from, and refuses an empty mesh. This one keeps every property, and wants an element vertex
/// without lists, then perhaps an element face, and nothing behind them.
#ifndef PX_STORE_PLY_POINTS_H
#define PX_STORE_PLY_POINTS_H

#include "base/table.h"

typedef struct PxPlyPoints {
    PxTable points;          ///< position normal colour velocity, and the rest by name
    uint32_t (*triangle)[3]; ///< from px_list_reserve(); NULL for none
    uint32_t triangles;
    bool faces;  ///< the file has an element face, even when it is empty
    double time; ///< s; NaN when no comment says it
    char up;     ///< 'y' or 'z'; 0 when no comment says it
} PxPlyPoints;

/// `name` is used in messages. Polygons are cut into fans. On failure there is nothing to free.
/// Errors: PX_ERR_FORMAT with the file, the place and what was wanted; PX_ERR_MEMORY.
PxStatus px_ply_points_parse(const char *name, const void *bytes, size_t size, PxPlyPoints *out);

/// The same for a file. Errors: PX_ERR_IO as well.
PxStatus px_ply_points_read(const char *path, PxPlyPoints *out);
void px_ply_points_free(PxPlyPoints *ply);

#endif
