/// Wet cloth: uptake, spreading and percolation against their formulas, drips, mass.
#include "check.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "shipped.h"
#include "text_world.h"
#include "world/cloth_stage.h"

#include <math.h>
#include <string.h>

/* ---- worlds ---- */

#define CLOTH                                                                                      \
    "\"materials\": {\"cotton\": {\"density\": 100, \"cloth\": {\"mass\": 0.2, \"weft\": 3000, "   \
    "\"warp\": 3000, \"shear\": 300, \"diffusion\": %g, \"rise\": %g, \"thickness\": %g, "         \
    "\"pores\": 0.8, \"absorption\": %g, \"permeability\": %g, \"wet\": %g}}, \"water\": "         \
    "{\"density\": 1000, \"viscosity\": %g}}, "

/* A pool of 0.2 x 0.2 m in a vessel, on a sheet that is held everywhere. */
static const char pool[] =
    "{\"phyxel\": 1, \"spacing\": %g, " CLOTH
    "\"bodies\": [{\"name\": \"vessel\", \"wall\": true, \"inside\": true, \"shape\": {\"box\": "
    "[0.2, 0.5, 0.2]}}, {\"name\": \"sheet\", \"material\": \"cotton\", \"shape\": {\"sheet\": "
    "{\"width\": 0.196, \"length\": 0.196, \"columns\": %d, \"rows\": %d}}}, {\"name\": \"pool\", "
    "\"material\": \"water\", \"shape\": {\"box\": [0.2, 0.1, 0.2], \"at\": [0, 0.05, 0]}}], "
    "\"handles\": [{\"name\": \"all\", \"body\": \"sheet\", \"shape\": {\"box\": [1, 0.02, 1]}}]}";

typedef struct Wet {
    double spacing, cell; /* m */
    double diffusion, rise, thickness, absorption, permeability, wet, viscosity;
} Wet;

static PxWorld *pool_of(const Wet *w, int threads)
{
    char text[2400];
    int cells = (int)lrint(0.196 / w->cell);
    snprintf(text, sizeof text, pool, w->spacing, w->diffusion, w->rise, w->thickness,
             w->absorption, w->permeability, w->wet, w->viscosity, cells, cells);
    return world_of(text, threads);
}

static double liquid(PxWorld *world)
{
    PxStats s = stats_of(world);
    return s.mass + s.cloth_water;
}

/* ---- tests ---- */

/* Mean depth that liquid has entered, over the formula l^2 = K t. */
static double depth_ratio(double spacing, double cell, double seconds)
{
    Wet w = {.spacing = spacing,
             .cell = cell,
             .rise = 1000,
             .thickness = 0.009,
             .absorption = 5e-4,
             .viscosity = 0.01};
    PxWorld *world = pool_of(&w, 1);
    double before = liquid(world);
    CHECK_OK(px_world_advance(world, seconds));
    PxStats s = stats_of(world);
    double depth = s.cloth_water / (0.196 * 0.196 * 0.8 * 1000);
    CHECK_NEAR(liquid(world) / before, 1, 1e-12);
    double ratio = depth / sqrt(w.absorption * seconds);
    print_message(
        "spacing %g m, cells %.2f spacings: %.4f of the formula, %llu particles, %.2g m/s\n",
        spacing, cell / spacing, ratio, (unsigned long long)s.particles, s.speed_max);
    px_world_free(world);
    return ratio;
}

PHYSICS(uptake_does_not_depend_on_resolution)
{
    static const double cell[] = {0.3, 0.5, 1, 2, 3};
    for (size_t c = 0; c < PX_COUNT(cell); ++c)
        CHECK_NEAR(depth_ratio(0.02, cell[c] * 0.02, 0.12), 1, 0.05);
    for (size_t c = 0; c < PX_COUNT(cell); c += 2)
        CHECK_NEAR(depth_ratio(0.01, cell[c] * 0.01, 0.06), 1, 0.05);
}

/* The speed of water through saturated cloth is k / mu (p / thickness + rho g), p = rho g H. */
PHYSICS(water_passes_by_the_law_of_darcy)
{
    static const double spacing[] = {0.02, 0.0125}, cell[] = {0.4, 2};
    for (size_t k = 0; k < PX_COUNT(spacing); ++k) {
        Wet w = {.spacing = spacing[k],
                 .cell = cell[k] * spacing[k],
                 .rise = 1000,
                 .thickness = 0.004,
                 .absorption = 1e-4,
                 .permeability = 5e-10,
                 .wet = 1,
                 .viscosity = 0.01};
        PxWorld *world = pool_of(&w, 1);
        double area = 0.196 * 0.196, dry = stats_of(world).cloth_water, passed = 0, wanted = 0;
        double before = liquid(world);
        CHECK_NEAR(dry, 0.8 * 0.004 * 1000 * area, 1e-9);
        CHECK_OK(px_world_advance(world, 0.1)); /* comes to rest */
        for (int n = 0; n < 2; ++n) {
            PxStats s = stats_of(world);
            double drops = (double)world->state.drips * 1000 * pow(spacing[k], 3);
            double through = s.cloth_water - dry + drops;
            double height = (s.mass - drops) / (1000 * 0.04);
            double speed = 5e-10 / 0.01 * 1000 * 9.81 * (height / 0.004 + 1);
            passed = through - passed;
            wanted = n == 0 ? speed : 0.5 * (wanted + speed) * 1000 * area * 0.3;
            if (n == 0)
                CHECK_OK(px_world_advance(world, 0.4));
        }
        print_message("passed %.5g kg, wanted %.5g, %llu drops\n", passed, wanted,
                      (unsigned long long)world->state.drips);
        CHECK(stats_of(world).leaked == 0);
        CHECK_NEAR(passed / wanted, 1, 0.05);
        CHECK_NEAR(liquid(world) / before, 1, 1e-9);
        px_world_free(world);
    }
}

/* A strip of 0.4 m whose liquid moves and neither enters nor leaves. */
static const char strip[] =
    "{\"phyxel\": 1, \"spacing\": 0.02, " CLOTH
    "\"bodies\": [{\"name\": \"strip\", \"material\": \"cotton\", \"shape\": {\"sheet\": "
    "{\"width\": 0.4, \"length\": 0.05, \"columns\": %d, \"rows\": %d}%s}}], \"handles\": "
    "[{\"name\": \"all\", \"body\": \"strip\", \"shape\": {\"box\": [2, 2, 2]}}]}";

static PxWorld *strip_of(int cells, double diffusion, double rise, double wet, const char *turn)
{
    char text[2000];
    snprintf(text, sizeof text, strip, diffusion, rise, 0.001, 0.0, 0.0, wet, 0.001, cells,
             cells / 8, turn);
    PxWorld *world = world_of(text, 1);
    CHECK_OK(px_world_advance(world, 1e-4));
    return world;
}

/* Saturation of a vertex at half of a cell's share, as the tests set it. */
static double saturation(const PxWorld *world, uint32_t i)
{
    return px_cloth_water(world).water[i] / (world->cloth_system.share[i] * 0.8 * 0.001 * 1000);
}

/* An edge between wet and dry: S = erfc(x / sqrt(4 D t)) / 2. */
TEST(liquid_spreads_by_the_law_of_fick)
{
    static const int cells[] = {24, 48};
    for (size_t k = 0; k < PX_COUNT(cells); ++k) {
        PxWorld *world = strip_of(cells[k], 1e-3, 1000, 1, "");
        PxClothWater w = px_cloth_water(world);
        double off = 0, before;
        for (uint32_t i = 0; i < world->cloth_vertices.count; ++i)
            w.water[i] *= w.place[0][i] > 1e-6 ? 0 : w.place[0][i] > -1e-6 ? 0.5 : 1;
        before = stats_of(world).cloth_water;
        CHECK_OK(px_world_advance(world, 0.5));
        w = px_cloth_water(world);
        for (uint32_t i = 0; i < world->cloth_vertices.count; ++i)
            off = fmax(
                off, fabs(saturation(world, i) - 0.5 * erfc(w.place[0][i] / sqrt(4 * 1e-3 * 0.5))));
        print_message("%d cells: saturation is off by %.4f at most\n", cells[k], off);
        CHECK(off < 0.02);
        CHECK_NEAR(stats_of(world).cloth_water / before, 1, 1e-12);
        px_world_free(world);
    }
}

/* In rest on a slope, saturation falls by a factor e over a height of `rise`. */
PHYSICS(liquid_sinks_within_cloth)
{
    PxWorld *world =
        strip_of(40, 1e-2, 0.3, 0.3, ", \"turn\": {\"axis\": [0, 0, 1], \"degrees\": 90}");
    double off = 0, low = 0, before = stats_of(world).cloth_water;
    CHECK_OK(px_world_advance(world, 15));
    PxClothWater w = px_cloth_water(world);
    for (uint32_t i = 0; i < world->cloth_vertices.count; ++i)
        low = fmax(low, saturation(world, i) * exp((w.place[1][i] - 0.2) / 0.3));
    for (uint32_t i = 0; i < world->cloth_vertices.count; ++i)
        off = fmax(off, fabs(saturation(world, i) / (low * exp(-(w.place[1][i] - 0.2) / 0.3)) - 1));
    print_message("saturation is off by %.4f\n", off);
    CHECK(off < 0.05);
    CHECK_NEAR(stats_of(world).cloth_water / before, 1, 1e-12);
    px_world_free(world);
}

/* Particles are used up, water passes and drips: the same with any number of threads. */
TEST(threads_keep_the_bits_of_wet_cloth)
{
    Wet w = {.spacing = 0.025,
             .cell = 0.02,
             .diffusion = 1e-4,
             .rise = 0.1,
             .thickness = 0.01,
             .absorption = 2e-3,
             .permeability = 5e-9,
             .wet = 0.4,
             .viscosity = 0.01};
    uint64_t hash[2][4];
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = pool_of(&w, 1 + 2 * k);
        uint32_t before = (uint32_t)stats_of(world).particles;
        CHECK_OK(px_world_advance(world, 0.15));
        px_table_hash(&world->cloth_vertices, PX_COLUMN_STATE, hash[k]);
        px_table_hash(&world->particles.table, PX_COLUMN_STATE, hash[k] + 2);
        CHECK(stats_of(world).particles != before);
        CHECK(world->state.drips > 0);
        px_world_free(world);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
}

/* Volume inside the closed cloth of a world. */
static double volume_in(const PxWorld *world)
{
    PxClothWater w = px_cloth_water(world);
    double sum = 0;
    for (uint32_t f = 0; f < world->cloth_system.faces; ++f) {
        PxVec3 x[3];
        for (int c = 0; c < 3; ++c) {
            uint32_t i = world->cloth_system.face[f].corner[c];
            x[c] = px_vec(w.place[0][i], w.place[1][i], w.place[2][i]);
        }
        sum += px_dot(x[0], px_cross(x[1], x[2])) / 6;
    }
    return sum;
}

/* The bag of scenes/waterbag.json flies as a body of its whole mass does, and stays closed. */
PHYSICS(a_bag_of_water_can_be_thrown)
{
    PxScene *scene = shipped_read("waterbag.json");
    PxWorld *world;
    shipped_scale(scene, 1, 1.6);
    for (size_t k = 0; k < scene->materials; ++k) /* damping takes momentum of the cloth */
        scene->material[k].def.cloth.damping = 0;
    CHECK_OK(px_scene_world(scene, 2, &world));
    px_scene_free(scene);
    CHECK_OK(px_world_advance(world, 1e-4));
    double full = volume_in(world);
    PxStats s = stats_of(world);
    PxVec3 start = px_add(s.momentum, s.cloth_momentum);
    double mass = start.x / 1.1; /* m/s, of all of it */
    CHECK_OK(px_world_advance(world, 0.3));
    s = stats_of(world);
    PxVec3 wanted = px_mad(start, px_vec(0, -9.81, 0), (0.3 - 1e-4) * mass);
    PxVec3 off = px_sub(px_add(s.momentum, s.cloth_momentum), wanted);
    print_message("%llu particles, momentum off by %.2g of it, volume %.4f of the start\n",
                  (unsigned long long)s.particles, px_length(off) / px_length(start),
                  volume_in(world) / full);
    CHECK(s.leaked == 0);
    CHECK(px_length(off) < 1e-4 * px_length(start));
    CHECK_NEAR(volume_in(world) / full, 1, 0.01); /* its cloth of 800 N/m is stretched a little */
    CHECK(s.density_error < 0.1);                 /* % */
    CHECK_OK(px_world_advance(world, 0.6));       /* it has hit the step */
    s = stats_of(world);
    print_message("on the step: volume %.4f, that of the water is %.4f\n", volume_in(world) / full,
                  s.mass / 1000 / full);
    CHECK(s.leaked == 0);
    CHECK(volume_in(world) > s.mass / 1000);
    px_world_free(world);
}

TEST_MAIN()
