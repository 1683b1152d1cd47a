/// Walls and rigid bodies as triangles, placed as they are in a frame: for programs that read a
/// mesh a frame and no poses.
#ifndef PX_STORE_EXPORT_PLACED_H
#define PX_STORE_EXPORT_PLACED_H

#include "store/export.h"

typedef struct PxExportPlaced PxExportPlaced;

/// Tessellates them. Keeps the scene. Errors: PX_ERR_ARGUMENT without a scene, or if it has only
/// planes; PX_ERR_MEMORY; those of shapes.
PxStatus px_export_placed_begin(const struct PxScene *scene, PxExportPlaced **out);

/// Reads time and rigid bodies of a frame of `dir` and fills frame->points, with the columns
/// `position`, `colour` and `body`, and frame->triangle. Errors: as px_frame_read(), PX_ERR_MEMORY.
PxStatus px_export_placed_read(PxExportPlaced *placed, const char *dir, uint32_t number,
                               const PxThreads *threads, PxExportFrame *frame);

/// Accepts NULL.
void px_export_placed_end(PxExportPlaced *placed);

#endif
