/// Table of emitters: sources of matter.
#include "base/vec.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <stdio.h>
#include <string.h>

static const PxField fields[] = {
    PX_SHAPE_FIELD(PxEmitterDef, "A cylinder or box: the section of pipe that the matter "
                                 "leaves by one end."),
    {.key = "material",
     .kind = PX_FIELD_THING,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxEmitterDef, material),
     .unit = "",
     .of = "materials",
     .help = "Name of the emitted material, from \"materials\"."},
    {.key = "direction",
     .kind = PX_FIELD_VECTOR,
     .offset = PX_AT(PxEmitterDef, direction),
     .unit = "",
     .least = -1e9,
     .most = 1e9,
     .help = "Direction of the flow, normal to an end of the cylinder or a side of the box; the "
             "shape's own axis (a box: its own up) unless stated."},
    {.key = "speed",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxEmitterDef, speed),
     .unit = "m/s",
     .least = 0,
     .most = 1e5,
     .help = "Speed of the flow; 0: shut. State one of speed, rate and pressure."},
    {.key = "rate",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxEmitterDef, rate),
     .unit = "m^3/s",
     .least = 0,
     .most = 1e12,
     .help = "Volume flow; 0: shut. State one of speed, rate and pressure."},
    {.key = "pressure",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxEmitterDef, pressure),
     .unit = "Pa",
     .least = 0,
     .most = 1e12,
     .help = "Pressure of a reservoir that feeds it, from which the flow follows; 0: shut. State "
             "one of speed, rate and pressure."},
    PX_BETWEEN_FIELDS(PxEmitterDef, "Time at which it starts to emit.", "Time at which it stops."),
    {.key = "limit",
     .kind = PX_FIELD_COUNT,
     .offset = PX_AT(PxEmitterDef, limit),
     .unit = "",
     .least = 1,
     .most = 1e9,
     .help = "Largest number of particles that it emits, rounded to whole layers."},
    PX_TEMPERATURE_FIELD(PxEmitterDef, "Temperature of the emitted matter."),
};

static void defaults(void *object)
{
    PxEmitterDef *def = object;
    *def = px_emitter_def_default();
    def->direction = def->shape.normal; /* up */
}

PX_KIND_ADDS(Emitter, emitter)

/* Speed, rate and pressure exclude each other: the one set last is used. */
static PxStatus changed(PxWorld *world, size_t slot, const char *key)
{
    PxEmitterDef *def = &world->emitters.data[slot].def;
    bool speed = strcmp(key, "speed") == 0, rate = strcmp(key, "rate") == 0;
    bool pressure = strcmp(key, "pressure") == 0;
    if (rate || pressure)
        def->speed = 0;
    if (speed || pressure)
        def->rate = 0;
    if (speed || rate)
        def->pressure = 0;
    world->state.bound_due = 1;
    return PX_OK;
}

/* The default direction depends on the shape: it is the normal of the face that matter leaves
 * by. */
static void check_opening(const PxStated *stated)
{
    PxEmitterDef *def = stated->def;
    PxOpening opening;
    char key[64];
    bool usable = stated->placed.kind == PX_SHAPE_BOX || stated->placed.kind == PX_SHAPE_CYLINDER;
    snprintf(key, sizeof key, "shape.%s", stated->shape);
    if (!stated->has(stated, false, "direction"))
        def->direction = px_opening_axis(&stated->placed);
    if (usable && !(px_length(def->direction) > 0))
        px_wrong(stated, PX_ERROR, "direction", false,
                 "is the zero vector, which has no direction");
    else if (px_opening_make(&stated->placed, def->direction, &opening) != PX_OK)
        px_wrong(stated, PX_ERROR, usable ? "direction" : key, !usable, "%s", px_error_message());
}

static void rules(const PxStated *stated)
{
    const PxEmitterDef *def = stated->def;
    if (stated->shape != NULL && stated->good)
        check_opening(stated);
    if (!stated->has(stated, false, "speed") && !stated->has(stated, false, "rate") &&
        !stated->has(stated, false, "pressure"))
        px_wrong(stated, PX_ERROR, "speed", false,
                 "is missing: wanted a \"speed\" in m/s, a \"rate\" in m^3/s or a \"pressure\" in "
                 "Pa");
    else if (def->speed > 0 && def->rate > 0)
        px_wrong(stated, PX_ERROR, "rate", false,
                 "is stated beside a speed: each follows from the other, so leave one out");
    else if (def->pressure > 0 && (def->speed > 0 || def->rate > 0))
        px_wrong(stated, PX_ERROR, "pressure", false,
                 "is stated beside a speed or a rate, which follow from it, so leave one out");
}

const PxKind px_emitter_kind = {
    .section = {.name = "emitter",
                .help = "A source of matter with a given speed, volume flow or pressure.",
                .wanted = "an object with a shape, a material and a speed, rate or pressure",
                .fields = fields,
                .field_count = PX_COUNT(fields),
                .size = sizeof(PxEmitterDef),
                .defaults = defaults,
                .either = {"speed", "rate", "pressure"}},
    .list = "emitters",
    .list_help = "Sources of matter.",
    .most = 1000,
    .name_offset = PX_AT(PxEmitterDef, name),
    .add = add_thing,
    .remove = remove_thing,
    PX_KIND_SLOTS(PxEmitter, emitters),
    PX_KIND_ARRAY(PxEmitter, site, sites),
    .slot_def = offsetof(PxEmitter, def),
    .changed = changed,
    .on_start = true,
    .rules = rules,
};
