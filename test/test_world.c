/// The interface of the world: what it accepts and refuses, and when events happen.
#include "check.h"

#include "phyxel/world.h"
#include "world/saved.h"

#include <math.h>

static PxWorld *make_world(void)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.threads = 1;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef water = px_material_def_default();
    CHECK_OK(px_world_add_material(world, &water, NULL));
    PxBodyDef drop = px_body_def_default();
    drop.name = "drop";
    drop.shape.size = (PxVec3){0.04, 0.04, 0.04};
    drop.material = (PxMaterialId){1, 1};
    CHECK_OK(px_world_add_body(world, &drop, NULL));
    return world;
}

TEST(defs_that_were_not_started_from_the_defaults_are_refused)
{
    PxWorld *world;
    PxWorldDef def = {.spacing = 0.1};
    CHECK_FAILS(px_world_create(&def, &world), PX_ERR_ARGUMENT, "px_world_def_default");
    CHECK(world == NULL);
    world = make_world();
    PxBodyDef body = {.name = "x"};
    PxMaterialDef material = {.name = "y"};
    CHECK_FAILS(px_world_add_body(world, &body, NULL), PX_ERR_ARGUMENT, "default");
    CHECK_FAILS(px_world_add_material(world, &material, NULL), PX_ERR_ARGUMENT, "default");
    px_world_free(world);
}

TEST(values_out_of_range_and_nan_are_refused_with_their_name)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.spacing = 0;
    CHECK_FAILS(px_world_create(&def, &world), PX_ERR_ARGUMENT,
                "spacing is 0, wanted a number above");
    def.spacing = (double)NAN;
    CHECK_FAILS(px_world_create(&def, &world), PX_ERR_ARGUMENT, "spacing");
    def = px_world_def_default();
    def.gravity.y = (double)INFINITY;
    CHECK_FAILS(px_world_create(&def, &world), PX_ERR_ARGUMENT, "gravity");
    def = px_world_def_default();
    def.threads = -1;
    CHECK_FAILS(px_world_create(&def, &world), PX_ERR_ARGUMENT, "threads");
    world = make_world();
    PxMaterialDef oil = px_material_def_default();
    oil.name = "oil";
    oil.density = -3;
    CHECK_FAILS(px_world_add_material(world, &oil, NULL), PX_ERR_ARGUMENT, "density is -3");
    oil = px_material_def_default();
    CHECK_FAILS(px_world_add_material(world, &oil, NULL), PX_ERR_ARGUMENT, "already");
    oil.name = "a.b";
    CHECK_FAILS(px_world_add_material(world, &oil, NULL), PX_ERR_ARGUMENT, "no dot");
    oil.name = "oil";
    oil.pressure = px_pressure_choice("nonsense");
    CHECK_FAILS(px_world_add_material(world, &oil, NULL), PX_ERR_ARGUMENT, "no pressure model");
    px_world_free(world);
}

TEST(invalid_bodies_are_refused_and_leave_the_world_unchanged)
{
    PxWorld *world = make_world();
    PxBodyId id;
    PxBodyDef body = px_body_def_default();
    body.name = "drop";
    body.material = (PxMaterialId){1, 1};
    CHECK_FAILS(px_world_add_body(world, &body, &id), PX_ERR_ARGUMENT, "already");
    body.name = "other";
    body.material = (PxMaterialId){7, 1};
    CHECK_FAILS(px_world_add_body(world, &body, &id), PX_ERR_ARGUMENT, "no material 7");
    body.material = (PxMaterialId){0, 0};
    CHECK_FAILS(px_world_add_body(world, &body, &id), PX_ERR_ARGUMENT, "wanted a material");
    body.material = (PxMaterialId){1, 1};
    body.wall = true;
    CHECK_FAILS(px_world_add_body(world, &body, &id), PX_ERR_ARGUMENT, "wall has no material");
    body.wall = false;
    body.shape = px_shape_def_default(PX_SHAPE_PLANE);
    CHECK_FAILS(px_world_add_body(world, &body, &id), PX_ERR_ARGUMENT, "plane");
    body.shape = px_shape_def_default(PX_SHAPE_SPHERE);
    body.shape.radius = -1;
    CHECK_FAILS(px_world_add_body(world, &body, &id), PX_ERR_ARGUMENT, "body 'other'");
    body.shape.radius = 1000; /* 5e14 particles */
    CHECK_FAILS(px_world_add_body(world, &body, &id), PX_ERR_MEMORY, "body 'other'");
    CHECK_EQUAL(id.slot, 0);
    CHECK_EQUAL(px_world_count(world), 8);
    px_world_free(world);
}

TEST(numbers_are_set_by_their_path)
{
    PxWorld *world = make_world();
    double value = 2, vector[3] = {1, 2, 3};
    CHECK_OK(px_world_set(world, "gravity", vector, 3));
    CHECK_OK(px_world_set(world, "gravity.y", &value, 1));
    CHECK_OK(px_world_set(world, "materials.water.viscosity", &value, 1));
    CHECK_OK(px_world_set(world, "materials.water.pressure.max_iterations", &value, 1));
    CHECK_OK(px_world_set(world, "bodies.drop.temperature", &value, 1));
    CHECK(px_world_floats(world, "temperature", 0)[3] == 2.0f);
    CHECK_FAILS(px_world_set(world, "gravity", &value, 1), PX_ERR_ARGUMENT, "takes 3 numbers");
    CHECK_FAILS(px_world_set(world, "gravity.w", &value, 1), PX_ERR_ARGUMENT, "vector");
    CHECK_FAILS(px_world_set(world, "spacing", &value, 1), PX_ERR_ARGUMENT, "cannot change");
    CHECK_FAILS(px_world_set(world, "materials.milk.viscosity", &value, 1), PX_ERR_ARGUMENT,
                "no material 'milk'");
    CHECK_FAILS(px_world_set(world, "materials.water", &value, 1), PX_ERR_ARGUMENT, "wanted");
    CHECK_FAILS(px_world_set(world, "bodies.drip.friction", &value, 1), PX_ERR_ARGUMENT, "drip");
    CHECK_FAILS(px_world_set(world, "nothing", &value, 1), PX_ERR_ARGUMENT, "no 'nothing'");
    CHECK_FAILS(px_world_set(world, "", &value, 1), PX_ERR_ARGUMENT, "it is empty");
    value = -1;
    CHECK_FAILS(px_world_set(world, "materials.water.viscosity", &value, 1), PX_ERR_ARGUMENT,
                "is -1");
    value = 2.5;
    CHECK_FAILS(px_world_set(world, "materials.water.pressure.max_iterations", &value, 1),
                PX_ERR_ARGUMENT, "whole number");
    px_world_free(world);
}

TEST(set_values_reach_the_particles)
{
    /* 8 particles, their centres a spacing of 0.02 m apart */
    PxWorld *world = make_world();
    PxStats stats;
    double density = 500, up[3] = {0, 1, 0}, spin = 2, support = 2.5;
    CHECK_OK(px_world_set(world, "materials.water.density", &density, 1));
    px_world_stats(world, &stats);
    CHECK_NEAR(stats.mass, 8 * 500 * 0.02 * 0.02 * 0.02, 1e-8);
    CHECK_OK(px_world_set(world, "bodies.drop.velocity", up, 3));
    px_world_stats(world, &stats);
    CHECK_NEAR(stats.momentum.y / stats.mass, 1, 1e-6);
    CHECK_OK(px_world_set(world, "bodies.drop.velocity.y", &(double){0}, 1));
    CHECK_OK(px_world_set(world, "bodies.drop.spin.y", &spin, 1));
    px_world_stats(world, &stats);
    CHECK_NEAR(stats.momentum.y, 0, 1e-9);
    /* speed of every corner: spin times its distance from the axis */
    CHECK_NEAR(stats.speed_max, 2 * 0.01 * sqrt(2), 1e-6);
    CHECK_OK(px_world_set(world, "support", &support, 1));
    CHECK_OK(px_world_advance(world, 0.001));
    px_world_stats(world, &stats);
    CHECK(stats.neighbours > 7.9); /* all 8 see each other */
    px_world_free(world);
}

TEST(an_event_happens_at_its_time_and_not_before)
{
    /* gravity off at 0.1 s exactly: the speed stays g * 0.1 */
    PxWorld *world = make_world();
    PxEventDef off = {.head = px_event_def_default().head,
                      .time = 0.1,
                      .path = "gravity",
                      .value = {0, 0, 0},
                      .values = 3};
    CHECK_OK(px_world_add_event(world, &off));
    CHECK_OK(px_world_advance(world, 0.3));
    PxStats stats;
    px_world_stats(world, &stats);
    CHECK_NEAR(stats.momentum.y / stats.mass, -0.981, 1e-5);
    CHECK(stats.time == 0.3);
    CHECK_FAILS(px_world_add_event(world, &off), PX_ERR_ARGUMENT, "has passed");
    PxEventDef wrong = {.head = px_event_def_default().head,
                        .time = 0.4,
                        .path = "gravity",
                        .value = {0},
                        .values = 2};
    CHECK_FAILS(px_world_add_event(world, &wrong), PX_ERR_ARGUMENT, "1 or 3");
    PxEventDef unknown = {.head = px_event_def_default().head,
                          .time = 0.4,
                          .path = "levity",
                          .value = {0},
                          .values = 1};
    CHECK_OK(px_world_add_event(world, &unknown));
    CHECK_FAILS(px_world_advance(world, 0.5), PX_ERR_ARGUMENT,
                "event at 0.4 s: cannot set 'levity'");
    px_world_free(world);
}

TEST(events_come_in_the_order_of_their_times)
{
    PxWorld *world = make_world();
    const double times[] = {0.02, 0.01, 0.02};
    for (int k = 0; k < 3; ++k) {
        PxEventDef event = {.head = px_event_def_default().head,
                            .time = times[k],
                            .path = "gravity.y",
                            .value = {k},
                            .values = 1};
        CHECK_OK(px_world_add_event(world, &event));
    }
    /* 1 at 0.01; 0 and then 2 at 0.02 */
    CHECK_OK(px_world_advance(world, 0.03));
    PxStats stats;
    px_world_stats(world, &stats);
    CHECK_NEAR(stats.momentum.y / stats.mass, -9.81 * 0.01 + 1 * 0.01 + 2 * 0.01, 1e-5);
    px_world_free(world);
}

TEST(a_step_does_not_go_beyond_its_end_and_not_back)
{
    PxWorld *world = make_world();
    CHECK_OK(px_world_step(world, 1e-5));
    CHECK(px_world_time(world) == 1e-5);
    CHECK_FAILS(px_world_step(world, 1e-5), PX_ERR_ARGUMENT, "already");
    CHECK_FAILS(px_world_step(world, 0), PX_ERR_ARGUMENT, "already");
    CHECK_FAILS(px_world_step(world, (double)NAN), PX_ERR_ARGUMENT, "already");
    px_world_free(world);
}

TEST(an_empty_world_passes_its_time)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    CHECK_OK(px_world_create(&def, &world));
    CHECK_OK(px_world_advance(world, 0.1));
    CHECK(px_world_time(world) == 0.1);
    PxStats stats;
    px_world_stats(world, &stats);
    CHECK_EQUAL(stats.particles, 0);
    px_world_free(world);
}

TEST(a_step_that_would_be_too_short_says_why)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef tar = px_material_def_default();
    PxBodyDef body = px_body_def_default();
    tar.viscosity = 1e6;
    tar.viscosity_model = px_viscosity_choice("morris");
    body.name = "lump";
    body.shape.size = (PxVec3){0.1, 0.1, 0.1};
    CHECK_OK(px_world_add_material(world, &tar, &body.material));
    CHECK_OK(px_world_add_body(world, &body, NULL));
    /* 0.125 h^2 rho / mu = 0.125 * 4e-4 * 1000 / 1e6 = 5e-8 s */
    double least = 1e-6;
    CHECK_OK(px_world_set(world, "min_step", &least, 1));
    CHECK_FAILS(px_world_advance(world, 0.01), PX_ERR_NUMERIC, "because of its viscosity");
    px_world_free(world);
}

TEST(a_wall_moves_by_its_keyframes_and_takes_the_fluid_along)
{
    /* A closed box, full, moved by 0.1 m in 0.2 s: the water goes with it. */
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.threads = 1;
    def.gravity = (PxVec3){0, 0, 0};
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef water = px_material_def_default();
    PxMaterialId id;
    CHECK_OK(px_world_add_material(world, &water, &id));
    PxBodyDef body = px_body_def_default();
    body.name = "water";
    body.shape.size = (PxVec3){0.12, 0.12, 0.12};
    body.material = id;
    CHECK_OK(px_world_add_body(world, &body, NULL));
    PxKeyframe keys[] = {{0, {0, 0, 0}, {0, 0, 0, 1}}, {0.2, {0.1, 0, 0}, {0, 0, 0, 1}}};
    body.name = "box";
    body.material = (PxMaterialId){0, 0};
    body.wall = body.inside = true;
    body.keyframe = keys;
    body.keyframes = 2;
    CHECK_OK(px_world_add_body(world, &body, NULL));
    CHECK_OK(px_world_advance(world, 0.2));
    const float *x = px_world_floats(world, "position", 0);
    double middle = 0;
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        CHECK(x[i] > 0.04f - 0.001f && x[i] < 0.16f + 0.001f);
        middle += (double)x[i] / px_world_count(world);
    }
    CHECK_NEAR(middle, 0.1, 0.005);
    PxStats stats;
    px_world_stats(world, &stats);
    CHECK_EQUAL(stats.leaked, 0);
    px_world_free(world);
}

TEST(a_wall_that_sets_off_does_not_jump_into_still_water)
{
    /* Water at rest without gravity allows long steps. In the middle of a step a sheet starts to
     * move towards it at 20 m/s; another rotates with the same speed at its rim. */
    for (int turns = 0; turns < 2; ++turns) {
        PxWorld *world = make_world();
        const double zero[3] = {0, 0, 0};
        CHECK_OK(px_world_set(world, "gravity", zero, 3));
        double spacing = px_world_def_default().spacing, speed = 20, arm = 0.2;
        PxKeyframe keys[] = {{0.015, {0, 0, 0}, {0, 0, 0, 1}}, {0.025, {0.2, 0, 0}, {0, 0, 0, 1}}};
        if (turns) { /* 1 rad about z in 10 ms */
            keys[1].at.x = 0;
            keys[1].rotation = (PxQuat){0, 0, sin(0.5), cos(0.5)};
        }
        PxBodyDef body = px_body_def_default();
        body.name = "sheet";
        body.wall = true;
        body.shape.size = turns ? (PxVec3){2 * arm, 0.001, 0.001} : (PxVec3){0.001, 0.1, 0.1};
        body.shape.at.x = turns ? 0 : -0.03;
        body.shape.at.y = turns ? -0.03 : 0;
        body.keyframe = keys;
        body.keyframes = 2;
        CHECK_OK(px_world_add_body(world, &body, NULL));
        PxStats stats = {0};
        double fastest = 0, before = 0;
        while (stats.time < 0.025) {
            CHECK_OK(px_world_step(world, 0.025));
            px_world_stats(world, &stats);
            double moved = fmax(stats.time, 0.015) - fmax(before, 0.015);
            CHECK(speed * moved < 1.001 * px_world_def_default().courant * spacing);
            fastest = fmax(fastest, stats.speed_max);
            before = stats.time;
        }
        CHECK(fastest < 2 * speed); /* more than that no wall gives, springy as it may be */
        CHECK_EQUAL(stats.leaked, 0);
        px_world_free(world);
    }
}

TEST(a_restored_world_continues_with_the_same_bits)
{
    PxWorld *straight = make_world(), *first = make_world(), *second = make_world();
    PxWorld *all[] = {straight, first, second};
    for (int k = 0; k < 3; ++k) {
        PxEventDef push = {.head = px_event_def_default().head,
                           .time = 0.01,
                           .path = "bodies.drop.velocity",
                           .value = {1, 2, 3},
                           .values = 3};
        PxEventDef light = {.head = px_event_def_default().head,
                            .time = 0.01,
                            .path = "materials.water.density",
                            .value = {700},
                            .values = 1};
        CHECK_OK(px_world_add_event(all[k], &push));
        CHECK_OK(px_world_add_event(all[k], &light));
        PxEventDef event = {.head = px_event_def_default().head,
                            .time = 0.02,
                            .path = "gravity.x",
                            .value = {3},
                            .values = 1};
        CHECK_OK(px_world_add_event(all[k], &event));
    }
    CHECK_OK(px_world_advance(straight, 0.03));
    CHECK_OK(px_world_advance(straight, 0.05));
    CHECK_OK(px_world_advance(first, 0.03));
    CHECK_EQUAL(px_world_state(first).events, 3);
    CHECK_OK(px_world_continue(second, first));
    CHECK_OK(px_world_advance(second, 0.05));
    uint64_t a[2], b[2];
    px_table_hash(px_world_particles(straight), PX_COLUMN_STATE | PX_COLUMN_FRAME, a);
    px_table_hash(px_world_particles(second), PX_COLUMN_STATE | PX_COLUMN_FRAME, b);
    CHECK(a[0] == b[0] && a[1] == b[1]);
    CHECK_EQUAL(px_world_state(second).step, px_world_state(straight).step);

    /* what does not fit is refused */
    PxSavedWorld *wrong;
    CHECK_OK(px_saved_view(first, &wrong));
    px_saved_number(wrong, "events")->whole = 5;
    CHECK_FAILS(px_world_resume(second, wrong), PX_ERR_FORMAT, "does not belong");
    px_saved_number(wrong, "events")->whole = 3;
    px_table_init(px_saved_find(wrong, "particles"), NULL);
    CHECK_FAILS(px_world_resume(second, wrong), PX_ERR_FORMAT, "no usable column");
    px_saved_free(wrong);
    for (int k = 0; k < 3; ++k)
        px_world_free(all[k]);
}

TEST_MAIN()
