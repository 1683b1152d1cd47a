/// Checks of gauges: places in walls, samples that the run does not reach, bodies of cloth.
#include "scene/check/survey.h"
#include "scene/content.h"
#include "scene/scene_walls.h"
#include "world/actors/gauge.h"

static const char *name_of_wall(const PxScene *scene, size_t wall)
{
    size_t k = 0;
    for (; k < scene->bodies; ++k)
        if (px_body_is_boundary(&scene->body[k].def) && wall-- == 0)
            break;
    return k < scene->bodies ? scene->body[k].def.name : "";
}

/* The body of cloth of which a gauge is, itself or by a handle; NULL: none. */
static const PxSceneBody *cloth_of(const PxScene *scene, const PxSceneGauge *gauge)
{
    size_t body = gauge->is.refers[0], handle = gauge->is.refers[1];
    if (handle < scene->handles)
        body = scene->handle[handle].is.refers[0];
    if (body >= scene->bodies)
        return NULL;
    size_t material = scene->body[body].is.refers[0];
    bool cloth = material < scene->materials && scene->material[material].def.cloth.cloth;
    return cloth ? &scene->body[body] : NULL;
}

static void check_gauge(PxScene *scene, const PxSceneWalls *walls, size_t index)
{
    PxGaugeDef def = scene->gauge[index].def;
    PxPath root = px_path_root(), list = px_path_key(&root, "gauges");
    PxPath one = px_path_index(&list, index), path = px_path_key(&one, "at");
    double fps = scene->head.time.fps, end = scene->head.time.frames / fps;
    PxInWall in;
    px_gauge_kind.per_frame(&def, 1 / fps);
    if (px_gauge_in_wall(&def, px_gauge_up(scene->world.gravity), walls->wall, walls->count, 0,
                         scene->world.spacing, &in))
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "(%g, %g, %g) is %.3g m inside the wall '%s', where no matter is%s", in.at.x,
                    in.at.y, in.at.z, in.depth, name_of_wall(scene, in.wall),
                    def.place == PX_GAUGE_PLANE  ? ", as is all of the plane"
                    : def.place == PX_GAUGE_LINE ? ", a point of the line"
                                                 : "");
    const PxSceneBody *cloth = cloth_of(scene, &scene->gauge[index]);
    bool sums = def.place == PX_GAUGE_WHOLE &&
                (def.measures == PX_GAUGE_FORCE || def.measures == PX_GAUGE_ENERGY ||
                 def.measures == PX_GAUGE_MOMENTUM || def.measures == PX_GAUGE_VELOCITY);
    if (cloth != NULL && !sums)
        px_complain(
            scene, PX_WARNING, &one, PX_AT_VALUE,
            "measures nothing: '%s' is cloth, of which gauges measure force, energy, momentum "
            "and velocity as a whole",
            cloth->def.name);
    if (def.every > end * (1 + 1e-9))
        px_complain(scene, PX_WARNING, &one, PX_AT_VALUE,
                    "has no sample: the run ends after %g s, before \"every\" = %g s", end,
                    def.every);
}

PxStatus px_survey_check_gauges(PxScene *scene)
{
    PxSceneWalls walls;
    if (scene->gauges == 0 || px_scene_verdict(scene) != PX_OK)
        return PX_OK;
    PX_TRY(px_scene_walls(scene, &walls));
    for (size_t k = 0; k < scene->gauges; ++k)
        check_gauge(scene, &walls, k);
    px_scene_walls_free(&walls);
    return PX_OK;
}
