/// Every number a scene may state about the world, a material, a body, an emitter, a sink,
/// a handle, a force or a heater: its key, its unit, its range. Whoever adds a member to a def adds
/// a line here.
#include "world/fields.h"

#include "base/fail.h"
#include "fluid/pressure/pressure.h"
#include "fluid/viscosity/viscosity.h"
#include "fluid/tension/tension.h"
#include "solid/integration.h"
#include "surface/coat_family.h"
#include "world/heat.h"

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
    {.key = "young",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, young),
     .unit = "Pa",
     .least = 0,
     .most = 1e12,
     .help = "Young's modulus; jelly 1e4, rubber 1e6. 0 is a fluid."},
    {.key = "poisson",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, poisson),
     .unit = "",
     .least = 0,
     .most = 0.49,
     .help = "Poisson's ratio: 0 keeps its width when pulled, 0.49 its volume."},
    {.key = "young_axes",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, young_axes),
     .unit = "Pa",
     .least = 0,
     .most = 1e12,
     .help = "Moduli along the body's own axes, of what is not the same in all directions."},
    {.key = "poisson_axes",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, poisson_axes),
     .unit = "",
     .least = -1,
     .most = 1,
     .help = "Poisson's ratios xy, yz, zx of such a material: pulled along the first, it narrows "
             "along the second."},
    {.key = "shear_axes",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, shear_axes),
     .unit = "Pa",
     .least = 0,
     .most = 1e12,
     .help = "Shear moduli xy, yz, zx of such a material."},
    {.key = "volume",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, volume),
     .unit = "Pa",
     .least = 0,
     .most = 1e12,
     .help = "What a solid has against changes of its volume beyond what its moduli give it."},
    {.key = "damping",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, damping),
     .unit = "1/s",
     .least = 0,
     .most = 1e6,
     .help = "How fast a solid's wobbling dies away; how it moves as a whole stays."},
    {.key = "yield",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, yield),
     .unit = "",
     .least = 0,
     .most = 1e6,
     .help = "Elastic strain beyond which a solid keeps some of its deformation."},
    {.key = "creep",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, creep),
     .unit = "1/s",
     .least = 0,
     .most = 1e6,
     .help = "Part of the elastic strain beyond yield that it keeps each second."},
    {.key = "plastic_limit",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = AT(PxMaterialDef, plastic_limit),
     .unit = "",
     .least = 0,
     .most = 1e9,
     .help = "Most strain that it keeps."},
    {.key = "absorb",
     .kind = PX_FIELD_COUNT,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, absorb),
     .unit = "steps",
     .least = 0,
     .most = 1e9,
     .help =
         "Steps after which the rest shape follows the deformation, for what flows; 0 is never."},
    {.key = "friction",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, friction),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Coulomb's friction of a solid on a wall; counts as the root of its product with the "
             "wall's."},
    {.key = "restitution",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, restitution),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Part of the speed a body comes to a wall with that it leaves with, of what its "
             "elasticity gives back; 1: all of that."},
    {.key = "integration",
     .kind = PX_FIELD_MODEL,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, integration),
     .unit = "",
     .help = "How a solid is moved.",
     .family = &px_integration_family},
    {.key = "diffusivity",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, diffusivity),
     .unit = "m^2/s",
     .least = 0,
     .most = 1e6,
     .help = "How fast heat spreads; water 1.4e-7, wax 1e-7, copper 1.2e-4. 0 is not at all."},
    {.key = "heat_capacity",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = AT(PxMaterialDef, heat_capacity),
     .unit = "J/(kg K)",
     .least = 0,
     .most = 1e6,
     .help = "Heat that makes a kilogram a degree warmer; water 4180, wax 2500, iron 450."},
    {.key = "latent_heat",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, latent_heat),
     .unit = "J/kg",
     .least = 0,
     .most = 1e9,
     .help = "Heat that melting takes and freezing gives back; ice 3.3e5, wax 2e5."},
    {.key = "coat",
     .kind = PX_FIELD_MODEL,
     .offset = AT(PxMaterialDef, coat),
     .unit = "",
     .help = "What shows its surface while it flows, melts, splits and joins.",
     .family = &px_coat_family},
};
const size_t px_material_field_count = PX_COUNT(px_material_fields);

const PxField px_melt_fields[] = {
    {.key = "from",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, melts.from),
     .unit = "degrees C",
     .least = -273.15,
     .most = 1e5,
     .help = "Where it begins to melt; below, it is as stated."},
    {.key = "to",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_LIVE,
     .offset = AT(PxMaterialDef, melts.to),
     .unit = "degrees C",
     .least = -273.15,
     .most = 1e5,
     .help = "Where it is molten."},
};
const size_t px_melt_field_count = PX_COUNT(px_melt_fields);

#define INTO(name, sort, more, its_unit, low, high, text)                                          \
    {                                                                                              \
        .key = #name, .kind = sort, .flags = PX_FIELD_LIVE | (more),                               \
        .offset = AT(PxMaterialDef, melts.into.name), .unit = its_unit, .least = low,              \
        .most = high, .help = text                                                                 \
    }

/* Their ranges are those of the cold state. */
const PxField px_melt_into_fields[] = {
    INTO(viscosity, PX_FIELD_NUMBER, 0, "Pa s", 0, 1e6, "Dynamic viscosity."),
    INTO(cohesion, PX_FIELD_NUMBER, 0, "Pa", 0, 1e6, "What holds the fluid together."),
    INTO(young, PX_FIELD_NUMBER, 0, "Pa", 0, 1e12, "Young's modulus; 0 unless stated."),
    INTO(poisson, PX_FIELD_NUMBER, 0, "", 0, 0.49, "Poisson's ratio."),
    INTO(damping, PX_FIELD_NUMBER, 0, "1/s", 0, 1e6, "How fast its wobbling dies away."),
    INTO(yield, PX_FIELD_NUMBER, 0, "", 0, 1e6, "Elastic strain beyond which some stays."),
    INTO(creep, PX_FIELD_NUMBER, 0, "1/s", 0, 1e6, "Part of that strain that stays each second."),
    INTO(plastic_limit, PX_FIELD_NUMBER, PX_FIELD_ABOVE, "", 0, 1e9, "Most strain that stays."),
    INTO(absorb, PX_FIELD_COUNT, 0, "steps", 0, 1e9,
         "Steps after which the rest shape follows the deformation."),
    INTO(friction, PX_FIELD_NUMBER, 0, "", 0, 1, "Coulomb's friction on walls."),
    INTO(restitution, PX_FIELD_NUMBER, 0, "", 0, 1, "Part of the speed that it bounces with."),
    INTO(tension, PX_FIELD_NUMBER, 0, "", 0, 1e6, "How strong its surface tension is."),
};
const size_t px_melt_into_field_count = PX_COUNT(px_melt_into_fields);

PxStatus px_melt_check(const PxMaterialDef *def, const char *what)
{
    if (!def->melts.melts)
        return PX_OK;
    PX_TRY(px_fields_check(px_melt_fields, px_melt_field_count, def, what));
    if (!(def->melts.from < def->melts.to))
        return px_fail(PX_ERR_ARGUMENT,
                       "%s: melts from %g to %g degrees C, wanted the second higher", what,
                       def->melts.from, def->melts.to);
    for (size_t k = 0; k < px_melt_into_field_count; ++k)
        if (!isnan(*(const double *)((const char *)def + px_melt_into_fields[k].offset)))
            PX_TRY(px_fields_check(&px_melt_into_fields[k], 1, def, what));
    return PX_OK;
}

static const char *const fill_words[] = {"cubic", "hexagonal", "octree", NULL};

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
     .help = "Temperature at the start; an event gives it anew. A wall keeps its own, and one "
             "without lets no heat pass."},
    {.key = "fill",
     .kind = PX_FIELD_WORD,
     .offset = AT(PxBodyDef, fill),
     .unit = "",
     .help = "Lattice that fills the shape; an octree, for solids, is coarser inside.",
     .words = fill_words},
    {.key = "levels",
     .kind = PX_FIELD_COUNT,
     .offset = AT(PxBodyDef, levels),
     .unit = "",
     .least = 1,
     .most = 6,
     .help = "How often the cells of an octree may double their size towards the inside."},
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
    {.key = "conductance",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxBodyDef, conductance),
     .unit = "W/(m^2 K)",
     .least = 0,
     .most = PX_CONTACT_PERFECT,
     .help = "How well heat passes between matter and a wall that has a temperature; perfectly "
             "unless stated."},
    {.key = "surfels",
     .kind = PX_FIELD_COUNT,
     .offset = AT(PxBodyDef, surfels),
     .unit = "",
     .least = 0,
     .most = 2e6,
     .help = "About so many points show the surface of a solid; 0 is none."},
    {.key = "skin",
     .kind = PX_FIELD_FLAG,
     .offset = AT(PxBodyDef, skin),
     .unit = "",
     .help = "The triangles of a solid's surface follow it."},
};
const size_t px_body_field_count = PX_COUNT(px_body_fields);

/* When an emitter gives, a sink takes, a handle holds, a force or heater acts. */
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

const PxField px_handle_fields[] = {BETWEEN(PxHandleDef, "hold")};
const size_t px_handle_field_count = PX_COUNT(px_handle_fields);

const PxField px_force_fields[] = {
    {.key = "force",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_LIVE,
     .offset = AT(PxForceDef, force),
     .unit = "N",
     .least = -1e15,
     .most = 1e15,
     .help = "On all that is in the region together."},
    BETWEEN(PxForceDef, "act"),
};
const size_t px_force_field_count = PX_COUNT(px_force_fields);

const PxField px_heater_fields[] = {
    {.key = "temperature",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxHeaterDef, temperature),
     .unit = "degrees C",
     .least = -273.15,
     .most = 1e5,
     .help = "What is in the region is held at it. Either this or power."},
    {.key = "within",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxHeaterDef, within),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "Time in which the temperature's distance falls to 0.37 of itself; 0 is at once."},
    {.key = "power",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = AT(PxHeaterDef, power),
     .unit = "W",
     .least = -1e15,
     .most = 1e15,
     .help = "Heat for all that is in the region together; negative cools. Either this or "
             "temperature."},
    BETWEEN(PxHeaterDef, "act"),
};
const size_t px_heater_field_count = PX_COUNT(px_heater_fields);

PxStatus px_material_may_become(const char *path, const PxMaterialDef *before,
                                const PxMaterialDef *after)
{
    if ((after->young > 0) == (before->young > 0))
        return PX_OK;
    return px_fail(PX_ERR_ARGUMENT, "%s: a %s cannot become a %s; wanted %s", path,
                   before->young > 0 ? "solid" : "fluid", before->young > 0 ? "fluid" : "solid",
                   before->young > 0 ? "a modulus above 0" : "0");
}
