/* Tests of the implicit pressure solves beyond the hydrostatic column (test_fluid.c): they stop at
 * the given residual, report when they do not reach it, and work at any scale of the scene. */
#include "phyxel/phyxel.h"

#include "base/vec.h"
#include "base/fail.h"
#include "check.h"
#include "fluid/pressure/implicit_pressure.h"
#include "world/state.h"

#include <math.h>

static const char *const implicit[] = {"dfsph", "iisph", "pcisph", "projection"};

/* A pool 8 spacings wide and 12 deep in a tank without lid. */
static PxWorld *pool_with(double spacing, PxModelChoice pressure)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = spacing;
    def.threads = 2;
    PxWorld *world = NULL;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef water = px_material_def_default();
    water.pressure = pressure;
    PxMaterialId id;
    CHECK_OK(px_world_add_material(world, &water, &id));
    PxBodyDef body = px_body_def_default();
    body.name = "pool";
    body.material = id;
    body.shape.size = px_vec(8 * spacing, 12 * spacing, 8 * spacing);
    body.shape.at = px_vec(0, 6 * spacing, 0);
    CHECK_OK(px_world_add_body(world, &body, NULL));
    body = px_body_def_default();
    body.name = "tank";
    body.wall = body.inside = true;
    body.shape.size = px_vec(8 * spacing, 24 * spacing, 8 * spacing);
    body.shape.at = px_vec(0, 12 * spacing, 0);
    CHECK_OK(px_world_add_body(world, &body, NULL));
    return world;
}

static PxWorld *pool_make(double spacing, const char *pressure)
{
    return pool_with(spacing, px_pressure_choice(pressure));
}

static void set(PxWorld *world, const char *what, double value)
{
    char path[80];
    snprintf(path, sizeof path, "materials.water.pressure.%s", what);
    CHECK_OK(px_world_set(world, path, &value, 1));
}

TEST(a_solve_stops_at_max_error)
{
    const double errors[] = {0.1, 0.001};
    for (size_t k = 0; k < PX_COUNT(implicit); ++k) {
        double before = 0;
        for (size_t e = 0; e < PX_COUNT(errors); ++e) {
            PxWorld *world = pool_make(0.02, implicit[k]);
            set(world, "max_error", errors[e]);
            double iterations = 0;
            for (int step = 0; step < 20; ++step) {
                CHECK_OK(px_world_step(world, 10));
                PxStats stats;
                px_world_stats(world, &stats);
                CHECK(stats.solve_error <= errors[e]);
                CHECK_EQUAL(stats.not_converged, 0);
                iterations += stats.iterations;
            }
            CHECK(iterations > before); /* at the cost of more iterations */
            before = iterations;
            px_world_free(world);
        }
    }
}

/* Iterations of 10 steps of a pool. All must converge. */
static double count_iterations(PxModelChoice pressure)
{
    PxWorld *world = pool_with(0.02, pressure);
    double iterations = 0;
    for (int step = 0; step < 10; ++step) {
        PxStats stats;
        CHECK_OK(px_world_step(world, 10));
        px_world_stats(world, &stats);
        CHECK(stats.solve_error <= pressure.param[PX_IMPLICIT_MAX_ERROR]);
        CHECK_EQUAL(stats.not_converged, 0);
        iterations += stats.iterations;
    }
    px_world_free(world);
    return iterations;
}

TEST(the_largest_compression_takes_more_iterations_than_the_mean)
{
    for (size_t k = 0; k < PX_COUNT(implicit); ++k) {
        PxModelChoice choice = px_pressure_choice(implicit[k]);
        choice.param[PX_IMPLICIT_MAX_ERROR] = 0.1;
        choice.param[PX_IMPLICIT_MAX_ITERATIONS] = 1000;
        double mean = count_iterations(choice);
        choice.param[PX_IMPLICIT_ERROR] = 1;
        CHECK(count_iterations(choice) > mean);
    }
}

/* The pressure of the pool builds up from layer to layer without the coarse grid. */
TEST(published_iterations_converge_more_slowly)
{
    for (size_t k = 0; k < PX_COUNT(implicit); ++k) {
        PxModelChoice choice = px_pressure_choice(implicit[k]);
        choice.param[PX_IMPLICIT_MAX_ERROR] = 0.1;
        choice.param[PX_IMPLICIT_MAX_ITERATIONS] = 1000;
        double accelerated = count_iterations(choice);
        choice.param[PX_IMPLICIT_SOLVE] = 1;
        CHECK(count_iterations(choice) > accelerated);
    }
}

TEST(models_differ_with_published_iterations)
{
    double kinetic[3];
    for (size_t k = 0; k < 3; ++k) {
        PxModelChoice choice = px_pressure_choice(implicit[k]);
        choice.param[PX_IMPLICIT_SOLVE] = 1;
        PxWorld *world = pool_with(0.02, choice);
        PxStats stats;
        CHECK_OK(px_world_advance(world, 0.05));
        px_world_stats(world, &stats);
        kinetic[k] = stats.kinetic;
        for (size_t l = 0; l < k; ++l)
            CHECK(fabs(kinetic[k] - kinetic[l]) > 1e-4 * fabs(kinetic[l]));
        px_world_free(world);
    }
}

TEST(steps_that_did_not_converge_are_counted)
{
    for (size_t k = 0; k < PX_COUNT(implicit); ++k) {
        PxWorld *world = pool_make(0.02, implicit[k]);
        set(world, "max_error", 1e-4);
        set(world, "max_iterations", 2);
        for (int step = 0; step < 5; ++step)
            CHECK_OK(px_world_step(world, 10));
        PxStats stats;
        px_world_stats(world, &stats);
        CHECK_EQUAL(stats.not_converged, 5);
        CHECK(stats.iterations == 2 || stats.iterations == 4); /* dfsph may solve twice */
        CHECK(stats.solve_error > 1e-4);
        px_world_free(world);
    }
}

/* Fluids share one solve, in whichever order they are added. */
TEST(the_strictest_of_several_fluids_rules)
{
    for (int strict = 0; strict < 2; ++strict) {
        PxWorld *world = pool_make(0.02, "dfsph");
        PxMaterialDef oil = px_material_def_default();
        oil.name = "oil";
        oil.density = 900;
        CHECK_OK(px_world_add_material(world, &oil, NULL));
        double loose = 5, tight = 1e-3;
        CHECK_OK(px_world_set(world, "materials.water.pressure.max_error",
                              strict == 0 ? &tight : &loose, 1));
        CHECK_OK(px_world_set(world, "materials.oil.pressure.max_error",
                              strict == 1 ? &tight : &loose, 1));
        PxStats stats;
        for (int step = 0; step < 5; ++step) {
            CHECK_OK(px_world_step(world, 10));
            px_world_stats(world, &stats);
            CHECK(stats.solve_error <= tight);
        }
        px_world_free(world);
    }
}

/* Kernel gradients scale as 1 / s^4: their squares leave a float's range below 1 mm. */
/* A scene of a small pool of water that names a pressure model or not, with something added. */
static PxScene *pool_scene(const char *pressure, const char *tension, const char *body)
{
    char text[1000];
    snprintf(text, sizeof text,
             "{\"phyxel\": 1, \"time\": {\"frames\": 1}, \"spacing\": 0.02, \"materials\": "
             "{\"water\": {\"density\": 1000%s%s}, \"oil\": {\"density\": 900%s}%s}, "
             "\"bodies\": ["
             "{\"name\": \"tank\", \"wall\": true, \"inside\": true, "
             "\"shape\": {\"box\": [0.12, 0.4, 0.12], \"at\": [0, 0.2, 0]}},"
             "{\"name\": \"pool\", \"material\": \"water\", "
             "\"shape\": {\"box\": [0.12, 0.08, 0.12], \"at\": [0, 0.04, 0]}}%s]}",
             pressure, tension, tension,
             strstr(body, "jelly") != NULL ? ", \"jelly\": {\"density\": 1000, \"young\": 1e4}"
                                           : "",
             body);
    PxScene *scene;
    CHECK_OK(px_scene_read_text("pool", ".", text, strlen(text), &scene));
    CHECK_EQUAL(px_scene_complaint_count(scene), 0);
    return scene;
}

static void hash_after(const PxScene *scene, uint64_t hash[2])
{
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    for (int step = 0; step < 4; ++step)
        CHECK_OK(px_world_step(world, 1));
    px_table_hash(px_world_particles(world), PX_COLUMN_STATE | PX_COLUMN_FRAME, hash);
    px_world_free(world);
}

TEST(the_default_is_flip_for_thin_fluids_walls_and_rigid_bodies_and_dfsph_otherwise)
{
#define BLOCK(more)                                                                                \
    ", {\"name\": \"block\", \"shape\": {\"box\": [0.04, 0.04, 0.04], \"at\": [0, 0.2, 0]}, " more \
    "}"
    static const struct {
        const char *tension, *body, *model;
    } cases[] = {
        {"", "", "flip"},
        {"", BLOCK("\"material\": \"oil\""), "flip"},
        {", \"tension\": {\"model\": \"csf\", \"sigma\": 0.07}", "", "dfsph"},
        {", \"cohesion\": 10", "", "dfsph"},
        {"", BLOCK("\"material\": \"jelly\""), "dfsph"},
        {"", BLOCK("\"material\": \"water\", \"rigid\": true"), "flip"},
        {", \"viscosity\": 1", BLOCK("\"material\": \"water\", \"rigid\": true"), "dfsph"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char named[64];
        snprintf(named, sizeof named, ", \"pressure\": \"%s\"", cases[k].model);
        PxScene *chosen = pool_scene("", cases[k].tension, cases[k].body);
        PxScene *stated = pool_scene(named, cases[k].tension, cases[k].body);
        CHECK_TEXT(px_scene_pressure(chosen), cases[k].model);
        CHECK_TEXT(px_scene_pressure(stated), cases[k].model);
        uint64_t a[2], b[2];
        hash_after(chosen, a);
        hash_after(stated, b); /* oil takes what water names */
        CHECK(a[0] == b[0] && a[1] == b[1]);
        px_scene_free(chosen);
        px_scene_free(stated);
    }
}

PHYSICS(a_pool_of_any_size_carries_its_weight)
{
    const double spacings[] = {1, 1e-4, 1e-5};
    for (size_t k = 0; k < PX_COUNT(implicit); ++k)
        for (size_t n = 0; n < PX_COUNT(spacings); ++n) {
            double s = spacings[n], depth = 12 * s, fall = sqrt(2 * depth / 9.81);
            PxWorld *world = pool_make(s, implicit[k]);
            set(world, "damping", 0.3);
            CHECK_OK(px_world_advance(world, 4 * fall));
            PxStats stats;
            px_world_stats(world, &stats);
            const float *y = px_world_floats(world, "position", 1);
            double middle = 0;
            for (uint32_t i = 0; i < px_world_count(world); ++i)
                middle += (double)y[i] / px_world_count(world);
            /* without pressure all of it would lie on the floor after one `fall` */
            CHECK_NEAR(middle, depth / 2, 0.02 * depth);
            CHECK_EQUAL(stats.not_converged, 0);
            CHECK_EQUAL(stats.leaked, 0);
            px_world_free(world);
        }
}

TEST_MAIN()
