/// Who passed a wall: an account of the last line of defence that does not trust it.
///
/// The watch knows where particles were when the step began, is told where defence turned
/// them, and looks at the end how they got to where they are then.
#ifndef PX_CONTACT_WATCH_H
#define PX_CONTACT_WATCH_H

#include "base/arena.h"
#include "base/parallel.h"
#include "matter/particles.h"
#include "matter/wall.h"

typedef struct PxWatch {
    const PxParticles *p;
    const PxWall *wall;
    size_t walls;
    const float *far; ///< as in px_defend()
    double spacing;
    float *from[3], *from_low[3]; ///< the last place known of each particle
    float *when;                  ///< moment of the step at which it was there; 2: it passed a wall
} PxWatch;

/// Before particles move, with the walls' way set. Its arrays are taken from scratch.
/// Errors: PX_ERR_MEMORY.
PxStatus px_watch_begin(PxWatch *watch, const PxParticles *p, const PxWall *wall, size_t walls,
                        const float *far, double spacing, PxArena *scratch,
                        const PxThreads *threads);

/// The last place known of particle i.
PxVec3 px_watch_place(const PxWatch *watch, uint32_t i);

/// Particle i went straight to `to`, was there at `when`, and goes elsewhere from there.
void px_watch_turn(PxWatch *watch, uint32_t i, PxVec3 to, double when);

/// After everything has moved: how many have passed a wall or ended in one. Those that were in
/// one at the start do not count.
uint64_t px_watch_leaked(PxWatch *watch, const PxThreads *threads);

#endif
