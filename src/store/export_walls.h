/// Export of walls and rigid bodies as objects that move: their meshes, and the motion of walls,
/// which follows from the scene. Used by the export of poses.
#ifndef PX_STORE_EXPORT_WALLS_H
#define PX_STORE_EXPORT_WALLS_H

#include "scene/scene_walls.h"
#include "store/export.h"

/// Planes have no mesh.
static inline bool px_export_wall_shown(const PxWall *wall)
{
    return px_shape_kind(wall->shape) != PX_SHAPE_PLANE;
}

/// The surface of a wall or rigid body as the scene places it; with poses, at time 0. Errors:
/// PX_ERR_MEMORY, those of shapes.
PxStatus px_export_wall_mesh(const PxWall *wall, PxMesh **out);

/// Its colour as in pictures, sRGB: the look of the body, or of its material.
PxVec3 px_export_wall_colour(const struct PxScene *scene, uint32_t body);

/// Writes what the poses move: OUT/body_N.ply, the surface of each rigid body and wall as the scene
/// places it, bodies.csv with their names and colours, and joints.csv. Errors: PX_ERR_IO,
/// PX_ERR_MEMORY, those of shapes.
PxStatus px_export_models(const char *out, const struct PxScene *scene, const PxSceneWalls *walls);

/// PC2 files of the walls whose meshes have poses, one sample a frame.
typedef struct PxExportWalls PxExportWalls;

/// Opens OUT/body_N.pc2 for each of them. Keeps `walls`, which must outlive it. Errors: PX_ERR_IO,
/// PX_ERR_MEMORY.
PxStatus px_export_walls_begin(const char *out, const PxSceneWalls *walls, PxExportWalls **state);
/// Appends their vertices at the time of the frame.
PxStatus px_export_walls_add(PxExportWalls *state, const PxFrameMeta *frame);
/// Commits the files if `status` is PX_OK; frees the state.
PxStatus px_export_walls_end(PxExportWalls *state, PxStatus status);

#endif
