/// Small runs of the surface tension benchmark: their worlds and measurements.
#include "check.h"

#include "study/tension_run.h"

#include <stdlib.h>

static PxTensionCase small_case(int test, const char *tension, double strength)
{
    PxTensionCase c = {
        .test = test, .strength = strength, .scale = 0.005, .seconds = 0.1, .threads = 1};
    snprintf(c.pressure, sizeof c.pressure, "sesph");
    snprintf(c.tension, sizeof c.tension, "%s", tension);
    return c;
}

static PxTensionResult run(const PxTensionCase *c)
{
    PxTensionResult r = {.end = 0};
    char *steps, *slice;
    CHECK_OK(px_tension_run(c, NULL, NULL, &r, &steps, &slice));
    free(steps);
    free(slice);
    return r;
}

TEST(the_worlds_hold_as_many_particles_as_published)
{
    static const double published[PX_TENSION_TESTS] = {27000, 27000 + 634980, 400000};
    for (int test = 1; test <= PX_TENSION_TESTS; ++test) {
        PxTensionCase c = small_case(test, "none", 0);
        c.scale = 1;
        /* 634,980 make no box, and 27,000 no ball on a lattice */
        CHECK_NEAR(px_tension_particles(&c), published[test - 1], 0.001 * published[test - 1]);
        c.scale = 1.0 / 8;
        PxWorld *world;
        CHECK_OK(px_tension_world(&c, &world));
        /* edges are halved, and one of 115 becomes 58 */
        CHECK_NEAR(px_world_count(world), px_tension_particles(&c),
                   0.02 * px_tension_particles(&c));
        px_world_free(world);
    }
}

TEST(a_cube_at_rest_is_measured_as_a_cube)
{
    PxTensionCase c = small_case(1, "none", 0);
    c.seconds = 0.003;
    PxTensionResult r = run(&c);
    CHECK_NEAR(r.steps, 3, 0);
    CHECK_NEAR(r.axes, 1, 1e-6);
    /* sqrt((1 - 1/n^2) a^2 / 4 over 3/5 R^2), R^3 = 3 a^3 / (4 pi), n = 5: the points of a lattice
     */
    CHECK_NEAR(r.gyration, 1.0405 * sqrt(1 - 1.0 / 25), 1e-3);
    CHECK(r.reach > 1.5);
    CHECK_NEAR(r.clustered, 0, 0);
    CHECK_NEAR(r.volume, 100, 0.5); /* the lattice's density is not quite that at rest */
    CHECK_NEAR(r.tension_force, 0, 0);
}

TEST(tension_makes_a_drop_of_the_cube)
{
    PxTensionCase c = small_case(1, "akinci", 1);
    PxTensionResult r = run(&c);
    CHECK_NEAR(r.end, 0.1, 0);
    CHECK(r.reach < 1.35);
    CHECK(r.axes > 0.99);
    CHECK(r.volume > 97);
    CHECK(r.tension_force > 0 && r.pressure_force > 0);
    CHECK(r.ms_tension > 0 && r.ms_pressure > 0 && r.ms_step > r.ms_tension + r.ms_pressure);
}

PHYSICS(nothing_leaves_the_tank_or_the_channel)
{
    for (int test = 2; test <= PX_TENSION_TESTS; ++test) {
        PxTensionCase c = small_case(test, "becker", 0.08);
        PxWorld *world;
        CHECK_OK(px_tension_world(&c, &world));
        CHECK_OK(px_world_advance(world, test == 2 ? 0.15 : 0.35));
        PxStats stats;
        px_world_stats(world, &stats);
        CHECK_EQUAL(stats.leaked, 0);
        /* The glass stands on y = 0, and so does the tank. */
        const float *y = px_world_floats(world, "position", 1);
        float lowest = 1;
        for (uint32_t i = 0; i < px_world_count(world); ++i)
            lowest = fminf(lowest, y[i]);
        CHECK(lowest > 0.0f);
        px_world_free(world);
    }
}

static bool stop_soon(void *user, PxWorld *world)
{
    (void)user;
    return px_world_time(world) < 0.0025;
}

TEST(a_run_that_is_not_wanted_any_more_stops)
{
    PxTensionCase c = small_case(1, "he", 1);
    PxTensionResult r;
    char *steps, *slice;
    CHECK_FAILS(px_tension_run(&c, stop_soon, NULL, &r, &steps, &slice), PX_ERR_STOPPED,
                "stopped at t = 0.003 s");
    CHECK(steps == NULL && slice == NULL);
}

TEST_MAIN()
