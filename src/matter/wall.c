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
