/// Checks of what is seldom meant: a spacing larger than all matter, thin parts, cameras in liquids
/// and walls, matter that nothing holds, walls that leave their tank.
#include "scene/check/survey.h"

#include "base/vec.h"
#include "base/words.h"

#include <math.h>
#include <string.h>

/* Particles across the thinnest part of a solid for which it keeps its shape; parts thinner than
 * SURELY spacings have fewer, wherever the lattice lies. */
#define FEW 2.0 /* particles across below which bending is not resolved at all */
#define ACROSS 3.0
#define SURELY 2.5

static bool is_finite(PxBounds b)
{
    return px_finite(b.low) && px_finite(b.high);
}

static void check_spacing(PxScene *scene, const PxSurvey *survey)
{
    if (!is_finite(survey->matter) || !(survey->particles > 0))
        return;
    PxVec3 size = px_sub(survey->matter.high, survey->matter.low);
    PxPath root = px_path_root(), path = px_path_key(&root, "spacing");
    if (scene->world.spacing > fmax(size.x, fmax(size.y, size.z)))
        px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                    "is %.3g m, larger than all matter of the scene, which is %.3g x %.3g x %.3g "
                    "m: is it in m?",
                    scene->world.spacing, size.x, size.y, size.z);
}

/* Is the mesh that of a body before it? One complaint is enough for a crowd. */
static bool is_again(const PxScene *scene, size_t body)
{
    const PxShapeDef *own = &scene->body[body].def.shape;
    for (size_t k = 0; k < body && own->mesh != NULL; ++k) {
        const PxShapeDef *other = &scene->body[k].def.shape;
        if (other->kind == own->kind && other->mesh != NULL &&
            strcmp(other->mesh, own->mesh) == 0 && !(own->scale < other->scale))
            return true;
    }
    return false;
}

static void check_thin(PxScene *scene, const PxSurvey *survey)
{
    double spacing = scene->world.spacing;
    PxPath root = px_path_root(), list = px_path_key(&root, "bodies");
    for (size_t k = 0; k < scene->bodies && spacing > 0; ++k) {
        const PxShape *shape = survey->shape[k];
        PxVec3 at;
        double thick;
        if (shape == NULL || px_body_is_bare(&scene->body[k].def) || !px_scene_is_solid(scene, k) ||
            is_again(scene, k))
            continue;
        double part = px_shape_thin(shape, SURELY * spacing, &at, &thick);
        PxPath one = px_path_index(&list, k), path = px_path_key(&one, "shape");
        if (part > 0)
            px_complain(scene, thick < FEW * spacing ? PX_WARNING : PX_NOTE, &path, PX_AT_VALUE,
                        "has parts with fewer than three particles across (%.0f %% of its surface; "
                        "%.2g m thick at %.3g, %.3g, %.3g), which bend and break as they please: "
                        "a spacing of %.2g m would do",
                        100 * part, thick, at.x, at.y, at.z, thick / ACROSS);
    }
}

/* The first body of which the point is inside: a liquid, or a wall that is not a vessel. */
static const PxSceneBody *around(const PxScene *scene, const PxSurvey *survey, PxVec3 point)
{
    for (size_t k = 0; k < scene->bodies; ++k) {
        const PxSceneBody *body = &scene->body[k];
        if (survey->shape[k] != NULL && !(body->def.wall && body->def.inside) &&
            px_shape_inside(survey->shape[k], point))
            return body;
    }
    return NULL;
}

static void check_camera(PxScene *scene, const PxSurvey *survey)
{
    PxPath root = px_path_root(), camera = px_path_key(&root, "camera");
    for (size_t k = 0; scene->has_camera && k < (scene->views > 0 ? scene->views : 1); ++k) {
        const PxSceneCamera *c = scene->views > 0 ? &scene->view[k].camera : &scene->camera;
        const PxSceneBody *body = around(scene, survey, c->from);
        PxPath one = px_path_index(&camera, k);
        PxPath path = px_path_key(scene->views > 1 ? &one : &camera, "from");
        char name[120];
        if (body != NULL)
            px_complain(scene, body->def.wall ? PX_WARNING : PX_NOTE, &path, PX_AT_VALUE,
                        "is inside '%s' at the start: %s",
                        px_quote(body->def.name, name, sizeof name),
                        body->def.wall ? "pictures show nothing but its inside"
                                       : "pictures are taken from within it");
    }
}

/* Does anything hold or stop what falls? */
static void check_ground(PxScene *scene, const PxSurvey *survey)
{
    double time = scene->head.time.frames / scene->head.time.fps;
    double fall = 0.5 * px_length(scene->world.gravity) * time * time;
    if (scene->errors > 0 || !is_finite(survey->matter) ||
        scene->handles + scene->joints + scene->fields > 0)
        return;
    double size = px_length(px_sub(survey->matter.high, survey->matter.low));
    for (size_t k = 0; k < scene->bodies; ++k)
        if (scene->body[k].def.wall || scene->body[k].is.keyframes > 0)
            return;
    PxPath root = px_path_root(); /* of the scene as a whole */
    if (fall > 2 * size)
        px_complain(scene, PX_NOTE, &root, PX_AT_VALUE,
                    "has no wall: all falls freely, %.3g m in %.3g s; a floor is "
                    "{\"shape\": {\"plane\": {}}, \"wall\": true}",
                    fall, time);
}

static bool meet(PxBounds a, PxBounds b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

/* Moving walls whose bounds, moved by a keyframe, no longer meet the tank in which they start. The
 * bounds grow to a ball about the pivot if they turn. */
static void check_leaving(PxScene *scene, const PxSurvey *survey)
{
    PxPath root = px_path_root(), list = px_path_key(&root, "bodies");
    double end = scene->head.time.frames / scene->head.time.fps;
    for (size_t k = 0; k < scene->bodies; ++k) {
        const PxSceneBody *body = &scene->body[k];
        if (!body->def.wall || body->is.keyframes < 2 || survey->shape[k] == NULL ||
            !is_finite(px_shape_bounds(survey->shape[k])))
            continue;
        PxBounds own = px_shape_bounds(survey->shape[k]);
        double reach = px_length(px_sub(own.high, own.low));
        for (size_t t = 0; t < scene->bodies; ++t) {
            const PxSceneBody *tank = &scene->body[t];
            if (!tank->def.wall || !tank->def.inside || survey->shape[t] == NULL ||
                tank->is.keyframes > 0 || !is_finite(px_shape_bounds(survey->shape[t])) ||
                !meet(own, px_shape_bounds(survey->shape[t])))
                continue;
            for (size_t i = 1; i < body->is.keyframes; ++i) {
                const PxSceneKeyframe *key = &body->is.keyframe[i];
                PxVec3 by = px_sub(key->move, body->is.keyframe[0].move);
                double more = key->turn.degrees != 0 ? reach : 0;
                PxBounds then = {px_add(own.low, px_sub(by, px_vec(more, more, more))),
                                 px_add(own.high, px_add(by, px_vec(more, more, more)))};
                if (key->at > end || meet(then, px_shape_bounds(survey->shape[t])))
                    continue;
                PxPath one = px_path_index(&list, k), path = px_path_key(&one, "keyframes");
                char name[120];
                px_complain(scene, PX_NOTE, &path, PX_AT_VALUE,
                            "move it out of '%s', in which it starts, by %.3g s",
                            px_quote(tank->def.name, name, sizeof name), key->at);
                break;
            }
        }
    }
}

void px_survey_check_stage(PxScene *scene, const PxSurvey *survey)
{
    check_spacing(scene, survey);
    check_thin(scene, survey);
    check_camera(scene, survey);
    check_ground(scene, survey);
    check_leaving(scene, survey);
}
