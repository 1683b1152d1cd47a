/// Every number a scene may state about the world, a material, a body, an
/// emitter or a sink: its key, its unit, its range. Whoever adds a member to a def adds a line
/// here.
#include "world/fields.h"

#include "fluid/pressure/pressure.h"
#include "fluid/viscosity/viscosity.h"
#include "fluid/tension/tension.h"

#include <math.h>

#define AT(type, member) offsetof(type, member)

const PxField px_world_fields[] = {
    {.key = "spacing",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_ABOVE,
     .offset = AT(PxWorldDef, spacing),
     .unit = "m",
     .least = 0,
     .most = 1e3,
     .help = "Distance of neighbouring particles."},
    {.key = "support",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxWorldDef, support),
     .unit = "spacings",
     .least = 1.5,
     .most = 4,
     .help = "Radius of a particle's neighbourhood."},
    {.key = "gravity",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxWorldDef, gravity),
     .unit = "m/s^2",
     .least = -1e6,
     .most = 1e6,
     .help = "Acceleration of everything that is free to move."},
    {.key = "max_step",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = AT(PxWorldDef, max_step),
     .unit = "s",
     .least = 0,
     .most = 1,
     .help = "Longest time step."},
    {.key = "min_step",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = AT(PxWorldDef, min_step),
     .unit = "s",
     .least = 0,
     .most = 1,
     .help = "A run whose step must be shorter than this stops."},
    {.key = "courant",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = AT(PxWorldDef, courant),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Part of the stability limit that a step uses."},
};
const size_t px_world_field_count = PX_COUNT(px_world_fields);

const PxField px_material_fields[] = {
    {.key = "density",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_ABOVE | PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, density),
     .unit = "kg/m^3",
     .least = 0,
     .most = 1e6,
     .help = "Density at rest."},
    {.key = "viscosity",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, viscosity),
     .unit = "Pa s",
     .least = 0,
     .most = 1e6,
     .help = "Dynamic viscosity; water 0.001, honey 10."},
    {.key = "viscosity_model",
     .kind = PX_FIELD_MODEL,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, viscosity_model),
     .unit = "",
     .help = "How viscosity acts.",
     .family = &px_viscosity_family},
    {.key = "cohesion",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, cohesion),
     .unit = "Pa",
     .least = 0,
     .most = 1e6,
     .help = "What holds the fluid together, apart from others."},
    {.key = "pressure",
     .kind = PX_FIELD_MODEL,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, pressure),
     .unit = "",
     .help = "What keeps the fluid from being compressed.",
     .family = &px_pressure_family},
    {.key = "tension",
     .kind = PX_FIELD_MODEL,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, tension),
     .unit = "",
     .help = "Surface tension: what makes drops round.",
     .family = &px_tension_family},
};
const size_t px_material_field_count = PX_COUNT(px_material_fields);

static const char *const fill_words[] = {"cubic", "hexagonal", NULL};

const PxField px_body_fields[] = {
    {.key = "velocity",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxBodyDef, velocity),
     .unit = "m/s",
     .least = -1e5,
     .most = 1e5,
     .help = "Velocity at the start; an event gives it anew."},
    {.key = "spin",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxBodyDef, spin),
     .unit = "rad/s",
     .least = -1e5,
     .most = 1e5,
     .help = "Rotation at the start, about the middle; an event gives it anew."},
    {.key = "temperature",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxBodyDef, temperature),
     .unit = "degrees C",
     .least = -273.15,
     .most = 1e5,
     .help = "Temperature at the start."},
    {.key = "fill",
     .kind = PX_FIELD_WORD,
     .offset = AT(PxBodyDef, fill),
     .unit = "",
     .help = "Lattice that fills the shape.",
     .words = fill_words},
    {.key = "wall",
     .kind = PX_FIELD_FLAG,
     .offset = AT(PxBodyDef, wall),
     .unit = "",
     .help = "Stands still or moves by keyframes, and nothing passes."},
    {.key = "inside",
     .kind = PX_FIELD_FLAG,
     .offset = AT(PxBodyDef, inside),
     .unit = "",
     .help = "A wall that keeps matter inside the shape instead of out of it."},
    {.key = "friction",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxBodyDef, friction),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "How a viscous fluid meets a wall: 0 slides freely, 1 sticks."},
};
const size_t px_body_field_count = PX_COUNT(px_body_fields);

/* When an emitter gives, a sink takes. */
#define BETWEEN(type, verb)                                                                        \
    {.key = "start",                                                                               \
     .kind = PX_FIELD_NUMBER,                                                                      \
     .offset = AT(type, start),                                                                    \
     .unit = "s",                                                                                  \
     .least = 0,                                                                                   \
     .most = 1e9,                                                                                  \
     .help = "When it begins to " verb "."},                                                       \
    {                                                                                              \
        .key = "end", .kind = PX_FIELD_NUMBER, .flags = PX_FIELD_ABOVE, .offset = AT(type, end),   \
        .unit = "s", .least = 0, .most = 1e9, .help = "When it ceases to."                         \
    }

const PxField px_emitter_fields[] = {
    {.key = "direction",
     .kind = PX_FIELD_VECTOR,
     .offset = AT(PxEmitterDef, direction),
     .unit = "",
     .least = -1e9,
     .most = 1e9,
     .help = "Out of which end of the cylinder or side of the box matter comes, square to it; "
             "along the shape's axis (a box: its own up) unless stated."},
    {.key = "speed",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxEmitterDef, speed),
     .unit = "m/s",
     .least = 0,
     .most = 1e5,
     .help = "How fast matter comes out. Either this or rate; 0 is shut."},
    {.key = "rate",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxEmitterDef, rate),
     .unit = "m^3/s",
     .least = 0,
     .most = 1e12,
     .help = "How much comes out. Either this or speed; 0 is shut."},
    BETWEEN(PxEmitterDef, "give"),
    {.key = "limit",
     .kind = PX_FIELD_COUNT,
     .offset = AT(PxEmitterDef, limit),
     .unit = "",
     .least = 1,
     .most = 1e9,
     .help = "Most particles it gives, in whole layers."},
    {.key = "temperature",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxEmitterDef, temperature),
     .unit = "degrees C",
     .least = -273.15,
     .most = 1e5,
     .help = "Temperature of what comes out."},
};
const size_t px_emitter_field_count = PX_COUNT(px_emitter_fields);

const PxField px_sink_fields[] = {BETWEEN(PxSinkDef, "swallow")};
const size_t px_sink_field_count = PX_COUNT(px_sink_fields);
