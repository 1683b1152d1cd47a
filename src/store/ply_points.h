/// Reader of PLY files that keeps all vertex properties: the surfaces and surfels of a run.
///
/// The mesh reader (shape/mesh_read.h) keeps only positions, normals and colours to build shapes,
/// and refuses an empty mesh. This one keeps every property. It requires an element vertex without
/// lists, then optionally an element face, and nothing after them.
#ifndef PX_STORE_PLY_POINTS_H
#define PX_STORE_PLY_POINTS_H

#include "base/digest.h"
#include "base/table.h"

typedef struct PxPlyPoints {
    PxTable points;          ///< position normal colour velocity, then the other properties by name
    uint32_t (*triangle)[3]; ///< from px_list_reserve(); NULL for none
    uint32_t triangles;
    bool faces;               ///< the file has an element face, even when it is empty
    double time;              ///< s; NaN when no comment states it
    char up;                  ///< 'y' or 'z'; 0 when no comment states it
    char run[PX_DIGEST_TEXT]; ///< id of the run; "" when no comment states it
    uint32_t number;          ///< of the frame, if `run` is stated
    bool ours;                ///< phyxel wrote it
    bool checked;             ///< it has a checksum, which fits
} PxPlyPoints;

/// Parses a file in memory; `name` is used in messages. Polygons become triangle fans. On failure
/// there is nothing to free. Errors: PX_ERR_FORMAT with the file, the place and what was expected;
/// PX_ERR_MEMORY.
PxStatus px_ply_points_parse(const char *name, const void *bytes, size_t size, PxPlyPoints *out);

/// The same for a file on disk. Errors: PX_ERR_IO as well.
PxStatus px_ply_points_read(const char *path, PxPlyPoints *out);
void px_ply_points_free(PxPlyPoints *ply);

#endif
