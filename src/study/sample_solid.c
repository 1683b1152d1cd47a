#include "study/sample_solid.h"

#include "base/fail.h"
#include "base/table.h"
#include "base/vec.h"
#include "world/saved.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

PxStatus px_solid_room(PxSolidRoom *room, const PxSolidRoomDef *def)
{
    *room = (PxSolidRoom){.spacing = def->spacing, .fitted = def->fitted};
    PxWorldDef world = px_world_def_default();
    world.gravity = px_vec(-def->gravity * sin(def->turned), -def->gravity * cos(def->turned), 0);
    world.spacing = def->spacing;
    world.threads = def->threads;
    PX_TRY(px_world_create(&world, &room->world));
    PxMaterialDef material = px_material_def_default();
    material.name = "rubber";
    material.young = def->young;
    material.poisson = def->poisson;
    material.restitution = def->restitution;
    material.friction = def->friction;
    material.damping = def->damping;
    material.viscosity = 0;
    material.integration = px_integration_choice(def->integration);
    return px_world_add_material(room->world, &material, &room->material);
}

static PxStatus add(PxSolidRoom *room, PxShapeDef shape, PxVec3 velocity)
{
    char name[32];
    snprintf(name, sizeof name, "solid %u", room->solids);
    PxBodyDef def = px_body_def_default();
    def.name = name;
    def.shape = shape;
    def.velocity = velocity;
    def.material = room->material;
    def.fill = room->fitted ? PX_FILL_FITTED : PX_FILL_CUBIC;
    def.skin = false;
    ++room->solids;
    return px_world_add_body(room->world, &def, NULL);
}

PxStatus px_solid_room_ball(PxSolidRoom *room, double radius, PxVec3 at, PxVec3 velocity)
{
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_SPHERE);
    shape.radius = radius;
    shape.at = at;
    return add(room, shape, velocity);
}

PxStatus px_solid_room_box(PxSolidRoom *room, PxVec3 size, PxVec3 at)
{
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_BOX);
    shape.size = size;
    shape.at = at;
    return add(room, shape, px_vec(0, 0, 0));
}

PxStatus px_solid_room_floor(PxSolidRoom *room, PxVec3 normal, double friction)
{
    PxBodyDef def = px_body_def_default();
    def.name = "floor";
    def.wall = true;
    def.friction = friction;
    def.shape = px_shape_def_default(PX_SHAPE_PLANE);
    def.shape.normal = normal;
    ++room->walls;
    return px_world_add_body(room->world, &def, NULL);
}

PxStatus px_solid_room_rigid(PxSolidRoom *room, PxVec3 size, PxVec3 at, double friction, bool held,
                             PxBodyId *out)
{
    PxMaterialDef material = px_material_def_default();
    PxBodyDef def = px_body_def_default();
    material.name = "stone";
    material.density = 2000;
    def.name = "rigid";
    def.rigid = true;
    def.friction = friction;
    def.shape = px_shape_def_default(PX_SHAPE_BOX);
    def.shape.size = size;
    def.shape.at = at;
    if (held)
        def.release = 1e9;
    ++room->walls;
    PX_TRY(px_world_add_material(room->world, &material, &def.material));
    return px_world_add_body(room->world, &def, out);
}

static double value(const PxColumn *column, int component, uint32_t row)
{
    return (double)((const float *)column->data[component])[row];
}

PxVec3 px_solid_room_centre(const PxSolidRoom *room, uint32_t solid, PxVec3 *velocity)
{
    const PxTable *t = px_world_particles(room->world);
    const uint32_t *of = px_table_find(t, "body")->data[0];
    const PxColumn *x = px_table_find(t, "position"), *v = px_table_find(t, "velocity"),
                   *m = px_table_find(t, "mass");
    PxVec3 at = {0, 0, 0}, way = {0, 0, 0};
    double mass = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
        if (of[i] != solid + room->walls)
            continue;
        double own = m != NULL ? value(m, 0, i) : 1;
        mass += own;
        at = px_mad(at, px_vec(value(x, 0, i), value(x, 1, i), value(x, 2, i)), own);
        way = px_mad(way, px_vec(value(v, 0, i), value(v, 1, i), value(v, 2, i)), own);
    }
    if (velocity != NULL)
        *velocity = px_scale(way, 1 / mass);
    return px_scale(at, 1 / mass);
}

PxStatus px_solid_room_contact(const PxSolidRoom *room, double *radius)
{
    const PxTable *t = px_world_particles(room->world);
    size_t bytes = 6 * (size_t)t->count * sizeof(float);
    float *stress = malloc(bytes);
    if (stress == NULL)
        return px_fail(PX_ERR_MEMORY, "no room for the stress of %u particles", t->count);
    PxStatus status = px_world_read_column(room->world, "stress", stress, bytes);
    const PxColumn *x = px_table_find(px_world_particles(room->world), "position");
    double s = room->spacing, force = 0, square = 0;
    for (uint32_t i = 0; status == PX_OK && i < t->count; ++i) {
        if (!(value(x, 1, i) < 0.502 * s)) /* walls keep centres half a spacing away */
            continue;
        double p = fmax(-(double)stress[6 * (size_t)i + 1], 0);
        force += p;
        square += p * (value(x, 0, i) * value(x, 0, i) + value(x, 2, i) * value(x, 2, i));
    }
    free(stress);
    *radius = sqrt(2.5 * square / force);
    return status;
}
