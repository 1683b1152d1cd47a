/// The last line of defence: no particle ever crosses a wall.
#ifndef PX_CONTACT_DEFENCE_H
#define PX_CONTACT_DEFENCE_H

#include "contact/watch.h"

/// Follows every particle's way of this step, straight from where the watch saw it, against the
/// walls' own way, stops it at the first wall it meets and lets it slide on from
/// there; its velocity into the wall is taken away. `far` is the
/// distance to the nearest wall at the start of the step, truly at least px_wall_surely() of it.
/// The watch was begun before the particles moved. Answers how many moves had to be corrected.
uint64_t px_defend(PxParticles *p, const PxWall *wall, size_t walls, const float *far,
                   double spacing, const PxThreads *threads, PxWatch *watch);

#endif
