/// Table of gauges, which measure.
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <math.h>
#include <string.h>

static const char *const quantities[] = {"pressure", "velocity", "temperature", "level",    "flux",
                                         "force",    "heat",     "energy",      "momentum", NULL};

#define PLACE_FIELD(name, text)                                                                    \
    {                                                                                              \
        .key = #name, .kind = PX_FIELD_VECTOR, .flags = PX_FIELD_LIVE,                             \
        .offset = PX_AT(PxGaugeDef, name), .unit = "m", .least = -1e6, .most = 1e6, .help = text   \
    }

#define LENGTH_FIELD(name, text)                                                                   \
    {                                                                                              \
        .key = #name, .kind = PX_FIELD_NUMBER, .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,            \
        .offset = PX_AT(PxGaugeDef, name), .unit = "m", .least = 0, .most = 1e6, .help = text      \
    }

#define TIME_FIELD(name, text)                                                                     \
    {                                                                                              \
        .key = #name, .kind = PX_FIELD_NUMBER, .offset = PX_AT(PxGaugeDef, name), .unit = "s",     \
        .least = 1e-5, .most = 1e6, .help = text                                                   \
    }

static const PxField fields[] = {
    {.key = "measures",
     .kind = PX_FIELD_WORD,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxGaugeDef, measures),
     .unit = "",
     .words = quantities,
     .help = "What it measures."},
    PLACE_FIELD(at, "Point; start of a line; middle of a plane."),
    PLACE_FIELD(to, "End of a line that begins at \"at\"."),
    {.key = "samples",
     .kind = PX_FIELD_COUNT,
     .offset = PX_AT(PxGaugeDef, samples),
     .unit = "",
     .least = 1,
     .most = 1000,
     .help = "Number of points along a line, or along each side of a plane."},
    {.key = "normal",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE | PX_FIELD_DIRECTION,
     .offset = PX_AT(PxGaugeDef, normal),
     .unit = "",
     .least = -1e6,
     .most = 1e6,
     .help = "Normal of a plane, of any length: flux along it is positive."},
    LENGTH_FIELD(width, "Width of a plane."),
    LENGTH_FIELD(height, "Height of a plane: along the direction in it that is nearest to up; of a "
                         "horizontal plane, along z."),
    PX_BODY_FIELD(PxGaugeDef, 0, "Name of the body whose matter is measured, or of a wall."),
    {.key = "handle",
     .kind = PX_FIELD_THING,
     .offset = PX_AT(PxGaugeDef, handle),
     .unit = "",
     .of = "handles",
     .help = "Name of the handle whose force is measured."},
    {.key = "heater",
     .kind = PX_FIELD_THING,
     .offset = PX_AT(PxGaugeDef, heater),
     .unit = "",
     .of = "heaters",
     .help = "Name of the heater whose heat is measured."},
    TIME_FIELD(over, "Time over which each sample is a mean; by default the time of a frame."),
    TIME_FIELD(every, "Time from sample to sample; by default the time of a frame, or \"over\" if "
                      "that is longer."),
};

/* NAN: not stated. */
static void defaults(void *object)
{
    PxGaugeDef *def = object;
    *def = px_gauge_def_default();
    def->width = def->height = def->over = def->every = NAN;
}

/* The place follows from the keys. */
static PxGaugePlace place_of(const PxStated *stated)
{
    if (stated->has(stated, false, "to"))
        return PX_GAUGE_LINE;
    if (stated->has(stated, false, "normal") || stated->has(stated, false, "width") ||
        stated->has(stated, false, "height"))
        return PX_GAUGE_PLANE;
    return stated->has(stated, false, "at") ? PX_GAUGE_POINT : PX_GAUGE_WHOLE;
}

static void rules(const PxStated *stated)
{
    static const char *const plane[] = {"normal", "width", "height"};
    PxGaugeDef *def = stated->def;
    def->place = place_of(stated);
    if (!stated->good)
        return;
    if (def->place != PX_GAUGE_WHOLE && !stated->has(stated, false, "at")) {
        px_wrong(stated, PX_ERROR, "", false, "has no \"at\": the %s",
                 def->place == PX_GAUGE_LINE ? "start of its line" : "middle of its plane");
        return;
    }
    for (size_t k = 0; k < PX_COUNT(plane); ++k) {
        if (def->place == PX_GAUGE_LINE && stated->has(stated, false, plane[k])) {
            px_wrong(stated, PX_ERROR, plane[k], true,
                     "is of a plane, but \"to\" makes this gauge a line");
            return;
        }
        if (def->place == PX_GAUGE_PLANE && !stated->has(stated, false, plane[k])) {
            px_wrong(stated, PX_ERROR, "", false,
                     "has no \"%s\": a plane has \"at\", \"normal\", \"width\" and \"height\"",
                     plane[k]);
            return;
        }
    }
    PxGaugeDef checked = *def; /* ids are not known yet: any that is not zero will do */
    PxThingId *const id[] = {(PxThingId *)&checked.body, (PxThingId *)&checked.handle,
                             (PxThingId *)&checked.heater};
    static const char *const thing[] = {"body", "handle", "heater"};
    for (size_t k = 0; k < PX_COUNT(id); ++k)
        *id[k] = (PxThingId){stated->has(stated, false, thing[k]), 1};
    checked.over = isnan(def->over) ? 0 : def->over;
    checked.every = isnan(def->every) ? INFINITY : def->every;
    const PxBodyDef *body =
        stated->has(stated, false, "body") ? stated->other(stated, "body") : NULL;
    if (px_gauge_check(&checked) != PX_OK ||
        (body != NULL && px_gauge_check_body(&checked, body) != PX_OK))
        px_wrong(stated, PX_ERROR, "", false, "%s", px_error_message());
}

static void per_frame(void *object, double interval)
{
    PxGaugeDef *def = object;
    if (isnan(def->over))
        def->over = def->every < interval ? def->every : interval;
    if (isnan(def->every))
        def->every = fmax(def->over, interval);
    if (def->place != PX_GAUGE_PLANE)
        def->width = def->height = 1;
}

static bool silent(const void *object, const PxField *field)
{
    const PxGaugeDef *def = object;
    const char *key = field->key;
    bool line = def->place == PX_GAUGE_LINE, plane = def->place == PX_GAUGE_PLANE;
    if (strcmp(key, "to") == 0)
        return !line;
    if (strcmp(key, "normal") == 0 || strcmp(key, "width") == 0 || strcmp(key, "height") == 0)
        return !plane;
    if (strcmp(key, "samples") == 0)
        return !line && !plane;
    if (strcmp(key, "over") == 0)
        return isnan(def->over);
    if (strcmp(key, "every") == 0)
        return isnan(def->every);
    return strcmp(key, "at") == 0 && def->place == PX_GAUGE_WHOLE;
}

const PxKind px_gauge_kind = {
    .section = {.name = "gauge",
                .help = "Measures, without influence on the simulation; the samples are in "
                        "gauges.csv.",
                .wanted = "an object with \"measures\" and a place or a body",
                .fields = fields,
                .field_count = PX_COUNT(fields),
                .size = sizeof(PxGaugeDef),
                .defaults = defaults},
    .list = "gauges",
    .list_help = "Measure pressure, velocity, level, flux, forces, heat, energy and momentum.",
    .most = 1000,
    .name_offset = PX_AT(PxGaugeDef, name),
    PX_KIND_SLOTS(PxGauge, gauges),
    PX_KIND_ARRAY(PxGauge, state, numbers),
    .slot_def = offsetof(PxGauge, def),
    .make = px_gauge_make,
    .changed = px_gauge_changed,
    .rules = rules,
    .per_frame = per_frame,
    .silent = silent,
};
