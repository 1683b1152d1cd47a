/// Table of seams of cloth.
#include "base/words.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

static const PxField fields[] = {
    {.key = "from",
     .kind = PX_FIELD_THING,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxSeamDef, from),
     .unit = "",
     .of = "bodies",
     .help = "Name of a body of cloth."},
    {.key = "to",
     .kind = PX_FIELD_THING,
     .offset = PX_AT(PxSeamDef, to),
     .unit = "",
     .of = "bodies",
     .help = "Name of the other body of cloth; by default \"from\" is sewn to itself."},
    {.key = "shape",
     .kind = PX_FIELD_SHAPE,
     .offset = PX_AT(PxSeamDef, shape),
     .unit = "",
     .help = "Region: only borders inside it are sewn; by default all."},
    {.key = "within",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxSeamDef, within),
     .unit = "m",
     .least = 0,
     .most = 1e6,
     .help = "Only borders that near to the border of the other body are sewn; 0: all."},
    {.key = "start",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxSeamDef, start),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "Time at which sewing begins."},
    {.key = "time",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxSeamDef, time),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "Time in which it draws both borders together."},
    {.key = "strength",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxSeamDef, strength),
     .unit = "N/m",
     .least = 0,
     .most = 1e12,
     .help = "Tension at which it rips when it is closed, per length of seam; 0: never."},
};

static void rules(const PxStated *stated)
{
    PxSeamDef *def = stated->def;
    static const char *const sides[] = {"from", "to"};
    def->part = stated->shape != NULL;
    for (size_t k = 0; k < PX_COUNT(sides); ++k) {
        const PxBodyDef *body = stated->other(stated, sides[k]);
        if (body != NULL && !body->cloth)
            px_wrong(stated, PX_ERROR, sides[k], false, "is '%s', which is no cloth",
                     px_quote(body->name, (char[100]){0}, 100));
    }
    bool own = !stated->has(stated, false, "to") ||
               (stated->other(stated, "to") != NULL &&
                stated->other(stated, "to") == stated->other(stated, "from"));
    if (own && stated->has(stated, false, "from") && !stated->has(stated, false, "shape"))
        px_wrong(stated, PX_ERROR, "", false,
                 "sews a body to itself and has no \"shape\"; wanted one with two stretches of the "
                 "border in it, or \"to\" with the name of another body");
    if (own && stated->has(stated, false, "within") && def->within > 0)
        px_wrong(stated, PX_ERROR, "within", true,
                 "is for two bodies; a seam of one needs a \"shape\" alone");
}

PX_KIND_DEFAULTS(Seam, seam)

const PxKind px_seam_kind = {
    .section = {.name = "seam",
                .help = "Sews borders of cloth together.",
                .wanted = "an object with the bodies to sew",
                .fields = fields,
                .field_count = PX_COUNT(fields),
                .size = sizeof(PxSeamDef),
                .defaults = defaults},
    .list = "seams",
    .list_help = "Seams that sew borders of cloth together.",
    .most = 10000,
    .name_offset = PX_AT(PxSeamDef, name),
    PX_KIND_SLOTS(PxSeam, seams),
    .slot_def = offsetof(PxSeam, def),
    PX_KIND_ARRAY(PxSeam, tie, ties),
    .make = px_seam_make,
    .on_start = true,
    .rules = rules,
};
