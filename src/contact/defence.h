/// The last check of a step, which stops particles that would cross a boundary.
#ifndef PX_CONTACT_DEFENCE_H
#define PX_CONTACT_DEFENCE_H

#include "contact/watch.h"
#include "dist/dist.h"

/// Energy that the defence takes, for the balance of a step.
typedef struct PxDefenceWork {
    PxVec3 gravity;
    const PxDist *dist;
    double work; ///< result: change of kinetic and potential energy over all ranks, J
} PxDefenceWork;

/// Continuous collision of every particle's straight path in this step, from the place that the
/// watch stored, with the moving boundaries. A particle that meets one is stopped there and slides
/// along it; its velocity into the boundary is removed, and the boundary takes the impulse. The
/// watch must have begun before the particles moved. `work` may be NULL. Returns the number of
/// corrected particles.
uint64_t px_defend(PxParticles *p, PxWatch *watch, const PxThreads *threads, PxDefenceWork *work);

#endif
