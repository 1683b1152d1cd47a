/// The walls of a scene without a world, for surfaces and pictures of stored frames.
#ifndef PX_SCENE_SCENE_WALLS_H
#define PX_SCENE_SCENE_WALLS_H

#include "matter/wall.h"
#include "phyxel/scene.h"

typedef struct PxSceneWalls {
    PxWall *wall;
    size_t count;
} PxSceneWalls;

/// Creates the walls and rigid bodies with the shapes and keyframes that the world would give them.
/// px_wall_move() moves them to a time, px_frame_pose() rigid bodies to their pose in a frame.
/// `boundary.body` is the index of the body. Errors: those of px_shape_create(), PX_ERR_FORMAT when
/// the scene has errors.
PxStatus px_scene_walls(const PxScene *scene, PxSceneWalls *out);
void px_scene_walls_free(PxSceneWalls *walls);

#endif
