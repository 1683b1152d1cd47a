/// The inside of a world, for the files of this room.
#ifndef PX_WORLD_WORLD_PARTS_H
#define PX_WORLD_WORLD_PARTS_H

#include "base/profile.h"
#include "fluid/fluid.h"
#include "fluid/pressure/pressure.h"
#include "phyxel/world.h"
#include "world/emitter.h"
#include "world/skins.h"
#include "world/state.h"

/// Set by the defaults functions: a def made by hand lacks it.
#define PX_WORLD_TAG 0x70687978u

typedef struct PxBody {
    char name[PX_NAME_SIZE];
    PxBodyDef def;    ///< pointers in it are NULL but for the name
    uint32_t emitter; ///< slot + 1 of the emitter whose matter it is, or 0
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
    PX_LIST(PxEmitter) emitters;
    PxTable progress; ///< a row an emitter
    PX_LIST(PxSink) sinks;
    uint8_t *drop;              ///< in a step with sinks: which rows are to go, in scratch
    PX_LIST(PxWorldSkin) skins; ///< by body
    PX_LIST(PxEvent) events;    ///< by time, then in the order they were added

    PxWorldState state;
    double dt;
    double neighbours;
    double density_error, density_error_max; ///< per cent
    double tension_force, pressure_force;    ///< mean a particle, N; 0 in worlds without tension
    double solve_error;                      ///< per cent
    uint32_t iterations, viscosity_iterations;
};

/// Carries out the events that are due. *next is when the next one is.
PxStatus px_world_events(PxWorld *world, double *next);

/// The fastest flow that the world's energy allows, m/s.
double px_world_speed_bound(PxWorld *world);

/// Copies a name; one that is too long or has a dot (paths are split there) is
/// refused.
PxStatus px_world_name(char to[PX_NAME_SIZE], const char *name, const char *what);

/// Adds the body that an emitter's matter is: nothing yet. *slot is its place.
PxStatus px_world_add_source(PxWorld *world, const char *name, uint32_t emitter, uint32_t *slot);

/// Where the particles of a new solid are becomes their place at rest, counted from `origin`.
PxStatus px_world_keep_rest(PxWorld *world, uint32_t slot, PxVec3 origin);

/// Fills the row of a new particle.
void px_world_put(PxWorld *world, uint32_t row, uint64_t id, PxVec3 x, PxVec3 v, uint32_t body,
                  uint32_t material, double temperature);

#endif
