/// The walls of a scene without its world: for whoever looks at results.
#ifndef PX_SCENE_SCENE_WALLS_H
#define PX_SCENE_SCENE_WALLS_H

#include "matter/wall.h"
#include "phyxel/scene.h"

typedef struct PxSceneWalls {
    PxWall *wall;
    size_t count;
} PxSceneWalls;

/// Shapes and keyframes as the world would have them; px_wall_move() says where they are at a
/// time. Errors: those of px_shape_create(), PX_ERR_FORMAT when the scene has errors.
PxStatus px_scene_walls(const PxScene *scene, PxSceneWalls *out);
void px_scene_walls_free(PxSceneWalls *walls);

#endif
