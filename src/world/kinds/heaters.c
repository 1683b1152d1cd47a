/// Table of heaters; each heats or cools the particles in a region.
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <string.h>

static const PxField fields[] = {
    PX_BODY_FIELD(PxHeaterDef, PX_FIELD_OF_MATTER,
                  "Name of the body that it heats; by default all particles in the region."),
    PX_SHAPE_FIELD(PxHeaterDef, "Region of the particles that it heats."),
    PX_TEMPERATURE_FIELD(PxHeaterDef,
                         "Temperature at which it holds the particles in the region. State "
                         "either this or power."),
    {.key = "within",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxHeaterDef, within),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "Time constant with which the temperature is approached; 0: at once."},
    {.key = "power",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxHeaterDef, power),
     .unit = "W",
     .least = -1e15,
     .most = 1e15,
     .help = "Total heating power in the region; negative cools. State either this or "
             "temperature."},
    PX_BETWEEN_FIELDS(PxHeaterDef, "Time at which it starts to act.", "Time at which it stops."),
    PX_TEMPERATURES_FIELD(PxHeaterDef, 0,
                          "Temperature over time, linear between the stated times."),
};

PX_KIND_DEFAULTS(Heater, heater)

/* Temperature and power exclude each other: the one set last is used. */
static PxStatus changed(PxWorld *world, size_t slot, const char *key)
{
    PxHeaterDef *def = &world->heaters.data[slot].def;
    if (strcmp(key, "temperature") == 0) {
        def->holds = true;
        def->temperatures = 0;
    }
    if (strcmp(key, "power") == 0)
        def->holds = false;
    return PX_OK;
}

static void rules(const PxStated *stated)
{
    PxHeaterDef *def = stated->def;
    bool power = stated->has(stated, false, "power");
    def->holds =
        stated->has(stated, false, "temperature") || stated->has(stated, false, "temperatures");
    if (power && def->holds)
        px_wrong(stated, PX_ERROR, "power", false,
                 "is stated beside a temperature: a heater has one of the two");
    else if (!power && !def->holds)
        px_wrong(stated, PX_ERROR, "", false,
                 "does nothing: wanted a \"temperature\" in degrees C or a \"power\" in W");
    else if (power && stated->has(stated, false, "within") && def->within > 0)
        px_wrong(stated, PX_ERROR, "within", true,
                 "is for heaters with a temperature: the time constant of the approach to it");
}

static bool silent(const void *def, const PxField *field)
{
    return strcmp(field->key, ((const PxHeaterDef *)def)->holds ? "power" : "temperature") == 0;
}

const PxKind px_heater_kind = {
    .section = {.name = "heater",
                .help = "Warms or cools the particles in a region.",
                .wanted = "an object with a shape and a temperature or power",
                .fields = fields,
                .field_count = PX_COUNT(fields),
                .size = sizeof(PxHeaterDef),
                .defaults = defaults},
    .list = "heaters",
    .list_help = "Warm or cool regions.",
    .most = 1000,
    .name_offset = PX_AT(PxHeaterDef, name),
    PX_KIND_SLOTS(PxHeater, heaters),
    PX_KIND_REGION(PxHeater),
    PX_KIND_ARRAY(PxHeater, key, def.temperatures),
    .slot_def = offsetof(PxHeater, def),
    .make = px_heater_make,
    .on_time = true,
    .region_verb = "warmed",
    .changed = changed,
    .rules = rules,
    .silent = silent,
};
