#include "matter/pose.h"

#include <stdlib.h>
#include <string.h>

PxStatus px_keyframes_check(const PxKeyframe *key, size_t keys)
{
    if (keys > 0 && key == NULL)
        return px_fail(PX_ERR_ARGUMENT, "%zu keyframes, but keyframe is NULL", keys);
    for (size_t k = 0; k < keys; ++k) {
        PxQuat q = key[k].rotation;
        if (!isfinite(key[k].time) || !px_finite(key[k].at) || !isfinite(q.x + q.y + q.z + q.w))
            return px_fail(PX_ERR_ARGUMENT, "keyframe %zu is not finite", k + 1);
        if (k > 0 && !(key[k].time > key[k - 1].time))
            return px_fail(PX_ERR_ARGUMENT, "keyframe %zu is at %g s, wanted after %g s", k + 1,
                           key[k].time, key[k - 1].time);
    }
    return PX_OK;
}

PxStatus px_keyframes_copy(const PxKeyframe *key, size_t keys, PxKeyframe **out)
{
    *out = NULL;
    if (keys == 0)
        return PX_OK;
    *out = calloc(keys, sizeof **out);
    if (*out == NULL)
        return px_fail(PX_ERR_MEMORY, "no room for %zu keyframes", keys);
    memcpy(*out, key, keys * sizeof **out);
    return PX_OK;
}

static PxQuat blend(PxQuat a, PxQuat b, double t)
{
    /* Spherical interpolation along the shorter arc (Shoemake 1985); linear for nearly equal
     * rotations, where the quotient of sines is ill-defined. */
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

PxPose px_pose_at(const PxKeyframe *key, size_t keys, double time)
{
    PxPose pose = {{0, 0, 0}, px_quat_identity()};
    size_t n = keys;
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

PxPoseRate px_pose_rate(const PxKeyframe *key, size_t keys, double time)
{
    PxPoseRate rate = {{0, 0, 0}, {0, 0, 0}};
    if (keys == 0 || time < key[0].time || time >= key[keys - 1].time)
        return rate;
    size_t k = 1;
    while (key[k].time <= time)
        ++k;
    double every = 1.0 / (key[k].time - key[k - 1].time);
    rate.move = px_scale(px_sub(key[k].at, key[k - 1].at), every);
    /* Constant angular velocity about the axis of b a^-1. */
    PxQuat way = px_quat_multiply(px_quat_normalized(key[k].rotation),
                                  px_quat_conjugate(px_quat_normalized(key[k - 1].rotation)));
    if (way.w < 0) /* the shorter arc */
        way = (PxQuat){-way.x, -way.y, -way.z, -way.w};
    PxVec3 axis = {way.x, way.y, way.z};
    double sine = px_length(axis);
    if (sine > 0)
        rate.spin = px_scale(axis, 2 * atan2(sine, way.w) / sine * every);
    return rate;
}

PxPose px_pose_between(const PxPose *a, const PxPose *b, double when)
{
    if (when <= 0)
        return *a;
    if (when >= 1)
        return *b;
    return (PxPose){px_mad(a->move, px_sub(b->move, a->move), when), blend(a->turn, b->turn, when)};
}

double px_pose_travel(const PxPose *a, const PxPose *b, double arm)
{
    PxQuat turn = px_quat_multiply(b->turn, px_quat_conjugate(a->turn));
    double angle =
        2 * atan2(sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z), fabs(turn.w));
    double shift = px_length(px_sub(b->move, a->move));
    return angle == 0 ? shift : shift + angle * arm;
}

/* From keyframe k - 1 to k. */
static double keyframe_speed(const PxKeyframe *key, size_t k, double arm)
{
    PxPose a = {key[k - 1].at, px_quat_normalized(key[k - 1].rotation)};
    PxPose b = {key[k].at, px_quat_normalized(key[k].rotation)};
    return px_pose_travel(&a, &b, isfinite(arm) ? arm : 0) / (key[k].time - key[k - 1].time);
}

double px_keyframes_speed(const PxKeyframe *key, size_t keys, double arm)
{
    double most = 0;
    for (size_t k = 1; k < keys; ++k)
        most = fmax(most, keyframe_speed(key, k, arm));
    return most;
}

double px_keyframes_limit(const PxKeyframe *key, size_t keys, double arm, double now, double most,
                          double limit)
{
    for (size_t k = 1; k < keys && key[k - 1].time < now + limit; ++k) {
        double from = fmax(key[k - 1].time - now, 0), to = fmin(key[k].time - now, limit);
        if (!(to > from))
            continue;
        double speed = keyframe_speed(key, k, arm);
        if (speed * (to - from) > most)
            return from + most / speed;
        most -= speed * (to - from);
    }
    return limit;
}

PxVec3 px_pose_to_rest(const PxPose *pose, PxVec3 pivot, PxVec3 world)
{
    PxVec3 arm = px_sub(px_sub(world, pose->move), pivot);
    return px_add(px_rotate(px_quat_conjugate(pose->turn), arm), pivot);
}

PxVec3 px_pose_to_world(const PxPose *pose, PxVec3 pivot, PxVec3 rest)
{
    PxVec3 arm = px_rotate(pose->turn, px_sub(rest, pivot));
    return px_add(px_add(arm, pivot), pose->move);
}
