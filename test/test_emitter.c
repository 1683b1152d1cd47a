/// Emitters and sinks: rates, layers, jets, removal, and resuming with the same bits.
#include "check.h"

#include "base/table.h"
#include "phyxel/world.h"
#include "world/actors/opening.h"
#include "world/saved.h"

#include <stdlib.h>

#define PI 3.14159265358979323846

static PxWorld *empty_world(double spacing, double gravity, int threads)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.spacing = spacing;
    def.gravity = (PxVec3){0, -gravity, 0};
    def.threads = threads;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef water = px_material_def_default();
    CHECK_OK(px_world_add_material(world, &water, NULL));
    return world;
}

static PxEmitterDef tap(double radius, double height)
{
    PxEmitterDef def = px_emitter_def_default();
    def.name = "tap";
    def.shape.radius = radius;
    def.shape.height = height;
    def.material = (PxMaterialId){1, 1};
    return def;
}

static PxStats stats_of(PxWorld *world)
{
    PxStats stats;
    px_world_stats(world, &stats);
    return stats;
}

/* The smallest distance between two particles, by brute force. */
static double least_distance(const PxWorld *world)
{
    const float *x = px_world_floats(world, "position", 0);
    const float *y = px_world_floats(world, "position", 1);
    const float *z = px_world_floats(world, "position", 2);
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < px_world_count(world); ++i)
        for (uint32_t j = 0; j < i; ++j) {
            double dx = (double)x[i] - (double)x[j], dy = (double)y[i] - (double)y[j];
            double dz = (double)z[i] - (double)z[j];
            least = fmin(least, dx * dx + dy * dy + dz * dz);
        }
    return sqrt(least);
}

/* ---- the opening ------------------------------------------------------------ */

TEST(the_number_of_particles_in_a_circular_layer_follows_from_its_area)
{
    for (double radius = 0.9; radius < 12; radius += 0.37) {
        PxShapeDef shape = px_shape_def_default(PX_SHAPE_CYLINDER);
        shape.radius = radius * 0.01;
        shape.height = 0.03;
        PxOpening opening;
        PxSite *site;
        size_t count;
        CHECK_OK(px_opening_make(&shape, (PxVec3){0, 0, 0}, &opening));
        CHECK_OK(px_opening_sites(&opening, 0.01, &site, &count));
        double wanted = PI * radius * radius, nearest = (double)INFINITY;
        CHECK_NEAR((double)count, wanted, 0.5);
        for (size_t i = 0; i < count; ++i) {
            /* by Gauss's circle problem the last site may lie a little outside */
            CHECK(hypot(site[i].a, site[i].b) <= 0.01 * (radius + 0.1));
            for (size_t j = 0; j < i; ++j)
                nearest = fmin(nearest, hypot(site[i].a - site[j].a, site[i].b - site[j].b));
        }
        CHECK_NEAR(nearest, 0.01, 1e-12);
        free(site);
    }
}

TEST(a_layer_of_a_rectangle_fills_it_evenly)
{
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_BOX);
    shape.size = (PxVec3){0.1, 0.5, 0.052};
    PxOpening opening;
    PxSite *site;
    size_t count;
    CHECK_OK(px_opening_make(&shape, (PxVec3){0, -3, 0}, &opening));
    CHECK_NEAR(opening.along.y, -1, 0);
    CHECK_NEAR(opening.back.y, 0.25, 1e-15);
    CHECK_NEAR(opening.area, 0.0052, 1e-15);
    CHECK_OK(px_opening_sites(&opening, 0.01, &site, &count));
    CHECK_EQUAL(count, 50);
    free(site);
    CHECK_OK(px_opening_make(&shape, (PxVec3){1, 0, 0}, &opening)); /* through another side */
    CHECK_NEAR(opening.depth, 0.1, 1e-15);
    CHECK_NEAR(opening.area, 0.026, 1e-15);
}

TEST(matter_leaves_square_to_a_face)
{
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_CYLINDER);
    PxOpening opening;
    CHECK_FAILS(px_opening_make(&shape, (PxVec3){1, 1, 0}, &opening), PX_ERR_ARGUMENT,
                "45 degrees off the cylinder's axis");
    shape.kind = PX_SHAPE_SPHERE;
    CHECK_FAILS(px_opening_make(&shape, (PxVec3){0, 1, 0}, &opening), PX_ERR_ARGUMENT,
                "is a sphere");
}

/* ---- how much ------------------------------------------------------------------ */

/* One second in steps that emit many layers, less than one, and some between: without other
 * particles only max_step limits the step. */
PHYSICS(the_rate_does_not_depend_on_the_step)
{
    const double steps[] = {1e-2, 1e-3, 3.3e-4};
    for (size_t k = 0; k < 3; ++k) {
        PxWorld *world = empty_world(0.02, 0, 1);
        CHECK_OK(px_world_set(world, "max_step", &steps[k], 1));
        PxEmitterDef def = tap(0.037, 0.06);
        def.rate = 0.01;
        CHECK_OK(px_world_add_emitter(world, &def, NULL));
        PxSinkDef sink = px_sink_def_default(); /* keeps the particles few */
        sink.name = "drain";
        sink.shape.size = (PxVec3){2, 2, 2};
        sink.shape.at = (PxVec3){0, 1.15, 0};
        CHECK_OK(px_world_add_sink(world, &sink, NULL));
        CHECK_OK(px_world_advance(world, 1));
        PxStats stats = stats_of(world);
        /* whole layers: fewer by at most one, of some 100 */
        CHECK_NEAR((double)stats.emitted, 0.01 / 8e-6, 0.01 * 0.01 / 8e-6);
        CHECK(stats.emitted <= 0.01 / 8e-6 && stats.removed > 500);
        CHECK_EQUAL(stats.emitted, stats.removed + stats.particles);
        CHECK_EQUAL(stats.held_back, 0);
        /* equal masses: nothing is rounded but the sum's quantum, 1e-9 of it */
        CHECK_NEAR(stats.mass_in, stats.mass_out + stats.mass, 1e-9 * stats.mass_in);
        px_world_free(world);
    }
}

TEST(layers_lie_a_layer_apart_and_not_on_each_other)
{
    PxWorld *world = empty_world(0.02, 0, 2);
    PxEmitterDef def = tap(0, 0);
    def.shape = px_shape_def_default(PX_SHAPE_BOX);
    def.shape.size = (PxVec3){0.1, 0.05, 0.1};
    def.shape.at = (PxVec3){3, -2, 1};
    def.shape.rotation = (PxQuat){0.3, 0.1, -0.5, 0.7};
    def.speed = 3;
    CHECK_OK(px_world_add_emitter(world, &def, NULL));
    CHECK_OK(px_world_advance(world, 0.012));
    /* 0.036 m, then 0.054 m: all are still in the pipe, so the lattice is perfect; floats
     * near 3 are 2.4e-7 apart */
    CHECK_EQUAL(px_world_count(world), 25);
    CHECK_OK(px_world_advance(world, 0.018));
    CHECK_EQUAL(px_world_count(world), 2 * 25);
    CHECK_NEAR(least_distance(world), 0.02, 1e-6);
    px_world_free(world);
}

TEST(an_emitter_respects_its_start_end_and_limit)
{
    PxWorld *world = empty_world(0.02, 0, 1);
    PxEmitterDef def = tap(0.04, 0.05);
    def.speed = 2;
    def.start = 0.1;
    def.end = 0.2;
    CHECK_OK(px_world_add_emitter(world, &def, NULL));
    def.name = "other";
    def.shape.at.x = 1;
    def.end = 1;
    def.limit = 40;
    CHECK_OK(px_world_add_emitter(world, &def, NULL));
    CHECK_OK(px_world_advance(world, 0.1));
    CHECK_EQUAL(px_world_count(world), 0);
    CHECK_OK(px_world_advance(world, 0.4));
    /* 0.2 m of 13 particles a layer, whose layers are 13 * 8e-6 / 0.00503 = 0.0207 m apart:
     * 9 layers; and of 40 particles three whole layers */
    CHECK_EQUAL(px_world_count(world), 9 * 13 + 3 * 13);
    px_world_free(world);
}

TEST(of_speed_and_rate_the_one_set_last_counts)
{
    PxWorld *world = empty_world(0.02, 0, 1);
    PxEmitterDef def = tap(0.04, 0.05);
    CHECK_OK(px_world_add_emitter(world, &def, NULL)); /* shut */
    CHECK_OK(px_world_advance(world, 0.1));
    CHECK_EQUAL(px_world_count(world), 0);
    double area = PI * 0.04 * 0.04, value = 2 * area;
    CHECK_OK(px_world_set(world, "emitters.tap.rate", &value, 1));
    CHECK_OK(px_world_advance(world, 0.2)); /* 0.2 m */
    CHECK_EQUAL(stats_of(world).emitted, 9 * 13);
    value = 0;
    CHECK_OK(px_world_set(world, "emitters.tap.speed", &value, 1));
    CHECK_OK(px_world_advance(world, 0.3));
    CHECK_EQUAL(stats_of(world).emitted, 9 * 13);
    value = 4;
    PxEventDef event = {.head = px_event_def_default().head,
                        .time = 0.35,
                        .path = "emitters.tap.speed",
                        .value = {4},
                        .values = 1};
    CHECK_OK(px_world_add_event(world, &event));
    CHECK_OK(px_world_advance(world, 0.4)); /* 0.2 m more */
    CHECK_EQUAL(stats_of(world).emitted, 19 * 13);
    CHECK_FAILS(px_world_set(world, "emitters.tap.limit", &value, 1), PX_ERR_ARGUMENT,
                "cannot change");
    CHECK_FAILS(px_world_set(world, "emitters.tip.speed", &value, 1), PX_ERR_ARGUMENT,
                "no emitter 'tip'");
    CHECK_FAILS(px_world_set(world, "bodies.tip.temperature", &value, 1), PX_ERR_ARGUMENT,
                "no body 'tip'");
    px_world_free(world);
}

/* ---- jets -------------------------------------------------------------------------- */

static double highest(const PxWorld *world)
{
    const float *y = px_world_floats(world, "position", 1);
    double most = -(double)INFINITY;
    for (uint32_t i = 0; i < px_world_count(world); ++i)
        most = fmax(most, (double)y[i]);
    return most;
}

TEST(a_jet_begins_without_bursting)
{
    for (int round = 0; round < 2; ++round) {
        PxWorld *world = empty_world(0.02, 0, 2);
        PxEmitterDef def = tap(0.06, 0.04);
        if (!round) {
            def.shape = px_shape_def_default(PX_SHAPE_BOX);
            def.shape.size = (PxVec3){0.13, 0.04, 0.11};
        }
        def.speed = 2;
        CHECK_OK(px_world_add_emitter(world, &def, NULL));
        double fastest = 0, densest = 0;
        for (int k = 1; k <= 20; ++k) {
            CHECK_OK(px_world_advance(world, 0.01 * k));
            fastest = fmax(fastest, stats_of(world).speed_max);
            densest = fmax(densest, stats_of(world).density_error_max);
        }
        /* Compression is within the 1 per cent that the equation of state allows, so expansion
         * sideways is limited to sqrt(0.01) of the speed of sound, 10 jet speeds: one jet
         * speed. Measured: 2.11 and 2.19 m/s. */
        CHECK(densest < 1.05 && fastest < 2.3);
        /* the front is where the plunger's speed takes it, 0.4 m from the back, but for
         * half a layer that it is behind and a spacing that the free end spreads */
        CHECK_NEAR(highest(world), -0.02 + 0.4 - 0.01, 0.035);
        px_world_free(world);
    }
}

TEST(a_jet_rises_to_the_height_of_its_speed)
{
    PxWorld *world = empty_world(0.02, 9.81, 2);
    PxEmitterDef def = tap(0.05, 0.04);
    def.speed = 4;
    CHECK_OK(px_world_add_emitter(world, &def, NULL));
    CHECK_OK(px_world_advance(world, 0.1));
    /* Layer k is complete at (k + 1) layer / speed, moves 0.04 m along the pipe and is then in
     * free flight. Forces between layers do not change their mean height. */
    double layer = 20 * 8e-6 / (PI * 0.0025), sum = 0;
    int layers = (int)(0.4 / layer);
    for (int k = 0; k < layers; ++k) {
        double gone = 0.1 - (k + 1) * layer / 4, free = fmax(gone - 0.01, 0);
        sum += -0.02 + 0.5 * layer + 4 * gone - 0.5 * 9.81 * free * free;
    }
    PxStats stats = stats_of(world);
    CHECK_EQUAL(stats.particles, layers * 20);
    double height = stats.potential / stats.mass / 9.81;
    /* free matter also presses on that in the pipe: measured 0.3 mm */
    CHECK_NEAR(height, sum / layers, 0.001);
    px_world_free(world);
}

/* A pool of 2250 particles with a tap in its middle. */
static PxWorld *pool_world(int threads, const PxAllocator *allocator)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.threads = threads;
    def.allocator = allocator;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef water = px_material_def_default();
    /* not auto, which changes from flip when the emitter starts */
    water.pressure = px_pressure_choice("dfsph");
    CHECK_OK(px_world_add_material(world, &water, NULL));
    PxBodyDef tank = px_body_def_default();
    tank.name = "tank";
    tank.shape.size = (PxVec3){0.3, 1, 0.3};
    tank.shape.at = (PxVec3){0, 0.5, 0};
    tank.wall = tank.inside = true;
    CHECK_OK(px_world_add_body(world, &tank, NULL));
    PxBodyDef pool = px_body_def_default();
    pool.name = "pool";
    pool.shape.size = (PxVec3){0.3, 0.2, 0.3};
    pool.shape.at = (PxVec3){0, 0.1, 0};
    pool.material = (PxMaterialId){1, 1};
    CHECK_OK(px_world_add_body(world, &pool, NULL));
    PxEmitterDef emitter = tap(0.04, 0.06);
    emitter.shape.at = (PxVec3){0, 0.1, 0};
    emitter.speed = 1;
    emitter.start = 0.01;
    CHECK_OK(px_world_add_emitter(world, &emitter, NULL));
    return world;
}

PHYSICS(a_tap_under_water_pushes_and_piles_nothing_up)
{
    PxWorld *world = pool_world(2, NULL);
    double fastest = 0, densest = 0;
    for (int k = 1; k <= 15; ++k) {
        CHECK_OK(px_world_advance(world, 0.02 * k));
        fastest = fmax(fastest, stats_of(world).speed_max);
        densest = fmax(densest, stats_of(world).density_error_max);
    }
    PxStats stats = stats_of(world);
    /* 0.29 m of layers 0.0207 m apart, but for what had to wait */
    CHECK_NEAR((double)(stats.emitted + stats.held_back), 14 * 13, 13);
    CHECK(stats.emitted >= 10 * 13);
    CHECK_EQUAL(stats.leaked, 0);
    /* Measured 1.4 m/s and 15.8 per cent, where the plunger meets the water in the step that begins
     * when the emitter starts. A layer set among particles of a full place would compress them to
     * twice the density. */
    CHECK(fastest < 3 && densest < 20);
    px_world_free(world);
}

/* ---- no room ------------------------------------------------------------------------- */

/* A closed vessel of 512 particles with a jet of 2 m/s in it, which fills it in 0.41 s. */
static PxWorld *vessel_world(const char *pressure, double height, int threads)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.02;
    def.threads = threads;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef water = px_material_def_default();
    water.pressure = px_pressure_choice(pressure);
    CHECK_OK(px_world_add_material(world, &water, NULL));
    PxBodyDef vessel = px_body_def_default();
    vessel.name = "vessel";
    vessel.shape.size = (PxVec3){0.16, height, 0.16};
    vessel.shape.at = (PxVec3){0, 0.5 * height, 0};
    vessel.wall = vessel.inside = true;
    CHECK_OK(px_world_add_body(world, &vessel, NULL));
    PxEmitterDef def_tap = tap(0.04, 0.04);
    def_tap.shape.at = (PxVec3){0, 0.04, 0};
    def_tap.speed = 2;
    CHECK_OK(px_world_add_emitter(world, &def_tap, NULL));
    return world;
}

PHYSICS(a_full_vessel_is_not_filled_any_further)
{
    const char *const models[] = {"dfsph", "sesph"};
    for (size_t m = 0; m < 2; ++m) {
        PxWorld *world = vessel_world(models[m], 0.16, 2);
        double densest = 0, fastest = 0, calmest = 1e30;
        uint64_t most = 0, waiting = 0;
        /* three times its content */
        for (int k = 1; k <= 60; ++k) {
            CHECK_OK(px_world_advance(world, 0.0205 * k));
            PxStats stats = stats_of(world);
            densest = fmax(densest, stats.density_error);
            fastest = fmax(fastest, stats.speed_max);
            most = stats.particles > most ? stats.particles : most;
            waiting += k > 30 && stats.waiting;
            calmest = k > 30 ? fmin(calmest, stats.density_error) : calmest;
        }
        PxStats stats = stats_of(world);
        /* Filled to the last corner at rest density it has 512. */
        CHECK_NEAR((double)most, 512, 0.06 * 512);
        /* The tap takes layers of 13 particles back and pushes them out again: 481, 494 and 507 are
         * left at the end for speeds from 1.985 to 2.015 m/s. */
        CHECK_NEAR((double)stats.particles, 507, 2 * 13);
        CHECK_NEAR(densest, 0, 5);
        CHECK_NEAR(calmest, 0, 0.5); /* and what was crammed is let go */
        CHECK_NEAR(fastest, 0, 3 * 2);
        CHECK_EQUAL(stats.leaked, 0);
        CHECK(waiting > 10);
        CHECK_EQUAL(stats.emitted, stats.removed + stats.particles);
        CHECK_NEAR(stats.mass_in, stats.mass_out + stats.mass, 1e-9 * stats.mass_in);
        /* every particle was emitted or held back, except one layer and particles that were taken
         * back and are emitted again */
        CHECK_NEAR((double)(stats.emitted - stats.removed + stats.held_back),
                   60 * 0.0205 * 2 / 0.0207 * 13, 3 * 13);
        px_world_free(world);
    }
}

/* A reservoir whose surface is `head` above the mouth of the tap. */
static PxWorld *fed_world(double head)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.02;
    def.threads = 2;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef water = px_material_def_default();
    CHECK_OK(px_world_add_material(world, &water, NULL));
    PxBodyDef vessel = px_body_def_default();
    vessel.name = "vessel";
    vessel.shape.size = (PxVec3){0.24, 2, 0.24};
    vessel.shape.at = (PxVec3){0, 1, 0};
    vessel.wall = vessel.inside = true;
    CHECK_OK(px_world_add_body(world, &vessel, NULL));
    PxEmitterDef inlet = tap(0.04, 0.04);
    inlet.shape.at = (PxVec3){0, 0.04, 0};
    inlet.pressure = 1000 * 9.81 * head;
    CHECK_OK(px_world_add_emitter(world, &inlet, NULL));
    return world;
}

PHYSICS(a_reservoir_fills_a_vessel_to_its_own_level)
{
    PxWorld *world = fed_world(0.15);
    CHECK_OK(px_world_advance(world, 4));
    PxStats before = stats_of(world);
    CHECK_OK(px_world_advance(world, 5));
    PxStats stats = stats_of(world);
    /* 0.190 to 0.197 m, by the steps: water in front of a plunger that waits stays restless, which
     * adds to the pressure */
    double level = (double)stats.particles * 8e-6 / (0.24 * 0.24), mouth = 0.062;
    CHECK_NEAR(level, mouth + 0.15, 0.12 * (mouth + 0.15));
    CHECK_EQUAL(stats.particles, before.particles);
    CHECK_EQUAL(stats.leaked, 0);
    CHECK_EQUAL(stats.held_back, 0);
    /* a higher reservoir lets it flow on, and without pressure it is shut */
    double pressure = 1000 * 9.81 * 0.3;
    CHECK_OK(px_world_set(world, "emitters.tap.pressure", &pressure, 1));
    CHECK_OK(px_world_advance(world, 5.5));
    before = stats_of(world);
    CHECK((double)before.particles > 1.1 * (double)stats.particles);
    pressure = 0;
    CHECK_OK(px_world_set(world, "emitters.tap.pressure", &pressure, 1));
    CHECK_OK(px_world_advance(world, 5.7));
    CHECK_EQUAL(stats_of(world).emitted, before.emitted);
    px_world_free(world);
}

/* Without resistance L dv/dt = (c^2 - v^2) / 2 with c = sqrt(2 P / rho), from rest: the plunger
 * moves by 2 L ln(cosh(c t / 2 L)). */
TEST(a_free_jet_of_a_reservoir_gets_its_speed_after_bernoulli)
{
    PxWorld *world = empty_world(0.02, 0, 2);
    PxEmitterDef def = tap(0.04, 0.4);
    double c = 2, length = 0.4, times[] = {0.15, 0.3, 0.6};
    def.pressure = 500 * c * c;
    CHECK_OK(px_world_add_emitter(world, &def, NULL));
    for (size_t k = 0; k < 3; ++k) {
        CHECK_OK(px_world_advance(world, times[k]));
        double way = 2 * length * log(cosh(c * times[k] / (2 * length)));
        CHECK_NEAR((double)stats_of(world).emitted / 13 * 0.0207, way, 0.0207 + 0.02 * way);
    }
    CHECK_NEAR(stats_of(world).speed_max, c * tanh(c * 0.6 / (2 * length)), 0.02 * c);
    px_world_free(world);
}

PHYSICS(an_open_vessel_of_the_same_width_gets_all_of_it)
{
    const char *const models[] = {"dfsph", "sesph"};
    for (size_t m = 0; m < 2; ++m) {
        PxWorld *world = vessel_world(models[m], 2, 2);
        CHECK_OK(px_world_advance(world, 0.6));
        PxStats stats = stats_of(world);
        CHECK_NEAR((double)stats.emitted, 0.6 * 2 / 0.0207 * 13, 13);
        CHECK_EQUAL(stats.held_back, 0);
        CHECK_EQUAL(stats.removed, 0);
        CHECK_EQUAL(stats.waiting, 0);
        px_world_free(world);
    }
}

/* A rod as wide as the pipe goes through it, crosswise, and back. */
TEST(a_wall_moving_through_a_pipe_shuts_it_without_compression)
{
    PxWorld *world = empty_world(0.02, 9.81, 2);
    PxEmitterDef def = tap(0.04, 0.08);
    def.shape.at.y = 0.04;
    def.speed = 1;
    CHECK_OK(px_world_add_emitter(world, &def, NULL));
    PxBodyDef rod = px_body_def_default();
    rod.name = "rod";
    rod.shape.size = (PxVec3){0.2, 0.04, 0.04};
    rod.shape.at = (PxVec3){-0.2, 0.04, 0};
    rod.wall = true;
    const PxQuat as_is = {0, 0, 0, 1};
    const PxKeyframe key[] = {
        {0.1, {0, 0, 0}, as_is}, {0.2, {0.2, 0, 0}, as_is}, {0.3, {0, 0, 0}, as_is}};
    rod.keyframe = key;
    rod.keyframes = 3;
    CHECK_OK(px_world_add_body(world, &rod, NULL));
    double densest = 0;
    uint64_t emitted = 0;
    for (int k = 1; k <= 25; ++k) {
        CHECK_OK(px_world_advance(world, 0.02 * k));
        PxStats stats = stats_of(world);
        densest = fmax(densest, stats.density_error);
        CHECK_EQUAL(stats.leaked, 0);
        if (k == 8)
            emitted = stats.emitted;
        if (k > 8 && k <= 12) /* the rod is in it */
            CHECK(stats.emitted == emitted && stats.waiting == 1);
    }
    CHECK_NEAR(densest, 0, 5);
    CHECK(stats_of(world).emitted >= emitted + 3 * 13); /* and it goes on */
    CHECK_EQUAL(stats_of(world).waiting, 0);
    px_world_free(world);
}

TEST(a_resumed_run_with_a_waiting_emitter_has_the_same_bits)
{
    uint64_t wanted[2], got[2];
    PxWorld *straight = vessel_world("dfsph", 0.16, 1), *world = vessel_world("dfsph", 0.16, 2);
    for (int k = 1; k <= 14; ++k) {
        CHECK_OK(px_world_advance(straight, 0.04 * k));
        CHECK_OK(px_world_advance(world, 0.04 * k));
        PxWorld *next = vessel_world("dfsph", 0.16, 3);
        CHECK_OK(px_world_continue(next, world));
        px_world_free(world);
        world = next;
    }
    CHECK(stats_of(straight).held_back > 13 && stats_of(straight).removed > 0);
    CHECK_EQUAL(stats_of(straight).held_back, stats_of(world).held_back);
    px_table_hash(px_world_particles(straight), PX_COLUMN_STATE | PX_COLUMN_FRAME, wanted);
    px_table_hash(px_world_particles(world), PX_COLUMN_STATE | PX_COLUMN_FRAME, got);
    CHECK(got[0] == wanted[0] && got[1] == wanted[1]);
    px_world_free(straight);
    px_world_free(world);
}

/* ---- sinks ---------------------------------------------------------------------------- */

TEST(a_sink_removes_particles_between_its_start_and_its_end)
{
    PxWorld *world = empty_world(0.02, 0, 2);
    PxBodyDef block = px_body_def_default();
    block.name = "block";
    block.shape.size = (PxVec3){0.2, 0.2, 0.2};
    block.material = (PxMaterialId){1, 1};
    CHECK_OK(px_world_add_body(world, &block, NULL));
    PxSinkDef sink = px_sink_def_default();
    sink.name = "corner";
    sink.shape.size = (PxVec3){0.2, 0.2, 0.2};
    sink.shape.at = (PxVec3){0.1, 0.1, 0.1};
    sink.start = 0.02;
    sink.end = 0.03;
    CHECK_OK(px_world_add_sink(world, &sink, NULL));
    sink.name = "valve"; /* shut until an event opens it */
    sink.shape.at = (PxVec3){-0.1, -0.1, -0.1};
    sink.shut = 1;
    sink.end = 1;
    CHECK_OK(px_world_add_sink(world, &sink, NULL));
    sink.name = "door";
    sink.shut = 2;
    CHECK_FAILS(px_world_add_sink(world, &sink, NULL), PX_ERR_ARGUMENT, "shut");
    sink.shut = 0;
    sink.name = "late";
    sink.start = 1;
    sink.end = 2;
    CHECK_OK(px_world_add_sink(world, &sink, NULL));
    CHECK_FAILS(px_world_add_sink(world, &sink, NULL), PX_ERR_ARGUMENT, "already");
    double before = stats_of(world).mass;
    CHECK_OK(px_world_advance(world, 0.015));
    CHECK_EQUAL(px_world_count(world), 1000);
    CHECK_OK(px_world_advance(world, 0.05));
    PxStats stats = stats_of(world);
    CHECK_EQUAL(stats.removed, 125); /* an eighth: nothing has moved by half a spacing yet */
    CHECK_EQUAL(stats.particles, 875);
    CHECK_NEAR(stats.mass_out, 1, 1e-6); /* 125 * 8e-6 m^3, in floats of the mass */
    CHECK_NEAR(stats.mass + stats.mass_out, before, 1e-9);
    double shut = 0;
    CHECK_OK(px_world_set(world, "sinks.valve.shut", &shut, 1));
    CHECK_OK(px_world_advance(world, 0.06));
    CHECK_EQUAL(stats_of(world).removed, 250);
    px_world_free(world);
}

/* ---- bits ------------------------------------------------------------------------------ */

static void hash_of(const PxWorld *world, uint64_t hash[2])
{
    px_table_hash(px_world_particles(world), PX_COLUMN_STATE | PX_COLUMN_FRAME, hash);
}

static void add_drain(PxWorld *world)
{
    PxSinkDef sink = px_sink_def_default();
    sink.name = "drain";
    sink.shape.kind = PX_SHAPE_SPHERE;
    sink.shape.radius = 0.06;
    sink.shape.at = (PxVec3){0.12, 0.02, 0.12};
    sink.start = 0.03;
    CHECK_OK(px_world_add_sink(world, &sink, NULL));
    PxEventDef event = {.head = px_event_def_default().head,
                        .time = 0.045,
                        .path = "emitters.tap.rate",
                        .value = {0.006},
                        .values = 1};
    CHECK_OK(px_world_add_event(world, &event));
}

TEST(threads_and_a_stop_change_no_bit)
{
    uint64_t wanted[2], got[2];
    PxWorld *straight = pool_world(1, NULL);
    add_drain(straight);
    for (int k = 1; k <= 8; ++k)
        CHECK_OK(px_world_advance(straight, 0.01 * k));
    hash_of(straight, wanted);
    PxStats end = stats_of(straight);
    CHECK(end.emitted > 2 * 13 && end.removed > 10);
    for (int threads = 2; threads <= 3; ++threads) {
        PxWorld *world = pool_world(threads, NULL);
        add_drain(world);
        for (int k = 1; k <= 8; ++k) {
            CHECK_OK(px_world_advance(world, 0.01 * k));
            PxWorld *next = pool_world(threads, NULL); /* stopped, and taken up by another */
            add_drain(next);
            CHECK_OK(px_world_continue(next, world));
            px_world_free(world);
            world = next;
        }
        hash_of(world, got);
        CHECK(got[0] == wanted[0] && got[1] == wanted[1]);
        PxStats stats = stats_of(world);
        CHECK(stats.emitted == end.emitted && stats.removed == end.removed);
        CHECK(stats.mass_in == end.mass_in && stats.mass_out == end.mass_out);
        px_world_free(world);
    }
    px_world_free(straight);
}

TEST(no_id_is_used_twice)
{
    PxWorld *world = empty_world(0.02, 9.81, 1);
    PxEmitterDef def = tap(0.04, 0.05);
    def.speed = 2;
    CHECK_OK(px_world_add_emitter(world, &def, NULL));
    def.name = "other";
    def.shape.at.x = 0.2;
    CHECK_OK(px_world_add_emitter(world, &def, NULL));
    PxSinkDef sink = px_sink_def_default();
    sink.name = "drain";
    sink.shape.at.y = 0.6;
    CHECK_OK(px_world_add_sink(world, &sink, NULL));
    uint64_t last = 0;
    for (int k = 1; k <= 10; ++k) {
        uint64_t highest_id = 0;
        CHECK_OK(px_world_advance(world, 0.02 * k));
        const uint64_t *id = px_world_ids(world);
        for (uint32_t i = 0; i < px_world_count(world); ++i) {
            highest_id = id[i] > highest_id ? id[i] : highest_id;
            for (uint32_t j = 0; j < i; ++j)
                CHECK(id[i] != id[j]);
        }
        CHECK(highest_id >= last); /* the newest of the second emitter */
        last = highest_id;
    }
    CHECK(stats_of(world).removed > 0);
    px_world_free(world);
}

/* ---- refused input -------------------------------------------------------------------- */

TEST(invalid_emitters_are_refused_and_leave_the_world_unchanged)
{
    PxWorld *world = empty_world(0.02, 9.81, 1);
    PxEmitterId id;
    PxEmitterDef def = {.name = "x"};
    CHECK_FAILS(px_world_add_emitter(world, &def, &id), PX_ERR_ARGUMENT, "default");
    def = tap(0.1, 0.1);
    def.speed = def.rate = 1;
    CHECK_FAILS(px_world_add_emitter(world, &def, &id), PX_ERR_ARGUMENT, "say the same twice");
    def.rate = 0;
    def.speed = (double)NAN;
    CHECK_FAILS(px_world_add_emitter(world, &def, &id), PX_ERR_ARGUMENT, "speed");
    def.speed = 1;
    def.limit = 0;
    CHECK_FAILS(px_world_add_emitter(world, &def, &id), PX_ERR_ARGUMENT, "limit");
    def.limit = 10;
    def.end = def.start = 1;
    CHECK_FAILS(px_world_add_emitter(world, &def, &id), PX_ERR_ARGUMENT, "wanted after its start");
    def.end = 2;
    def.material.slot = 2;
    CHECK_FAILS(px_world_add_emitter(world, &def, &id), PX_ERR_ARGUMENT, "no material 2");
    def.material.slot = 1;
    def.shape.kind = PX_SHAPE_SPHERE;
    CHECK_FAILS(px_world_add_emitter(world, &def, &id), PX_ERR_ARGUMENT, "box or a cylinder");
    def.shape.kind = PX_SHAPE_CYLINDER;
    def.shape.radius = 1000;
    CHECK_FAILS(px_world_add_emitter(world, &def, &id), PX_ERR_ARGUMENT, "particles a layer");
    CHECK(id.slot == 0);
    def.shape.radius = 0.1;
    CHECK_OK(px_world_add_emitter(world, &def, &id));
    CHECK_EQUAL(id.slot, 1);
    CHECK_FAILS(px_world_add_emitter(world, &def, &id), PX_ERR_ARGUMENT, "already");
    px_world_free(world);
}

/* Allocates at most this many bytes. */
static size_t bytes_left;

static void *take(void *user, size_t bytes)
{
    (void)user;
    if (bytes > bytes_left)
        return NULL;
    bytes_left -= bytes;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void give_back(void *user, void *memory, size_t bytes)
{
    (void)user;
    bytes_left += memory != NULL ? bytes : 0;
    free(memory);
}

TEST(a_world_without_memory_to_grow_fails_and_stays_consistent)
{
    bytes_left = SIZE_MAX / 2;
    const PxAllocator few = {.allocate = take, .release = give_back};
    PxWorld *world = pool_world(1, &few);
    for (int k = 1; k <= 4; ++k) /* scratch finds its size */
        CHECK_OK(px_world_advance(world, 0.002 * k));
    size_t before = bytes_left;
    bytes_left = 120000; /* some more scratch, but no more particles */
    CHECK_FAILS(px_world_advance(world, 0.1), PX_ERR_MEMORY, "emitters: no room for 13 particles");
    uint32_t count = px_world_count(world);
    double time = px_world_time(world);
    CHECK_FAILS(px_world_advance(world, 0.1), PX_ERR_MEMORY, "a \"limit\"");
    CHECK(px_world_count(world) == count && px_world_time(world) == time);
    bytes_left = before; /* then it goes on as if nothing had been */
    CHECK_OK(px_world_advance(world, 0.1));
    PxWorld *other = pool_world(1, NULL);
    for (int k = 1; k <= 4; ++k)
        CHECK_OK(px_world_advance(other, 0.002 * k));
    CHECK_OK(px_world_advance(other, 0.1));
    uint64_t a[2], b[2];
    hash_of(world, a);
    hash_of(other, b);
    CHECK(a[0] == b[0] && a[1] == b[1]);
    px_world_free(world);
    px_world_free(other);
}

TEST_MAIN()
