/// The worlds of the surface tension benchmark: a cube, a drop over a tank, a glass under
/// a channel.
///
/// A scale changes lengths by its cube root; spacing, support and walls stay the same.
#include "study/tension_run.h"

#include "base/fail.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

/* 004 Eq. 2.38 has nu, a kinematic viscosity; ours is dynamic. */
#define DENSITY 1000.0
#define VISCOSITY (0.01 * DENSITY)

#define WALL 0.12 /* thickness, m: three spacings of tests 2 and 3 */

double px_tension_spacing(int test)
{
    return test == 1 ? 0.05 : 0.04;
}

const char *const px_tension_tests[PX_TENSION_TESTS] = {"drop formation", "liquid crown",
                                                        "water glass"};

double px_tension_seconds(int test)
{
    static const double seconds[PX_TENSION_TESTS] = {2, 1.5, 4};
    return seconds[test - 1];
}

/* Particles along an edge at this scale, of `full` at scale 1. */
static double edge(const PxTensionCase *c, double full)
{
    return fmax(2, round(full * cbrt(c->scale)));
}

double px_tension_particles(const PxTensionCase *c)
{
    static const double full[PX_TENSION_TESTS] = {27000, 27000 + 634800, 400000};
    return full[c->test - 1] * c->scale;
}

double px_tension_level(const PxTensionCase *c)
{
    return edge(c, 48) * px_tension_spacing(c->test);
}

double px_tension_glass(const PxTensionCase *c)
{
    return 3.2 * cbrt(c->scale);
}

/* At the rim, outside. */
double px_tension_glass_radius(const PxTensionCase *c)
{
    return 1.9 * cbrt(c->scale) + WALL;
}

typedef struct Scene {
    PxWorld *world;
    PxMaterialId water;
    PxStatus status; /* the first that failed; nothing is added after it */
} Scene;

static void add_water(Scene *s, const char *name, const PxShapeDef *shape)
{
    PxBodyDef body = px_body_def_default();
    body.name = name;
    body.shape = *shape;
    body.material = s->water;
    if (s->status == PX_OK)
        s->status = px_world_add_body(s->world, &body, NULL);
}

static void add_wall(Scene *s, const char *name, const PxShapeDef *shape, bool inside)
{
    PxBodyDef body = px_body_def_default();
    body.name = name;
    body.shape = *shape;
    body.wall = true;
    body.inside = inside;
    body.friction = 0;
    if (s->status == PX_OK)
        s->status = px_world_add_body(s->world, &body, NULL);
}

static PxShapeDef box(PxVec3 size, PxVec3 at)
{
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_BOX);
    shape.size = size;
    shape.at = at;
    return shape;
}

static void drop_formation(Scene *s, const PxTensionCase *c)
{
    double a = edge(c, 30) * px_tension_spacing(c->test);
    PxShapeDef cube = box(px_vec(a, a, a), px_vec(0, 0, 0));
    add_water(s, "drop", &cube);
}

/* The drop starts as a ball, not with the result of test 1, so that all models start alike;
 * the tank starts full at rest density and has the 0.3 s of the fall to settle. 634,980 particles
 * make no box; 115 x 48 x 115 are 634,800. */
static void liquid_crown(Scene *s, const PxTensionCase *c)
{
    double spacing = px_tension_spacing(c->test), wide = edge(c, 115) * spacing;
    double deep = px_tension_level(c);
    double radius = spacing * cbrt(27000 * c->scale * 3 / (4 * PI));
    double gap = 0.5 * cbrt(c->scale), high = deep + 2 * gap + 6 * radius;
    PxShapeDef shape = box(px_vec(wide, deep, wide), px_vec(0, 0.5 * deep, 0));
    add_water(s, "pool", &shape);
    shape = px_shape_def_default(PX_SHAPE_SPHERE);
    shape.radius = radius;
    shape.at = px_vec(0, deep + gap + radius, 0);
    add_water(s, "drop", &shape);
    shape = box(px_vec(wide, high, wide), px_vec(0, 0.5 * high, 0));
    add_wall(s, "tank", &shape, true);
}

/* From the side; a is the channel's slope:
 *
 *      |\ water \        |
 *      | \_______\       |
 *        `-._ a   \      |  <- end plate: deflects water that is fast enough
 *            `-._  \     |     to miss the glass
 *                `-.     |
 *              \   (gap)   /
 *               \         /  <- glass
 *                \_______/
 */
static void water_glass(Scene *s, const PxTensionCase *c)
{
    double spacing = px_tension_spacing(c->test), f = cbrt(c->scale);
    double length = edge(c, 160) * spacing, high = edge(c, 50) * spacing;
    double wide = edge(c, 50) * spacing, gap = 0.7 * f;
    double angle = 15 * PI / 180;
    PxVec3 along = px_vec(cos(angle), -sin(angle), 0), up = px_vec(sin(angle), cos(angle), 0);
    PxQuat turn = {.w = cos(0.5 * angle), .z = -sin(0.5 * angle)};
    double glass = px_tension_glass(c), rim = glass + 0.3 * f;
    /* Where the channel's floor ends; the opening reaches from there to the end plate. */
    PxVec3 lip = px_vec(-0.5 * gap, rim + WALL, 0);

    PxVec3 middle = px_mad(px_mad(lip, along, -0.5 * length), up, 0.5 * high);
    PxShapeDef shape = box(px_vec(length, high, wide), middle);
    shape.rotation = turn;
    add_water(s, "water", &shape);

    double floor_length = length + WALL;
    shape = box(px_vec(floor_length, WALL, wide + 2 * WALL),
                px_mad(px_mad(lip, along, -0.5 * floor_length), up, -0.5 * WALL));
    shape.rotation = turn;
    add_wall(s, "channel", &shape, false);
    shape.size = px_vec(WALL, 2 * high, wide + 2 * WALL);
    shape.at = px_mad(px_mad(lip, along, -length - 0.5 * WALL), up, high - WALL);
    add_wall(s, "back", &shape, false);

    double top = lip.y + sin(angle) * length + 2 * high, low = rim - 0.1 * f;
    shape = box(px_vec(WALL, top - low, wide + 2 * WALL),
                px_vec(0.5 * gap + 0.5 * WALL, 0.5 * (top + low), 0));
    add_wall(s, "end", &shape, false);
    double left = lip.x - length - 2 * high, right = 0.5 * gap + WALL;
    for (int side = -1; side <= 1; side += 2) {
        shape = box(px_vec(right - left, top - low, WALL),
                    px_vec(0.5 * (left + right), 0.5 * (top + low), 0.5 * side * (wide + WALL)));
        add_wall(s, side < 0 ? "side 1" : "side 2", &shape, false);
    }

    shape = px_shape_def_default(PX_SHAPE_FUNNEL);
    shape.radius = 1.6 * f;
    shape.radius_top = 1.9 * f;
    shape.thickness = WALL;
    shape.height = glass + 0.5 * WALL;
    shape.at = px_vec(0, 0.5 * (glass - 0.5 * WALL), 0);
    add_wall(s, "glass", &shape, false);
    shape = px_shape_def_default(PX_SHAPE_CYLINDER);
    shape.radius = 1.6 * f + 2 * WALL;
    shape.height = WALL;
    shape.at = px_vec(0, -0.5 * WALL, 0);
    add_wall(s, "foot", &shape, false);
}

PxStatus px_tension_world(const PxTensionCase *c, PxWorld **out)
{
    *out = NULL;
    PxWorldDef def = px_world_def_default();
    def.spacing = px_tension_spacing(c->test);
    def.support = 2.5;
    def.max_step = 1.001e-3; /* the run ends its steps on whole milliseconds */
    def.threads = c->threads;
    if (c->test == 1)
        def.gravity = px_vec(0, 0, 0);
    Scene s = {.status = px_world_create(&def, &s.world)};
    PX_TRY(s.status);
    PxMaterialDef water = px_material_def_default();
    water.density = DENSITY;
    water.viscosity = VISCOSITY;
    water.viscosity_model = px_viscosity_choice("morris");
    water.pressure = px_pressure_choice(c->pressure);
    water.tension = px_tension_choice(c->tension);
    water.tension.param[0] = c->strength;
    s.status = px_world_add_material(s.world, &water, &s.water);
    static void (*const scenes[PX_TENSION_TESTS])(Scene *, const PxTensionCase *) = {
        drop_formation, liquid_crown, water_glass};
    if (s.status == PX_OK)
        scenes[c->test - 1](&s, c);
    if (s.status != PX_OK) {
        px_world_free(s.world);
        return s.status;
    }
    *out = s.world;
    return PX_OK;
}
