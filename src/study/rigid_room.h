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

/// An empty world with a material "stone" of that density and with water. Free room->world.
PxStatus px_rigid_room(PxRigidRoom *room, double spacing, PxVec3 gravity, double density,
                       double max_step, int threads);

/// Adds an infinite floor through the origin.
PxStatus px_rigid_room_plane(PxRigidRoom *room, PxVec3 normal, double friction);

/// Adds a tank of that inner size that stands on y = 0 around the y axis, filled to `depth`.
PxStatus px_rigid_room_tank(PxRigidRoom *room, PxVec3 size, double depth);

/// A def of a rigid body of stone.
PxBodyDef px_rigid_room_def(const PxRigidRoom *room, const char *name, PxShapeKind kind, PxVec3 at);

#endif
