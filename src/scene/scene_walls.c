#include "scene/scene_walls.h"

#include "scene/content.h"

#include <stdlib.h>

void px_scene_walls_free(PxSceneWalls *walls)
{
    for (size_t k = 0; k < walls->count; ++k) {
        px_shape_free(walls->wall[k].shape);
        free(walls->wall[k].key);
    }
    free(walls->wall);
    *walls = (PxSceneWalls){0};
}

static PxStatus make_wall(const PxScene *scene, const PxSceneBody *body, PxWall *wall)
{
    PxShapeDef shape = px_scene_shape(scene, &body->def.shape, &body->is.turn);
    *wall = (PxWall){.def = shape,
                     .inside = body->def.inside,
                     .rigid = body->def.rigid,
                     .now.turn = {0, 0, 0, 1},
                     .pivot = shape.at,
                     .keys = px_scene_keyframes(body->is.keyframe, body->is.keyframes, NULL)};
    px_shape_def_forget(&wall->def);
    if (wall->keys > 0) {
        wall->key = calloc(wall->keys, sizeof *wall->key);
        if (wall->key == NULL)
            return px_fail(PX_ERR_MEMORY, "scene: no room for %zu keyframes", wall->keys);
        px_scene_keyframes(body->is.keyframe, body->is.keyframes, wall->key);
    }
    PX_TRY(px_shape_create(&shape, &wall->shape));
    wall->bounds = px_shape_bounds(wall->shape);
    px_wall_move(wall, 0, 0);
    return PX_OK;
}

PxStatus px_scene_walls(const PxScene *scene, PxSceneWalls *out)
{
    *out = (PxSceneWalls){0};
    PX_TRY(px_scene_verdict(scene));
    out->wall = calloc(scene->bodies + 1, sizeof *out->wall);
    if (out->wall == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room for %zu walls", scene->bodies);
    PxStatus status = PX_OK;
    for (size_t k = 0; k < scene->bodies && status == PX_OK; ++k)
        if (px_body_is_boundary(&scene->body[k].def)) {
            PxWall *wall = &out->wall[out->count++];
            status = make_wall(scene, &scene->body[k], wall);
            wall->boundary.body = (uint32_t)k;
        }
    if (status != PX_OK)
        px_scene_walls_free(out);
    return status;
}
