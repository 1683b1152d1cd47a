/// Wet cloth: uptake, spreading and percolation against their formulas, drips, mass.
#include "check.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "shipped.h"
#include "text_world.h"
#include "world/cloth_stage.h"
#include "world/wet_stage.h"

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
            w.water[i] = w.part[0][i] *= w.place[0][i] > 1e-6 ? 0 : w.place[0][i] > -1e-6 ? 0.5 : 1;
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

/* Largest saturation of the pores of a world's cloth, and what hangs on it, kg of water. */
static double fullest(const PxWorld *world, double *hangs)
{
    const PxClothDef *d = &world->materials.data[0].def.cloth;
    PxClothWater w = px_cloth_water(world);
    double most = 0;
    *hangs = 0;
    for (uint32_t i = 0; i < world->cloth_vertices.count; ++i) {
        double room = world->cloth_system.share[i] * d->pores * d->thickness * 1000;
        most = fmax(most, (w.water[i] - w.hanging[i]) / room);
        *hangs += w.hanging[i];
        CHECK(w.hanging[i] >= 0 && w.water[i] >= 0);
    }
    return most;
}

/* However fast liquid enters, spreads and sinks, pores hold what they have room for; the rest hangs
 * until it drips. */
TEST(pores_hold_no_more_than_they_have_room_for)
{
    static const double fast[][3] = {/* absorption, diffusion, rise */
                                     {1, 1, 0.1},    {1, 1, 1e-3}, {1, 1e-6, 1e-3},
                                     {1e-6, 1, 1e3}, {1, 0, 0.1},  {1e-3, 1e-2, 0.01}};
    for (size_t k = 0; k < PX_COUNT(fast); ++k)
        for (int wet = 0; wet < 2; ++wet) {
            Wet w = {.spacing = 0.025,
                     .cell = 0.02,
                     .absorption = fast[k][0],
                     .diffusion = fast[k][1],
                     .rise = fast[k][2],
                     .thickness = 0.002,
                     .wet = wet,
                     .viscosity = 0.01};
            PxWorld *world = pool_of(&w, 1);
            double before = liquid(world), most = 0, hangs;
            for (int n = 1; n <= 12; ++n) {
                CHECK_OK(px_world_advance(world, 0.01 * n));
                most = fmax(most, fullest(world, &hangs));
            }
            print_message("absorption %g, diffusion %g, rise %g: saturation %.12f, %.3g kg hang, "
                          "%llu drops\n",
                          fast[k][0], fast[k][1], fast[k][2], most, hangs,
                          (unsigned long long)world->state.drips);
            CHECK(most < 1 + 1e-12);
            CHECK_NEAR(liquid(world) / before, 1, 1e-9);
            px_world_free(world);
        }
}

/* The same in a strip that hangs: what sinks to its lower end leaves it there. */
TEST(a_strip_that_hangs_drains_at_its_lower_end)
{
    PxWorld *world =
        strip_of(16, 1e-2, 0.05, 1, ", \"turn\": {\"axis\": [0, 0, 1], \"degrees\": 90}");
    double before = liquid(world), hangs, most = 0;
    for (int n = 1; n <= 20; ++n) {
        CHECK_OK(px_world_advance(world, 0.1 * n));
        most = fmax(most, fullest(world, &hangs));
    }
    PxClothWater w = px_cloth_water(world);
    double low = 0, high = 0; /* what hangs in the lower and the upper half */
    for (uint32_t i = 0; i < world->cloth_vertices.count; ++i)
        *(w.place[1][i] < 0 ? &low : &high) += w.hanging[i];
    PxStats s = stats_of(world);
    print_message("saturation %.12f, %.3g of %.3g kg left, %.3g hangs, %.3g of it above\n", most,
                  s.cloth_water, before, hangs, high);
    CHECK(most < 1 + 1e-12);
    CHECK(hangs > 0.2 * before); /* no liquid has a body here, so nothing drips */
    CHECK(high < 0.01 * hangs && low > 0);
    CHECK_NEAR(liquid(world) / before, 1, 1e-12);
    px_world_free(world);
}

/* A block on wet cloth presses its pores to 1 / (1 + p / squeeze), and what they lose hangs. */
PHYSICS(a_block_presses_liquid_out)
{
    static const char text[] =
        "{\"phyxel\": 1, \"spacing\": 0.02, \"materials\": {\"terry\": {\"density\": 100, "
        "\"friction\": 0.5, \"cloth\": {\"mass\": 0.4, \"weft\": 3000, \"warp\": 3000, "
        "\"shear\": 300, \"thickness\": 0.004, \"damping\": 5, \"pores\": 0.8, \"wet\": 1, "
        "\"diffusion\": 0, \"squeeze\": %g, \"self_collision\": true}}, \"iron\": "
        "{\"density\": 4000, \"friction\": 0.5}, \"water\": {\"density\": 1000}}, \"bodies\": "
        "[{\"name\": \"floor\", \"wall\": true, \"shape\": {\"plane\": [0, 1, 0]}}, "
        "{\"name\": \"lower\", \"material\": \"terry\", \"shape\": {\"sheet\": {\"width\": "
        "0.24, \"length\": 0.24, \"columns\": 12, \"rows\": 12}, \"at\": [0, 0.0021, 0]}}, "
        "{\"name\": \"upper\", \"material\": \"terry\", \"shape\": {\"sheet\": {\"width\": "
        "0.24, \"length\": 0.24, \"columns\": 12, \"rows\": 12}, \"at\": [0, 0.0062, 0]}}, "
        "{\"name\": \"block\", \"material\": \"iron\", \"rigid\": true, \"shape\": {\"box\": "
        "[0.2, 0.1, 0.2], \"at\": [0, 0.0585, 0]}}]}";
    char scene[2400];
    snprintf(scene, sizeof scene, text, 2000.0);
    PxWorld *world = world_of(scene, 1);
    double before = liquid(world);
    CHECK_OK(px_world_advance(world, 1));
    PxClothWater w = px_cloth_water(world);
    double force[2] = {0, 0}, out = 0, off = 0, least = 1, weight = 4000 * 0.1 * 0.04 * 9.81;
    uint32_t half = world->cloth_vertices.count / 2;
    for (uint32_t i = 0; i < world->cloth_vertices.count; ++i) {
        double share = world->cloth_system.share[i], most = share * 0.8 * 0.004 * 1000;
        double own = (w.water[i] - w.hanging[i]) / most, open = 1 / (1 + w.press[i] / 2000);
        force[i / half] += share * w.press[i];
        off = fmax(off, fabs(own - open) / open);
        least = fmin(least, own);
        out += w.hanging[i];
    }
    print_message("layers carry %.3f and %.3f of the block's weight; pores are full to %.3f at "
                  "least, off by %.2g of the law; %.3f of the liquid hangs\n",
                  force[0] / weight, force[1] / weight, least, off, out / before);
    for (int k = 0; k < 2; ++k) /* and the upper layer itself, 0.02 of it */
        CHECK_NEAR(force[k] / weight, 1, 0.05);
    CHECK(off < 0.02); /* the pressure of the step before */
    CHECK(least < 0.5);
    CHECK(out > 0.2 * before);
    CHECK_NEAR(liquid(world) / before, 1, 1e-12);
    px_world_free(world);
}

/* What dries is accounted for, and goes at its rate until nothing is left. */
TEST(cloth_dries_at_its_rate)
{
    PxWorld *world = strip_of(16, 1e-5, 0.1, 0.5, "");
    double before = stats_of(world).cloth_water, area = 0.4 * 0.05;
    world->materials.data[0].def.cloth.drying = 0.2; /* kg/(m^2 s), of 0.4 kg/m^2 */
    CHECK_OK(px_world_advance(world, 1));
    PxStats s = stats_of(world);
    CHECK_NEAR(s.mass_out / (0.2 * area * (1 - 1e-4)), 1, 1e-9);
    CHECK_NEAR((s.cloth_water + s.mass_out) / before, 1, 1e-12);
    CHECK_OK(px_world_advance(world, 3));
    s = stats_of(world);
    CHECK_NEAR(s.cloth_water, 0, 1e-15);
    CHECK_NEAR(s.mass_out / before, 1, 1e-12);
    px_world_free(world);
}

/* ---- two liquids ---- */

static double mass_of(const PxWorld *world, uint32_t material)
{
    const PxParticles *p = &world->particles;
    double sum = px_wet_of(world, material);
    for (uint32_t i = 0; i < p->table.count; ++i)
        sum += p->material[i] == material ? (double)p->mass[i] : 0;
    return sum;
}

/* Water on one half of a cloth, oil on the other: each is kept by mass, and drips as itself. */
TEST(cloth_keeps_two_liquids_apart)
{
    static const char text[] =
        "{\"phyxel\": 1, \"spacing\": 0.025, \"materials\": {\"cotton\": {\"density\": 100, "
        "\"cloth\": {\"mass\": 0.2, \"weft\": 3000, \"warp\": 3000, \"thickness\": 0.006, "
        "\"pores\": 0.8, \"absorption\": 2e-3, \"diffusion\": 1e-3, \"rise\": 0.1, "
        "\"permeability\": 2e-8}}, \"oil\": {\"density\": 800, \"viscosity\": 0.05}, "
        "\"water\": {\"density\": 1000, \"viscosity\": 0.01}}, \"bodies\": [{\"name\": "
        "\"vessel\", \"wall\": true, \"inside\": true, \"shape\": {\"box\": [0.4, 0.6, "
        "0.2]}}, {\"name\": \"sheet\", \"material\": \"cotton\", \"shape\": {\"sheet\": "
        "{\"width\": 0.39, \"length\": 0.19, \"columns\": 16, \"rows\": 8}}}, {\"name\": "
        "\"left\", \"material\": \"oil\", \"shape\": {\"box\": [0.2, 0.1, 0.2], \"at\": "
        "[-0.1, 0.05, 0]}}, {\"name\": \"right\", \"material\": \"water\", \"shape\": "
        "{\"box\": [0.2, 0.1, 0.2], \"at\": [0.1, 0.05, 0]}}], \"handles\": [{\"name\": "
        "\"all\", \"body\": \"sheet\", \"shape\": {\"box\": [1, 0.02, 1]}}]}";
    PxWorld *world = world_of(text, 1), *same = world_of(text, 3);
    PxSavedWorld *saved = NULL;
    uint64_t hash[3][2];
    double before[2] = {mass_of(world, 1), mass_of(world, 2)};
    CHECK_OK(px_world_advance(world, 0.2));
    CHECK_OK(px_world_save(world, &saved));
    for (int k = 0; k < 2; ++k) { /* the same bits after a restart, and with more threads */
        CHECK_OK(px_world_advance(world, 0.25));
        px_table_hash(&world->cloth_vertices, PX_COLUMN_STATE, hash[k]);
        if (k == 0)
            CHECK_OK(px_world_restore(world, saved));
    }
    CHECK_OK(px_world_advance(same, 0.2));
    CHECK_OK(px_world_advance(same, 0.25));
    px_table_hash(&same->cloth_vertices, PX_COLUMN_STATE, hash[2]);
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    CHECK(memcmp(hash[0], hash[2], sizeof hash[0]) == 0);
    px_saved_free(saved);
    px_world_free(same);
    const PxParticles *p = &world->particles;
    uint32_t below[2] = {0, 0};
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (p->y[i] < -0.01f)
            ++below[p->material[i] - 1];
    print_message("cloth has %.4g kg of oil and %.4g of water; %u drops of oil, %u of water\n",
                  px_wet_of(world, 1), px_wet_of(world, 2), below[0], below[1]);
    CHECK(px_wet_of(world, 1) > 0.05 && px_wet_of(world, 2) > 0.05);
    CHECK(below[0] > 0 && below[1] > 0);
    for (uint32_t k = 0; k < 2; ++k)
        CHECK_NEAR(mass_of(world, 1 + k) / before[k], 1, 1e-9);
    /* full by volume, not by mass */
    PxClothWater w = px_cloth_water(world);
    int oil = world->state.wet_1 == 2 ? 0 : 1;
    for (uint32_t i = 0; i < world->cloth_vertices.count; ++i) {
        double volume = w.part[oil][i] / 800 + w.part[1 - oil][i] / 1000;
        double room = world->cloth_system.share[i] * 0.8 * 0.006;
        CHECK(volume - w.hanging[i] / 1000 < room * (1 + 1e-9));
    }
    px_world_free(world);
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
