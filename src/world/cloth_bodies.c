#include "world/cloth_bodies.h"

#include "world/rigid_stage.h"

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
