#include "study/cloth_room.h"

#include "base/table.h"
#include "base/vec.h"
#include "world/world_parts.h"

PxStatus px_cloth_room(PxClothRoom *room, PxVec3 gravity, const PxMaterialDef *material,
                       const PxShapeDef *shape, int threads)
{
    PxWorldDef def = px_world_def_default();
    def.gravity = gravity;
    def.spacing = 0.05;
    def.threads = threads;
    return px_cloth_room_in(room, &def, material, shape);
}

PxStatus px_cloth_room_in(PxClothRoom *room, const PxWorldDef *def, const PxMaterialDef *material,
                          const PxShapeDef *shape)
{
    *room = (PxClothRoom){.world = NULL};
    PX_TRY(px_world_create(def, &room->world));
    PxBodyDef body = px_body_def_default();
    body.name = "sheet";
    body.shape = *shape;
    PX_TRY(px_world_add_material(room->world, material, &body.material));
    return px_world_add_body(room->world, &body, &room->sheet);
}

PxMaterialDef px_cloth_room_material(double mass)
{
    PxMaterialDef m = px_material_def_default();
    m.name = "cloth";
    m.cloth.cloth = true;
    m.cloth.mass = mass;
    return m;
}

PxShapeDef px_cloth_room_sheet(double width, double length, double columns, double rows)
{
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_SHEET);
    shape.size = px_vec(width, 0, length);
    shape.columns = columns;
    shape.rows = rows;
    return shape;
}

PxStatus px_cloth_room_hold(PxClothRoom *room, const char *name, PxVec3 at, PxVec3 size)
{
    PxHandleDef handle = px_handle_def_default();
    handle.name = name;
    handle.body = room->sheet;
    handle.shape = px_shape_def_default(PX_SHAPE_BOX);
    handle.shape.size = size;
    handle.shape.at = at;
    return px_world_add_handle(room->world, &handle, NULL);
}

PxStatus px_cloth_room_wall(PxClothRoom *room, const PxShapeDef *shape, double friction)
{
    PxBodyDef wall = px_body_def_default();
    wall.name = "wall";
    wall.wall = true;
    wall.friction = friction;
    wall.shape = *shape;
    return px_world_add_body(room->world, &wall, NULL);
}

double *const *px_cloth_room_column(const PxClothRoom *room, const char *name, uint32_t *count)
{
    const PxTable *t = &room->world->cloth_vertices;
    *count = t->count;
    return (double *const *)px_table_find(t, name)->data;
}
