/// Table of materials, of which bodies and emitted matter are made.
#include "base/words.h"
#include "cloth/cloth.h"
#include "fluid/pressure/pressure.h"
#include "fluid/tension/tension.h"
#include "fluid/viscosity/viscosity.h"
#include "rigid/law.h"
#include "solid/integration.h"
#include "solid/solid_columns.h"
#include "surface/coat/options.h"
#include "world/elastic_stage.h"
#include "world/heat_stage.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <math.h>
#include <string.h>

PX_KIND_DEFAULTS(Material, material)

static const PxField material_fields[] = {
    {.key = "density",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, density),
     .unit = "kg/m^3",
     .least = 1e-3,
     .most = 1e6,
     .help = "Density at rest."},
    {.key = "viscosity",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, viscosity),
     .unit = "Pa s",
     .least = 0,
     .most = 1e6,
     .help = "Dynamic viscosity; water 0.001, honey 10."},
    {.key = "viscosity_model",
     .kind = PX_FIELD_MODEL,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, viscosity_model),
     .unit = "",
     .help = "Viscosity model: explicit ones limit the time step, the implicit one does not.",
     .family = &px_viscosity_family},
    {.key = "cohesion",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, cohesion),
     .unit = "Pa",
     .least = 0,
     .most = 1e6,
     .help = "Attraction between particles of the same fluid, which keeps different fluids apart."},
    {.key = "pressure",
     .kind = PX_FIELD_MODEL,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, pressure),
     .unit = "",
     .help = "Pressure model, which keeps the fluid incompressible.",
     .family = &px_pressure_family},
    {.key = "tension",
     .kind = PX_FIELD_MODEL,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, tension),
     .unit = "",
     .help = "Surface tension model.",
     .family = &px_tension_family},
    {.key = "young",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, young),
     .unit = "Pa",
     .least = 0,
     .most = 1e12,
     .help = "Young's modulus; jelly 1e4, rubber 1e6. 0: a fluid."},
    {.key = "poisson",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, poisson),
     .unit = "",
     .least = 0,
     .most = 0.49,
     .help = "Poisson's ratio: at 0 a stretched solid keeps its width, at 0.5 its volume."},
    {.key = "young_axes",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, young_axes),
     .unit = "Pa",
     .least = 0,
     .most = 1e12,
     .help = "Young's moduli of an orthotropic solid along the body's own axes."},
    {.key = "poisson_axes",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, poisson_axes),
     .unit = "",
     .least = -1,
     .most = 1,
     .help = "Poisson's ratios xy, yz, zx of an orthotropic solid: stretched along the first axis, "
             "it narrows along the second."},
    {.key = "shear_axes",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, shear_axes),
     .unit = "Pa",
     .least = 0,
     .most = 1e12,
     .help = "Shear moduli xy, yz, zx of an orthotropic solid."},
    {.key = "volume",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, volume),
     .unit = "Pa",
     .least = 0,
     .most = 1e12,
     .help = "Extra volumetric stiffness of a solid, beyond its elastic moduli."},
    {.key = "damping",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, damping),
     .unit = "1/s",
     .least = 0,
     .most = 1e6,
     .help = "Damping rate of a solid's internal vibrations; rigid motion is not damped."},
    {.key = "yield",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, yield),
     .unit = "",
     .least = 0,
     .most = 1e6,
     .help = "Yield strain: elastic strain beyond which a solid deforms plastically."},
    {.key = "creep",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, creep),
     .unit = "1/s",
     .least = 0,
     .most = 1e6,
     .help = "Creep rate: rate at which elastic strain becomes plastic strain while it exceeds "
             "yield."},
    {.key = "plastic_limit",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = PX_AT(PxMaterialDef, plastic_limit),
     .unit = "",
     .least = 0,
     .most = 1e9,
     .help = "Largest plastic strain; further deformation is elastic."},
    {.key = "absorb",
     .kind = PX_FIELD_COUNT,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, absorb),
     .unit = "steps",
     .least = 0,
     .most = 1e9,
     .help = "Steps between rest-shape updates, in which the present shape becomes the rest "
             "shape, for solids that flow; 0: never."},
    {.key = "friction",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, friction),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Coulomb friction of a solid on walls and other solids; the coefficient is the "
             "geometric mean of both."},
    {.key = "restitution",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, restitution),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Coefficient of restitution of a solid on walls and other solids, relative to a fully "
             "elastic bounce."},
    {.key = "self_contact",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxMaterialDef, self_contact),
     .unit = "",
     .help = "Distant parts of a solid touch each other instead of passing through each other."},
    {.key = "integration",
     .kind = PX_FIELD_MODEL,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, integration),
     .unit = "",
     .help = "Time integration of a solid: explicit in sub-steps, or implicit.",
     .family = &px_integration_family},
    {.key = "rigid_contact",
     .kind = PX_FIELD_MODEL,
     .offset = PX_AT(PxMaterialDef, rigid_contact),
     .unit = "",
     .help = "Contact law of rigid bodies: constraints, or springs and dampers.",
     .family = &px_contact_law_family},
    {.key = "diffusivity",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, diffusivity),
     .unit = "m^2/s",
     .least = 0,
     .most = 1e6,
     .help = "Thermal diffusivity; water 1.4e-7, wax 1e-7, copper 1.2e-4. 0: no conduction."},
    {.key = "heat_capacity",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = PX_AT(PxMaterialDef, heat_capacity),
     .unit = "J/(kg K)",
     .least = 0,
     .most = 1e6,
     .help = "Specific heat capacity; water 4180, wax 2500, iron 450."},
    {.key = "latent_heat",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, latent_heat),
     .unit = "J/kg",
     .least = 0,
     .most = 1e9,
     .help = "Latent heat of melting; ice 3.3e5, wax 2e5."},
    {.key = "coat",
     .kind = PX_FIELD_MODEL,
     .offset = PX_AT(PxMaterialDef, coat),
     .unit = "",
     .help = "Surface of surfels that follows matter while it flows, melts, splits and merges.",
     .family = &px_coat_family},
    {.key = "merge",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxMaterialDef, merge),
     .unit = "",
     .help = "Pieces that touch become one where one of them is partly molten; false: they stay "
             "apart, in contact."},
    {.key = "merge_from",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, merge_from),
     .unit = "degrees C",
     .least = -273.15,
     .most = 1e5,
     .help = "Temperature from which pieces merge; both must be at least so hot."},
    {.key = "melts",
     .kind = PX_FIELD_PART,
     .unit = "",
     .part = &px_melt_section,
     .beside = PX_AT(PxMaterialDef, melts.melts),
     .help = "Melting range, and the properties of the molten state."},
    {.key = "cloth",
     .kind = PX_FIELD_PART,
     .unit = "",
     .part = &px_cloth_section,
     .beside = PX_AT(PxMaterialDef, cloth.cloth),
     .help = "Makes it cloth, with these numbers."},
    {.key = "fracture",
     .kind = PX_FIELD_PART,
     .unit = "",
     .part = &px_fracture_section,
     .beside = PX_AT(PxMaterialDef, fracture.fractures),
     .help = "Makes a solid break where it is pulled apart too strongly."},
    {.key = "look",
     .kind = PX_FIELD_LOOK,
     .unit = "",
     .help = "Appearance in pictures; by default chosen by its name."},
};

static bool is_of_material(const char *key, PxFieldKind *kind);

/* ---- melting: all offsets are those in PxMaterialDef ------------------------------- */

#define INTO(name, sort, more, its_unit, low, high, text)                                          \
    {                                                                                              \
        .key = #name, .kind = sort, .flags = PX_FIELD_LIVE | (more),                               \
        .offset = PX_AT(PxMaterialDef, melts.into.name), .unit = its_unit, .least = low,           \
        .most = high, .help = text                                                                 \
    }

/* Ranges are those of the cold state. NAN: the same value as there. */
static const PxField into_fields[] = {
    INTO(viscosity, PX_FIELD_NUMBER, 0, "Pa s", 0, 1e6, "Dynamic viscosity."),
    INTO(cohesion, PX_FIELD_NUMBER, 0, "Pa", 0, 1e6, "Attraction between particles of the fluid."),
    INTO(young, PX_FIELD_NUMBER, 0, "Pa", 0, 1e12, "Young's modulus; 0 by default."),
    INTO(poisson, PX_FIELD_NUMBER, 0, "", 0, 0.49, "Poisson's ratio."),
    INTO(damping, PX_FIELD_NUMBER, 0, "1/s", 0, 1e6, "Damping rate of internal vibrations."),
    INTO(yield, PX_FIELD_NUMBER, 0, "", 0, 1e6, "Yield strain."),
    INTO(creep, PX_FIELD_NUMBER, 0, "1/s", 0, 1e6, "Creep rate."),
    INTO(plastic_limit, PX_FIELD_NUMBER, PX_FIELD_ABOVE, "", 0, 1e9, "Largest plastic strain."),
    INTO(absorb, PX_FIELD_COUNT, 0, "steps", 0, 1e9, "Steps between rest-shape updates."),
    INTO(friction, PX_FIELD_NUMBER, 0, "", 0, 1, "Coulomb friction on walls."),
    INTO(restitution, PX_FIELD_NUMBER, 0, "", 0, 1, "Coefficient of restitution on walls."),
    {.key = "tension",
     .kind = PX_FIELD_STRENGTH,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, melts.into.tension),
     .beside = PX_AT(PxMaterialDef, tension),
     .unit = "",
     .least = 0,
     .most = 1e6,
     .family = &px_tension_family,
     .help = "Strength of the surface tension in the molten state: a number, or a model with "
             "its parameters if the cold state has none."},
};

/* Explains why models and some numbers do not change in melting, because scenes often try. */
static const char *misplaced_in_into(const char *key)
{
    PxFieldKind kind;
    if (!is_of_material(key, &kind))
        return NULL;
    return kind == PX_FIELD_MODEL
               ? "chooses a model, and matter that melts keeps its models; what changes are "
                 "numbers: viscosity, young, creep, tension, ..."
               : "stays as it is when matter melts; what changes are numbers: viscosity, young, "
                 "creep, tension, ...";
}

const PxSection px_melt_into_section = {
    .name = "molten",
    .help = "Properties of the molten state; those not stated are the same as in the cold state.",
    .wanted = "an object with numbers",
    .fields = into_fields,
    .field_count = PX_COUNT(into_fields),
    .size = sizeof(PxMaterialDef),
    .defaults = defaults,
    .misplaced = misplaced_in_into};

static const PxField melt_fields[] = {
    {.key = "from",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, melts.from),
     .unit = "degrees C",
     .least = -273.15,
     .most = 1e5,
     .help = "Temperature at which melting starts."},
    {.key = "to",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, melts.to),
     .unit = "degrees C",
     .least = -273.15,
     .most = 1e5,
     .help = "Temperature at which all is molten."},
    {.key = "into",
     .kind = PX_FIELD_PART,
     .unit = "",
     .part = &px_melt_into_section,
     .help = "Properties of the molten state."},
};

const PxSection px_melt_section = {
    .name = "melting",
    .help = "Between two temperatures the properties change linearly from the cold to the "
            "molten state.",
    .wanted = "an object with \"from\", \"to\" and \"into\"",
    .fields = melt_fields,
    .field_count = PX_COUNT(melt_fields),
    .size = sizeof(PxMaterialDef),
    .defaults = defaults};

static bool is_of_material(const char *key, PxFieldKind *kind)
{
    const PxField *field = px_field_find(material_fields, PX_COUNT(material_fields), key);
    if (field == NULL || field->kind == PX_FIELD_PART || field->kind == PX_FIELD_LOOK)
        return false;
    *kind = field->kind;
    return true;
}

static PxStatus consistent(const void *object, const char *what)
{
    const PxMaterialDef *def = object;
    if (def->cloth.cloth) {
        PX_TRY(px_section_check(&px_cloth_section, def, what));
        if (def->young > 0 || def->melts.melts)
            return px_fail(PX_ERR_ARGUMENT, "%s: cloth is no solid and does not melt", what);
        return px_cloth_law(def, what, &(PxClothLaw){0});
    }
    if (def->fracture.fractures) {
        PX_TRY(px_section_check(&px_fracture_section, def, what));
        const char *wrong = px_fracture_wrong(def);
        if (wrong != NULL)
            return px_fail(PX_ERR_ARGUMENT, "%s: %s", what, wrong);
    }
    if (!def->melts.melts)
        return PX_OK;
    PX_TRY(px_section_check(&px_melt_section, def, what));
    if (!(def->melts.from < def->melts.to))
        return px_fail(PX_ERR_ARGUMENT,
                       "%s: melts from %g to %g degrees C, wanted the second higher", what,
                       def->melts.from, def->melts.to);
    for (size_t k = 0; k < PX_COUNT(into_fields); ++k)
        if (!isnan(*(const double *)px_field_in(&into_fields[k], def)))
            PX_TRY(px_fields_check(&into_fields[k], 1, def, what));
    return PX_OK;
}

/* ---- materials in a running world --------------------------------------------------- */

PX_KIND_ADDS(Material, material)

/* A particle keeps its volume, so a change of density changes its mass. Those that cloth has taken
 * a part of keep their part. */
static void set_masses(PxWorld *world, size_t slot)
{
    PxMaterial *material = &world->materials.data[slot];
    double s = world->def.spacing, was = material->particle_mass;
    material->particle_mass = material->def.density * s * s * s;
    PxParticles *p = &world->particles;
    PxSolidColumns solid = {0}; /* octree bodies have volumes of their own */
    bool solids = px_solid_columns(&p->table, &solid);
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (p->material[i] == slot)
            p->mass[i] = (float)(solids && solid.volume[i] > 0
                                     ? material->def.density * (double)solid.volume[i]
                                 : p->mass[i] < (float)was || p->mass[i] > (float)was
                                     ? material->particle_mass * (double)p->mass[i] / was
                                     : material->particle_mass);
}

static PxStatus changed(PxWorld *world, size_t slot, const char *key)
{
    PX_TRY(px_world_material_columns(world, &world->materials.data[slot].def));
    if (strcmp(key, "density") == 0)
        set_masses(world, slot);
    world->state.highest = 0; /* the stiffness may have changed */
    world->elastic_set.stale = true;
    return PX_OK;
}

static PxStatus may_become(const char *path, const void *before, const void *after)
{
    bool solid = ((const PxMaterialDef *)before)->young > 0;
    if ((((const PxMaterialDef *)after)->young > 0) == solid)
        return PX_OK;
    return px_fail(PX_ERR_ARGUMENT, "%s: a %s cannot become a %s; wanted %s", path,
                   solid ? "solid" : "fluid", solid ? "fluid" : "solid",
                   solid ? "a modulus above 0" : "0");
}

/* ---- rules ---------------------------------------------------------------------------- */

/* Some models must be the same for all materials of a scene. */
static void check_shared(const PxStated *stated, const char *key, const char *model,
                         const char *first)
{
    if (strcmp(model, first) != 0)
        px_wrong(stated, PX_ERROR, key, false,
                 "is '%s'%s, but that of '%s' is '%s'%s: fluids of one world share the model",
                 model, stated->has(stated, false, key) ? "" : " (the default)",
                 px_quote(((const PxMaterialDef *)stated->first)->name, (char[80]){0}, 80), first,
                 stated->has(stated, true, key) ? "" : " (the default)");
}

/* Keys of other matter, which do nothing for cloth. */
static const char *const not_of_cloth[] = {
    "viscosity",     "viscosity_model", "cohesion",   "pressure",    "tension",     "young",
    "poisson",       "young_axes",      "volume",     "shear_axes",  "damping",     "poisson_axes",
    "yield",         "creep",           "absorb",     "restitution", "melts",       "plastic_limit",
    "self_contact",  "integration",     "coat",       "diffusivity", "latent_heat", "heat_capacity",
    "rigid_contact", "merge",           "merge_from", "fracture",
};

static bool silent(const void *object, const PxField *field)
{
    for (size_t k = 0; k < PX_COUNT(not_of_cloth); ++k)
        if (strcmp(field->key, not_of_cloth[k]) == 0)
            return ((const PxMaterialDef *)object)->cloth.cloth;
    return false;
}

static void check_cloth(const PxStated *stated)
{
    for (size_t k = 0; k < PX_COUNT(not_of_cloth); ++k)
        if (stated->has(stated, false, not_of_cloth[k]))
            px_wrong(stated, PX_ERROR, not_of_cloth[k], true,
                     "is not for cloth, whose numbers are in \"cloth\"");
    if (stated->good && px_cloth_law(stated->def, "it", &(PxClothLaw){0}) != PX_OK)
        px_wrong(stated, PX_ERROR,
                 strstr(px_error_message(), "crease") != NULL ? "cloth.crease" : "cloth.poisson",
                 false, "%s", px_error_message() + strlen("it: "));
}

static void rules(const PxStated *stated)
{
    PxMaterialDef *def = stated->def;
    const PxMaterialDef *first = stated->first;
    if (def->cloth.cloth) {
        check_cloth(stated);
        return;
    }
    if (stated->good && def->fracture.fractures && px_fracture_wrong(def) != NULL)
        px_wrong(stated, PX_ERROR, "fracture", true, "%s", px_fracture_wrong(def));
    if (first->cloth.cloth) /* shares no models */
        first = def;
    if (def->melts.melts && !stated->has(stated, false, "coat"))
        def->coat = px_coat_choice("surfels"); /* a skin cannot follow molten matter */
    if (stated->good && def->melts.melts && !(def->melts.from < def->melts.to))
        px_wrong(stated, PX_ERROR, "melts.to", false, "is %s, wanted more than \"from\", %s",
                 px_number_text(def->melts.to, (char[32]){0}),
                 px_number_text(def->melts.from, (char[32]){0}));
    if (strcmp(def->pressure.model, "auto") != 0 && strcmp(first->pressure.model, "auto") != 0)
        check_shared(stated, "pressure", def->pressure.model, first->pressure.model);
    check_shared(stated, "viscosity_model", def->viscosity_model.model,
                 first->viscosity_model.model);
}

const PxKind px_material_kind = {
    .section = {.name = "material",
                .help = "The properties of matter.",
                .wanted = "an object with the properties of the material",
                .fields = material_fields,
                .field_count = PX_COUNT(material_fields),
                .size = sizeof(PxMaterialDef),
                .defaults = defaults},
    .list = "materials",
    .list_help = "What bodies are made of, by name.",
    .most = 1000,
    .by_name = true,
    .name_offset = PX_AT(PxMaterialDef, name),
    .add = add_thing,
    .remove = remove_thing,
    PX_KIND_SLOTS(PxMaterial, materials),
    .slot_def = offsetof(PxMaterial, def),
    .changed = changed,
    .may_become = may_become,
    .consistent = consistent,
    .rules = rules,
    .silent = silent,
};
