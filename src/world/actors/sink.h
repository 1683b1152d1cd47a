/// Sinks: regions that remove every particle that enters them.
#ifndef PX_WORLD_ACTORS_SINK_H
#define PX_WORLD_ACTORS_SINK_H

#include "base/slot.h"
#include "world/actors/region.h"

typedef struct PxSink {
    PX_SLOT_MEMBERS;
    PxRegion region;
    double start, end; ///< s
} PxSink;

/// Completes a new sink (world/kinds/kind.h).
PxStatus px_sink_make(PxWorld *world, const void *def, void *sink);

/// Removes the particles that are in a sink at `time`. Allocates nothing.
void px_sinks_drain(PxWorld *world, double time);

#endif
