/// Table of forces; each acts on the particles of solids in a region.
#include "world/kinds/kind.h"
#include "world/world_parts.h"

static const PxField fields[] = {
    PX_BODY_FIELD(PxForceDef, PX_FIELD_OF_SOLID,
                  "Name of the body, a solid, that it acts on; by default all solids."),
    PX_SHAPE_FIELD(PxForceDef, "Region of the particles that it acts on."),
    {.key = "force",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_LIVE,
     .offset = PX_AT(PxForceDef, force),
     .unit = "N",
     .least = -1e15,
     .most = 1e15,
     .help = "Total force, shared by all particles in the region in proportion to their masses."},
    PX_BETWEEN_FIELDS(PxForceDef, "Time at which it starts to act.", "Time at which it stops."),
};

PX_KIND_DEFAULTS(Force, force)

const PxKind px_force_kind = {
    .section = {.name = "force",
                .help = "A force on a part of a solid.",
                .wanted = "an object with a shape and a force",
                .fields = fields,
                .field_count = PX_COUNT(fields),
                .size = sizeof(PxForceDef),
                .defaults = defaults},
    .list = "forces",
    .list_help = "Forces on parts of solids.",
    .most = 1000,
    .name_offset = PX_AT(PxForceDef, name),
    PX_KIND_SLOTS(PxForce, forces),
    PX_KIND_REGION(PxForce),
    .slot_def = offsetof(PxForce, def),
    .on_time = true,
    .region_verb = "pulled",
};
