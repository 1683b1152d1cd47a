/// Sinks: regions that remove every particle that enters them.
#ifndef PX_WORLD_ACTORS_SINK_H
#define PX_WORLD_ACTORS_SINK_H

#include "base/slot.h"
#include "world/actors/region.h"

typedef struct PxSink {
    PX_SLOT_MEMBERS;
    PxSinkDef def; ///< its `name` points at the array above, its mesh is NULL
    PxRegion region;
} PxSink;

/// Removes the particles that are in a sink at `time`. Allocates nothing.
void px_sinks_drain(PxWorld *world, double time);

#endif
