/// A world of one soft material for studies of contact: balls and boxes, a floor.
#ifndef PX_STUDY_SAMPLE_SOLID_H
#define PX_STUDY_SAMPLE_SOLID_H

#include "phyxel/world.h"

typedef struct PxSolidRoomDef {
    const char *integration;
    double young, poisson, restitution, friction, damping; ///< of the material; 1000 kg/m^3
    double gravity;                                        ///< m/s^2
    double turned; ///< angle between gravity and the y axis, in the xy plane, rad
    double spacing;
    int threads;
    bool fitted; ///< bodies have fitted lattices
} PxSolidRoomDef;

typedef struct PxSolidRoom {
    PxWorld *world; ///< NULL: none
    PxMaterialId material;
    double spacing;
    bool fitted;
    uint32_t solids; ///< bodies so far
    uint32_t walls;
} PxSolidRoom;

PxStatus px_solid_room(PxSolidRoom *room, const PxSolidRoomDef *def);

/// Add bodies. Solids are numbered from 0 on.
PxStatus px_solid_room_ball(PxSolidRoom *room, double radius, PxVec3 at, PxVec3 velocity);
PxStatus px_solid_room_box(PxSolidRoom *room, PxVec3 size, PxVec3 at);
PxStatus px_solid_room_floor(PxSolidRoom *room, PxVec3 normal, double friction);

/// Adds a rigid box of 2000 kg/m^3 without restitution; `held` never lets it go. Before all solids.
PxStatus px_solid_room_rigid(PxSolidRoom *room, PxVec3 size, PxVec3 at, double friction, bool held,
                             PxBodyId *out);

/// Mean position of a solid's particles and, unless NULL, velocity. Floors are added first.
PxVec3 px_solid_room_centre(const PxSolidRoom *room, uint32_t solid, PxVec3 *velocity);

/// Radius of the contact of one ball with the floor y = 0 from the pressure of the particles that
/// touch it, m: by Hertz, the mean of the square of the distance from the axis, weighted by
/// pressure, is 2/5 of its square. Errors: PX_ERR_MEMORY.
PxStatus px_solid_room_contact(const PxSolidRoom *room, double *radius);

#endif
