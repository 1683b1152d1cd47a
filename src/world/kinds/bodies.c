/// Table of bodies: shapes filled with a material, and walls.
#include "base/words.h"
#include "thermal/heat.h"
#include "thermal/heat_columns.h"
#include "world/cloth_stage.h"
#include "world/heat_stage.h"
#include "world/kinds/kind.h"
#include "world/rigid_stage.h"

#include <math.h>
#include <string.h>

static const char *const volume_files[] = {"a NRRD file", NULL};
static const char *const fill_words[] = {"cubic", "hexagonal", "octree", "fitted", NULL};

static const PxField fields[] = {
    {.key = "shape",
     .kind = PX_FIELD_SHAPE,
     .offset = PX_AT(PxBodyDef, shape),
     .unit = "",
     .help = "Its shape and position at the start."},
    {.key = "material",
     .kind = PX_FIELD_THING,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, material),
     .unit = "",
     .of = "materials",
     .help = "Name of its material, from \"materials\". Not for walls."},
    {.key = "velocity",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE | PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, velocity),
     .unit = "m/s",
     .least = -1e5,
     .most = 1e5,
     .help = "Velocity at the start; an event sets it again."},
    {.key = "spin",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE | PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, spin),
     .unit = "rad/s",
     .least = -1e5,
     .most = 1e5,
     .help = "Angular velocity about its centre at the start; an event sets it again."},
    PX_TEMPERATURE_FIELD(PxBodyDef, "Temperature at the start; an event sets it again. A wall is "
                                    "held at its temperature; one without is adiabatic."),
    {.key = "fill",
     .kind = PX_FIELD_FILL,
     .flags = PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, fill),
     .unit = "",
     .help = "Lattice that fills the shape; for solids: an octree is coarser inside, a fitted "
             "lattice follows curved and slanted surfaces. Or, instead of a shape, the vessel that "
             "a liquid fills, and up to which level.",
     .words = fill_words},
    {.key = "levels",
     .kind = PX_FIELD_COUNT,
     .flags = PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, levels),
     .unit = "",
     .least = 1,
     .most = 6,
     .help = "Levels of an octree: how often its cells may double in size towards the inside."},
    {.key = "carve",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxBodyDef, carve),
     .unit = "",
     .help = "Liquids in which this wall, rigid body or solid stands at the start make room for "
             "it; false: they must not overlap."},
    {.key = "wall",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxBodyDef, wall),
     .unit = "",
     .help = "A rigid boundary that stands still or moves by keyframes."},
    {.key = "rigid",
     .kind = PX_FIELD_FLAG,
     .flags = PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, rigid),
     .unit = "",
     .help = "A rigid body of the material's density: it moves by gravity, fluids and contacts as "
             "one piece, without particles."},
    {.key = "restitution",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, restitution),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Coefficient of restitution of a rigid body's contacts; of two bodies, the geometric "
             "mean."},
    {.key = "release",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, release),
     .unit = "s",
     .least = -1,
     .most = 1e9,
     .help =
         "Time at which the keyframes of a rigid body, or its place, let it go; negative: never "
         "if it has keyframes, else at once."},
    {.key = "hold",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, hold),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help =
         "Time, after its release, at which the keyframes of a rigid body, or the place where it "
         "is, hold it again."},
    {.key = "hand_over",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ONLY_NOT | PX_FIELD_ABOVE,
     .offset = PX_AT(PxBodyDef, hand_over),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "Time in which a rigid body that is held again returns to its keyframes."},
    {.key = "ballast",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, ballast),
     .unit = "kg",
     .least = 0,
     .most = 1e15,
     .help = "Point mass in a rigid body, in addition to that of its shape."},
    {.key = "ballast_at",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, ballast_at),
     .unit = "m",
     .least = -1e6,
     .most = 1e6,
     .help = "Place of the ballast in the shape, before \"scale\", \"turn\" and \"at\"."},
    {.key = "inside",
     .kind = PX_FIELD_FLAG,
     .flags = PX_FIELD_ONLY_IF,
     .offset = PX_AT(PxBodyDef, inside),
     .unit = "",
     .help = "The wall is a container: it keeps particles inside its shape instead of outside."},
    {.key = "friction",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ONLY_IF | PX_FIELD_ALSO,
     .offset = PX_AT(PxBodyDef, friction),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Friction of a wall or rigid body: on viscous fluids, 0 slips freely and 1 sticks; "
             "Coulomb friction on solids and among rigid bodies."},
    {.key = "contact_angle",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ONLY_IF | PX_FIELD_ALSO,
     .offset = PX_AT(PxBodyDef, contact_angle),
     .unit = "degrees",
     .least = 0,
     .most = 180,
     .help = "Contact angle of fluids with the tension \"csf\": below 90 they wet the wall, above "
             "it they bead."},
    {.key = "adhesion",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ONLY_IF | PX_FIELD_ALSO,
     .offset = PX_AT(PxBodyDef, adhesion),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Drag of the wall on fluids with the tension \"csf\" that wet it, and hysteresis of "
             "their contact angle: 0 drops slide, 1 small ones stick."},
    {.key = "cling",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxBodyDef, cling),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Attraction of coats of molten matter to the surface of a wall, rigid body or solid: "
             "0 none, 1 they take its shape, as in a mould."},
    {.key = "blade",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxBodyDef, blade),
     .unit = "",
     .help = "A wall or rigid body that cuts the solids with fracture that it passes through."},
    {.key = "prints",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxBodyDef, prints),
     .unit = "",
     .help = "Coats that cling to it take the colours of its mesh or texture."},
    {.key = "conductance",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ONLY_IF | PX_FIELD_ALSO,
     .offset = PX_AT(PxBodyDef, conductance),
     .unit = "W/(m^2 K)",
     .least = 0,
     .most = PX_CONTACT_PERFECT,
     .help = "Thermal contact conductance between matter and a wall that has a temperature; "
             "perfect contact unless stated."},
    {.key = "surfels",
     .kind = PX_FIELD_COUNT,
     .flags = PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, surfels),
     .unit = "",
     .least = 0,
     .most = 2e6,
     .help = "Approximate number of surfels on the surface of a solid; 0: none."},
    {.key = "skin",
     .kind = PX_FIELD_FLAG,
     .flags = PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, skin),
     .unit = "",
     .help = "Gives a solid a triangle mesh on its surface that deforms with it."},
    PX_TEMPERATURES_FIELD(PxBodyDef, PX_FIELD_ONLY_IF,
                          "Temperature of a wall over time, linear between the stated times."),
    {.key = "texture",
     .kind = PX_FIELD_FILE,
     .flags = PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, texture),
     .unit = "",
     .most = 1000,
     .help = "A PNG file beside the scene that colours surfels and skin; the mesh needs texture "
             "coordinates."},
    {.key = "cracks",
     .kind = PX_FIELD_FILE,
     .flags = PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, cracks),
     .unit = "",
     .most = 1000,
     .help = "A PNG file beside the scene with cracks painted dark on light: a solid with fracture "
             "breaks along them. At the texture coordinates of its mesh; without these it covers "
             "the body, with its width along x and its height along y."},
    {.key = "cracks_by_colour",
     .kind = PX_FIELD_FLAG,
     .flags = PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, cracks_by_colour),
     .unit = "",
     .help = "The dark colours of the mesh's vertices are painted cracks."},
    {.key = "strength",
     .kind = PX_FIELD_FILE,
     .flags = PX_FIELD_ONLY_NOT,
     .offset = PX_AT(PxBodyDef, strength),
     .unit = "",
     .most = 1000,
     .words = volume_files,
     .help = "A NRRD file beside the scene with factors of the strength of a solid with fracture, "
             "on a grid that covers the body."},
    {.key = "look",
     .kind = PX_FIELD_LOOK,
     .flags = PX_FIELD_ONLY_IF | PX_FIELD_ALSO,
     .unit = "",
     .help = "Appearance of a wall in pictures; by default chosen by its name."},
    PX_KEYFRAMES_FIELD(PxBodyDef, PX_FIELD_ONLY_IF | PX_FIELD_ALSO,
                       "Motion of a wall, or of a rigid body until its release: linear between "
                       "keyframes. At time 0 it is where its shape is placed, unless the first "
                       "keyframe is at 0."),
};

PX_KIND_DEFAULTS(Body, body)

PX_KIND_ADDS(Body, body)

/* ---- changes in a running world -------------------------------------------------- */

/* Sets velocity and spin as at the start, about the centre of the particles' bounding box. */
static void set_going(PxWorld *world, size_t slot)
{
    const PxBodyDef *def = &world->bodies.data[slot].def;
    PxParticles *p = &world->particles;
    PxBounds bounds = px_bounds_empty();
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (p->body[i] == slot)
            px_bounds_add(&bounds, px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]));
    PxVec3 middle = px_scale(px_add(bounds.low, bounds.high), 0.5);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        if (p->body[i] != slot)
            continue;
        PxVec3 arm = px_sub(px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]), middle);
        PxVec3 v = px_add(def->velocity, px_cross(def->spin, arm));
        p->vx[i] = (float)v.x;
        p->vy[i] = (float)v.y;
        p->vz[i] = (float)v.z;
    }
    world->state.bound_due = 1;
}

static PxStatus changed(PxWorld *world, size_t slot, const char *key)
{
    const PxBodyDef *def = &world->bodies.data[slot].def;
    PxParticles *p = &world->particles;
    if (strcmp(key, "velocity") == 0 || strcmp(key, "spin") == 0)
        set_going(world, slot);
    if (def->rigid)
        px_rigid_changed(world, slot, key);
    if (def->cloth)
        px_cloth_changed(world, slot, key);
    bool heated = strcmp(key, "temperature") == 0;
    for (size_t w = 0; w < world->walls.count; ++w) {
        PxWall *wall = &world->walls.data[w];
        if (wall->boundary.body != slot)
            continue;
        wall->boundary.friction = def->friction;
        wall->boundary.adhesion = def->adhesion;
        wall->boundary.wetting = cos(def->contact_angle * PX_PI / 180);
        wall->cling = def->cling;
        if (heated) { /* replaces the temperatures over time */
            world->bodies.data[slot].def.warm = true;
            wall->warmths = 0;
        }
        if (wall->warmths == 0)
            px_wall_warm(wall, def);
    }
    float *low = px_heat_low(&p->table);
    for (uint32_t i = 0; heated && i < p->table.count; ++i)
        if (p->body[i] == slot)
            px_heat_put(p, low, i, def->temperature);
    return PX_OK;
}

/* ---- rules ------------------------------------------------------------------------ */

/* Only solids may have particles of different sizes. */
static void check_fill(const PxStated *stated, const PxMaterialDef *material)
{
    const PxBodyDef *def = stated->def;
    bool octree = def->fill == PX_FILL_OCTREE, fitted = def->fill == PX_FILL_FITTED;
    if ((octree || fitted) && material != NULL && !(material->young > 0))
        px_wrong(stated, PX_ERROR, "fill", false,
                 "is for solids: fluids need a uniform lattice, and the \"young\" of '%s' is 0",
                 px_quote(material->name, (char[100]){0}, 100));
    if (!octree && def->levels != px_body_def_default().levels)
        px_wrong(stated, PX_ERROR, "levels", true,
                 "is for octrees; should this body have \"fill\": \"octree\"?");
}

/* Only solids and materials with a coat may have surfels, a skin and their texture. */
static void check_surface(const PxStated *stated, const PxMaterialDef *material)
{
    PxBodyDef *def = stated->def;
    bool texture = stated->has(stated, false, "texture");
    if (def->surfels > 0 && !stated->has(stated, false, "skin"))
        def->skin = false; /* the default skin is left out if surfels are stated */
    if (def->texture != NULL && !(def->surfels > 0) && !def->skin)
        px_wrong(stated, PX_ERROR, "texture", true,
                 "has no surface to colour: wanted \"surfels\": 20000, or \"skin\": true");
    else if (def->texture != NULL && !(def->surfels > 0) && material != NULL &&
             strcmp(material->coat.model, "none") != 0)
        px_wrong(stated, PX_ERROR, "texture", true,
                 "colours a coat by surfels, and there are none: wanted \"surfels\": 20000");
    else if (def->texture != NULL && stated->shape != NULL && def->shape.kind != PX_SHAPE_MESH)
        px_wrong(stated, PX_ERROR, "texture", true,
                 "needs a mesh with texture coordinates, but the shape is a %s",
                 px_shape_kind_name(def->shape.kind));
    if (material == NULL || material->young > 0 || strcmp(material->coat.model, "none") != 0)
        return;
    char name[100];
    static const char text[] =
        "is for solids, and '%s' is a fluid (its \"young\" is 0); 'phyxel surface' makes the "
        "surfaces of fluids, or \"coat\" of the material";
    if (stated->has(stated, false, "surfels") && def->surfels > 0)
        px_wrong(stated, PX_ERROR, "surfels", true, text,
                 px_quote(material->name, name, sizeof name));
    if (texture)
        px_wrong(stated, PX_ERROR, "texture", true, text,
                 px_quote(material->name, name, sizeof name));
}

/* Only what breaks has cracks. */
static void check_cracks(const PxStated *stated, const PxMaterialDef *material)
{
    const PxBodyDef *def = stated->def;
    static const char *const key[] = {"cracks", "cracks_by_colour", "strength"};
    const bool stated_so[] = {def->cracks != NULL, def->cracks_by_colour, def->strength != NULL};
    for (size_t k = 0; k < PX_COUNT(key) && material != NULL; ++k)
        if (stated_so[k] && !material->fracture.fractures)
            px_wrong(stated, PX_ERROR, key[k], true,
                     "is for solids that break: wanted \"fracture\" in '%s'",
                     px_quote(material->name, (char[100]){0}, 100));
    if (def->cracks != NULL && def->cracks_by_colour)
        px_wrong(stated, PX_ERROR, "cracks_by_colour", true,
                 "and \"cracks\" are both stated: wanted one of them");
    if (def->cracks_by_colour && stated->shape != NULL && def->shape.kind != PX_SHAPE_MESH)
        px_wrong(stated, PX_ERROR, "cracks_by_colour", true,
                 "needs a mesh with colours of its vertices, but the shape is a %s",
                 px_shape_kind_name(def->shape.kind));
}

/* Coats cling to walls, rigid bodies, and solids that have a skin. */
static void check_mould(const PxStated *stated, const PxMaterialDef *material)
{
    const PxBodyDef *def = stated->def;
    if (def->cling > 0 && material != NULL && !px_body_has_skin(def, material))
        px_wrong(
            stated, PX_ERROR, "cling", true,
            "is for walls, rigid bodies and solids with a skin that do not melt: coats take the "
            "shape of their surface");
}

/* Keys of matter made of particles. */
static void check_rigid(const PxStated *stated)
{
    PxBodyDef *def = stated->def;
    static const char *const key[] = {"levels", "surfels",          "skin",    "texture",
                                      "cracks", "cracks_by_colour", "strength"};
    if (stated->has(stated, false, "fill") && !stated->vessel)
        px_wrong(stated, PX_ERROR, "fill", true, "is not for rigid bodies: they have no particles");
    for (size_t k = 0; k < PX_COUNT(key); ++k)
        if (stated->has(stated, false, key[k]))
            px_wrong(stated, PX_ERROR, key[k], true,
                     "is not for rigid bodies: they have no particles");
    def->skin = false;
    double release = px_rigid_release(def);
    if (stated->has(stated, false, "hold") && def->hold < release)
        px_wrong(stated, PX_WARNING, "hold", true,
                 "does nothing: it is at %g s, before the release at %g s", def->hold, release);
    if (px_length(def->ballast_at) > 0 && !(def->ballast > 0))
        px_wrong(stated, PX_WARNING, "ballast_at", true, "does nothing: \"ballast\" is 0 kg");
    if (stated->shape != NULL && def->shape.kind == PX_SHAPE_PLANE)
        px_wrong(stated, PX_ERROR, "shape.plane", true,
                 "is infinite and cannot be a rigid body; should it have \"wall\": true?");
}

/* Keys of matter made of particles, and of rigid bodies. */
static void check_cloth(const PxStated *stated)
{
    PxBodyDef *def = stated->def;
    static const char *const key[] = {"fill",      "levels",      "surfels",         "skin",
                                      "texture",   "restitution", "release",         "hold",
                                      "hand_over", "ballast",     "ballast_at",      "carve",
                                      "cracks",    "strength",    "cracks_by_colour"};
    for (size_t k = 0; k < PX_COUNT(key); ++k)
        if (stated->has(stated, false, key[k]))
            px_wrong(stated, PX_ERROR, key[k], true, "is not for cloth");
    if (stated->shape != NULL && def->shape.kind != PX_SHAPE_SHEET &&
        def->shape.kind != PX_SHAPE_MESH)
        px_wrong(stated, PX_ERROR, "shape", false,
                 "is a %s; cloth is a \"sheet\", or a \"mesh\" that may be open",
                 px_shape_kind_name(def->shape.kind));
}

/* A body has a shape, or fills a vessel. */
static void check_place(const PxStated *stated, const PxMaterialDef *material)
{
    const PxBodyDef *def = stated->def;
    bool shape = stated->has(stated, false, "shape");
    if (!stated->vessel && !shape) {
        px_wrong(stated, PX_ERROR, "shape", false, "is missing: wanted an object { }");
        return;
    }
    if (!stated->vessel)
        return;
    if (shape)
        px_wrong(stated, PX_ERROR, "fill", true,
                 "names a vessel, and the body has a shape too; wanted one of them");
    if (px_body_is_boundary(def) || (material != NULL && material->young > 0))
        px_wrong(stated, PX_ERROR, "fill", true, "fills a vessel, which only liquids do");
}

/* Particles at given points have no surface and no lattice. */
static void check_points(const PxStated *stated)
{
    PxBodyDef *def = stated->def;
    static const char *const key[] = {"fill", "levels", "surfels", "skin", "texture"};
    if (stated->shape == NULL || def->shape.kind != PX_SHAPE_PARTICLES)
        return;
    if (px_body_is_boundary(def))
        px_wrong(stated, PX_ERROR, "shape.points", true,
                 "is for fluids and solids: its particles have no surface; wanted a closed shape "
                 "(a \"mesh\" may be a PLY file of points with normals)");
    for (size_t k = 0; k < PX_COUNT(key); ++k)
        if (stated->has(stated, false, key[k]))
            px_wrong(stated, PX_ERROR, key[k], true,
                     "is not for bodies of points: their particles are given, and have no surface");
    def->skin = false;
}

static void rules(const PxStated *stated)
{
    PxBodyDef *def = stated->def;
    check_points(stated);
    if (def->blade && !px_body_is_boundary(def))
        px_wrong(stated, PX_ERROR, "blade", true, "is for walls and rigid bodies");
    if (def->prints && !(def->cling > 0))
        px_wrong(stated, PX_ERROR, "prints", true,
                 "is for bodies to which coats cling: wanted \"cling\" above 0");
    else if (def->prints && stated->shape != NULL && def->shape.kind != PX_SHAPE_MESH)
        px_wrong(stated, PX_ERROR, "prints", true,
                 "needs a mesh with colours, but the shape is a %s",
                 px_shape_kind_name(def->shape.kind));
    if (def->wall && stated->shape != NULL && def->shape.kind == PX_SHAPE_SHEET)
        px_wrong(stated, PX_ERROR, "shape.sheet", true,
                 "is for cloth; a wall has a volume: wanted a thin box");
    if (!def->wall && stated->shape != NULL && def->shape.poses != NULL)
        px_wrong(stated, PX_ERROR, "shape.mesh.poses", true,
                 "is for walls: other bodies move by forces; should this body have \"wall\": "
                 "true?");
    else if (def->wall && stated->has(stated, false, "keyframes") && def->shape.poses != NULL)
        px_wrong(stated, PX_ERROR, "keyframes", true,
                 "is a second motion: the mesh has poses; wanted only one of them");
    check_place(stated, def->wall ? NULL : stated->other(stated, "material"));
    if (def->wall) {
        def->warm = stated->has(stated, false, "temperature") || def->temperatures > 0;
        if (def->conductance != px_body_def_default().conductance && !def->warm)
            px_wrong(stated, PX_WARNING, "conductance", true,
                     "does nothing: a wall without a temperature is adiabatic");
        return;
    }
    const PxMaterialDef *material = stated->other(stated, "material");
    def->cloth = !def->rigid && material != NULL && material->cloth.cloth;
    if (def->cloth) {
        check_cloth(stated);
        return;
    }
    if (stated->shape != NULL && def->shape.kind == PX_SHAPE_SHEET)
        px_wrong(stated, PX_ERROR, "shape.sheet", true,
                 def->rigid && material != NULL && material->cloth.cloth
                     ? "is for cloth, and the body is \"rigid\", which cloth is not: wanted only "
                       "one of them"
                     : "is for cloth: wanted a material that states \"cloth\"");
    if (def->rigid) {
        def->warm = stated->has(stated, false, "temperature");
        check_rigid(stated);
        return;
    }
    if (def->restitution != 0)
        px_wrong(stated, PX_ERROR, "restitution", false,
                 "is for rigid bodies; that of a solid is a key of its material");
    PxBodyDef usual = px_body_def_default();
    const struct {
        const char *key;
        bool usual;
    } of_rigid[] = {{"release", def->release == usual.release},
                    {"hold", def->hold == usual.hold},
                    {"hand_over", def->hand_over == usual.hand_over},
                    {"ballast", def->ballast == 0},
                    {"ballast_at", px_length(def->ballast_at) == 0}};
    for (size_t k = 0; k < PX_COUNT(of_rigid); ++k)
        if (!of_rigid[k].usual)
            px_wrong(stated, PX_ERROR, of_rigid[k].key, true, "is for rigid bodies");
    check_fill(stated, material);
    check_surface(stated, material);
    check_cracks(stated, material);
    check_mould(stated, material);
    if (stated->shape != NULL && def->shape.kind == PX_SHAPE_PLANE)
        px_wrong(stated, PX_ERROR, "shape.plane", true,
                 "is infinite and cannot be filled; should this body have \"wall\": true?");
}

/* A wall with a stated temperature is held at it. */
static bool silent(const void *object, const PxField *field)
{
    const PxBodyDef *def = object;
    static const char *const matter[] = {"fill",    "levels", "surfels",          "skin",
                                         "texture", "cracks", "cracks_by_colour", "strength"};
    for (size_t k = 0; k < PX_COUNT(matter); ++k)
        if ((def->rigid || def->cloth || def->shape.kind == PX_SHAPE_PARTICLES) &&
            strcmp(field->key, matter[k]) == 0)
            return true;
    static const char *const rigid[] = {"restitution", "release",    "hold", "hand_over",
                                        "ballast",     "ballast_at", "carve"};
    for (size_t k = 0; k < PX_COUNT(rigid); ++k)
        if (def->cloth && strcmp(field->key, rigid[k]) == 0)
            return true;
    return px_body_is_boundary(def) && !def->warm && strcmp(field->key, "temperature") == 0;
}

const PxKind px_body_kind = {
    .section = {.name = "body",
                .help = "A shape filled with a material, or a wall.",
                .wanted = "an object with a shape, and a material or \"wall\"",
                .fields = fields,
                .field_count = PX_COUNT(fields),
                .size = sizeof(PxBodyDef),
                .defaults = defaults,
                .divider = "wall",
                .divided = "walls",
                .also = "rigid",
                .either = {"shape", "fill"}},
    .list = "bodies",
    .list_help = "Matter and walls that are there at the start.",
    .most = 100000,
    .name_offset = PX_AT(PxBodyDef, name),
    .add = add_thing,
    .remove = remove_thing,
    PX_KIND_SLOTS(PxBody, bodies),
    .slot_def = offsetof(PxBody, def),
    .changed = changed,
    .rules = rules,
    .silent = silent,
};
