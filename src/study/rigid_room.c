#include "study/rigid_room.h"

#include "shape/shape.h"

#include <math.h>
#include <stdlib.h>

PxRigidRoomDef px_rigid_room_def(void)
{
    return (PxRigidRoomDef){.spacing = 0.05,
                            .gravity = {0, -9.81, 0},
                            .density = 1000,
                            .viscosity = 0.001,
                            .max_step = 0.01,
                            .threads = 1};
}

PxStatus px_rigid_room(PxRigidRoom *room, const PxRigidRoomDef *wanted)
{
    PxWorldDef def = px_world_def_default();
    *room = (PxRigidRoom){.world = NULL};
    def.spacing = wanted->spacing;
    def.gravity = wanted->gravity;
    def.max_step = wanted->max_step;
    def.threads = wanted->threads;
    PX_TRY(px_world_create(&def, &room->world));
    PxMaterialDef material = px_material_def_default();
    material.name = "water";
    material.viscosity = wanted->viscosity;
    if (wanted->pressure != NULL)
        material.pressure = px_pressure_choice(wanted->pressure);
    PX_TRY(px_world_add_material(room->world, &material, &room->water));
    material.name = "stone";
    material.density = wanted->density;
    return px_world_add_material(room->world, &material, &room->stone);
}

PxStatus px_rigid_room_plane(PxRigidRoom *room, PxVec3 normal, double friction)
{
    PxBodyDef def = px_body_def_default();
    def.name = "floor";
    def.wall = true;
    def.shape = px_shape_def_default(PX_SHAPE_PLANE);
    def.shape.normal = normal;
    def.friction = friction;
    return px_world_add_body(room->world, &def, NULL);
}

PxStatus px_rigid_room_tank(PxRigidRoom *room, PxVec3 size, double depth)
{
    return px_rigid_room_tank_around(room, size, depth, 0, NULL);
}

/* Places of a cubic lattice in the water that are outside of a shape. */
static PxStatus find_places(PxVec3 size, double depth, double spacing, const PxShapeDef *by,
                            PxVec3 **out, size_t *count)
{
    size_t n[3];
    const double wide[3] = {size.x, depth, size.z};
    PxShape *shape;
    *count = 0;
    for (int c = 0; c < 3; ++c)
        n[c] = (size_t)lround(wide[c] / spacing);
    *out = malloc((n[0] * n[1] * n[2] + 1) * sizeof **out);
    if (*out == NULL)
        return px_fail(PX_ERR_MEMORY, "study: no room for the water of a tank");
    PX_TRY(px_shape_create(by, &shape));
    for (size_t k = 0; k < n[0] * n[1] * n[2]; ++k) {
        PxVec3 x =
            px_vec(((double)(k % n[0]) + 0.5) * wide[0] / (double)n[0] - 0.5 * wide[0],
                   ((double)(k / n[0] % n[1]) + 0.5) * wide[1] / (double)n[1],
                   ((double)(k / n[0] / n[1]) + 0.5) * wide[2] / (double)n[2] - 0.5 * wide[2]);
        if (!px_shape_inside(shape, x))
            (*out)[(*count)++] = x;
    }
    px_shape_free(shape);
    return PX_OK;
}

PxStatus px_rigid_room_tank_around(PxRigidRoom *room, PxVec3 size, double depth, double spacing,
                                   const PxShapeDef *by)
{
    PxBodyDef def = px_body_def_default();
    def.name = "tank";
    def.wall = def.inside = true;
    def.shape = px_shape_def_default(PX_SHAPE_BOX);
    def.shape.size = size;
    def.shape.at.y = 0.5 * size.y;
    PX_TRY(px_world_add_body(room->world, &def, NULL));
    def = px_body_def_default();
    def.name = "pool";
    def.material = room->water;
    def.shape = px_shape_def_default(PX_SHAPE_BOX);
    def.shape.size = (PxVec3){size.x, depth, size.z};
    def.shape.at.y = 0.5 * depth;
    PxVec3 *place = NULL;
    PxStatus status = PX_OK;
    if (by != NULL)
        status = find_places(size, depth, spacing, by, &place, &def.positions);
    def.position = place;
    if (status == PX_OK)
        status = px_world_add_body(room->world, &def, &room->pool);
    free(place);
    return status;
}

PxBodyDef px_rigid_room_body(const PxRigidRoom *room, const char *name, PxShapeKind kind, PxVec3 at)
{
    PxBodyDef def = px_body_def_default();
    def.name = name;
    def.rigid = true;
    def.skin = false;
    def.material = room->stone;
    def.shape = px_shape_def_default(kind);
    def.shape.at = at;
    return def;
}
