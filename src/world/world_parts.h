/// The inside of a world, for the files of this room.
#ifndef PX_WORLD_WORLD_PARTS_H
#define PX_WORLD_WORLD_PARTS_H

#include "base/def.h"
#include "base/profile.h"
#include "coupling/elastic_set.h"
#include "fluid/fluid.h"
#include "fluid/pressure/pressure.h"
#include "matter/wall.h"
#include "phyxel/world.h"
#include "solid/solid.h"
#include "world/attached/coats.h"
#include "world/actors/emitter.h"
#include "world/actors/force.h"
#include "world/actors/handle.h"
#include "world/actors/heater.h"
#include "world/actors/sink.h"
#include "world/attached/skins.h"
#include "world/state.h"

typedef struct PxBody {
    PX_SLOT_MEMBERS;
    PxBodyDef def;      ///< pointers in it are NULL but for the name
    PxVec3 rest_origin; ///< solids: what places in the rest shape are counted from, m
    uint32_t emitter;   ///< slot + 1 of the emitter whose matter it is, or 0
    uint32_t number;    ///< bodies that were added before it: particle ids are made from it
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
    bool flows;               ///< the stages of fluids run, on all rows (px_world_flows())
    uint32_t flow_rows;       ///< rows in these stages: all, or none
    PxElasticSet elastic_set; ///< the elastic rows in an order of their own
    PxFractions fractions;    ///< of this step's rows, in scratch; where something flows
    PxTable bonds_stored;     ///< bonds that were restored and wait to be taken over
    bool bonds_pending;       ///< there are such
    bool absorbed;            ///< rest shapes of whole bodies changed in this step
    PxGrid grid;
    PxPairs pairs;
    uint32_t solid_substeps; ///< of the last step
    PX_LIST(PxMaterial) materials;
    PX_LIST(PxBody) bodies;
    uint32_t bodies_made; ///< so far, those that were removed included
    PX_LIST(PxWall) walls;
    PX_LIST(PxBoundary *) boundaries; ///< all there are, in this step (world/boundary_stage.h)
    PxWallProfile wall_profile;
    PX_LIST(PxEmitter) emitters;
    PxTable progress; ///< a row an emitter
    PX_LIST(PxSink) sinks;
    PX_LIST(PxHandle) handles;
    PX_LIST(PxGrip) grips; ///< by time
    PX_LIST(PxRegionForce) forces;
    PX_LIST(PxHeater) heaters;
    uint8_t *drop;              ///< in a step with sinks: which rows are to go, in scratch
    PX_LIST(PxWorldSkin) skins; ///< by body
    PX_LIST(PxWorldCoat) coats; ///< by material
    PX_LIST(PxEvent) events;    ///< by time, then in the order they were added

    PxWorldState state;
    double dt;
    double neighbours;
    double elastic;                          ///< J
    double density_error, density_error_max; ///< per cent
    double tension_force, pressure_force;    ///< mean a particle, N; 0 in worlds without tension
    double solve_error;                      ///< per cent
    uint32_t iterations, viscosity_iterations;
    uint32_t heat_iterations;
    double heat_mark; ///< J, what there was when the account was last made
};

/// The rows of all particles, for px_reduce().
static inline PxRows px_world_rows(const PxWorld *world)
{
    return (PxRows){&world->threads, &world->dist, world->particles.table.count, 0};
}

/// Carries out the events that are due. *next is when the next one is.
PxStatus px_world_events(PxWorld *world, double *next);

/// Carries out the first `count` events again, in a world that is to be as it was after them.
PxStatus px_world_repeat_events(PxWorld *world, size_t count);

/// The fastest flow that the world's energy allows, m/s.
double px_world_speed_bound(PxWorld *world);

/// Gives materials that never flow the pressure and viscosity models of the world's fluids with
/// their numbers, so that no model reads those of a solid. Returns the word of the pressure model.
const char *px_world_share_models(PxWorld *world);

/// Copies a name; one that is too long or has a dot (paths are split there) is
/// refused.
PxStatus px_world_name(char to[PX_NAME_SIZE], const char *name, const char *what);

/// Deletes the rows that are marked, and accounts for their mass. Allocates nothing.
void px_world_remove_rows(PxWorld *world, const uint8_t *drop);

/// Adds the body that an emitter's matter is: nothing yet. *slot is its place.
PxStatus px_world_add_source(PxWorld *world, const char *name, uint32_t emitter, uint32_t *slot);

/// Fills the row of a new particle.
void px_world_put(PxWorld *world, uint32_t row, uint64_t id, PxVec3 x, PxVec3 v, uint32_t body,
                  uint32_t material, double temperature);

#endif
