/// Handles, described: they hold or move a part of a solid.
#include "world/kinds/kind.h"
#include "world/world_parts.h"

static const PxField fields[] = {
    PX_BODY_FIELD(PxHandleDef, PX_FIELD_OF_SOLID,
                  "Solid that it holds: the name of a body. Any solid unless stated."),
    PX_SHAPE_FIELD(PxHandleDef, "Region: it holds the particles of a solid that are in it at "
                                "\"start\"."),
    PX_BETWEEN_FIELDS(PxHandleDef, "When it takes hold.", "When it lets go."),
    PX_KEYFRAMES_FIELD(PxHandleDef, 0,
                       "How it moves what it holds, as those of a wall; it stands still unless "
                       "stated."),
};

PX_KIND_DEFAULTS(Handle, handle)

const PxKind px_handle_kind = {
    .section = {.name = "handle",
                .help = "Holds a part of a solid in place, or moves it.",
                .wanted = "an object with a shape",
                .fields = fields,
                .field_count = PX_COUNT(fields),
                .size = sizeof(PxHandleDef),
                .defaults = defaults},
    .list = "handles",
    .list_help = "Hold or move parts of solids.",
    .most = 1000,
    .name_offset = PX_AT(PxHandleDef, name),
    PX_KIND_SLOTS(PxHandle, handles),
    PX_KIND_REGION(PxHandle),
    PX_KIND_ARRAY(PxHandle, key, keys),
    .make = px_handle_make,
    .added = px_handle_added,
    .leaves = px_handle_leaves,
    .region_verb = "held",
    .region_once = true,
};
