/// Matter between walls that close on each other and leave it no room: the step fails and names
/// them.
#ifndef PX_WORLD_NO_ROOM_H
#define PX_WORLD_NO_ROOM_H

#include "world/world_parts.h"

/// A particle crossed a wall, or was left inside one, and is at `x`. PX_ERR_NUMERIC if less than a
/// spacing is left between two walls there.
PxStatus px_no_room_for(const PxWorld *world, uint64_t id, PxVec3 x);

/// The same by the id alone, after the particles have moved.
PxStatus px_no_room_for_particle(const PxWorld *world, uint64_t id);

/// After the densities are known: PX_ERR_NUMERIC if walls move and fluids are compressed by half
/// their density in the mean, as in a vessel that becomes smaller than its content.
PxStatus px_no_room_in_vessel(const PxWorld *world);

#endif
