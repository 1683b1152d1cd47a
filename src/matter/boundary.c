#include "matter/boundary.h"

#include <math.h>
#include <string.h>

void px_boundary_begin(PxBoundary *b, double time, double dt)
{
    memset(b->impulse, 0, sizeof b->impulse);
    memset(b->torque, 0, sizeof b->torque);
    b->shifted = b->turned = px_vec(0, 0, 0);
    for (int k = 0; k < 2; ++k)
        b->expected[k] = b->loaded[k] = px_vec(0, 0, 0);
    b->ops->begin(b, time, dt);
}

void px_boundary_take_moment(PxBoundary *b, PxVec3 impulse, PxVec3 torque)
{
    const double j[3] = {impulse.x, impulse.y, impulse.z}, t[3] = {torque.x, torque.y, torque.z};
    px_join_begin();
    for (int c = 0; c < 3; ++c) {
        px_sum_add(&b->impulse[c], j[c]);
        px_sum_add(&b->torque[c], t[c]);
    }
    px_join_end();
}

void px_boundary_take(PxBoundary *b, PxImpulse impulse)
{
    if (b->ops->take != NULL)
        b->ops->take(b, &impulse, 1);
    else
        px_boundary_take_moment(b, impulse.impulse, px_boundary_moment(b, impulse));
}

static PxVec3 rounded(double magic, PxVec3 v)
{
    return px_vec(px_sum_round(magic, v.x), px_sum_round(magic, v.y), px_sum_round(magic, v.z));
}

void px_boundary_take_many(PxBoundary *b, const PxImpulse *impulse, uint32_t count,
                           const double magic[2])
{
    if (b->ops->take != NULL) {
        b->ops->take(b, impulse, count);
        return;
    }
    PxVec3 sum = {0, 0, 0}, torque = {0, 0, 0};
    for (uint32_t k = 0; k < count; ++k) {
        sum = px_add(sum, rounded(magic[0], impulse[k].impulse));
        torque = px_add(torque, rounded(magic[1], px_boundary_moment(b, impulse[k])));
    }
    px_boundary_take_moment(b, sum, torque);
}

static PxVec3 value_of(const PxSum own[3], const PxDist *dist)
{
    PxSum sum[3];
    memcpy(sum, own, sizeof sum);
    px_reduce_join(dist, sum, 3);
    return px_vec(px_sum_value(&sum[0]), px_sum_value(&sum[1]), px_sum_value(&sum[2]));
}

PxVec3 px_boundary_impulse(const PxBoundary *b, const PxDist *dist)
{
    return value_of(b->impulse, dist);
}

PxVec3 px_boundary_torque(const PxBoundary *b, const PxDist *dist)
{
    return value_of(b->torque, dist);
}

double px_boundaries_travel(PxBoundary *const *boundary, size_t count)
{
    double most = 0;
    for (size_t k = 0; k < count; ++k)
        most = fmax(most, boundary[k]->ops->travel(boundary[k]));
    return most;
}
