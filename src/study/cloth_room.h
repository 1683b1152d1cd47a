/// A world for measurements of cloth.
#ifndef PX_STUDY_CLOTH_ROOM_H
#define PX_STUDY_CLOTH_ROOM_H

#include "base/fail.h"
#include "phyxel/world.h"

typedef struct PxClothRoom {
    PxWorld *world;
    PxBodyId sheet;
} PxClothRoom;

/// A world with one body of cloth. Free room->world, also after a failure.
PxStatus px_cloth_room(PxClothRoom *room, PxVec3 gravity, const PxMaterialDef *material,
                       const PxShapeDef *shape, int threads);

/// The same in any world.
PxStatus px_cloth_room_in(PxClothRoom *room, const PxWorldDef *def, const PxMaterialDef *material,
                          const PxShapeDef *shape);

/// Cloth of that mass per area, kg/m^2.
PxMaterialDef px_cloth_room_material(double mass);

/// A rectangle in the plane of x and z, about the origin.
PxShapeDef px_cloth_room_sheet(double width, double length, double columns, double rows);

/// Holds the vertices in a box.
PxStatus px_cloth_room_hold(PxClothRoom *room, const char *name, PxVec3 at, PxVec3 size);

/// Adds a wall.
PxStatus px_cloth_room_wall(PxClothRoom *room, const PxShapeDef *shape, double friction);

/// Positions or velocities of all vertices, by component; *count of them.
double *const *px_cloth_room_column(const PxClothRoom *room, const char *name, uint32_t *count);

#endif
