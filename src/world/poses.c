/// Poses of walls and handles: reading them, and replacing their paths in a running world.
#include "matter/pose.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdlib.h>

/* Largest jump from the present pose to the start of a new path, in spacings. */
#define JUMP 0.01

/* A wall or a handle. */
typedef struct Mover {
    PxKeyframe **key;
    size_t *keys;
    const PxBounds *bounds; /* at rest */
    PxVec3 pivot;
    const char *name;
} Mover;

static PxStatus find_wall(const PxWorld *world, PxBodyId id, Mover *out)
{
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->bodies, id, "body", &slot));
    for (size_t k = 0; k < world->walls.count; ++k) {
        PxWall *wall = &world->walls.data[k];
        if (wall->boundary.body != slot)
            continue;
        if (wall->rigid)
            return px_fail(PX_ERR_ARGUMENT, "body '%s' is rigid: it follows no path",
                           world->bodies.data[slot].name);
        if (px_wall_moving(wall) != NULL)
            return px_fail(PX_ERR_ARGUMENT,
                           "body '%s' moves by the poses of its mesh: it follows "
                           "no path",
                           world->bodies.data[slot].name);
        *out = (Mover){&wall->key, &wall->keys, &wall->bounds, wall->pivot,
                       world->bodies.data[slot].name};
        return PX_OK;
    }
    return px_fail(PX_ERR_ARGUMENT, "body '%s' is no wall", world->bodies.data[slot].name);
}

static PxStatus find_handle(const PxWorld *world, PxHandleId id, Mover *out)
{
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->handles, id, "handle", &slot));
    PxHandle *handle = &world->handles.data[slot];
    *out =
        (Mover){&handle->key, &handle->keys, &handle->region.bounds, handle->pivot, handle->name};
    return PX_OK;
}

static PxPose pose_now(const PxWorld *world, const Mover *mover)
{
    return px_pose_at(*mover->key, *mover->keys, world->state.time);
}

/* Bound on the distance between any point's positions in two poses, m. For unbounded shapes, such
 * as planes, the rotation counts with an arm of one spacing. */
static double apart(const PxWorld *world, const Mover *mover, PxPose a, PxPose b)
{
    PxVec3 low = px_sub(mover->bounds->low, mover->pivot);
    PxVec3 high = px_sub(mover->bounds->high, mover->pivot);
    double arm = fmax(px_length(low), px_length(high));
    PxQuat turn = px_quat_multiply(a.turn, px_quat_conjugate(b.turn));
    double angle = 2 * acos(fmin(fabs(turn.w), 1));
    return px_length(px_sub(a.move, b.move)) + angle * (isfinite(arm) ? arm : world->def.spacing);
}

static PxStatus replace(PxWorld *world, const Mover *mover, const PxKeyframe *key, size_t keys)
{
    PX_TRY(px_keyframes_check(key, keys));
    PxPose before = pose_now(world, mover), after = px_pose_at(key, keys, world->state.time);
    double jump = apart(world, mover, before, after);
    if (!(jump <= JUMP * world->def.spacing))
        return px_fail(PX_ERR_ARGUMENT,
                       "'%s' would jump by up to %g m: a path begins at %g s where it is",
                       mover->name, jump, world->state.time);
    PxKeyframe *copy;
    PX_TRY(px_keyframes_copy(key, keys, &copy));
    free(*mover->key);
    *mover->key = copy;
    *mover->keys = keys;
    world->state.bound_due = 1;
    return PX_OK;
}

static PxStatus move_to(PxWorld *world, const Mover *mover, const PxPose *to, double within)
{
    PxQuat q = to->turn;
    double size = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!px_finite(to->move) || !(size > 0) || !isfinite(size))
        return px_fail(PX_ERR_ARGUMENT, "'%s': the pose is not finite, or its turn is 0",
                       mover->name);
    if (!(within > 0) || !isfinite(within))
        return px_fail(PX_ERR_ARGUMENT, "'%s': it is to move within %g s, wanted a positive number",
                       mover->name, within);
    PxPose now = pose_now(world, mover);
    PxKeyframe key[2] = {
        {.time = world->state.time, .at = now.move, .rotation = now.turn},
        {.time = world->state.time + within, .at = to->move, .rotation = px_quat_normalized(q)}};
    return replace(world, mover, key, 2);
}

PxStatus px_world_wall_pose(const PxWorld *world, PxBodyId id, PxPose *out)
{
    PX_WANT(world);
    PX_WANT(out);
    Mover mover = {.key = NULL};
    PX_TRY(find_wall(world, id, &mover));
    *out = pose_now(world, &mover);
    return PX_OK;
}

PxStatus px_world_handle_pose(const PxWorld *world, PxHandleId id, PxPose *out)
{
    PX_WANT(world);
    PX_WANT(out);
    Mover mover = {.key = NULL};
    PX_TRY(find_handle(world, id, &mover));
    *out = pose_now(world, &mover);
    return PX_OK;
}

PxStatus px_world_move_wall(PxWorld *world, PxBodyId id, const PxPose *to, double within)
{
    PX_WANT(world);
    PX_WANT(to);
    Mover mover = {.key = NULL};
    PX_TRY(find_wall(world, id, &mover));
    return move_to(world, &mover, to, within);
}

PxStatus px_world_move_handle(PxWorld *world, PxHandleId id, const PxPose *to, double within)
{
    PX_WANT(world);
    PX_WANT(to);
    Mover mover = {.key = NULL};
    PX_TRY(find_handle(world, id, &mover));
    return move_to(world, &mover, to, within);
}

PxStatus px_world_set_wall_path(PxWorld *world, PxBodyId id, const PxKeyframe *key, size_t keys)
{
    PX_WANT(world);
    if (keys > 0)
        PX_WANT(key);
    Mover mover = {.key = NULL};
    PX_TRY(find_wall(world, id, &mover));
    return replace(world, &mover, key, keys);
}

PxStatus px_world_set_handle_path(PxWorld *world, PxHandleId id, const PxKeyframe *key, size_t keys)
{
    PX_WANT(world);
    if (keys > 0)
        PX_WANT(key);
    Mover mover = {.key = NULL};
    PX_TRY(find_handle(world, id, &mover));
    return replace(world, &mover, key, keys);
}
