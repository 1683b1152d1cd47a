/// The last line of defence: no particle ever crosses a boundary.
#ifndef PX_CONTACT_DEFENCE_H
#define PX_CONTACT_DEFENCE_H

#include "contact/watch.h"

/// Follows the straight path of every particle in this step, from where the watch saw it, against
/// the motion of the watch's boundaries. A particle that meets one is stopped there and slides on
/// along it; its velocity into the boundary is removed, and the boundary takes the impulse. The
/// watch was begun before the particles moved. Answers how many particles were corrected.
uint64_t px_defend(PxParticles *p, PxWatch *watch, const PxThreads *threads);

#endif
