/// Table of sinks: regions that remove particles.
#include "world/kinds/kind.h"
#include "world/world_parts.h"

static const PxField fields[] = {
    PX_SHAPE_FIELD(PxSinkDef, "Region in which particles are removed."),
    PX_BETWEEN_FIELDS(PxSinkDef, "Time at which it starts to remove particles.",
                      "Time at "
                      "which it "
                      "stops."),
    {.key = "shut",
     .kind = PX_FIELD_COUNT,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxSinkDef, shut),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "1: a shut outlet, which removes nothing."},
};

PX_KIND_DEFAULTS(Sink, sink)

const PxKind px_sink_kind = {
    .section = {.name = "sink",
                .help = "A region that removes every particle that enters it.",
                .wanted = "an object with a shape",
                .fields = fields,
                .field_count = PX_COUNT(fields),
                .size = sizeof(PxSinkDef),
                .defaults = defaults},
    .list = "sinks",
    .list_help = "Regions that remove particles.",
    .most = 1000,
    .name_offset = PX_AT(PxSinkDef, name),
    PX_KIND_SLOTS(PxSink, sinks),
    .slot_def = offsetof(PxSink, def),
    PX_KIND_REGION(PxSink),
    .act = px_sinks_drain,
};
