/// What must not end in an explosion: any stretch of a solid, walls without room, viscosity of any
/// size. What can be foreseen is said by the check of the scene.
#include "scenes.h"

#include "phyxel/world.h"

/* ---- stretched solids ------------------------------------------------------------- */

typedef struct Hanging {
    const char *integration;
    double young, poisson, viscosity, gravity;
} Hanging;

/* A bar of 6 x 2 x 2 particles that is held at both ends, as in scenes/twist.json. */
static PxWorld *hang(const Hanging *h)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "{\"phyxel\": 1, \"spacing\": 0.05, \"gravity\": [0, %g, 0], \"materials\": {\"gum\": "
        "{\"density\": 1000, \"young\": %g, \"poisson\": %g, \"viscosity\": %g, \"damping\": 2, "
        "\"integration\": \"%s\"}}, \"bodies\": [{\"name\": \"bar\", \"shape\": {\"box\": [0.6, "
        "0.1, 0.1]}, \"material\": \"gum\"}], \"handles\": [{\"name\": \"left\", \"shape\": "
        "{\"box\": [0.1, 1, 1], \"at\": [-0.3, 0, 0]}}, {\"name\": \"right\", \"shape\": "
        "{\"box\": [0.1, 1, 1], \"at\": [0.3, 0, 0]}}]}",
        -h->gravity, h->young, h->poisson, h->viscosity, h->integration);
    PxWorld *world;
    PxScene *scene = scene_of(text);
    CHECK_COUNT(scene, 0);
    CHECK_OK(px_scene_world(scene, 1, &world));
    px_scene_free(scene);
    return world;
}

/* No bar gets faster than a fall over its stretched length, and none gains energy. */
TEST(a_solid_survives_any_stretch)
{
    static const Hanging cases[] = {
        {"implicit", 19, 0.4, 3, 9.81},   {"leapfrog", 19, 0.4, 3, 9.81},
        {"implicit", 1, 0, 3, 981},       {"leapfrog", 1, 0, 3, 981},
        {"implicit", 1, 0, 0, 981},       {"leapfrog", 1, 0, 0, 981},
        {"implicit", 300, 0.49, 30, 981}, {"leapfrog", 300, 0.49, 30, 981},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const Hanging *h = &cases[k];
        PxWorld *world = hang(h);
        PxStats stats;
        px_world_stats(world, &stats);
        double start = stats.potential;
        while (px_world_time(world) < 1) {
            CHECK_OK(px_world_step(world, 1));
            px_world_stats(world, &stats);
            CHECK(isfinite(stats.elastic) && isfinite(stats.kinetic));
            double energy = stats.kinetic + stats.potential + stats.elastic - start;
            /* 0 at the start; leapfrog's oscillates with the stiffness at large stretches */
            if (energy > 0.1 * fabs(stats.potential - start))
                fail_msg("%s at %g Pa: %g J of %g J were made at %g s", h->integration, h->young,
                         energy, stats.potential - start, stats.time);
        }
        px_world_free(world);
    }
}

TEST(a_sub_step_that_is_too_short_names_its_cause)
{
    PxWorld *world = hang(&(Hanging){"leapfrog", 19, 0.3, 0, 981});
    CHECK_OK(px_world_set(world, "min_step", (double[]){8e-3}, 1));
    CHECK_FAILS(px_world_advance(world, 1), PX_ERR_NUMERIC,
                "because of strain: a solid is stretched");
    px_world_free(world);
    world = hang(&(Hanging){"leapfrog", 1e9, 0.3, 0, 9.81});
    CHECK_OK(px_world_set(world, "min_step", (double[]){1e-3}, 1));
    CHECK_FAILS(px_world_advance(world, 1), PX_ERR_NUMERIC, "because of stiffness");
    px_world_free(world);
}

/* ---- no room ----------------------------------------------------------------------- */

#define PRESS(material, tank, lid)                                                                 \
    "{\"phyxel\": 1, \"time\": {\"frames\": 30, \"fps\": 30}, \"spacing\": 0.05,"                  \
    " \"materials\": {\"m\": {\"density\": 1000" material "}}, \"bodies\": ["                      \
    "{\"name\": \"block\", \"shape\": {\"box\": [0.3, 0.3, 0.3], \"at\": [0, 0.15, 0]},"           \
    " \"material\": \"m\"}, {\"name\": \"tank\", \"shape\": " tank ", \"wall\": true},"            \
    " {\"name\": \"lid\", \"shape\": {\"box\": [1, 0.2, 1], \"at\": [0, 0.45, 0]}, \"wall\": "     \
    "true,"                                                                                        \
    " \"keyframes\": [{\"at\": 0}, {\"at\": 0.5, \"move\": [0, " lid ", 0]}]}]}"
#define VESSEL "{\"box\": [0.3, 1, 0.3], \"at\": [0, 0.5, 0]}, \"inside\": true"
#define GROUND "{\"plane\": {}}"

static void check_press(const char *text, bool foreseen)
{
    PxScene *scene = scene_of(text);
    PxWorld *world;
    CHECK_COUNT(scene, 0);
    CHECK_OK(px_scene_world(scene, 1, &world));
    PxStatus status = PX_OK;
    PxStats stats;
    while (status == PX_OK && px_world_time(world) < 1) {
        status = px_world_step(world, 1);
        px_world_stats(world, &stats);
        CHECK(stats.leaked == 0);
        CHECK(stats.speed_max < 100); /* measured: 19 m/s */
    }
    CHECK(status == PX_ERR_NUMERIC);
    if (strstr(px_error_message(), "leave no room for") == NULL ||
        strstr(px_error_message(), "'tank'") == NULL || strstr(px_error_message(), "'lid'") == NULL)
        fail_msg("not the walls: %s", px_error_message());
    px_world_free(world);
    if (px_scene_check(scene) != (foreseen ? PX_ERR_FORMAT : PX_OK)) {
        print_complaints(scene);
        fail_msg("%s: %s", foreseen ? "not foreseen" : "refused", text);
    }
    if (foreseen)
        CHECK(strstr(complaint_at(scene, 0)->text, "'lid' and 'tank'") != NULL);
    px_scene_free(scene);
}

TEST(walls_that_close_on_matter_stop_the_step_and_are_named)
{
    check_press(PRESS("", VESSEL, "-0.3"), true);
    check_press(PRESS(", \"pressure\": \"sesph\"", VESSEL, "-0.3"), true);
    check_press(PRESS("", GROUND, "-0.6"), false); /* fluid may flow away in time */
    check_press(PRESS(", \"young\": 1e4", GROUND, "-0.6"), true);
    check_press(PRESS(", \"young\": 1e4, \"integration\": \"implicit\"", GROUND, "-0.6"), true);
}

TEST(walls_that_leave_room_are_good)
{
    static const char *const good[] = {PRESS("", VESSEL, "-0.02"), PRESS("", GROUND, "-0.2"),
                                       PRESS(", \"young\": 1e4", GROUND, "-0.2")};
    for (size_t k = 0; k < 3; ++k) {
        PxScene *scene = scene_of(good[k]);
        CHECK_OK(px_scene_check(scene));
        CHECK_COUNT(scene, 0);
        px_scene_free(scene);
    }
}

/* ---- foreseen by the check --------------------------------------------------------- */

TEST(a_check_foresees_sub_steps_below_min_step)
{
    static const char stiff[] =
        HEAD " \"materials\": {\"steel\": {\"density\": 1, \"young\": 1e12}},\n"
             " \"bodies\": [{\"name\": \"b\", \"shape\": {\"box\": [1, 1, 1]}, \"material\": "
             "\"steel\"}]}";
    PxScene *scene = scene_of(stiff);
    /* c = 1.16e6 m/s: 2 * 0.6 * 0.55 * 0.05 m / c = 2.8e-8 s */
    CHECK_OK(px_scene_set(scene, "min_step", "2e-8"));
    CHECK_OK(px_scene_check(scene));
    CHECK_OK(px_scene_set(scene, "min_step", "1e-7"));
    CHECK(px_scene_check(scene) == PX_ERR_FORMAT);
    CHECK(strstr(complaint_at(scene, 0)->text, "asks for sub-steps of 2.8e-08 s") != NULL);
    CHECK_OK(px_scene_set(scene, "materials.steel.integration", "implicit"));
    CHECK_OK(px_scene_check(scene));
    px_scene_free(scene);
}

TEST(a_check_foresees_rigid_bodies_that_cannot_move)
{
    PxScene *scene =
        scene_of(HEAD " \"materials\": {\"wood\": {\"density\": 500}},\n"
                      " \"bodies\": [{\"name\": \"plate\", \"shape\": {\"box\": [0.1, 1e-8, 0.1]}, "
                      "\"material\": \"wood\", \"rigid\": true, \"ballast\": 0}]}");
    CHECK(px_scene_check(scene) == PX_ERR_FORMAT);
    CHECK(strstr(complaint_at(scene, 0)->text, "it is rigid and 1e-08 m thick") != NULL);
    CHECK_OK(px_scene_set(scene, "bodies.plate.shape.box", "[0.1, 1e-6, 0.1]"));
    CHECK_OK(px_scene_check(scene));
    CHECK_COUNT(scene, 1);
    CHECK(strstr(complaint_at(scene, 0)->text, "is 1e-06 m thick") != NULL);
    CHECK_OK(px_scene_set(scene, "bodies.plate.shape.box", "[0.1, 0.1, 0.1]"));
    CHECK_OK(px_scene_set(scene, "bodies.plate.ballast", "1"));
    CHECK_OK(px_scene_set(scene, "bodies.plate.ballast_at", "[0, -1, 0]"));
    CHECK_OK(px_scene_check(scene));
    CHECK_OK(px_scene_set(scene, "bodies.plate.ballast_at", "[0, -50000, 0]"));
    CHECK(px_scene_check(scene) == PX_ERR_FORMAT);
    CHECK(strstr(complaint_at(scene, 0)->text, "its ballast is 50000 m from") != NULL);
    px_scene_free(scene);
}

TEST(a_check_foresees_a_texture_that_no_surfel_shows)
{
    PxScene *scene = NULL;
    CHECK_OK(px_scene_read(PX_SOURCE_DIR "/scenes/bust.json", &scene));
    CHECK(px_scene_set(scene, "bodies[2].surfels", "0") == PX_ERR_FORMAT);
    CHECK(strstr(complaint_at(scene, 0)->text, "colours a coat by surfels") != NULL);
    px_scene_free(scene);
}

TEST(a_density_below_that_of_any_matter_is_refused)
{
    CHECK_ONE(HEAD " \"materials\": {\"void\": {\"density\": 1e-300}},\n \"bodies\": []}",
              "materials.void.density", 3, 36, "0.001");
}

TEST(a_check_says_that_explicit_viscosity_stops_rotation)
{
    PxScene *scene =
        scene_of(HEAD " \"materials\": {\"oil\": {\"density\": 1000, \"viscosity\": 1, "
                      "\"viscosity_model\": \"morris\"}},\n \"bodies\": [{\"name\": \"b\", "
                      "\"shape\": {\"sphere\": 0.3}, \"material\": \"oil\"}]}");
    CHECK_OK(px_scene_check(scene));
    CHECK_COUNT(scene, 1);
    CHECK(strstr(complaint_at(scene, 0)->text, "angular momentum") != NULL);
    px_scene_free(scene);
}

TEST(a_world_of_a_scene_that_was_not_checked_refuses_overlaps)
{
    PxScene *scene = scene_of(HEAD WATER " \"bodies\": [" BOX ", {\"name\": \"twin\", \"shape\": "
                                         "{\"box\": [1, 1, 1]}, \"material\": \"water\"}]}");
    PxWorld *world;
    CHECK_FAILS(px_scene_world(scene, 1, &world), PX_ERR_ARGUMENT, "overlaps");
    CHECK(world == NULL);
    px_scene_free(scene);
}

/* ---- explicit viscosity ------------------------------------------------------------ */

/* A light fluid beside a thick one: the rate between them is 10 times that of each. */
TEST(explicit_viscosity_creates_no_energy)
{
    static const char *const models[] = {"morris", "laplacian"};
    for (int k = 0; k < 2; ++k) {
        char text[2000];
        snprintf(text, sizeof text,
                 HEAD
                 " \"gravity\": [0, 0, 0], \"materials\": {\"thick\": {\"density\": 1000, "
                 "\"viscosity\": 1e6, \"viscosity_model\": \"%s\"}, \"thin\": {\"density\": 1, "
                 "\"viscosity\": 100, \"viscosity_model\": \"%s\"}}, \"bodies\": [{\"name\": "
                 "\"a\", \"shape\": {\"box\": [0.3, 0.2, 0.3]}, \"material\": \"thick\", "
                 "\"velocity\": [1, 0, 0]}, {\"name\": \"b\", \"shape\": {\"box\": [0.3, 0.2, "
                 "0.3], \"at\": [0, 0.2, 0]}, \"material\": \"thin\", \"velocity\": [-1, 0, 0]}]}",
                 models[k], models[k]);
        PxScene *scene = scene_of(text);
        PxWorld *world;
        PxStats stats;
        CHECK_OK(px_scene_world(scene, 1, &world));
        px_world_stats(world, &stats);
        double energy = stats.kinetic;
        for (int step = 0; step < 20; ++step) {
            CHECK_OK(px_world_step(world, 1));
            px_world_stats(world, &stats);
            /* the floats of velocities round to 1e-7 */
            if (!(stats.kinetic <= energy * (1 + 1e-6)))
                fail_msg("%s: %.9g J after step %d, %.9g J before", models[k], stats.kinetic,
                         step + 1, energy);
            energy = stats.kinetic;
            CHECK(stats.speed_max < 1.1);
        }
        px_world_free(world);
        px_scene_free(scene);
    }
}

TEST_MAIN()
