/// Several fluids in one world: they separate, the heavier one below, and momentum is conserved.
#include "check.h"

#include "phyxel/world.h"

#define SPACING 0.02

typedef struct Two {
    PxWorld *world;
    PxMaterialId light, heavy;
    float light_mass; /* of a particle; distinguishes the fluids */
} Two;

static Two two_make(double light, double heavy, double cohesion, double gravity)
{
    Two two;
    PxWorldDef def = px_world_def_default();
    def.spacing = SPACING;
    def.gravity = (PxVec3){0, -gravity, 0};
    def.threads = 2;
    CHECK_OK(px_world_create(&def, &two.world));
    PxMaterialDef material = px_material_def_default();
    material.cohesion = cohesion;
    material.viscosity = 0.05; /* as of thin oil, so that motion decays soon */
    material.pressure = px_pressure_choice("sesph");
    material.name = "light";
    material.density = light;
    CHECK_OK(px_world_add_material(two.world, &material, &two.light));
    material.name = "heavy";
    material.density = heavy;
    CHECK_OK(px_world_add_material(two.world, &material, &two.heavy));
    /* twice as soft as usual, for steps twice as long */
    double soft = 4;
    CHECK_OK(px_world_set(two.world, "materials.light.pressure.fluctuation", &soft, 1));
    CHECK_OK(px_world_set(two.world, "materials.heavy.pressure.fluctuation", &soft, 1));
    two.light_mass = (float)(light * SPACING * SPACING * SPACING);
    return two;
}

static void add_box(Two *two, const char *name, PxVec3 size, PxVec3 at, const PxMaterialId *of)
{
    PxBodyDef body = px_body_def_default();
    body.name = name;
    body.shape.size = size;
    body.shape.at = at;
    body.wall = body.inside = of == NULL;
    body.friction = 0;
    if (of != NULL)
        body.material = *of;
    CHECK_OK(px_world_add_body(two->world, &body, NULL));
}

static bool is_light(const Two *two, uint32_t i)
{
    float mass = px_world_floats(two->world, "mass", 0)[i];
    return fabsf(mass - two->light_mass) < 0.01f * two->light_mass;
}

/* Mean height of each fluid. */
static void heights(const Two *two, double *light, double *heavy)
{
    const float *y = px_world_floats(two->world, "position", 1);
    double sum[2] = {0, 0}, n[2] = {0, 0};
    for (uint32_t i = 0; i < px_world_count(two->world); ++i) {
        int k = is_light(two, i);
        sum[k] += (double)y[i];
        n[k] += 1;
    }
    *light = sum[1] / n[1];
    *heavy = sum[0] / n[0];
}

/* Sharpness of the interface: the fraction of particles most of whose neighbours (within
 * two spacings) are of the other fluid. It is 0 at a flat interface and 1/2 in a uniform
 * mixture. */
static double strays(const Two *two)
{
    uint32_t n = px_world_count(two->world), stray = 0;
    const float *x = px_world_floats(two->world, "position", 0);
    const float *y = px_world_floats(two->world, "position", 1);
    const float *z = px_world_floats(two->world, "position", 2);
    for (uint32_t i = 0; i < n; ++i) {
        int balance = 0;
        for (uint32_t j = 0; j < n; ++j) {
            float dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
            if (j != i && dx * dx + dy * dy + dz * dz < (float)(4 * SPACING * SPACING))
                balance += is_light(two, i) == is_light(two, j) ? 1 : -1;
        }
        stray += balance < 0;
    }
    return (double)stray / n;
}

PHYSICS(heavy_over_light_overturns_and_ends_apart)
{
    /* ten to one, in a tank 8 spacings wide, pushed aside a little to begin with */
    Two two = two_make(100, 1000, 50, 9.81);
    double w = 8 * SPACING, light, heavy;
    add_box(&two, "below", (PxVec3){w, w, 4 * SPACING}, (PxVec3){0, 0.5 * w, 0}, &two.light);
    add_box(&two, "above", (PxVec3){w, w, 4 * SPACING}, (PxVec3){0, 1.5 * w, 0}, &two.heavy);
    add_box(&two, "tank", (PxVec3){w, 3 * w, 4 * SPACING}, (PxVec3){0, 1.5 * w, 0}, NULL);
    double aside[3] = {1, -9.81, 0}, upright[3] = {0, -9.81, 0};
    CHECK_OK(px_world_set(two.world, "gravity", aside, 3));
    CHECK_OK(px_world_advance(two.world, 0.2));
    CHECK_OK(px_world_set(two.world, "gravity", upright, 3));
    CHECK_OK(px_world_advance(two.world, 1.5));
    heights(&two, &light, &heavy);
    PxStats stats;
    px_world_stats(two.world, &stats);
    /* a drop or two hang in the other fluid for long */
    CHECK_NEAR(light, 1.5 * w, 0.1 * w);
    CHECK_NEAR(heavy, 0.5 * w, 0.1 * w);
    CHECK(strays(&two) < 0.06);
    CHECK_EQUAL(stats.leaked, 0);
    px_world_free(two.world);
}

PHYSICS(oil_and_water_side_by_side_end_one_on_the_other)
{
    Two two = two_make(800, 1000, 30, 9.81);
    double w = 10 * SPACING, light, heavy;
    add_box(&two, "oil", (PxVec3){0.5 * w, w, 4 * SPACING}, (PxVec3){-0.25 * w, 0.5 * w, 0},
            &two.light);
    add_box(&two, "water", (PxVec3){0.5 * w, w, 4 * SPACING}, (PxVec3){0.25 * w, 0.5 * w, 0},
            &two.heavy);
    add_box(&two, "tank", (PxVec3){w, 2 * w, 4 * SPACING}, (PxVec3){0, w, 0}, NULL);
    CHECK_OK(px_world_advance(two.world, 2));
    heights(&two, &light, &heavy);
    /* Flat layers are w / 2 apart. Ten spacings of particles lock before they are flat:
     * measured 0.66 of it, and 0 at the start. */
    CHECK((light - heavy) / (0.5 * w) > 0.6);
    CHECK_NEAR(heavy, 0.25 * w, 0.1 * w);
    px_world_free(two.world);
}

TEST(cohesion_keeps_the_face_between_oil_and_water_sharp)
{
    double part[2];
    for (int k = 0; k < 2; ++k) {
        Two two = two_make(800, 1000, k == 0 ? 0 : 1000, 9.81);
        double w = 8 * SPACING;
        add_box(&two, "water", (PxVec3){w, w, 4 * SPACING}, (PxVec3){0, 0.5 * w, 0}, &two.heavy);
        add_box(&two, "oil", (PxVec3){w, w, 4 * SPACING}, (PxVec3){0, 1.5 * w, 0}, &two.light);
        add_box(&two, "tank", (PxVec3){w, 3 * w, 4 * SPACING}, (PxVec3){0, 1.5 * w, 0}, NULL);
        CHECK_OK(px_world_advance(two.world, 0.5));
        part[k] = strays(&two);
        px_world_free(two.world);
    }
    CHECK(part[0] > 0.01);
    CHECK(part[1] < 0.002);
}

PHYSICS(a_light_drop_rises)
{
    Two two = two_make(100, 1000, 300, 9.81);
    double w = 10 * SPACING, s = SPACING;
    /* water around a cube of 4 spacings, 2 above the ground */
    add_box(&two, "ground", (PxVec3){w, 2 * s, w}, (PxVec3){0, s, 0}, &two.heavy);
    add_box(&two, "left", (PxVec3){3 * s, 4 * s, w}, (PxVec3){-3.5 * s, 4 * s, 0}, &two.heavy);
    add_box(&two, "right", (PxVec3){3 * s, 4 * s, w}, (PxVec3){3.5 * s, 4 * s, 0}, &two.heavy);
    add_box(&two, "back", (PxVec3){4 * s, 4 * s, 3 * s}, (PxVec3){0, 4 * s, -3.5 * s}, &two.heavy);
    add_box(&two, "front", (PxVec3){4 * s, 4 * s, 3 * s}, (PxVec3){0, 4 * s, 3.5 * s}, &two.heavy);
    add_box(&two, "top", (PxVec3){w, 6 * s, w}, (PxVec3){0, 9 * s, 0}, &two.heavy);
    add_box(&two, "drop", (PxVec3){4 * s, 4 * s, 4 * s}, (PxVec3){0, 4 * s, 0}, &two.light);
    add_box(&two, "tank", (PxVec3){w, 2 * w, w}, (PxVec3){0, w, 0}, NULL);
    double light, heavy, before;
    heights(&two, &before, &heavy);
    CHECK_OK(px_world_advance(two.world, 0.6));
    heights(&two, &light, &heavy);
    CHECK(light > before + 4 * s);
    px_world_free(two.world);
}

TEST(cohesion_keeps_momentum_and_pulls_a_cube_round)
{
    /* A cube of oil next to one of water, without gravity, moving and rotating. */
    Two two = two_make(800, 1000, 300, 0);
    PxBodyDef body = px_body_def_default();
    double w = 6 * SPACING;
    body.shape.size = (PxVec3){w, w, w};
    body.name = "oil";
    body.material = two.light;
    body.velocity = (PxVec3){0.5, 0.3, 0};
    body.spin = (PxVec3){0, 0, 1};
    CHECK_OK(px_world_add_body(two.world, &body, NULL));
    body.name = "water";
    body.material = two.heavy;
    body.shape.at.x = w;
    CHECK_OK(px_world_add_body(two.world, &body, NULL));
    PxStats before, after;
    px_world_stats(two.world, &before);
    CHECK_OK(px_world_advance(two.world, 0.2));
    px_world_stats(two.world, &after);
    double scale = before.mass * after.speed_max;
    CHECK_NEAR(after.momentum.x, before.momentum.x, 1e-5 * scale);
    CHECK_NEAR(after.momentum.y, before.momentum.y, 1e-5 * scale);
    CHECK_NEAR(after.momentum.z, before.momentum.z, 1e-5 * scale);
    CHECK_NEAR(after.angular_momentum.z, before.angular_momentum.z, 1e-5 * scale);
    px_world_free(two.world);
}

TEST(strong_cohesion_shortens_the_step)
{
    Two two = two_make(800, 1000, 1e5, 0);
    double w = 4 * SPACING;
    add_box(&two, "oil", (PxVec3){w, w, w}, (PxVec3){0, 0, 0}, &two.light);
    CHECK_OK(px_world_advance(two.world, 0.02));
    PxStats stats;
    px_world_stats(two.world, &stats);
    /* 0.4 h sqrt(rho / 2 P), h half the support: 0.4 * 0.02 * sqrt(800 / 2e5) = 0.5 ms */
    CHECK(stats.time / (double)stats.step <= 0.51e-3);
    px_world_free(two.world);
}

TEST_MAIN()
