/// A world for measurements of rigid bodies.
#ifndef PX_STUDY_RIGID_ROOM_H
#define PX_STUDY_RIGID_ROOM_H

#include "base/fail.h"
#include "phyxel/world.h"

typedef struct PxRigidRoom {
    PxWorld *world;
    PxMaterialId stone, water;
    PxBodyId pool;
} PxRigidRoom;

typedef struct PxRigidRoomDef {
    double spacing;       ///< m
    PxVec3 gravity;       ///< m/s^2
    double density;       ///< of the material "stone", kg/m^3
    double viscosity;     ///< of the water, Pa s
    double max_step;      ///< s
    const char *pressure; ///< model of the water; NULL: the default
    int threads;
} PxRigidRoomDef;

/// Spacing 0.05 m, gravity 9.81 m/s^2 downwards, stone of 1000 kg/m^3, water, steps of 0.01 s, one
/// thread.
PxRigidRoomDef px_rigid_room_def(void);

/// An empty world with the materials "stone" and "water". Free room->world.
PxStatus px_rigid_room(PxRigidRoom *room, const PxRigidRoomDef *def);

/// Adds an infinite wall "floor" through the origin.
PxStatus px_rigid_room_plane(PxRigidRoom *room, PxVec3 normal, double friction);

/// Adds a tank of that inner size that stands on y = 0 around the y axis, filled to `depth`.
PxStatus px_rigid_room_tank(PxRigidRoom *room, PxVec3 size, double depth);

/// The same, with room for a shape that stands in the water. The spacing is that of the world.
PxStatus px_rigid_room_tank_around(PxRigidRoom *room, PxVec3 size, double depth, double spacing,
                                   const PxShapeDef *by);

/// A def of a rigid body of stone.
PxBodyDef px_rigid_room_body(const PxRigidRoom *room, const char *name, PxShapeKind kind,
                             PxVec3 at);

#endif
