/// Table of handles, which hold or move a part of a solid.
#include "base/words.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

static const PxField fields[] = {
    PX_BODY_FIELD(PxHandleDef, PX_FIELD_OF_SOLID | PX_FIELD_OF_CLOTH,
                  "Name of the body, a solid or cloth, that it holds; by default all of them."),
    PX_SHAPE_FIELD(PxHandleDef,
                   "Region: the handle holds the particles and vertices that are in it at "
                   "\"start\"."),
    PX_BETWEEN_FIELDS(PxHandleDef, "Time at which it grabs the particles.",
                      "Time at which it "
                      "releases them."),
    PX_KEYFRAMES_FIELD(PxHandleDef, 0,
                       "Motion of the held particles: linear between keyframes; by default "
                       "they are fixed."),
    {.key = "with",
     .kind = PX_FIELD_THING,
     .offset = PX_AT(PxHandleDef, with),
     .unit = "",
     .of = "bodies",
     .help = "Of cloth, instead of keyframes: name of a wall or rigid body with whose surface the "
             "vertices move, as a waistband does with a figure."},
};

static void rules(const PxStated *stated)
{
    const PxBodyDef *with = stated->other(stated, "with"), *body = stated->other(stated, "body");
    if (with == NULL)
        return;
    if (!px_body_is_boundary(with))
        px_wrong(stated, PX_ERROR, "with", false,
                 "is '%s', which is no wall and no rigid body: it has no surface that moves",
                 px_quote(with->name, (char[100]){0}, 100));
    if (body == NULL || !body->cloth)
        px_wrong(stated, PX_ERROR, "with", true,
                 "is for cloth: wanted \"body\" to name some; solids follow keyframes");
    if (stated->has(stated, false, "keyframes"))
        px_wrong(stated, PX_ERROR, "keyframes", true,
                 "is a second motion beside \"with\"; wanted only one of them");
}

PX_KIND_DEFAULTS(Handle, handle)

const PxKind px_handle_kind = {
    .section = {.name = "handle",
                .help = "Holds a part of a solid or of cloth in place, or moves it.",
                .wanted = "an object with a shape",
                .fields = fields,
                .field_count = PX_COUNT(fields),
                .size = sizeof(PxHandleDef),
                .defaults = defaults},
    .list = "handles",
    .list_help = "Hold or move parts of solids and cloth.",
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
    .rules = rules,
};
