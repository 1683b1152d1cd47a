/// Removing bodies and materials from a running world.
#include "world/cloth_stage.h"
#include "world/heat_stage.h"
#include "world/rigid_stage.h"
#include "world/wet_stage.h"

#include "base/sum.h"
#include "matter/wall_field.h"
#include "matter/wall_triangles.h"

#include <stdlib.h>
#include <string.h>

void px_world_remove_rows(PxWorld *world, const uint8_t *drop)
{
    uint64_t dropped = 0;
    PxSum mass = {0};
    for (uint32_t i = 0; i < world->particles.table.count; ++i)
        if (drop[i]) {
            ++dropped;
            px_sum_add(&mass, (double)world->particles.mass[i]);
        }
    world->state.mass_out += px_sum_value(&mass);
    world->state.removed += dropped;
    px_table_delete(&world->particles.table, drop);
    px_particles_refresh(&world->particles);
}

/* ---- bodies --------------------------------------------------------------------- */

static void drop_wall(PxWorld *world, uint32_t body)
{
    size_t kept = 0;
    for (size_t k = 0; k < world->walls.count; ++k) {
        PxWall *wall = &world->walls.data[k];
        if (wall->boundary.body != body) {
            world->walls.data[kept++] = *wall;
            continue;
        }
        px_wall_field_free(wall->field);
        px_wall_triangles_free(wall->triangles);
        px_features_free(wall->features);
        px_shape_free(wall->shape);
        free(wall->key);
        free(wall->warmth);
    }
    world->walls.count = kept;
}

static PxStatus drop_particles(PxWorld *world, uint32_t body)
{
    const PxParticles *p = &world->particles;
    PxArenaMark mark = px_arena_mark(&world->scratch);
    uint8_t *drop = PX_ARENA_ARRAY(&world->scratch, uint8_t, p->table.count);
    if (drop == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to mark %u particles", p->table.count);
    for (uint32_t i = 0; i < p->table.count; ++i)
        drop[i] = p->body[i] == body;
    px_world_heat_mark(world);
    px_world_remove_rows(world, drop);
    px_world_heat_count(world);
    px_arena_release(&world->scratch, mark);
    world->elastic_set.due = true;
    return PX_OK;
}

PxStatus px_world_remove_body(PxWorld *world, PxBodyId id)
{
    PX_WANT(world);
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->bodies, id, "body", &slot));
    const PxBody *body = &world->bodies.data[slot];
    if (body->emitter != 0)
        return px_fail(PX_ERR_ARGUMENT,
                       "body '%s' is what the emitter of that name makes: remove the emitter first",
                       body->name);
    if (body->def.rigid)
        px_rigid_drop(world, slot);
    if (px_body_is_boundary(&body->def))
        drop_wall(world, slot);
    else if (body->def.cloth)
        px_cloth_drop(world, slot);
    else
        PX_TRY(drop_particles(world, slot));
    px_world_drop_skins(world, slot);
    px_kinds_leave_body(world, slot);
    PX_SLOT_CLEAR(&world->bodies, slot);
    world->bodies.data[slot].def.wall = true; /* its slot refers to no material */
    world->state.bound_due = 1;
    return PX_OK;
}

/* ---- materials ------------------------------------------------------------------ */

PxStatus px_world_remove_material(PxWorld *world, PxMaterialId id)
{
    PX_WANT(world);
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->materials, id, "material", &slot));
    PxMaterial *material = &world->materials.data[slot];
    const char *user = NULL;
    for (size_t k = 0; k < world->bodies.count; ++k)
        if (world->bodies.data[k].live && world->bodies.data[k].def.material.slot == slot + 1)
            user = world->bodies.data[k].name;
    for (size_t k = 0; k < world->emitters.count; ++k)
        if (world->emitters.data[k].live && world->emitters.data[k].def.material.slot == slot + 1)
            user = world->emitters.data[k].name;
    if (user != NULL)
        return px_fail(PX_ERR_ARGUMENT, "material '%s' is in use: '%s' is made of it",
                       material->name, user);
    double held = px_wet_of(world, slot);
    if (held > 0)
        return px_fail(PX_ERR_ARGUMENT, "material '%s' is in use: cloth holds %.3g kg of it",
                       material->name, held);
    px_wet_forget(world, slot);
    px_world_drop_coat(world, slot);
    /* Stages loop over all materials: the removed one must cause no forces. Its models stay,
     * because all materials share them. */
    PxMaterialDef none = px_material_def_default();
    none.density = material->def.density;
    none.viscosity = 0;
    none.viscosity_model = material->def.viscosity_model;
    none.pressure = material->def.pressure;
    none.integration = material->def.integration;
    double mass = material->particle_mass;
    PX_SLOT_CLEAR(&world->materials, slot);
    material->def = none;
    material->def.name = material->name;
    material->particle_mass = mass;
    return PX_OK;
}
