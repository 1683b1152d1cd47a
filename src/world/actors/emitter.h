/// Emitters create particles in a pipe and push them out.
///
/// An emitter is a plunger in a straight pipe. It emits layers of equal volume, with one particle
/// at each site of the opening; a layer is created as soon as it is completely in the pipe.
/// Particles in the pipe move with the plunger regardless of pressure, so a jet leaves at rest
/// density and at the given speed:
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
    uint32_t body;    ///< slot of the body that its particles form
    PxOpening opening;
    PxSite *site;
    size_t sites;
    double layer;    ///< m from layer to layer: sites spacing^3 / area
    uint64_t before; ///< particles made by earlier emitters of this slot, included in `made`
    bool shut;       ///< a moving wall is in the pipe in this step
} PxEmitter;

/// Columns of the world's table of emitters: the state of each plunger.
typedef struct PxEmitterProgress {
    uint64_t *made;  ///< particles so far; those from `freed` on are still in the pipe
    uint64_t *freed; ///< particles that have left the pipe
    double *way;     ///< distance of the plunger since the last complete layer, m
    double *lost;    ///< distance that the plunger missed for lack of room, m
    double *crowd;   ///< compression in front of the opening, and
    double *press;   ///< pressure there, both relative to their limits, low-pass filtered; the
                     ///< limit of an emitter with a pressure is that
    double *pace;    ///< speed of the plunger relative to the nominal one; < 0: it retreats
} PxEmitterProgress;

/// Nominal speed, m/s: the largest one. It follows from the rate if that was given, and from a
/// pressure P as that of a free jet, sqrt(2 P / density).
double px_emitter_speed(const PxWorld *world, const PxEmitter *emitter);

PxEmitterProgress px_emitters_progress(const PxWorld *world);

/// True from the start of the first emitter on, also after it has ended or was removed.
bool px_emitters_started(const PxWorld *world);

/// True if an emitter starts at the present time: steps end there.
bool px_emitters_start_now(const PxWorld *world);

/// Length of the pipe in which particles are held, m from the back. It is at least the support:
/// a free particle with an incomplete neighbourhood behind it would be pushed back.
double px_emitter_pipe(const PxWorld *world, const PxEmitter *emitter);

/// The emitter in whose pipe particle i still is, or NULL. Layers leave in the order in which
/// they were made, so one number per emitter decides it for all its particles.
PxEmitter *px_emitter_holder(const PxWorld *world, uint32_t i, const uint64_t *freed);

/// Does the emitter hold its particle at x in the pipe in this step?
bool px_emitter_keeps(const PxWorld *world, const PxEmitter *emitter, PxVec3 x);

/// Does it act on particles: are some in the pipe or still to come, and is no wall in the pipe?
bool px_emitter_is_open(const PxWorld *world, uint32_t slot);

/// May it still make particles at that time or later?
bool px_emitter_lasts(const PxWorld *world, uint32_t slot, double time);

/// Largest speed of the emitters that are active before `until`, m/s.
double px_emitters_speed(const PxWorld *world, double until);

/// Reserves memory for the particles of a step of world->dt, so that failure comes before anything
/// has moved.
PxStatus px_emitters_reserve(PxWorld *world);

/// Gives particles in a pipe the plunger's velocity, and releases those that have left it. Called
/// before the pressure solve, where held particles have inverse_mass 0, and after it, to keep other
/// particles out of the pipe.
void px_emitters_hold(PxWorld *world, float *inverse_mass);

/// Adds the layers that become complete between world->state.time and world->dt later.
void px_emitters_emit(PxWorld *world);

/// Shuts emitters with a moving wall in their pipe and releases their particles. Called before
/// particles move in the step, with the walls at their poses at its end.
void px_emitters_shut(PxWorld *world);

/// Chooses the speed of each plunger in the next step from compression and pressure in front of it
/// (plunger.c). Called at the end of a step.
void px_emitters_choose_speed(PxWorld *world);

/// Number of emitters whose plunger is stopped for lack of room.
uint64_t px_emitters_waiting(const PxWorld *world);

/// Numbers of particles that all emitters made, and that did not fit.
uint64_t px_emitters_made(const PxWorld *world);
double px_emitters_held_back(const PxWorld *world);

/// Adds the columns of the table of emitters.
PxStatus px_emitters_init(PxTable *progress, const PxAllocator *allocator);

/// Validates the emitter rows of a checkpoint, which must have all columns.
/// Errors: PX_ERR_FORMAT.
PxStatus px_emitters_check(const PxWorld *world, const PxTable *stored);

#endif
