/// Table of force fields; each accelerates all matter in a region.
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <string.h>

/* In the order of PxForceFieldKind. */
static const char *const kind_words[] = {"wind", "drag", "vortex", "attractor", "noise", NULL};

#define NUMBER(word, which, dimension, low, high, text)                                            \
    {                                                                                              \
        .key = #word, .kind = PX_FIELD_NUMBER, .flags = which,                                     \
        .offset = PX_AT(PxForceFieldDef, word), .unit = dimension, .least = low, .most = high,     \
        .help = text                                                                               \
    }
#define VECTOR(word, which, dimension, bound, text)                                                \
    {                                                                                              \
        .key = #word, .kind = PX_FIELD_VECTOR, .flags = which,                                     \
        .offset = PX_AT(PxForceFieldDef, word), .unit = dimension, .least = -(bound),              \
        .most = bound, .help = text                                                                \
    }

static const PxField fields[] = {
    {.key = "kind",
     .kind = PX_FIELD_WORD,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxForceFieldDef, kind),
     .unit = "",
     .words = kind_words,
     .help = "What it does: draws matter along, slows it, turns it around an axis, pulls it to a "
             "point, or stirs it."},
    PX_BODY_FIELD(PxForceFieldDef, 0, "Name of the only body that it acts on; by default all."),
    {.key = "shape",
     .kind = PX_FIELD_SHAPE,
     .offset = PX_AT(PxForceFieldDef, shape),
     .unit = "",
     .help = "Region in which it acts; by default everywhere."},
    NUMBER(fade, 0, "m", 0, 1e6,
           "Distance inside the border of the region over which it grows to its full strength."),
    VECTOR(velocity, PX_FIELD_LIVE, "m/s", 1e5, "Velocity of a wind."),
    NUMBER(rate, PX_FIELD_LIVE, "1/s", 0, 1e6,
           "Rate at which matter approaches the velocity of a wind or vortex, or rest by drag."),
    VECTOR(at, PX_FIELD_LIVE, "m", 1e6, "Centre of an attractor; a point of the axis of a vortex."),
    VECTOR(axis, PX_FIELD_LIVE | PX_FIELD_DIRECTION, "", 1e6, "Axis of a vortex, of any length."),
    NUMBER(spin, PX_FIELD_LIVE, "rad/s", -1e5, 1e5,
           "Angular velocity of the core of a vortex, counterclockwise about its axis."),
    NUMBER(strength, PX_FIELD_LIVE, "m/s^2", -1e6, 1e6,
           "Acceleration by an attractor, negative away from it; root mean square of noise."),
    NUMBER(size, PX_FIELD_LIVE, "m", 0, 1e6,
           "Radius of the core of a vortex or attractor, 0: none; size of the eddies of noise."),
    NUMBER(period, PX_FIELD_LIVE, "s", 0, 1e6, "Time in which noise changes; 0: it does not."),
    {.key = "seed",
     .kind = PX_FIELD_COUNT,
     .offset = PX_AT(PxForceFieldDef, seed),
     .unit = "",
     .least = 0,
     .most = 1e9,
     .help = "Choice of the random numbers of noise."},
    PX_BETWEEN_FIELDS(PxForceFieldDef, "Time at which it starts to act.",
                      "Time at which it stops."),
};

PX_KIND_DEFAULTS(ForceField, force_field)

/* Keys and the kinds that have them, as bits. */
enum {
    WIND = 1 << PX_FIELD_OF_WIND,
    DRAG = 1 << PX_FIELD_OF_DRAG,
    VORTEX = 1 << PX_FIELD_OF_VORTEX,
    ATTRACTOR = 1 << PX_FIELD_OF_ATTRACTOR,
    NOISE = 1 << PX_FIELD_OF_NOISE
};

static const struct {
    const char *key;
    int kinds;
    const char *of;
} own[] = {
    {"velocity", WIND, "wind"},
    {"rate", WIND | DRAG | VORTEX, "wind, drag and vortices"},
    {"at", VORTEX | ATTRACTOR | NOISE, "vortices and attractors"},
    {"axis", VORTEX, "vortices"},
    {"spin", VORTEX, "vortices"},
    {"strength", ATTRACTOR | NOISE, "attractors and noise"},
    {"size", VORTEX | ATTRACTOR | NOISE, "vortices, attractors and noise"},
    {"period", NOISE, "noise"},
    {"seed", NOISE, "noise"},
};

static bool is_own(int kind, const char *key)
{
    for (size_t k = 0; k < PX_COUNT(own); ++k)
        if (strcmp(own[k].key, key) == 0)
            return own[k].kinds & 1 << kind;
    return true;
}

static PxStatus make(PxWorld *world, const void *def, void *thing)
{
    (void)world;
    (void)thing;
    const PxForceFieldDef *d = def;
    if (d->kind < 0 || d->kind > PX_FIELD_OF_NOISE)
        return px_fail(PX_ERR_ARGUMENT, "its kind is %d, wanted 0 to %d", d->kind,
                       PX_FIELD_OF_NOISE);
    if (d->kind == PX_FIELD_OF_NOISE && !(d->size > 0))
        return px_fail(PX_ERR_ARGUMENT, "noise needs a size above 0 m, not %g", d->size);
    return PX_OK;
}

static void added(PxWorld *world, size_t slot)
{
    (void)slot;
    world->state.bound_due = 1; /* resting bodies may be driven */
}

static PxStatus changed(PxWorld *world, size_t slot, const char *key)
{
    const PxForceFieldDef *def = &world->fields.data[slot].def;
    (void)key;
    if (def->kind == PX_FIELD_OF_NOISE && !(def->size > 0))
        return px_fail(PX_ERR_ARGUMENT, "noise needs a size above 0 m, not %g", def->size);
    world->state.bound_due = 1;
    return PX_OK;
}

static void rules(const PxStated *stated)
{
    const PxForceFieldDef *def = stated->def;
    if (!stated->good)
        return;
    for (size_t k = 0; k < PX_COUNT(own); ++k)
        if (!(own[k].kinds & 1 << def->kind) && stated->has(stated, false, own[k].key))
            px_wrong(stated, PX_ERROR, own[k].key, true, "is for %s, and this is %s%s", own[k].of,
                     def->kind == PX_FIELD_OF_VORTEX      ? "a "
                     : def->kind == PX_FIELD_OF_ATTRACTOR ? "an "
                                                          : "",
                     kind_words[def->kind]);
    const PxBodyDef *body = stated->other(stated, "body");
    if (body != NULL && body->wall)
        px_wrong(stated, PX_ERROR, "body", false, "is a wall, which moves by keyframes only");
    if (def->fade > 0 && !stated->has(stated, false, "shape"))
        px_wrong(stated, PX_ERROR, "fade", true, "is for fields with a \"shape\"");
    if (def->kind == PX_FIELD_OF_NOISE && !(def->size > 0))
        px_wrong(stated, PX_ERROR, "size", false, "is missing: noise needs the size of its eddies");
    const char *idle = def->kind == PX_FIELD_OF_VORTEX && !(def->spin > 0 || def->spin < 0)
                           ? "\"spin\" in rad/s"
                       : (def->kind == PX_FIELD_OF_ATTRACTOR || def->kind == PX_FIELD_OF_NOISE) &&
                               !(def->strength > 0 || def->strength < 0)
                           ? "\"strength\" in m/s^2"
                       : def->kind <= PX_FIELD_OF_VORTEX && !(def->rate > 0) ? "\"rate\" in 1/s"
                                                                             : NULL;
    if (idle != NULL)
        px_wrong(stated, PX_WARNING, "", false, "does nothing until an event sets its %s", idle);
}

static bool silent(const void *def, const PxField *field)
{
    return !is_own(((const PxForceFieldDef *)def)->kind, field->key);
}

const PxKind px_force_field_kind = {
    .section = {.name = "field",
                .help = "A force field on all matter in a region.",
                .wanted = "an object with a kind and its numbers",
                .fields = fields,
                .field_count = PX_COUNT(fields),
                .size = sizeof(PxForceFieldDef),
                .defaults = defaults},
    .list = "fields",
    .list_help = "Force fields: wind, drag, vortices, attractors, noise.",
    .most = 1000,
    .name_offset = PX_AT(PxForceFieldDef, name),
    PX_KIND_SLOTS(PxForceField, fields),
    PX_KIND_REGION(PxForceField),
    .slot_def = offsetof(PxForceField, def),
    .make = make,
    .added = added,
    .on_time = true,
    .region_verb = "driven",
    .changed = changed,
    .rules = rules,
    .silent = silent,
};
