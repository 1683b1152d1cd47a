/// Poses of shapes, and keyframes of walls and handles.
#include "scene/content.h"

#include "base/vec.h"
#include "scene/ease.h"

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

/* Eased ways are divided into straight pieces of this time, s; at least and at most so many. */
#define PIECE (1.0 / 120)
#define LEAST_PIECES 16.0
#define MOST_PIECES 480.0
/* Degrees between keyframes, safely below 180, where the shorter arc is ambiguous. */
#define MOST_TURN 120.0

/* Pieces of the way to keyframe k. */
static size_t pieces_to(const PxSceneKeyframe *keyframe, size_t k)
{
    const PxSceneKeyframe *last = &keyframe[k - 1], *next = &keyframe[k];
    PxVec3 axis;
    double from, to, pieces = 1, steepest = 1;
    if (next->ease != PX_EASE_LINEAR) {
        pieces = fmin(fmax(ceil((next->at - last->at) / PIECE), LEAST_PIECES), MOST_PIECES);
        steepest = 3; /* of a curve, relative to its mean */
    }
    if (same_axis(&last->turn, &next->turn, &axis, &from, &to) && fabs(to - from) > MOST_TURN)
        pieces = fmax(pieces, ceil(steepest * fabs(to - from) / MOST_TURN));
    return (size_t)pieces;
}

/* The shorter arc from a to b, both of unit length. */
static PxQuat between(PxQuat a, PxQuat b, double u)
{
    double cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    double side = cosine < 0 ? -1 : 1, angle = acos(fmin(1, fabs(cosine)));
    double p = 1 - u, q = u;
    if (angle > 1e-6) {
        p = sin((1 - u) * angle) / sin(angle);
        q = sin(u * angle) / sin(angle);
    }
    q *= side;
    return px_quat_normalized(
        (PxQuat){p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z, p * a.w + q * b.w});
}

/* Angle of a turn about an axis, degrees; false if it turns about another one. */
static bool angle_about(const PxSceneTurn *turn, PxVec3 axis, double *out)
{
    const PxSceneTurn own = {axis, 1};
    PxVec3 unused;
    double from;
    return same_axis(&own, turn, &unused, &from, out);
}

/* The pose at the part u of the way to keyframe k. */
static PxKeyframe on_the_way(const PxSceneKeyframe *keyframe, size_t keyframes, size_t k, double u)
{
    const PxSceneKeyframe *last = &keyframe[k - 1], *next = &keyframe[k];
    bool first = k == 1, end = k + 1 == keyframes, smooth = next->ease == PX_EASE_SMOOTH;
    const PxSceneKeyframe *four[4] = {&keyframe[first ? 0 : k - 2], last, next,
                                      &keyframe[end ? k : k + 1]};
    const double t[4] = {four[0]->at, four[1]->at, four[2]->at, four[3]->at};
    double s = next->ease == PX_EASE_LINEAR ? u : px_ease_stop(u), from, to;
    PxKeyframe out = {.time = last->at + u * (next->at - last->at),
                      .at = px_mad(last->move, px_sub(next->move, last->move), s)};
    if (smooth) {
        double x[4], y[4], z[4];
        for (int n = 0; n < 4; ++n) {
            x[n] = four[n]->move.x;
            y[n] = four[n]->move.y;
            z[n] = four[n]->move.z;
        }
        out.at = px_vec(px_ease_curve(x, t, first, end, u), px_ease_curve(y, t, first, end, u),
                        px_ease_curve(z, t, first, end, u));
    }
    PxVec3 axis;
    if (!same_axis(&last->turn, &next->turn, &axis, &from, &to)) {
        out.rotation = between(turn_rotation(&last->turn), turn_rotation(&next->turn), s);
        return out;
    }
    double angle = from + s * (to - from), p[4];
    bool all = smooth;
    for (int n = 0; n < 4; ++n)
        all = all && angle_about(&four[n]->turn, axis, &p[n]);
    if (all)
        angle = px_ease_curve(p, t, first, end, u);
    out.rotation = px_quat_turn(axis, angle * DEGREE);
    return out;
}

PxSceneTurn px_scene_turn_between(const PxSceneKeyframe two[2], double s)
{
    PxVec3 axis;
    double from, to;
    if (same_axis(&two[0].turn, &two[1].turn, &axis, &from, &to))
        return (PxSceneTurn){axis, from + s * (to - from)};
    PxVec3 turn =
        px_quat_rotation(between(turn_rotation(&two[0].turn), turn_rotation(&two[1].turn), s));
    double angle = px_length(turn);
    return (PxSceneTurn){angle > 0 ? px_scale(turn, 1 / angle) : axis, angle / DEGREE};
}

size_t px_scene_keyframes(const PxSceneKeyframe *keyframe, size_t keyframes, PxKeyframe *out)
{
    size_t count = 0;
    for (size_t k = 0; k < keyframes; ++k) {
        const PxSceneKeyframe *next = &keyframe[k];
        size_t pieces = k > 0 ? pieces_to(keyframe, k) : 1;
        for (size_t p = 1; p < pieces; ++p) {
            if (out != NULL)
                out[count] = on_the_way(keyframe, keyframes, k, (double)p / (double)pieces);
            count++;
        }
        if (out != NULL)
            out[count] = (PxKeyframe){
                .time = next->at, .at = next->move, .rotation = turn_rotation(&next->turn)};
        count++;
    }
    return count;
}
