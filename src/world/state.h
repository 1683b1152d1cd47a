/// What a world needs to go on exactly where it stopped, besides the scene it
/// was made from: the particles and these numbers.
#ifndef PX_WORLD_STATE_H
#define PX_WORLD_STATE_H

#include "base/table.h"
#include "phyxel/world.h"

typedef struct PxWorldState {
    uint64_t step;
    double time;        ///< s
    double top_speed;   ///< fastest flow to be expected, m/s; never falls
    uint64_t events;    ///< carried out so far
    uint64_t grips;     ///< beginnings and ends of handles that are over
    uint64_t bound_due; ///< 1: top_speed is to be estimated anew before the next step
    uint64_t not_converged;
    uint64_t caught;
    uint64_t leaked;
    uint64_t removed;     ///< by sinks
    double divergence;    ///< 1/s, mean rate at which the velocities compress
    double mass_in;       ///< kg, by emitters
    double mass_out;      ///< kg, by sinks
    double heat_in;       ///< J, by walls, heaters, emitters and events, less what sinks took
    double halvings;      ///< of solids' sub-steps; see solid/leapfrog.simd.c
    double piece_stretch; ///< square of the largest stretch after the last rest-shape update; 0:
                          ///< one is due
    double highest;       ///< as PxSolid's; 0: to be found anew
    double highest_at;    ///< as PxSolid's
    uint64_t shaped;      ///< elastic particles in the last step
} PxWorldState;

const PxTable *px_world_particles(const PxWorld *world);
PxWorldState px_world_state(const PxWorld *world);

/// How far the emitters are, a row each.
const PxTable *px_world_emitters(const PxWorld *world);

/// The bonds of elastic matter (solid/bonds.h): replaces the rows of a table that has the columns
/// of px_bonds_columns().
PxStatus px_world_bonds(const PxWorld *world, PxTable *out);

/// Puts a freshly built world where `state` was taken; `particles` and `emitters`
/// replace its own. Events up to state.events are carried out again. Bonds are made anew from the
/// rest shapes unless px_world_restore_bonds() follows.
/// Errors: PX_ERR_FORMAT when they do not fit the world.
PxStatus px_world_restore(PxWorld *world, const PxWorldState *state, const PxTable *particles,
                          const PxTable *emitters);

/// Errors: PX_ERR_FORMAT when these bonds do not fit the particles.
PxStatus px_world_restore_bonds(PxWorld *world, const PxTable *bonds);

#endif
