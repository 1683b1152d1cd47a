#include "matter/wall.h"

void px_wall_move(PxWall *wall, double time, double step)
{
    wall->pose[0] = px_pose_at(wall->key, wall->keys, time);
    wall->pose[1] = px_pose_at(wall->key, wall->keys, time + step);
    wall->step = step;
}

static PxPose pose_within(const PxWall *wall, double when)
{
    return px_pose_between(&wall->pose[0], &wall->pose[1], when);
}

PxVec3 px_wall_to_rest(const PxWall *wall, double when, PxVec3 world)
{
    if (wall->keys == 0)
        return world;
    PxPose p = pose_within(wall, when);
    return px_pose_to_rest(&p, wall->pivot, world);
}

PxVec3 px_wall_to_world(const PxWall *wall, double when, PxVec3 rest)
{
    if (wall->keys == 0)
        return rest;
    PxPose p = pose_within(wall, when);
    return px_pose_to_world(&p, wall->pivot, rest);
}

PxVec3 px_wall_turn_to_world(const PxWall *wall, double when, PxVec3 rest)
{
    return wall->keys == 0 ? rest : px_rotate(pose_within(wall, when).turn, rest);
}

PxVec3 px_wall_velocity(const PxWall *wall, PxVec3 rest)
{
    if (wall->keys == 0 || !(wall->step > 0))
        return px_vec(0, 0, 0);
    PxVec3 way = px_sub(px_wall_to_world(wall, 1, rest), px_wall_to_world(wall, 0, rest));
    return px_scale(way, 1.0 / wall->step);
}

double px_wall_distance(const PxWall *wall, PxVec3 rest, PxVec3 *normal)
{
    double d = px_shape_distance(wall->shape, rest, normal);
    if (!wall->inside)
        return d;
    if (normal != NULL)
        *normal = px_scale(*normal, -1.0);
    return -d;
}

double px_wall_near(const PxWall *wall, PxVec3 rest, double within, PxVec3 *normal)
{
    double d = px_shape_near(wall->shape, rest, within, normal);
    if (!wall->inside)
        return d;
    *normal = px_scale(*normal, -1.0);
    return -d;
}

/* ---- bounds on motion ------------------------------------------------------- */

double px_bounds_arm(PxBounds bounds, PxVec3 pivot)
{
    PxVec3 low = px_sub(bounds.low, pivot), high = px_sub(bounds.high, pivot);
    return px_length(px_vec(fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)),
                            fmax(fabs(low.z), fabs(high.z))));
}

/* No point that is at most `arm` from the pivot moves further from one pose to the other. */
static double travel_between(const PxPose *a, const PxPose *b, double arm)
{
    PxQuat turn = px_quat_multiply(b->turn, px_quat_conjugate(a->turn));
    double angle =
        2 * atan2(sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z), fabs(turn.w));
    double shift = px_length(px_sub(b->move, a->move));
    return angle == 0 ? shift : shift + angle * arm;
}

/* Speed from keyframe k - 1 to k; of a plane, whose points are at any distance from the pivot, the
 * turning does not count. */
static double keyframe_speed(const PxKeyframe *key, size_t k, double arm)
{
    PxPose a = {key[k - 1].at, px_quat_normalized(key[k - 1].rotation)};
    PxPose b = {key[k].at, px_quat_normalized(key[k].rotation)};
    return travel_between(&a, &b, isfinite(arm) ? arm : 0) / (key[k].time - key[k - 1].time);
}

double px_keyframes_speed(const PxKeyframe *key, size_t keys, double arm)
{
    double most = 0;
    for (size_t k = 1; k < keys; ++k)
        most = fmax(most, keyframe_speed(key, k, arm));
    return most;
}

/* ---- as a boundary ----------------------------------------------------------- */

static const PxWall *wall_of(const PxBoundary *b)
{
    return (const PxWall *)b;
}

static void begin(PxBoundary *b, double time, double dt)
{
    PxWall *wall = (PxWall *)b;
    px_wall_move(wall, time, dt);
    b->pivot = px_wall_to_world(wall, 0, wall->pivot);
}

static double travel(const PxBoundary *b)
{
    const PxWall *w = wall_of(b);
    return w->keys == 0
               ? 0
               : travel_between(&w->pose[0], &w->pose[1], px_bounds_arm(w->bounds, w->pivot));
}

static double top_speed(const PxBoundary *b)
{
    const PxWall *w = wall_of(b);
    return px_keyframes_speed(w->key, w->keys, px_bounds_arm(w->bounds, w->pivot));
}

static double step_limit(const PxBoundary *b, double now, double most, double limit)
{
    const PxWall *w = wall_of(b);
    double arm = px_bounds_arm(w->bounds, w->pivot);
    for (size_t k = 1; k < w->keys && w->key[k - 1].time < now + limit; ++k) {
        double from = fmax(w->key[k - 1].time - now, 0), to = fmin(w->key[k].time - now, limit);
        if (!(to > from))
            continue;
        double speed = keyframe_speed(w->key, k, arm);
        if (speed * (to - from) > most)
            return from + most / speed;
        most -= speed * (to - from);
    }
    return limit;
}

static double distance(const PxBoundary *b, double when, PxVec3 place, PxVec3 *normal)
{
    const PxWall *w = wall_of(b);
    double d = px_wall_distance(w, px_wall_to_rest(w, when, place), normal);
    if (normal != NULL)
        *normal = px_wall_turn_to_world(w, when, *normal);
    return d;
}

static PxVec3 velocity(const PxBoundary *b, double when, PxVec3 place)
{
    const PxWall *w = wall_of(b);
    return px_wall_velocity(w, px_wall_to_rest(w, when, place));
}

static PxVec3 carry(const PxBoundary *b, double from, PxVec3 place, double to)
{
    const PxWall *w = wall_of(b);
    return px_wall_to_world(w, to, px_wall_to_rest(w, from, place));
}

/* Paths are followed in the rest frame, in which a straight one stays nearly straight. Spheres
 * of the distance's radius are empty of wall, so steps of that length miss nothing
 * (sphere tracing, Hart 1996). */
static bool meets(const PxBoundary *b, const PxBoundaryPath *path, double touch, double *at)
{
    enum { MOST_STEPS = 200 };
    const PxWall *w = wall_of(b);
    PxVec3 from = px_wall_to_rest(w, path->when[0], path->place[0]);
    PxVec3 way = px_sub(px_wall_to_rest(w, path->when[1], path->place[1]), from);
    double length = px_length(way), t = 0;
    for (int k = 0; k < MOST_STEPS; ++k) {
        double d = px_wall_distance(w, px_mad(from, way, t), NULL);
        if (d < touch) {
            *at = t;
            return true;
        }
        if (!(d < length * (1 - t)))
            return false;
        t += d / length;
    }
    *at = t; /* it creeps along the wall: treated as a hit */
    return true;
}

/* A path that enters and leaves on the same side has passed nothing: the straight path is only
 * close to the true one of a particle that turns with another wall, or slides along this one
 * where it bulges. Beside the wall steps are `hair` long, so a wall thinner than that may be
 * missed. */
static bool passes(const PxBoundary *b, const PxBoundaryPath *path, double hair)
{
    enum { MOST_STEPS = 400 };
    const PxWall *w = wall_of(b);
    PxVec3 from = px_wall_to_rest(w, path->when[0], path->place[0]);
    PxVec3 to = px_wall_to_rest(w, path->when[1], path->place[1]);
    PxVec3 way = px_sub(to, from), normal = px_vec(0, 0, 0), entered = normal;
    double length = px_length(way), gone = 0;
    bool inside = false;
    for (int k = 0; k < MOST_STEPS; ++k) {
        double place = length > 0 ? gone / length : 0;
        double d = px_wall_distance(w, px_mad(from, way, place), &normal);
        if (d < 0 && k == 0)
            return false;
        if (d < 0 && !inside)
            entered = normal;
        if (d >= 0 && inside && px_dot(entered, normal) < 0)
            return true;
        inside = d < 0;
        if (gone >= length)
            return inside;
        gone = fmin(gone + fmax(fabs(d), hair), length);
    }
    return px_wall_distance(w, to, NULL) < 0;
}

static const PxBoundaryOps wall_ops = {
    .begin = begin,
    .travel = travel,
    .top_speed = top_speed,
    .step_limit = step_limit,
    .distance = distance,
    .velocity = velocity,
    .carry = carry,
    .meets = meets,
    .passes = passes,
    .fill_begin = px_wall_fill_begin,
    .fill = px_wall_fill,
    .fill_more = px_wall_fill_more,
};

PxBoundary *px_wall_boundary(PxWall *wall)
{
    wall->boundary.ops = &wall_ops;
    return &wall->boundary;
}
