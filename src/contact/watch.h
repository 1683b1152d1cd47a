/// Counts particles that crossed a boundary, as an independent check of the defence.
///
/// The watch stores the positions at the start of the step, is told where the defence deflects a
/// particle, and tests every segment of the paths at the end.
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
    const float *far; ///< distance to the nearest boundary at the start of the step, m; the true
                      ///< one is at least px_boundary_lower_bound() of it
    double spacing;
    float *from[3], *from_low[3]; ///< last stored position of each particle
    float *when;                  ///< moment of the step of that position; 2: it crossed a boundary
    uint64_t leaked_id;           ///< lowest id that px_watch_leaked() counted; 0: none
} PxWatch;

/// No particle among rows [begin, end) whose `far` is above this comes nearer than `gap` to a
/// boundary on the straight way from its last stored position, if boundaries travel at most
/// `travel`. Spares most rows the exact tests.
float px_watch_reach(const PxWatch *watch, uint32_t begin, uint32_t end, double gap, double travel);

/// Call before particles move and after the boundaries have begun the step. Arrays from scratch.
/// Errors: PX_ERR_MEMORY.
PxStatus px_watch_begin(PxWatch *watch, const PxParticles *p, PxBoundary *const *boundary,
                        size_t boundaries, const float *far, double spacing, PxArena *scratch,
                        const PxThreads *threads);

/// The last stored position of particle i.
PxVec3 px_watch_place(const PxWatch *watch, uint32_t i);

/// Records that particle i moved straight to `to`, reached it at `when` and is deflected there.
void px_watch_turn(PxWatch *watch, uint32_t i, PxVec3 to, double when);

/// After everything has moved: number of particles that crossed a boundary or ended inside one.
/// Particles that were inside one at the start do not count.
uint64_t px_watch_leaked(PxWatch *watch, const PxThreads *threads);

#endif
