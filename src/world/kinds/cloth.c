/// Table of the numbers of cloth, a part of materials. All offsets are those in PxMaterialDef.
#include "world/kinds/kind.h"

#include <stddef.h>

static const char *const membrane_words[] = {"corotational", "green", NULL};
static const char *const bending_words[] = {"dihedral", "linear", "plate", NULL};
static const char *const integration_words[] = {"euler", "bdf2", NULL};
static const char *const rest_words[] = {"shape", "uv", NULL};

#define NUMBER(name, member, more, its_unit, low, high, text)                                      \
    {                                                                                              \
        .key = name, .kind = PX_FIELD_NUMBER, .flags = PX_FIELD_LIVE | (more),                     \
        .offset = PX_AT(PxMaterialDef, cloth.member), .unit = its_unit, .least = low,              \
        .most = high, .help = text                                                                 \
    }
#define WORD(name, member, list, text)                                                             \
    {                                                                                              \
        .key = name, .kind = PX_FIELD_WORD, .offset = PX_AT(PxMaterialDef, cloth.member),          \
        .unit = "", .words = list, .help = text                                                    \
    }

static const PxField fields[] = {
    NUMBER("mass", mass, 0, "kg/m^2", 0, 1e3,
           "Mass per area; silk 0.05, cotton 0.2, denim 0.4. 0: density times thickness."),
    NUMBER("thickness", thickness, PX_FIELD_ABOVE, "m", 0, 1,
           "Thickness: half of it is kept free at walls."),
    NUMBER("weft", weft, PX_FIELD_ABOVE, "N/m", 0, 1e9,
           "Young's modulus along the weft, the u of texture coordinates."),
    NUMBER("warp", warp, PX_FIELD_ABOVE, "N/m", 0, 1e9,
           "Young's modulus along the warp, the v of texture coordinates."),
    NUMBER("shear", shear, 0, "N/m", 0, 1e9, "Shear modulus."),
    NUMBER("poisson", poisson, 0, "", 0, 0.99,
           "Poisson's ratio: how much it narrows along the warp when stretched along the weft."),
    NUMBER("bend", bend, 0, "N m", 0, 1e6, "Flexural rigidity; silk 1e-6, cotton 1e-5, felt 1e-3."),
    NUMBER("bend_warp", bend_warp, 0, "N m", 0, 1e6,
           "Flexural rigidity along the warp; 0: as \"bend\"."),
    NUMBER("crease", crease, 0, "1/m", 0, 1e6,
           "Curvature beyond which it yields and keeps a crease; 0: it never does."),
    NUMBER("damping", damping, 0, "1/s", 0, 1e6,
           "Rayleigh damping: rate at which all motion decays."),
    NUMBER("stiff_damping", stiff_damping, 0, "s", 0, 1,
           "Rayleigh damping: time by which forces of deformation lag behind."),
    NUMBER("limit", limit, PX_FIELD_ABOVE, "", 0, 1e9,
           "Strain along a thread beyond which cloth is 21 times as stiff."),
    NUMBER("tear", tear, 0, "N/m", 0, 1e9,
           "Tension at which it tears, as force per width; tissue 100, cotton 1e4. 0: never."),
    NUMBER("tear_warp", tear_warp, 0, "N/m", 0, 1e9, "The same along the warp; 0: as \"tear\"."),
    NUMBER("air", air, 0, "kg/m^3", 0, 1e4,
           "Density of the air that drags it, 1.2 at sea level; 0: none."),
    {.key = "wind",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, cloth.wind),
     .unit = "m/s",
     .least = -1e3,
     .most = 1e3,
     .help = "Velocity of that air."},
    NUMBER("fluid_grip", fluid_grip, 0, "", 0, 1,
           "How viscous fluid moves along it: 0 slips, 1 sticks."),
    NUMBER("fluid_friction", fluid_friction, 0, "", 0, 1,
           "Friction of fluid on it, as a part of the force that presses it on."),
    NUMBER("fluid_drag", fluid_drag, 0, "kg/s", 0, 1e3,
           "Friction of fluid on it, by the velocity of each particle."),
    NUMBER(
        "pressure", pressure, 0, "Pa", 0, 1e6,
        "Excess pressure of the gas inside closed cloth at its start; falls as its volume grows."),
    NUMBER("pores", pores, 0, "", 0, 0.99,
           "Part of its volume that takes up liquid; cotton 0.7. 0: none does."),
    NUMBER("absorption", absorption, 0, "m^2/s", 0, 1,
           "How fast liquid enters: square of the depth after a second."),
    NUMBER("diffusion", diffusion, 0, "m^2/s", 0, 1, "How fast liquid spreads along it."),
    NUMBER("rise", rise, PX_FIELD_ABOVE, "m", 0, 1e3,
           "Height to which it draws liquid up, against its weight."),
    NUMBER("drying", drying, 0, "kg/(m^2 s)", 0, 1e3, "Liquid that it loses to the air."),
    NUMBER("wet_stretch", wet_stretch, PX_FIELD_ABOVE, "", 0, 100,
           "Factor of its moduli when it is saturated with liquid. Needs pores."),
    NUMBER("wet_bend", wet_bend, PX_FIELD_ABOVE, "", 0, 100,
           "Factor of its flexural rigidity when it is saturated with liquid. Needs pores."),
    NUMBER("permeability", permeability, 0, "m^2", 0, 1e-3,
           "How easily liquid passes through it once it is saturated. Needs pores."),
    NUMBER("squeeze", squeeze, 0, "Pa", 0, 1e9,
           "Pressure of other layers or bodies at which half of its pores are closed. 0: no "
           "pressure closes them. Needs pores."),
    {.key = "wet",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxMaterialDef, cloth.wet),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Its saturation at the start. Needs pores."},
    NUMBER("step", step, PX_FIELD_ABOVE, "s", 0, 1, "Longest time step."),
    {.key = "self_collision",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxMaterialDef, cloth.self_collision),
     .unit = "",
     .help = "It does not pass through itself and other such cloth."},
    {.key = "fluid_test",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxMaterialDef, cloth.fluid_test),
     .unit = "",
     .help = "The way of each particle of fluid is tested against it, so that none passes. false, "
             "for comparison: pressure alone stops fluid, at all cloth of the scene."},
    WORD("membrane", membrane, membrane_words,
         "Strain: co-rotational, linear but for rotations, or Green's."),
    WORD("bending", bending_model, bending_words,
         "Bending: by the angle between triangles, linear in their positions, or by the curvature "
         "of "
         "triangles, which does not depend on how they lie."),
    WORD("integration", integration, integration_words,
         "Integration in time: implicit Euler, or the second backward difference formula, which "
         "damps motion less."),
    WORD("rest", rest, rest_words,
         "Rest shape: the mesh as it is placed, or its texture coordinates in metres."),
};

static void defaults(void *def)
{
    *(PxMaterialDef *)def = px_material_def_default();
}

const PxSection px_cloth_section = {
    .name = "cloth",
    .help = "Makes a material cloth: its bodies are sheets without particles.",
    .wanted = "an object with numbers of the cloth",
    .fields = fields,
    .field_count = PX_COUNT(fields),
    .size = sizeof(PxMaterialDef),
    .defaults = defaults};
