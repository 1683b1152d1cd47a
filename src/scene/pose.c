/// Poses of shapes, and keyframes of walls and handles.
#include "scene/content.h"

#include "base/vec.h"

#define DEGREE (3.14159265358979323846 / 180.0)

PxVec3 px_scene_up_vector(const PxScene *scene)
{
    return scene->head.up == PX_UP_Z ? px_vec(0, 0, 1) : px_vec(0, 1, 0);
}

static PxQuat turn_rotation(const PxSceneTurn *turn)
{
    return px_quat_turn(turn->axis, turn->degrees * DEGREE);
}

/* Shapes whose height is along y, and which are rotated to z first if z is up. */
static bool is_upright(PxShapeKind kind)
{
    return kind == PX_SHAPE_CYLINDER || kind == PX_SHAPE_CAPSULE || kind == PX_SHAPE_CONE ||
           kind == PX_SHAPE_FUNNEL || kind == PX_SHAPE_SHEET;
}

PxShapeDef px_scene_shape(const PxScene *scene, const PxShapeDef *stated, const PxSceneTurn *turn)
{
    PxShapeDef shape = *stated;
    shape.rotation = turn_rotation(turn);
    if (scene->head.up == PX_UP_Z && is_upright(shape.kind))
        shape.rotation =
            px_quat_multiply(shape.rotation, px_quat_turn(px_vec(1, 0, 0), 90 * DEGREE));
    return shape;
}

PxShapeDef px_scene_shape_at_start(const PxScene *scene, const PxShapeDef *stated,
                                   const PxSceneTurn *turn, const PxSceneKeyframe *keyframe,
                                   size_t keyframes)
{
    PxShapeDef shape = px_scene_shape(scene, stated, turn);
    if (keyframes > 0) { /* the first is at time 0 */
        shape.at = px_add(shape.at, keyframe[0].move);
        shape.rotation = px_quat_multiply(turn_rotation(&keyframe[0].turn), shape.rotation);
    }
    return shape;
}

bool px_scene_flows(const PxScene *scene)
{
    for (size_t k = 0; k < scene->bodies; ++k) {
        size_t slot = scene->body[k].is.refers[0];
        if (px_body_is_bare(&scene->body[k].def) || slot >= scene->materials)
            continue;
        const PxMaterialDef *m = &scene->material[slot].def;
        if (!(m->young > 0) || m->melts.melts || m->diffusivity > 0)
            return true;
    }
    return scene->emitters > 0;
}

bool px_scene_is_solid(const PxScene *scene, size_t body)
{
    size_t material = scene->body[body].is.refers[0];
    return !px_body_is_bare(&scene->body[body].def) && material != PX_NO_MATERIAL &&
           scene->material[material].def.young > 0;
}

/* --- keyframes -------------------------------------------------------------------- */

/* Do both rotations have the same axis? Then *axis is that axis, and *from and *to are their angles
 * about it, degrees. */
static bool same_axis(const PxSceneTurn *a, const PxSceneTurn *b, PxVec3 *axis, double *from,
                      double *to)
{
    PxVec3 u = px_normalized(a->axis, px_vec(0, 1, 0));
    PxVec3 v = px_normalized(b->axis, px_vec(0, 1, 0));
    *from = a->degrees;
    *to = b->degrees;
    *axis = a->degrees != 0 ? u : v;
    if (a->degrees == 0 || b->degrees == 0)
        return true;
    double along = px_dot(u, v);
    if (fabs(along) < 1 - 1e-12)
        return false;
    if (along < 0)
        *to = -*to;
    return true;
}

size_t px_scene_keyframes(const PxSceneKeyframe *keyframe, size_t keyframes, PxKeyframe *out)
{
    const double most =
        120; /* degrees between keyframes, safely below 180, where the shorter arc is ambiguous */
    size_t count = 0;
    for (size_t k = 0; k < keyframes; ++k) {
        const PxSceneKeyframe *next = &keyframe[k];
        PxVec3 axis;
        double from, to;
        if (k > 0 && same_axis(&keyframe[k - 1].turn, &next->turn, &axis, &from, &to) &&
            fabs(to - from) > most) {
            const PxSceneKeyframe *last = &keyframe[k - 1];
            size_t parts = (size_t)ceil(fabs(to - from) / most);
            for (size_t p = 1; p < parts; ++p) {
                double t = (double)p / (double)parts;
                if (out != NULL)
                    out[count] = (PxKeyframe){
                        .time = last->at + t * (next->at - last->at),
                        .at = px_mad(last->move, px_sub(next->move, last->move), t),
                        .rotation = px_quat_turn(axis, (from + t * (to - from)) * DEGREE)};
                count++;
            }
        }
        if (out != NULL)
            out[count] = (PxKeyframe){
                .time = next->at, .at = next->move, .rotation = turn_rotation(&next->turn)};
        count++;
    }
    return count;
}
