#include "matter/wall.h"

static PxQuat blend(PxQuat a, PxQuat b, double t)
{
    /* By the shorter arc and at an even pace (Shoemake 1985); nearly equal ones straight,
     * since there the sines cannot be divided and the pace is even all the same. */
    double dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    if (dot < 0)
        b = (PxQuat){-b.x, -b.y, -b.z, -b.w};
    dot = fabs(dot);
    double u = 1.0 - t, v = t;
    if (dot < 0.9995) {
        double angle = acos(dot > 1 ? 1 : dot), s = sin(angle);
        u = sin((1.0 - t) * angle) / s;
        v = sin(t * angle) / s;
    }
    return px_quat_normalized(
        (PxQuat){u * a.x + v * b.x, u * a.y + v * b.y, u * a.z + v * b.z, u * a.w + v * b.w});
}

static PxPose pose_at(const PxWall *wall, double time)
{
    PxPose pose = {{0, 0, 0}, px_quat_identity()};
    const PxKeyframe *key = wall->key;
    size_t n = wall->keys;
    if (n == 0)
        return pose;
    if (time <= key[0].time)
        return (PxPose){key[0].at, px_quat_normalized(key[0].rotation)};
    if (time >= key[n - 1].time)
        return (PxPose){key[n - 1].at, px_quat_normalized(key[n - 1].rotation)};
    size_t k = 1;
    while (key[k].time < time)
        ++k;
    double t = (time - key[k - 1].time) / (key[k].time - key[k - 1].time);
    pose.move = px_mad(key[k - 1].at, px_sub(key[k].at, key[k - 1].at), t);
    pose.turn =
        blend(px_quat_normalized(key[k - 1].rotation), px_quat_normalized(key[k].rotation), t);
    return pose;
}

void px_wall_move(PxWall *wall, double time, double step)
{
    wall->pose[0] = pose_at(wall, time);
    wall->pose[1] = pose_at(wall, time + step);
    wall->step = step;
}

static PxPose pose_within(const PxWall *wall, double when)
{
    const PxPose *a = &wall->pose[0], *b = &wall->pose[1];
    if (when <= 0)
        return *a;
    if (when >= 1)
        return *b;
    return (PxPose){px_mad(a->move, px_sub(b->move, a->move), when), blend(a->turn, b->turn, when)};
}

PxVec3 px_wall_to_rest(const PxWall *wall, double when, PxVec3 world)
{
    if (wall->keys == 0)
        return world;
    PxPose p = pose_within(wall, when);
    PxVec3 arm = px_sub(px_sub(world, p.move), wall->pivot);
    return px_add(px_rotate(px_quat_conjugate(p.turn), arm), wall->pivot);
}

PxVec3 px_wall_to_world(const PxWall *wall, double when, PxVec3 rest)
{
    if (wall->keys == 0)
        return rest;
    PxPose p = pose_within(wall, when);
    PxVec3 arm = px_rotate(p.turn, px_sub(rest, wall->pivot));
    return px_add(px_add(arm, wall->pivot), p.move);
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

double px_wall_way(const PxWall *wall)
{
    if (wall->keys == 0)
        return 0;
    const PxPose *a = &wall->pose[0], *b = &wall->pose[1];
    PxQuat turn = px_quat_multiply(b->turn, px_quat_conjugate(a->turn));
    double angle =
        2 * atan2(sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z), fabs(turn.w));
    double shift = px_length(px_sub(b->move, a->move));
    if (angle == 0)
        return shift;
    PxVec3 low = px_sub(wall->bounds.low, wall->pivot),
           high = px_sub(wall->bounds.high, wall->pivot);
    double arm = px_length(px_vec(fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)),
                                  fmax(fabs(low.z), fabs(high.z))));
    return shift + angle * arm; /* infinite for a turning plane: always looked at */
}
