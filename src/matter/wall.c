#include "matter/wall.h"

#include "base/digest.h"

void px_wall_move(PxWall *wall, double time, double step)
{
    wall->step = step;
    if (wall->rigid) {
        wall->pose[0] = wall->pose[1] = wall->now;
        PxQuat turn = px_quat_turn(wall->spin, px_length(wall->spin) * step);
        wall->pose[1].move = px_mad(wall->now.move, wall->velocity, step);
        wall->pose[1].turn = px_quat_normalized(px_quat_multiply(turn, wall->now.turn));
        return;
    }
    wall->pose[0] = px_pose_at(wall->key, wall->keys, time);
    wall->pose[1] = px_pose_at(wall->key, wall->keys, time + step);
    PxMovingMesh *moving = px_wall_moving(wall);
    if (moving != NULL) {
        px_moving_mesh_set(moving, time, step);
        wall->bounds = px_moving_mesh_bounds(moving);
    }
}

static PxPose pose_within(const PxWall *wall, double when)
{
    return px_pose_between(&wall->pose[0], &wall->pose[1], when);
}

PxVec3 px_wall_to_rest(const PxWall *wall, double when, PxVec3 world)
{
    if (px_wall_is_fixed(wall))
        return world;
    PxPose p = pose_within(wall, when);
    return px_pose_to_rest(&p, wall->pivot, world);
}

PxVec3 px_wall_to_world(const PxWall *wall, double when, PxVec3 rest)
{
    if (px_wall_is_fixed(wall))
        return rest;
    PxPose p = pose_within(wall, when);
    return px_pose_to_world(&p, wall->pivot, rest);
}

PxVec3 px_wall_bind(const PxWall *wall, double when, PxVec3 world)
{
    return px_wall_moving(wall) != NULL ? px_shape_bind(wall->shape, when, world)
                                        : px_wall_to_rest(wall, when, world);
}

PxVec3 px_wall_follow(const PxWall *wall, double when, PxVec3 bound)
{
    return px_wall_moving(wall) != NULL ? px_shape_follow(wall->shape, when, bound)
                                        : px_wall_to_world(wall, when, bound);
}

PxVec3 px_wall_turn_to_world(const PxWall *wall, double when, PxVec3 rest)
{
    return px_wall_is_fixed(wall) ? rest : px_rotate(pose_within(wall, when).turn, rest);
}

PxVec3 px_wall_velocity(const PxWall *wall, double when, PxVec3 rest)
{
    if (!(wall->step > 0))
        return px_vec(0, 0, 0);
    const PxMovingMesh *moving = px_wall_moving(wall);
    if (moving != NULL) {
        PxMovingSpot spot;
        px_moving_mesh_closest(moving, when, rest, &spot);
        return px_scale(px_moving_mesh_way(moving, &spot), 1.0 / wall->step);
    }
    if (px_wall_is_fixed(wall))
        return px_vec(0, 0, 0);
    PxVec3 way = px_sub(px_wall_to_world(wall, 1, rest), px_wall_to_world(wall, 0, rest));
    return px_scale(way, 1.0 / wall->step);
}

static double moving_distance(const PxMovingMesh *moving, double when, PxVec3 rest, PxVec3 *normal)
{
    PxMovingSpot spot;
    px_moving_mesh_closest(moving, when, rest, &spot);
    if (normal != NULL)
        *normal = spot.normal;
    return spot.distance;
}

double px_wall_distance(const PxWall *wall, double when, PxVec3 rest, PxVec3 *normal)
{
    const PxMovingMesh *moving = px_wall_moving(wall);
    double d = moving != NULL ? moving_distance(moving, when, rest, normal)
                              : px_shape_distance(wall->shape, rest, normal);
    if (!wall->inside)
        return d;
    if (normal != NULL)
        *normal = px_scale(*normal, -1.0);
    return -d;
}

double px_wall_near(const PxWall *wall, double when, PxVec3 rest, double within, PxVec3 *normal)
{
    if (px_wall_moving(wall) != NULL)
        return px_wall_distance(wall, when, rest, normal);
    double d = px_shape_near(wall->shape, rest, within, normal);
    if (!wall->inside)
        return d;
    *normal = px_scale(*normal, -1.0);
    return -d;
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

/* Largest distance of a point of the wall from the pivot; INFINITY for a plane. */
static double arm_of(const PxWall *w)
{
    PxVec3 low = px_sub(w->bounds.low, w->pivot), high = px_sub(w->bounds.high, w->pivot);
    return px_length(px_vec(fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)),
                            fmax(fabs(low.z), fabs(high.z))));
}

static double travel(const PxBoundary *b)
{
    const PxWall *w = wall_of(b);
    const PxMovingMesh *moving = px_wall_moving(w);
    if (moving != NULL)
        return px_moving_mesh_travel(moving);
    return px_wall_is_fixed(w) ? 0 : px_pose_travel(&w->pose[0], &w->pose[1], arm_of(w));
}

static double top_speed(const PxBoundary *b)
{
    const PxWall *w = wall_of(b);
    if (w->rigid)
        return px_length(w->velocity) + px_length(w->spin) * arm_of(w);
    if (px_wall_moving(w) != NULL)
        return px_moving_mesh_speed(px_wall_moving(w));
    return px_keyframes_speed(w->key, w->keys, arm_of(w));
}

static double step_limit(const PxBoundary *b, double now, double most, double limit)
{
    const PxWall *w = wall_of(b);
    if (w->rigid) {
        double speed = top_speed(b);
        return speed * limit > most ? most / speed : limit;
    }
    if (px_wall_moving(w) != NULL)
        return px_moving_mesh_limit(px_wall_moving(w), now, most, limit);
    return px_keyframes_limit(w->key, w->keys, arm_of(w), now, most, limit);
}

static void print(const PxBoundary *b, uint64_t digest[2])
{
    const PxWall *w = wall_of(b);
    const PxShapeDef *d = &w->def;
    const PxPose *p = &w->pose[0];
    double time[2] = {0, 0};
    if (px_wall_moving(w) != NULL)
        px_moving_mesh_times(px_wall_moving(w), time);
    const double numbers[] = {
        (double)b->body, (double)b->made,  (double)d->kind,  w->inside,        d->scale,
        d->at.x,         d->at.y,          d->at.z,          d->size.x,        d->size.y,
        d->size.z,       d->rotation.x,    d->rotation.y,    d->rotation.z,    d->rotation.w,
        d->normal.x,     d->normal.y,      d->normal.z,      w->bounds.low.x,  w->bounds.low.y,
        w->bounds.low.z, w->bounds.high.x, w->bounds.high.y, w->bounds.high.z, w->pivot.x,
        w->pivot.y,      w->pivot.z,       p->move.x,        p->move.y,        p->move.z,
        p->turn.x,       p->turn.y,        p->turn.z,        p->turn.w,        d->radius,
        d->radius_top,   d->height,        d->thickness,     time[0]};
    px_digest(numbers, sizeof numbers, digest);
}

static double distance(const PxBoundary *b, double when, PxVec3 place, PxVec3 *normal)
{
    const PxWall *w = wall_of(b);
    double d = px_wall_distance(w, when, px_wall_to_rest(w, when, place), normal);
    if (normal != NULL)
        *normal = px_wall_turn_to_world(w, when, *normal);
    return d;
}

static double near(const PxBoundary *b, double when, PxVec3 place, double within, PxVec3 *normal)
{
    const PxWall *w = wall_of(b);
    double d = px_wall_near(w, when, px_wall_to_rest(w, when, place), within, normal);
    *normal = px_wall_turn_to_world(w, when, *normal);
    return d;
}

/* Distance to the bounds of the shape in its rest frame. */
static double beyond_bounds(const PxWall *w, PxVec3 rest)
{
    const PxBounds *b = &w->bounds;
    if (w->inside || w->shape == NULL)
        return 0;
    double x = fmax(fmax(b->low.x - rest.x, rest.x - b->high.x), 0);
    double y = fmax(fmax(b->low.y - rest.y, rest.y - b->high.y), 0);
    double z = fmax(fmax(b->low.z - rest.z, rest.z - b->high.z), 0);
    return sqrt(x * x + y * y + z * z);
}

static double at_least(const PxBoundary *b, double when, PxVec3 place)
{
    const PxWall *w = wall_of(b);
    return beyond_bounds(w, px_wall_to_rest(w, when, place));
}

static PxVec3 velocity(const PxBoundary *b, double when, PxVec3 place)
{
    const PxWall *w = wall_of(b);
    return px_wall_velocity(w, when, px_wall_to_rest(w, when, place));
}

static PxVec3 carry(const PxBoundary *b, double from, PxVec3 place, double to)
{
    const PxWall *w = wall_of(b);
    if (px_wall_moving(w) != NULL)
        return px_moving_mesh_carry(px_wall_moving(w), from, place, to);
    return px_wall_to_world(w, to, px_wall_to_rest(w, from, place));
}

/* A path of the rest frame that is followed in steps. The distance to a wall with poses also
 * changes because these move, at most by `length` over the whole path. */
typedef struct Walk {
    const PxWall *wall;
    double when[2];
    PxVec3 from, way;
    double length; /* bound of the change of the distance over the path, m */
} Walk;

static Walk walk_of(const PxWall *w, const PxBoundaryPath *rest)
{
    const PxMovingMesh *moving = px_wall_moving(w);
    Walk walk = {w,
                 {rest->when[0], rest->when[1]},
                 rest->place[0],
                 px_sub(rest->place[1], rest->place[0]),
                 0};
    walk.length = px_length(walk.way);
    if (moving != NULL)
        walk.length += px_moving_mesh_travel(moving) * fabs(rest->when[1] - rest->when[0]);
    return walk;
}

static double walk_distance(const Walk *k, double t, PxVec3 *normal)
{
    double when = k->when[0] + t * (k->when[1] - k->when[0]);
    return px_wall_distance(k->wall, when, px_mad(k->from, k->way, t), normal);
}

/* The same where the nearest place of a mesh alone decides the side. For a path that begins outside
 * this is no difference, and it spares the winding number, which costs more than the search. */
static double walk_near(const Walk *k, double t)
{
    PxVec3 normal;
    double when = k->when[0] + t * (k->when[1] - k->when[0]);
    return px_wall_near(k->wall, when, px_mad(k->from, k->way, t), INFINITY, &normal);
}

static PxBoundaryPath rest_path(const PxWall *w, const PxBoundaryPath *path)
{
    return (PxBoundaryPath){{path->when[0], path->when[1]},
                            {px_wall_to_rest(w, path->when[0], path->place[0]),
                             px_wall_to_rest(w, path->when[1], path->place[1])}};
}

/* Paths are traced in the rest frame, in which a straight one stays nearly straight. A sphere with
 * the distance as radius contains no wall, so steps of that length miss nothing (sphere tracing,
 * Hart 1996). */
static bool meets(const PxBoundary *b, const PxBoundaryPath *path, double touch, double *at)
{
    enum { MOST_STEPS = 200 };
    const PxWall *w = wall_of(b);
    PxBoundaryPath rest = rest_path(w, path);
    Walk walk = walk_of(w, &rest);
    double t = 0;
    for (int k = 0; k < MOST_STEPS; ++k) {
        double d = walk_near(&walk, t);
        if (d < touch) {
            *at = t;
            return true;
        }
        if (!(d < walk.length * (1 - t)))
            return false;
        t += d / walk.length;
    }
    *at = t; /* too many steps, close along the wall: treated as a hit */
    return true;
}

bool px_wall_passes(const PxWall *w, const PxBoundaryPath *rest, double hair)
{
    enum { MOST_STEPS = 400 };
    Walk walk = walk_of(w, rest);
    PxVec3 normal = px_vec(0, 0, 0), entered = normal;
    double length = walk.length, gone = 0;
    bool inside = false;
    if (beyond_bounds(w, walk.from) > length)
        return false;
    for (int k = 0; k < MOST_STEPS; ++k) {
        double d = walk_distance(&walk, length > 0 ? gone / length : 0, &normal);
        if (k == 0 && (d < 0 || d > length))
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
    return walk_distance(&walk, 1, NULL) < 0;
}

/* The straight path only approximates that of a particle that turns with another wall or slides
 * along a bulge of this one. */
static bool passes(const PxBoundary *b, const PxBoundaryPath *path, double hair)
{
    const PxWall *w = wall_of(b);
    PxBoundaryPath rest = rest_path(w, path);
    return px_wall_passes(w, &rest, hair);
}

static const PxBoundaryOps wall_ops = {
    .begin = begin,
    .travel = travel,
    .top_speed = top_speed,
    .step_limit = step_limit,
    .print = print,
    .distance = distance,
    .near = near,
    .at_least = at_least,
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
