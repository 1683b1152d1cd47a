#include "world/cloth_bodies.h"

#include "world/cloth_stage.h"
#include "world/rigid_stage.h"

#include <math.h>

/* A body that meets cloth at the speed v beside an axis about which its radius of gyration is k
 * turns at v / k at most. It moves by no more than this part of k in a step. */
#define TURN 0.5

double px_cloth_bodies_limit(const PxWorld *world)
{
    double limit = INFINITY, fastest, longest = px_cloth_stage_limit(world);
    if (world->cloth_vertices.count == 0 || world->rigids.count == 0)
        return INFINITY;
    PxBounds cloth = px_cloth_bounds(world, &fastest);
    for (size_t n = 0; n < world->rigids.count; ++n) {
        const PxRigid *r = &world->rigids.data[n];
        double gyration = sqrt(r->mass.inertia.z / r->mass.mass), speed = px_length(r->velocity);
        double spin = px_length(r->spin), way = (speed + spin * r->mass.radius + fastest) * longest;
        speed += spin * gyration + px_length(world->def.gravity) * longest;
        if (!r->asleep && !r->holding && px_bounds_near(&cloth, r->place, r->mass.radius + 2 * way))
            limit = fmin(limit, TURN * gyration / speed);
    }
    return limit;
}

PxStatus px_cloth_bodies_begin(const PxWorld *world, PxClothWalls *walls, PxClothStep *s)
{
    PxVec3(*expected)[2] = px_arena_take_array(s->scratch, walls->boundaries + 1, sizeof *expected);
    if (expected == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu bodies", walls->boundaries);
    for (size_t k = 0; k < walls->boundaries; ++k)
        px_rigid_stage_expected(world, walls->boundary[k], expected[k]);
    return px_cloth_rigids_begin(walls, s, (const PxVec3(*)[2])expected);
}

void px_cloth_bodies_return(PxWorld *world, const PxClothWalls *walls, const PxClothStep *s)
{
    for (size_t k = 0; k < walls->boundaries; ++k) {
        PxBoundary *b = walls->boundary[k];
        PxVec3 change[2], impulse[2];
        px_rigid_stage_expected(world, b, impulse);
        if (walls->body_of[k] > 0) {
            const PxClothBody *o = &s->bodies->body[walls->body_of[k] - 1];
            change[0] = o->change[0];
            change[1] = o->change[1];
            impulse[0] = px_mad(impulse[0], change[0], o->mass);
            impulse[1] = px_add(impulse[1], px_mat3_apply(o->inertia, change[1]));
        } else { /* what was expected does not come */
            change[0] = px_scale(impulse[0], -b->per_mass);
            change[1] = px_scale(px_mat3_apply(b->per_inertia, impulse[1]), -1);
            impulse[0] = impulse[1] = px_vec(0, 0, 0);
        }
        bool some = px_length(impulse[0]) > 0 || px_length(impulse[1]) > 0 ||
                    px_length(change[0]) > 0 || px_length(change[1]) > 0;
        if (b->per_mass > 0 && some)
            px_rigid_stage_push(world, b, change, impulse);
    }
}
