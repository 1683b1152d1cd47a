/// Emitters: sources of matter.
///
/// An emitter is a plunger in a straight pipe. Its matter is cut into layers of equal
/// volume, each the sites of the opening once; a layer is there as soon as all of it
/// is in the pipe. Particles in the pipe move with the plunger whatever presses on
/// them, so a jet leaves at rest density and at the stated speed:
///
///    back           front
///     |   |   |   |  :
///     | . | . | . |  . . .      . particles of layers, `layer` apart
///     |---|---|---|  :
///       held         free
#ifndef PX_WORLD_ACTORS_EMITTER_H
#define PX_WORLD_ACTORS_EMITTER_H

#include "base/table.h"
#include "matter/material.h"
#include "phyxel/world.h"
#include "shape/shape.h"
#include "world/actors/opening.h"

typedef struct PxEmitter {
    PX_SLOT_MEMBERS;
    PxEmitterDef def; ///< its `name` points at the array above
    uint32_t body;    ///< slot of the body that its matter is
    PxOpening opening;
    PxSite *site;
    uint32_t sites;
    double layer;    ///< m from layer to layer: sites spacing^3 / area
    uint64_t before; ///< particles that earlier emitters of this slot made: `made` goes on from it
    bool shut;       ///< a moving wall is in the pipe in this step
} PxEmitter;

/// How far an emitter is: a row of the world's table of emitters.
typedef struct PxEmitterProgress {
    uint64_t *made;  ///< particles so far; those from `freed` on are still in the pipe
    uint64_t *freed; ///< particles that have left the pipe
    double *way;     ///< m that the plunger has gone since the last layer was whole
    double *lost;    ///< m that it did not go for want of room
    double *crowd;   ///< compression before the opening, and
    double *press;   ///< pressure there, both in parts of their limits: means of the last steps
    double *pace;    ///< part of its speed that the plunger goes at; below 0 it gives way
} PxEmitterProgress;

/// m/s; from the rate if that is what was given.
double px_emitter_speed(const PxEmitter *emitter);

PxEmitterProgress px_emitters_progress(const PxWorld *world);

/// How far matter is held, m from the back: a free particle must find whole layers as
/// far behind it as it sees, or it would be pushed back.
double px_emitter_pipe(const PxWorld *world, const PxEmitter *emitter);

/// The emitter in whose pipe particle i still is, or NULL. Layers leave in the order in which
/// they were made, so one number an emitter says it of all its particles.
PxEmitter *px_emitter_holder(const PxWorld *world, uint32_t i, const uint64_t *freed);

/// Will matter at x that it holds still be in its pipe in this step?
bool px_emitter_keeps(const PxWorld *world, const PxEmitter *emitter, PxVec3 x);

/// Does it hold or sweep anything: is there something in the pipe or to come, and no wall in it?
bool px_emitter_is_open(const PxWorld *world, uint32_t slot);

/// May it still make particles at that time or later?
bool px_emitter_lasts(const PxWorld *world, uint32_t slot, double time);

/// The fastest of those that give before `until`, m/s.
double px_emitters_speed(const PxWorld *world, double until);

/// Room for what the step of world->dt needs here: fails before anything has moved.
PxStatus px_emitters_reserve(PxWorld *world);

/// Gives what is in a pipe the plunger's velocity, and lets go of what has left it. Before
/// the pressure solve, so that it knows what pressure cannot move (inverse_mass 0), and after
/// it, since foreign matter may not come in.
void px_emitters_hold(PxWorld *world, float *inverse_mass);

/// Adds the layers that became whole between world->state.time and world->dt later.
void px_emitters_emit(PxWorld *world);

/// Before anything of the step moves, with the walls where they go: an emitter with a moving wall
/// in its pipe is shut, and what it held is let go.
void px_emitters_shut(PxWorld *world);

/// When all of the step has moved: how fast each plunger goes in the next one, from what presses
/// against it (plunger.c).
void px_emitters_feel(PxWorld *world);

/// Emitters whose plunger stands still for want of room.
uint64_t px_emitters_waiting(const PxWorld *world);

/// Particles that all emitters made, and those that did not fit.
uint64_t px_emitters_made(const PxWorld *world);
double px_emitters_held_back(const PxWorld *world);

/// The columns of the table of emitters.
PxStatus px_emitters_init(PxTable *progress, const PxAllocator *allocator);

/// Can these stored rows, which have all columns, be those of the world's emitters?
/// Errors: PX_ERR_FORMAT.
PxStatus px_emitters_check(const PxWorld *world, const PxTable *stored);

#endif
