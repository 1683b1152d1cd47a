/// Estimates how long emitted particles stay in the scene, by the path of one point.
///
/// The point leaves the centre of the opening, falls, slides along walls without friction and ends
/// in a sink. If it comes to rest or never reaches a sink, as in a bowl, it stays. Particles move
/// differently, but whether they drain or collect is mostly the same.
#include "scene/check/survey.h"

#include "base/vec.h"
#include "world/actors/opening.h"

#include <math.h>

#define MOST_STEPS 20000
#define SLOW 0.1 /* of sqrt(g spacing): a slower point is at rest */

static bool in_a_sink(const PxScene *scene, const PxSurvey *survey, PxVec3 x, double time)
{
    for (size_t k = 0; k < scene->sinks; ++k)
        if (survey->sink[k] != NULL && !(scene->sink[k].def.shut > 0) &&
            time >= scene->sink[k].def.start && time < scene->sink[k].def.end &&
            px_shape_inside(survey->sink[k], x))
            return true;
    return false;
}

/* Moves the point out of walls and removes its velocity towards them. */
static void slide(const PxScene *scene, const PxSurvey *survey, PxVec3 *x, PxVec3 *v)
{
    for (size_t k = 0; k < scene->bodies; ++k) {
        const PxBodyDef *def = &scene->body[k].def;
        PxVec3 normal;
        if (!def->wall || survey->shape[k] == NULL)
            continue;
        double side = def->inside ? -1 : 1;
        double d = side * px_shape_distance(survey->shape[k], *x, &normal);
        if (d >= 0.5 * scene->world.spacing)
            continue;
        normal = px_scale(normal, side);
        *x = px_mad(*x, normal, 0.5 * scene->world.spacing - d);
        *v = px_mad(*v, normal, -fmin(px_dot(*v, normal), 0));
    }
}

double px_survey_stay(const PxScene *scene, const PxSurvey *survey, size_t emitter, double most)
{
    const PxSceneEmitter *e = &scene->emitter[emitter];
    PxShapeDef shape = px_scene_shape(scene, &e->def.shape, &e->is.turn);
    PxOpening opening;
    if (scene->sinks == 0 || !e->is.shape_known ||
        px_opening_make(&shape, e->def.direction, &opening) != PX_OK)
        return most;
    double speed = px_survey_jet(scene, e, &e->def, opening.area);
    double s = scene->world.spacing, time = 0, g = px_length(scene->world.gravity);
    PxVec3 x = px_mad(opening.back, opening.along, opening.depth);
    PxVec3 v = px_scale(opening.along, speed);
    for (int k = 0; k < MOST_STEPS && time < most; ++k) {
        double fast = px_length(v), dt = 0.25 * s / (fast + sqrt(g * s));
        if (!(dt > 0) || !isfinite(dt))
            return most;
        v = px_mad(v, scene->world.gravity, dt);
        PxVec3 from = x;
        x = px_mad(x, v, dt);
        slide(scene, survey, &x, &v);
        time += dt;
        if (in_a_sink(scene, survey, x, e->def.start + time))
            return fmin(time, most);
        if (px_length(v) < SLOW * sqrt(g * s) && px_length(px_sub(x, from)) < 1e-3 * s)
            return most;
    }
    return most;
}
