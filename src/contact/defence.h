/// The last check of a step, which stops particles that would cross a boundary.
#ifndef PX_CONTACT_DEFENCE_H
#define PX_CONTACT_DEFENCE_H

#include "contact/watch.h"
#include "dist/dist.h"

/// Continuous collision of every particle's straight path in this step, from the place that the
/// watch stored, with the moving boundaries. A particle that meets one is stopped there and slides
/// along it; its velocity into the boundary is removed, and the boundary takes the impulse. The
/// watch must have begun before the particles moved. *work is the change of kinetic and potential
/// energy over all ranks, J. Returns the number of corrected particles.
uint64_t px_defend(PxParticles *p, PxWatch *watch, PxVec3 gravity, double *work, const PxDist *dist,
                   const PxThreads *threads);

#endif
