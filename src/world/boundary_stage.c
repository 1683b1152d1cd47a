#include "world/boundary_stage.h"

#include "world/rigid_stage.h"

#include <math.h>

PxStatus px_boundaries_list(PxWorld *world)
{
    world->boundaries.count = 0;
    if (!PX_LIST_RESERVE(&world->boundaries, world->walls.count))
        return px_fail(PX_ERR_MEMORY, "no room for a list of %zu boundaries", world->walls.count);
    for (size_t k = 0; k < world->walls.count; ++k) {
        PxBoundary *b = px_wall_boundary(&world->walls.data[k]);
        b->made = world->bodies.data[b->body].generation;
        world->boundaries.data[world->boundaries.count++] = b;
    }
    return PX_OK;
}

void px_boundaries_begin(PxWorld *world)
{
    px_rigid_predict(world);
    for (size_t k = 0; k < world->boundaries.count; ++k)
        px_boundary_begin(world->boundaries.data[k], world->state.time, world->dt);
}

void px_boundaries_end(PxWorld *world)
{
    for (size_t k = 0; k < world->boundaries.count; ++k) {
        px_dist_merge(&world->dist, world->boundaries.data[k]->impulse, 3);
        px_dist_merge(&world->dist, world->boundaries.data[k]->torque, 3);
    }
}

double px_boundaries_speed(const PxWorld *world)
{
    double most = 0;
    for (size_t k = 0; k < world->boundaries.count; ++k) {
        const PxBoundary *b = world->boundaries.data[k];
        most = fmax(most, b->ops->top_speed(b));
    }
    return most;
}

double px_boundaries_limit(const PxWorld *world, double most, double limit)
{
    for (size_t k = 0; k < world->boundaries.count; ++k) {
        const PxBoundary *b = world->boundaries.data[k];
        limit = b->ops->step_limit(b, world->state.time, most, limit);
    }
    return limit;
}

PxStatus px_world_boundary_force(const PxWorld *world, PxBodyId body, PxVec3 *force, PxVec3 *torque)
{
    PX_WANT(world);
    PX_WANT(force);
    PX_WANT(torque);
    uint32_t slot;
    *force = *torque = px_vec(0, 0, 0);
    PX_TRY(PX_SLOT_FIND(&world->bodies, body, "body", &slot));
    for (size_t k = 0; k < world->walls.count; ++k) {
        const PxBoundary *b = &world->walls.data[k].boundary;
        if (b->body != slot)
            continue;
        if (world->dt > 0) { /* a step has been made */
            *force = px_scale(px_boundary_impulse(b, &world->dist), 1 / world->dt);
            *torque = px_scale(px_boundary_torque(b, &world->dist), 1 / world->dt);
        }
        return PX_OK;
    }
    return px_fail(PX_ERR_ARGUMENT, "body '%s' is no wall; wanted one, to tell the force on it",
                   world->bodies.data[slot].name);
}
