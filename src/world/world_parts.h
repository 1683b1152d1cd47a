/// The inside of a world, for the files of this room.
#ifndef PX_WORLD_WORLD_PARTS_H
#define PX_WORLD_WORLD_PARTS_H

#include "base/profile.h"
#include "fluid/fluid.h"
#include "fluid/pressure/pressure.h"
#include "phyxel/world.h"
#include "world/state.h"

typedef struct PxBody {
    char name[PX_NAME_SIZE];
    PxBodyDef def;      ///< pointers in it are NULL but for the name
    uint64_t particles; ///< made so far
} PxBody;

typedef struct PxEvent {
    double time;
    char path[256];
    double value[3];
    int values;
} PxEvent;

struct PxWorld {
    PxWorldDef def;
    PxAllocator allocator; ///< a copy of the caller's
    const PxAllocator *memory;
    PxThreads threads;
    PxIsa isa;
    PxDist dist;
    PxProfile profile;
    PxArena scratch;

    PxParticles particles;
    PxGrid grid;
    PxPairs pairs;
    PX_LIST(PxMaterial) materials;
    PX_LIST(PxBody) bodies;
    PX_LIST(PxWall) walls;
    PxWallProfile wall_profile;
    PX_LIST(PxEvent) events; ///< by time, then in the order they were added

    PxWorldState state;
    double dt;
    double neighbours;
    double density_error, density_error_max; ///< per cent
    double tension_force, pressure_force;    ///< mean a particle, N; 0 in worlds without tension
    uint32_t iterations;
};

/// Carries out the events that are due. *next is when the next one is.
PxStatus px_world_events(PxWorld *world, double *next);

/// The fastest flow that the world's energy allows, m/s.
double px_world_speed_bound(PxWorld *world);

#endif
