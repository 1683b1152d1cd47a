/// Counts particles that crossed a boundary: an independent check of the last line of defence.
///
/// The watch stores where particles are when the step begins, is told where the defence deflects
/// them, and at the end tests every leg of their paths.
#ifndef PX_CONTACT_WATCH_H
#define PX_CONTACT_WATCH_H

#include "base/arena.h"
#include "base/parallel.h"
#include "matter/particles.h"
#include "matter/boundary.h"

typedef struct PxWatch {
    const PxParticles *p;
    PxBoundary *const *boundary;
    size_t boundaries;
    const float *far; ///< distance to the nearest boundary at the start of the step, m; truly at
                      ///< least px_boundary_surely() of it
    double spacing;
    float *from[3], *from_low[3]; ///< the last known place of each particle
    float *when; ///< moment of the step at which it was there; 2: it crossed a boundary
} PxWatch;

/// Before particles move; the boundaries' step has begun. Arrays are taken from scratch.
/// Errors: PX_ERR_MEMORY.
PxStatus px_watch_begin(PxWatch *watch, const PxParticles *p, PxBoundary *const *boundary,
                        size_t boundaries, const float *far, double spacing, PxArena *scratch,
                        const PxThreads *threads);

/// The last known place of particle i.
PxVec3 px_watch_place(const PxWatch *watch, uint32_t i);

/// Particle i went straight to `to`, was there at `when`, and is deflected there.
void px_watch_turn(PxWatch *watch, uint32_t i, PxVec3 to, double when);

/// After everything has moved: how many have crossed a boundary or ended inside one. Particles that
/// were inside one at the start do not count.
uint64_t px_watch_leaked(PxWatch *watch, const PxThreads *threads);

#endif
