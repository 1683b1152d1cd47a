/// Checks that need the shapes of a scene, and estimates of its run.
#include "scenes.h"

#include "scene/content.h"
#include "scene/check/survey.h"

#include <unistd.h>

#define TANK                                                                                       \
    "{\"name\": \"tank\", \"shape\": {\"box\": [2, 2, 2]}, \"wall\": true, \"inside\": true}"

/* A scene with bodies of water, which must be read without complaints. */
static PxScene *checked(const char *text, size_t complaints)
{
    PxScene *scene = scene_of(text);
    CHECK_COUNT(scene, 0);
    px_scene_check(scene);
    check_complaints(scene, complaints, __FILE__, __LINE__);
    return scene;
}

static PxScene *checked_bodies(const char *bodies, size_t complaints)
{
    char text[4096];
    snprintf(text, sizeof text, HEAD WATER " \"bodies\": [\n%s\n]}", bodies);
    return checked(text, complaints);
}

#define CHECK_DEEP(bodies, place, line, column, words)                                             \
    do {                                                                                           \
        PxScene *deep_scene = checked_bodies(bodies, 1);                                           \
        CHECK_SAYS(deep_scene, 0, place, line, column, words);                                     \
        px_scene_free(deep_scene);                                                                 \
    } while (0)

#define BALL(name, radius, x)                                                                      \
    "{\"name\": \"" name "\", \"shape\": {\"sphere\": " radius ", \"at\": [" x                     \
    ", 0, 0]}, \"material\": \"water\"}"

/* ---- bodies inside each other ----------------------------------------------------- */

TEST(bodies_that_only_touch_are_fine)
{
    px_scene_free(checked_bodies(
        TANK
        ",\n"
        "{\"shape\": {\"box\": [1, 1, 2], \"at\": [-0.5, -0.5, 0]}, \"material\": \"water\"},\n"
        "{\"shape\": {\"box\": [1, 1, 2], \"at\": [0.5, -0.5, 0]}, \"material\": \"water\"}",
        0));
}

TEST(bodies_inside_each_other_are_an_error)
{
    /* the smaller one is half inside the larger one */
    PxScene *scene = checked_bodies(
        "{\"name\": \"big\", \"shape\": {\"box\": [2, 2, 2]}, \"material\": \"water\"},\n"
        "{\"name\": \"small\", \"shape\": {\"box\": [1, 1, 1], \"at\": [1, 0, 0]},"
        " \"material\": \"water\"}",
        1);
    CHECK_SAYS(scene, 0, "bodies[1].shape", 6, 28, "50 % of 'small' lies inside 'big', up to ");
    CHECK(complaint_at(scene, 0)->severity == PX_ERROR);
    CHECK_FAILS(px_scene_check(scene), PX_ERR_FORMAT, "1 error");
    CHECK_COUNT(scene, 1); /* said once, however often it is looked for */
    px_scene_free(scene);
    CHECK_DEEP(BALL("a", "0.3", "0") ",\n" BALL("b", "0.3", "0"), "bodies[1].shape", 6, 24,
               "100 % of 'a' lies inside 'b'");
}

TEST(the_overlap_of_spheres_agrees_with_geometry)
{
    /* A lens of two balls of radius r at distance r has 5/16 of a ball's volume; a
     * lattice of 20 000 points finds it to a few per mille. */
    CHECK_DEEP(BALL("a", "1", "0") ",\n" BALL("b", "1", "1"), "bodies[1].shape", 6, 24,
               "31 % of 'a'");
}

TEST(a_body_on_the_wrong_side_of_a_wall_is_an_error)
{
    CHECK_DEEP(BOX ",\n{\"name\": \"floor\", \"shape\": {\"plane\": {}}, \"wall\": true}",
               "bodies[0].shape", 5, 28, "50 % of 'block' lies inside the wall 'floor'");
    CHECK_DEEP("{\"name\": \"jet\", \"shape\": {\"box\": [1, 1, 1], \"at\": [1.25, 0, 0]},"
               " \"material\": \"water\"},\n" TANK,
               "bodies[0].shape", 5, 26, "75 % of 'jet' lies outside the wall 'tank'");
    CHECK_DEEP("{\"name\": \"rain\", \"shape\": {\"box\": [1, 1, 1], \"at\": [50, 0, 0]},"
               " \"material\": \"water\"},\n" TANK,
               "bodies[0].shape", 5, 27, "100 % of 'rain' lies outside the wall 'tank'");
}

TEST(particles_that_nearly_touch_a_round_wall_are_a_warning)
{
    /* sqrt(5.5^2 + 2.5^2) spacings from the axis are 0.16 spacings from the wall */
    PxScene *scene = checked_bodies(
        "{\"name\": \"pot\", \"shape\": {\"cylinder\": {\"radius\": 0.31, \"height\": 1}},\n"
        "\"wall\": true, \"inside\": true},\n"
        "{\"shape\": {\"cylinder\": {\"radius\": 0.31, \"height\": 1}}, \"material\": \"water\"}",
        1);
    CHECK_SAYS(scene, 0, "bodies[1].shape", 7, 11, "nearly touching the wall 'pot'");
    CHECK(complaint_at(scene, 0)->severity == PX_WARNING);
    CHECK_OK(px_scene_set(scene, "bodies[1].shape.cylinder.radius", "0.285"));
    CHECK_OK(px_scene_check(scene));
    CHECK_COUNT(scene, 0);
    px_scene_free(scene);
}

TEST(a_wall_counts_where_its_keyframes_start)
{
    CHECK_DEEP(BOX ",\n{\"name\": \"ram\", \"wall\": true, \"shape\": {\"box\": [1, 1, 1],\n"
                   " \"at\": [5, 0, 0]}, \"keyframes\": [{\"at\": 0, \"move\": [-4.5, 0, 0]}]}",
               "bodies[0].shape", 5, 28, "50 % of 'block' lies inside the wall 'ram'");
}

TEST(a_thin_sheet_is_compared_too)
{
    /* 20 m square, one particle thick: a lattice of 20 000 points would miss it */
    CHECK_DEEP(
        "{\"name\": \"film\", \"shape\": {\"box\": [20, 0.05, 20]}, \"material\": \"water\"},\n"
        "{\"name\": \"post\", \"shape\": {\"box\": [10, 5, 20], \"at\": [-5, 0, 0]},"
        " \"wall\": true}",
        "bodies[0].shape", 5, 27, "50 % of 'film' lies inside the wall 'post'");
}

TEST(many_bodies_are_compared_in_good_time)
{
    /* 5000 drops in a row, of which two neighbours overlap */
    enum { DROPS = 5000 };
    char *text = malloc(DROPS * 120);
    int used = sprintf(text, HEAD WATER "\"bodies\": [\n");
    for (int k = 0; k < DROPS; ++k)
        used += sprintf(text + used,
                        "%s{\"shape\": {\"sphere\": 0.1, \"at\": [%d, %g, 0]}, \"material\": "
                        "\"water\"}",
                        k > 0 ? ",\n" : "", k / 2, k % 2 ? (k == 4001 ? 0.1 : 0.4) : 0.0);
    strcpy(text + used, "]}");
    PxScene *scene = checked(text, 1);
    CHECK_SAYS(scene, 0, "bodies[4001].shape", 4006, 11, "'body 4001'");
    px_scene_free(scene);
    free(text);
}

TEST(the_overlap_check_has_a_time_limit)
{
    /* 1000 bodies of 20 000 points at one place: ten billion tests */
    enum { BODIES = 1000 };
    char *text = malloc(BODIES * 80);
    int used = sprintf(text, HEAD WATER "\"bodies\": [\n");
    for (int k = 0; k < BODIES; ++k)
        used += sprintf(text + used, "%s{\"shape\": {\"box\": [2, 2, 2]}, \"material\": \"water\"}",
                        k > 0 ? ",\n" : "");
    strcpy(text + used, "]}");
    PxScene *scene = scene_of(text);
    CHECK_FAILS(px_scene_check(scene), PX_ERR_FORMAT, "errors");
    bool said = false;
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k)
        said = said || strstr(px_scene_complaint(scene, k)->text, "and ") != NULL;
    CHECK(said);
    px_scene_free(scene);
    free(text);
}

/* ---- bodies on their own ------------------------------------------------------------ */

TEST(a_wall_may_be_thin)
{
    px_scene_free(checked_bodies(
        BOX ",\n{\"shape\": {\"box\": [3, 0.001, 3], \"at\": [0, -1, 0]}, \"wall\": true}", 0));
    /* outside a wall that keeps matter inside there is no end of wall */
    px_scene_free(
        checked_bodies("{\"shape\": {\"box\": [3, 0.04, 3]}, \"wall\": true, \"inside\": "
                       "true}, {\"shape\": {\"box\": [1, 0.04, 1]}, \"material\": \"water\"}",
                       1));
}

TEST(a_thin_body_is_a_warning)
{
    CHECK_DEEP("{\"shape\": {\"box\": [1, 0.01, 1]}, \"material\": \"water\"}",
               "bodies[0].shape.box", 5, 19, "hardly any particle fits in");
}

TEST(a_scene_without_particles_is_a_warning)
{
    CHECK_DEEP(FLOOR, "bodies", 4, 12, "give no particles");
    PxScene *scene = checked("{\"phyxel\": 1, \"spacing\": 1}", 1);
    CHECK_SAYS(scene, 0, "bodies", 1, 1, "give no particles");
    CHECK_OK(px_scene_check(scene));
    px_scene_free(scene);
}

TEST(too_many_particles_are_an_error_that_suggests_a_spacing)
{
    /* 1 m^3 / (1 mm)^3 = 1e9; 50e6 particles have a spacing of 2.71 mm */
    PxScene *scene =
        checked("{\"phyxel\": 1,\n \"spacing\": 0.001,\n" WATER "\"bodies\": [" BOX "]}", 1);
    CHECK_SAYS(
        scene, 0, "spacing", 2, 13,
        "makes about 1e+09 particles, at most 5e+07 are allowed; a spacing of 0.0028 m would "
        "do");
    px_scene_free(scene);
}

TEST(more_memory_than_the_machine_has_is_an_error)
{
    /* 45e6 particles take 18 GB: an error here and there, depending on the machine */
    PxScene *scene =
        scene_of("{\"phyxel\": 1,\n \"spacing\": 0.002811,\n" WATER "\"bodies\": [" BOX "]}");
    px_scene_check(scene);
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    if (px_memory_estimate(1 / pow(0.002811, 3)) > there)
        CHECK_SAYS(scene, 0, "spacing", 2, 13, "this machine has");
    else
        CHECK_COUNT(scene, 0);
    px_scene_free(scene);
}

TEST(places_that_single_precision_cannot_hold_are_an_error)
{
    /* at 10 km single precision has steps of about 1 mm, a 50th of the spacing */
    CHECK_DEEP("{\"shape\": {\"box\": [1, 1, 1], \"at\": [0, 10000, 0]}, \"material\": \"water\"}",
               "bodies[0].shape.at", 5, 36, "reaches 1e+04 m from the origin");
    px_scene_free(checked_bodies(
        "{\"shape\": {\"box\": [1, 1, 1], \"at\": [0, 1000, 0]}, \"material\": \"water\"}", 0));
    CHECK_DEEP(BOX ",\n{\"shape\": {\"box\": [1, 1, 1], \"at\": [5, 0, 0]}, \"wall\": true,\n"
                   "\"keyframes\": [{\"at\": 1, \"move\": [0, 0, 1e5]}]}",
               "bodies[1].shape.at", 6, 36, "reaches 1e+05 m");
}

/* ---- meshes ---------------------------------------------------------------------------- */

static const char *const cube_points = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                                       "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";
static const char *const cube_faces = "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n";
static const char *const cube_last_face = "f 4 1 5 8\n";

typedef struct Folder {
    char path[64], mesh[96], scene[96];
} Folder;

static void write_file(const char *path, const char *a, const char *b, const char *c)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fprintf(file, "%s%s%s", a, b, c);
    CHECK(fclose(file) == 0);
}

static Folder folder_make(void)
{
    Folder folder;
    strcpy(folder.path, "/tmp/phyxel-test-XXXXXX");
    CHECK(mkdtemp(folder.path) != NULL);
    snprintf(folder.mesh, sizeof folder.mesh, "%s/cube.obj", folder.path);
    snprintf(folder.scene, sizeof folder.scene, "%s/scene.json", folder.path);
    write_file(folder.scene,
               HEAD WATER "\"bodies\": [\n"
                          "{\"shape\": {\"mesh\": \"cube.obj\"}, \"material\": \"water\"}]}",
               "", "");
    return folder;
}

static void folder_remove(const Folder *folder)
{
    unlink(folder->mesh);
    unlink(folder->scene);
    rmdir(folder->path);
}

TEST(mesh_paths_are_relative_to_the_scene_and_meshes_must_be_closed)
{
    Folder folder = folder_make();
    PxScene *scene = NULL;
    CHECK_OK(px_scene_read(folder.scene, &scene));
    CHECK_FAILS(px_scene_check(scene), PX_ERR_FORMAT, "1 error");
    CHECK_COUNT(scene, 1);
    CHECK_SAYS(scene, 0, "bodies[0].shape.mesh", 5, 20, folder.mesh);
    write_file(folder.mesh, cube_points, cube_faces, "");
    px_scene_check(scene);
    CHECK_COUNT(scene, 1);
    CHECK_SAYS(scene, 0, "bodies[0].shape.mesh", 5, 20, folder.mesh);
    write_file(folder.mesh, cube_points, cube_faces, cube_last_face);
    px_scene_check(scene);
    CHECK_COUNT(scene, 0);
    PxSceneEstimate estimate;
    CHECK_OK(px_scene_estimate(scene, 1, &estimate));
    CHECK_NEAR(estimate.particles, 8000, 1);
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST(the_hash_covers_the_contents_of_a_mesh_and_not_its_path)
{
    Folder folder = folder_make(), other = folder_make();
    PxScene *scene = NULL;
    char before[PX_DIGEST_TEXT], changed[PX_DIGEST_TEXT];
    write_file(folder.mesh, cube_points, cube_faces, cube_last_face);
    write_file(other.mesh, cube_points, cube_faces, cube_last_face);
    CHECK_OK(px_scene_read(folder.scene, &scene));
    strcpy(before, px_scene_hash(scene));
    px_scene_free(scene);
    CHECK_OK(px_scene_read(other.scene, &scene));
    CHECK_TEXT(px_scene_hash(scene), before);
    px_scene_free(scene);
    write_file(folder.mesh, cube_points, cube_faces, "f 4 1 5 8 \n");
    CHECK_OK(px_scene_read(folder.scene, &scene));
    strcpy(changed, px_scene_hash(scene));
    CHECK(strcmp(changed, before) != 0);
    px_scene_free(scene);
    folder_remove(&folder);
    folder_remove(&other);
}

/* ---- steps --------------------------------------------------------------------------------- */

#define STEPS(material, rest)                                                                      \
    HEAD " \"materials\": {\"goo\": {\"density\": 1000, " material "}},\n"                         \
         " \"bodies\": [{\"shape\": {\"box\": [1, 1, 1]}, \"material\": \"goo\"}]" rest "}"

TEST(steps_shorter_than_the_shortest_are_an_error)
{
    /* h = 0.05 m: 0.125 h^2 rho / mu = 3.1e-7 s for 1 MPa s */
    PxScene *scene = checked(
        STEPS("\"viscosity\": 1e6, \"viscosity_model\": \"morris\"", ",\n\"min_step\": 1e-6"), 1);
    CHECK_SAYS(scene, 0, "materials.goo.viscosity", 3, 54,
               "asks for steps of 3.1e-07 s, shorter than min_step (1e-06 s)");
    px_scene_free(scene);
    /* sound is ten times as fast as the top speed; 0.4 h / (1e6 + 4.4) m/s */
    scene = checked(
        STEPS("\"pressure\": {\"model\": \"sesph\", \"top_speed\": 1e5}", ",\n\"min_step\": 1e-6"),
        1);
    CHECK_SAYS(scene, 0, "materials.goo.pressure", 3, 53, "sound runs at 1e+06 m/s in 'goo'");
    px_scene_free(scene);
    /* dfsph has no sound, and no number that would help: 0.4 h / 4.4 m/s */
    scene = checked(STEPS("\"viscosity\": 0", ",\n\"min_step\": 0.009, \"max_step\": 0.01"), 1);
    CHECK(strstr(complaint_at(scene, 0)->text, "wanted a shorter min_step") != NULL);
    px_scene_free(scene);
    scene =
        checked(STEPS("\"viscosity\": 0", ",\n\"min_step\": 0.001, \"gravity\": [0, -1e6, 0]"), 1);
    px_scene_free(scene);
    scene = checked(STEPS("\"viscosity\": 1e6, \"viscosity_model\": \"morris\"", ""), 1);
    CHECK(strstr(complaint_at(scene, 0)->text, "angular momentum") != NULL);
    px_scene_free(scene);
    /* implicit viscosity does not limit the step */
    px_scene_free(checked(STEPS("\"viscosity\": 1e6", ",\n\"min_step\": 1e-6"), 0));
}

TEST(an_event_that_makes_steps_too_short_is_an_error)
{
    PxScene *scene =
        checked(STEPS("\"viscosity\": 0, \"viscosity_model\": \"laplacian\"",
                      ",\n\"min_step\": 1e-6, \"events\": [\n"
                      "{\"at\": 1, \"set\": \"materials.goo.viscosity\", \"to\": 1},\n"
                      "{\"at\": 2, \"set\": \"materials.goo.viscosity\", \"to\": 1e6},\n"
                      "{\"at\": 3, \"set\": \"courant\", \"to\": 0.2}]"),
                1);
    CHECK_SAYS(scene, 0, "events[1].to", 7, 51, "shorter than min_step");
    px_scene_free(scene);
    scene = checked(STEPS("\"viscosity\": 0", ",\n\"events\": [\n"
                                              "{\"at\": 1, \"set\": \"max_step\", \"to\": 1e-9}]"),
                    1);
    CHECK_SAYS(scene, 0, "events[0].to", 6, 36,
               "leaves max_step at 1e-09 s, shorter than min_step (1e-08 s)");
    px_scene_free(scene);
}

TEST(an_event_after_the_end_is_a_warning)
{
    PxScene *scene =
        checked(STEPS("\"viscosity\": 0", ",\n\"time\": {\"frames\": 30}, \"events\": [\n"
                                          "{\"at\": 1.5, \"set\": \"courant\", \"to\": 0.2}]"),
                1);
    CHECK_SAYS(scene, 0, "events[0].at", 6, 8, "the run ends at 1 s");
    CHECK(complaint_at(scene, 0)->severity == PX_WARNING);
    px_scene_free(scene);
}

TEST(the_estimate_agrees_with_its_formulas)
{
    /* A ball of volume 1/6 pi m^3 falls from 1 m to 0: v = sqrt(2 g) = 4.43 m/s, h =
     * 0.05 m, courant 0.4, for 2 s; from 1 s on weightless, when ten spacings a second are
     * the least speed: steps of 40 ms, but for max_step. The fastest flow is not there all
     * the time: a fifth fewer steps. */
    PxScene *scene = checked(
        HEAD WATER "\"time\": {\"frames\": 20, \"fps\": 10},\n"
                   "\"events\": [{\"at\": 1, \"set\": \"gravity\", \"to\": [0, 0, 0]}],\n"
                   "\"bodies\": [{\"shape\": {\"sphere\": 0.5, \"at\": [0, 0.5, 0]}, \"material\": "
                   "\"water\"}, {\"shape\": {\"plane\": {}}, \"wall\": true}]}",
        0);
    PxSceneEstimate one, two;
    CHECK_OK(px_scene_estimate(scene, 1, &one));
    CHECK_OK(px_scene_estimate(scene, 2, &two));
    double particles = 3.14159265358979 / 6 / (0.05 * 0.05 * 0.05);
    CHECK_NEAR(one.particles, particles, 1e-6 * particles);
    double falling = 0.8 * sqrt(2 * 9.81) / (0.4 * 0.05);
    double floating = 1 / px_world_def_default().max_step;
    CHECK_NEAR(one.steps, falling + floating, 1e-6 * falling);
    CHECK(one.memory > 100 * particles && one.disk > 20 * 20 * particles);
    CHECK(one.seconds > 0);
    /* the start and the frames are not divided */
    CHECK(two.seconds >= one.seconds / 2 && two.seconds < 0.6 * one.seconds);
    CHECK_EQUAL(two.threads, 2);
    px_scene_free(scene);
}

TEST(the_estimated_step_is_near_the_one_that_is_taken)
{
    PxScene *scene = NULL;
    PxWorld *world = NULL;
    PxSceneEstimate estimate;
    PxStats stats;
    CHECK_OK(px_scene_read(PX_SOURCE_DIR "/scenes/drop.json", &scene));
    CHECK_OK(px_scene_set(scene, "spacing", "0.05"));
    CHECK_OK(px_scene_set(scene, "materials.water.pressure", "sesph"));
    CHECK_OK(px_scene_estimate(scene, 1, &estimate));
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_OK(px_world_step(world, 1));
    px_world_stats(world, &stats);
    double mean = px_scene_frames(scene) / px_scene_fps(scene) / estimate.steps;
    /* the fluid does not move at its top speed yet: up to a tenth longer */
    CHECK_NEAR(stats.dt / mean, 1.05, 0.15);
    px_world_free(world);
    px_scene_free(scene);
}

TEST(errors_of_reading_are_kept_by_the_check)
{
    PxScene *scene = scene_of(HEAD WATER "\"supprt\": 2,\n\"bodies\": [\n" BALL(
        "a", "1", "0") ",\n" BALL("b", "1", "0") ",\n{\"shape\": {\"box\": 7}, \"wall\": true}]}");
    CHECK_COUNT(scene, 2);
    CHECK_FAILS(px_scene_check(scene), PX_ERR_FORMAT, "3 errors");
    CHECK_COUNT(scene, 3);
    CHECK_SAYS(scene, 0, "supprt", 4, 1, "did you mean 'support'?");
    CHECK_SAYS(scene, 1, "bodies[1].shape", 7, 24, "lies inside 'b'");
    CHECK_SAYS(scene, 2, "bodies[2].shape.box", 8, 19, "is 7");
    px_scene_free(scene);
    scene = scene_of("this is no scene");
    CHECK_FAILS(px_scene_check(scene), PX_ERR_FORMAT, "1 error");
    CHECK_COUNT(scene, 1);
    px_scene_free(scene);
}

/* ---- rigid bodies and joints -------------------------------------------------------- */

#define RIGID(name, shape, more)                                                                   \
    "{\"name\": \"" name "\", \"shape\": {" shape                                                  \
    "}, \"material\": \"water\", \"rigid\": true" more "}"
#define CUBE(name, x) RIGID(name, "\"box\": [1, 1, 1], \"at\": [" x ", 0, 0]", "")

TEST(rigid_bodies_in_each_other_or_in_walls_are_foreseen)
{
    CHECK_DEEP(CUBE("a", "0") ",\n" CUBE("b", "0.9"), "bodies[1].shape", 6, 24,
               "overlaps the rigid body 'a' by 0.1 m at (0.45, ");
    CHECK_DEEP(
        CUBE("a", "0") ",\n{\"name\": \"floor\", \"wall\": true, \"shape\": {\"plane\": [0, 1, "
                       "0], \"at\": [0, -0.3, 0]}}",
        "bodies[0].shape", 5, 24, "overlaps the wall 'floor' by 0.2 m");
    CHECK_DEEP(RIGID("ball", "\"sphere\": 0.5, \"at\": [0.8, 0, 0]", "") ",\n" TANK,
               "bodies[0].shape", 5, 27, "overlaps the wall 'tank' by 0.3 m");
    px_scene_free(checked_bodies(CUBE("a", "0") ",\n" CUBE("b", "1"), 0));
}

/* Two boxes and a list of joints. */
static PxScene *checked_joints(const char *joints, size_t complaints)
{
    char text[4096];
    snprintf(text, sizeof text,
             HEAD WATER " \"bodies\": [\n" CUBE("a", "0") ", " CUBE("b", "2") "],\n"
                                                                              "\"joints\": [\n%s]}",
             joints);
    return checked(text, complaints);
}

TEST(joints_far_from_their_bodies_or_outside_their_limits_are_foreseen)
{
    PxScene *scene = checked_joints("{\"body\": \"a\", \"to\": \"b\", \"at\": [30, 0, 0]}", 2);
    CHECK_SAYS(scene, 0, "joints[0].at", 7, 32, "is 30 m from the centre of 'a', more than 10");
    px_scene_free(scene);
    scene = checked_joints("{\"kind\": \"hinge\", \"body\": \"a\", \"at\": [0, 0, 0], \"low\": 10, "
                           "\"high\": 20}",
                           1);
    CHECK_SAYS(scene, 0, "joints[0].low", 7, 56, "begins at 0");
    px_scene_free(scene);
}

#define MOTOR(body, to, x, kind, more)                                                             \
    "{\"kind\": \"" kind "\", \"body\": \"" body "\", " to "\"at\": [" x ", 0, 0]" more "}"

TEST(loops_of_joints_that_cannot_move_as_their_motors_want_are_foreseen)
{
    /* a wheel that is also welded, and two motors that contradict each other */
    static const char turn[] = ", \"speed\": 2, \"strength\": 5",
                      other[] = ", \"speed\": 3, \"strength\": 5";
    char text[1024];
    snprintf(text, sizeof text,
             MOTOR("a", "", "0", "weld", "") ",\n" MOTOR("a", "", "0", "hinge", "%s"), turn);
    PxScene *scene = checked_joints(text, 1);
    CHECK_SAYS(scene, 0, "joints[1].speed", 8, 58, "which the other joints and motors");
    px_scene_free(scene);
    snprintf(text, sizeof text,
             MOTOR("a", "", "0", "hinge",
                   "%s") ",\n" MOTOR("b", "", "0", "hinge",
                                     "%s") ",\n" MOTOR("a", "\"to\": \"b\", ", "0", "hinge", "%s"),
             turn, turn, other);
    scene = checked_joints(text, 1);
    CHECK_SAYS(scene, 0, "joints[2].speed", 9, 69, "is 3 rad/s");
    px_scene_free(scene);
    snprintf(
        text, sizeof text,
        MOTOR("a", "", "0", "hinge", "%s") ",\n" MOTOR("b", "\"to\": \"a\", ", "2", "hinge", "%s"),
        turn, other);
    px_scene_free(checked_joints(text, 0));
}

TEST(joints_that_keyframes_pull_apart_are_foreseen)
{
    /* a and b hang between two walls, 4 m apart, of which one leaves by `way` within a second */
    static const char scene[] = HEAD WATER " \"bodies\": [\n" CUBE("a", "0") ", " CUBE(
        "b", "2") ",\n"
                  "{\"name\": \"post\", \"wall\": true, \"shape\": {\"box\": [0.1, 0.1, 0.1], "
                  "\"at\": [-1, 0, 0]}},\n"
                  "{\"name\": \"winch\", \"wall\": true, \"shape\": {\"box\": [0.1, 0.1, 0.1], "
                  "\"at\": [3, 0, 0]}, \"keyframes\": [{\"at\": 1, \"move\": [%s, 0, 0]}]}],\n"
                  "\"joints\": [{\"body\": \"a\", \"to\": \"post\", \"at\": [-0.9, 0, 0]},\n"
                  "{\"body\": \"a\", \"to\": \"b\", \"at\": [1, 1, 0]},\n"
                  "{\"body\": \"b\", \"to\": \"winch\", \"at\": [2.9, 0, 0]%s}]}";
    /* they reach 2 sqrt(1.9^2 + 1) = 4.29 m of 3.8 */
    char text[4096];
    snprintf(text, sizeof text, scene, "0.4", "");
    px_scene_free(checked(text, 0));
    snprintf(text, sizeof text, scene, "0.6", "");
    PxScene *bad = checked(text, 1);
    CHECK_TEXT(complaint_at(bad, 0)->place, "joints[2]");
    CHECK(strstr(complaint_at(bad, 0)->text,
                 "at 1 s 'winch' and 'post' hold it and joints[0] 4.4 m apart, and what is between "
                 "them reaches 4.29 m") != NULL);
    px_scene_free(bad);
    snprintf(text, sizeof text, scene, "0.6", ", \"breaks\": 100");
    px_scene_free(checked(text, 0));
}

/* ---- emitters and sinks ------------------------------------------------------------- */

#define FLOW(more, y, rest)                                                                        \
    HEAD WATER " \"time\": {\"frames\": 30, \"fps\": 30}, \"bodies\": [" TANK more "],\n"          \
               " \"emitters\": [{\"name\": \"tap\", \"material\": \"water\", \"speed\": 2,\n"      \
               " \"shape\": {\"cylinder\": {\"radius\": 0.2, \"height\": 0.2}, \"at\": [0, " y     \
               ", 0]}}" rest "}"

#define CHECK_FLOW(scene, where, words, how)                                                       \
    do {                                                                                           \
        PxScene *flow_scene = checked(scene, 1);                                                   \
        CHECK_TEXT(complaint_at(flow_scene, 0)->place, where);                                     \
        CHECK(strstr(complaint_at(flow_scene, 0)->text, words) != NULL);                           \
        CHECK(complaint_at(flow_scene, 0)->severity == how);                                       \
        px_scene_free(flow_scene);                                                                 \
    } while (0)

#define ACROSS(y)                                                                                  \
    "{\"name\": \"sheet\", \"wall\": true, \"shape\": {\"box\": [0.8, 0.001, 0.8], \"at\": "       \
    "[0, " y ", 0], \"turn\": {\"axis\": [0, 0, 1], \"degrees\": 5}}}"

TEST(emitters_must_have_a_free_way)
{
    px_scene_free(checked(FLOW("", "0", "]"), 0));
    CHECK_FLOW(FLOW("", "-0.95", "]"), "emitters[0].shape", "would start in the wall 'tank'",
               PX_ERROR);
    CHECK_FLOW(FLOW("", "5", "]"), "emitters[0].shape", "100 % of the emitted particles", PX_ERROR);
    CHECK_FLOW(FLOW("", "0.88", "]"), "emitters[0].direction", "leads into the wall 'tank'",
               PX_ERROR);
    /* sheets of a fiftieth of a spacing, slanting through the pipe and right in front of it */
    CHECK_FLOW(FLOW(",\n" ACROSS("0.01"), "0", "]"), "emitters[0].shape",
               "would start in the wall 'sheet' or hit it", PX_ERROR);
    CHECK_FLOW(FLOW(",\n" ACROSS("0.15"), "0", "]"), "emitters[0].direction",
               "leads into the wall 'sheet'", PX_ERROR);
    px_scene_free(checked(FLOW(",\n" ACROSS("-0.15"), "0", "]"), 0));
    CHECK_FLOW(
        FLOW("", "0",
             ",\n{\"shape\": {\"box\": [0.3, 0.3, 0.3]}, \"material\": \"water\", \"speed\": 1}]"),
        "emitters[1].shape", "lies in the emitter 'tap'", PX_ERROR);
    CHECK_FLOW(FLOW("", "0", "],\n\"sinks\": [{\"shape\": {\"box\": [3, 3, 3]}}]"),
               "sinks[0].shape", "removes particles of the emitter 'tap'", PX_ERROR);
    CHECK_FLOW(FLOW(",\n" BALL("ball", "0.4", "0"), "0", "]"), "emitters[0].shape",
               "is in the body 'ball'", PX_WARNING);
    /* a pipe that fits the opening exactly */
    CHECK_FLOW(
        FLOW(",\n{\"name\": \"pipe\", \"wall\": true, \"shape\": {\"funnel\": {\"radius\": 0.2,"
             " \"radius_top\": 0.2, \"height\": 0.4, \"thickness\": 0.06}}}",
             "0", "]"),
        "emitters[0].shape", "pass along the wall 'pipe'", PX_WARNING);
}

TEST(emitters_that_give_nothing_are_a_warning)
{
    CHECK_FLOW(HEAD WATER "\"time\": {\"frames\": 30, \"fps\": 30}, \"bodies\": [" BALL(
                   "a", "0.3", "1") "],\n\"emitters\": [{\"shape\": {\"cylinder\": {\"radius\": "
                                    "0.2, \"height\": 0.2}},\n"
                                    "\"material\": \"water\", \"rate\": 1, \"start\": 5}]}",
               "emitters[0].start", "the run ends at 1 s", PX_WARNING);
    CHECK_FLOW(HEAD WATER "\"time\": {\"frames\": 30, \"fps\": 30}, \"bodies\": [" BALL(
                   "a", "0.3", "1") "],\n\"emitters\": [{\"shape\": {\"cylinder\": {\"radius\": "
                                    "0.2, \"height\": 0.2}},\n"
                                    "\"material\": \"water\", \"speed\": 0}]}",
               "emitters[0].speed", "less than one particle", PX_WARNING);
    CHECK_FLOW(HEAD WATER "\"time\": {\"frames\": 30, \"fps\": 30}, \"bodies\": [" BALL(
                   "a", "0.3", "1") "],\n\"emitters\": [{\"shape\": {\"cylinder\": {\"radius\": "
                                    "0.02, \"height\": 0.2}},\n"
                                    "\"material\": \"water\", \"speed\": 1}]}",
               "emitters[0].shape", "smaller than a particle", PX_WARNING);
}

/* Time of the steps alone, on one thread: what two threads halve. */
static double divided(const PxScene *scene, PxSceneEstimate *e)
{
    PxSceneEstimate two;
    CHECK_OK(px_scene_estimate(scene, 2, &two));
    CHECK_OK(px_scene_estimate(scene, 1, e));
    return 2 * (e->seconds - two.seconds);
}

TEST(the_estimate_includes_emitters)
{
    PxSceneEstimate e;
    PxScene *scene = checked(FLOW("", "0", "]"), 0);
    CHECK_OK(px_scene_estimate(scene, 1, &e));
    double second = 2 * M_PI * 0.04 / 1.25e-4; /* particles */
    CHECK_NEAR(e.particles, second, 1e-6 * second);
    double linear = divided(scene, &e) / e.steps; /* grows from 0: half of it on the average */
    CHECK_OK(px_scene_set(scene, "emitters.tap.limit", "100"));
    CHECK_OK(px_scene_estimate(scene, 1, &e));
    CHECK_NEAR(e.particles, 100, 1e-6);
    CHECK_NEAR(divided(scene, &e) / e.steps / linear, 2 * 100 / second,
               0.1); /* there almost at once */
    CHECK_OK(px_scene_set(scene, "emitters.tap.limit", "1000000000"));
    CHECK_OK(px_scene_set(scene, "emitters.tap.start", "0.5"));
    CHECK_OK(px_scene_set(scene, "events",
                          "[{\"at\": 0.75, \"set\": \"emitters.tap.speed\", \"to\": 0},"
                          " {\"at\": 0.2, \"set\": \"emitters.tap.speed\", \"to\": 4}]"));
    CHECK_OK(px_scene_estimate(scene, 1, &e)); /* twice as fast for a quarter of a second */
    CHECK_NEAR(e.particles, 0.5 * second, 1e-6 * second);
    CHECK_OK(px_scene_set(scene, "spacing", "0.0005"));
    px_scene_check(scene);
    bool refused = false;
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k)
        refused |= strstr(px_scene_complaint(scene, k)->text, "at most 5e+07 are allowed") != NULL;
    CHECK(refused);
    px_scene_free(scene);
}

#define DRAINED(bodies)                                                                            \
    HEAD WATER                                                                                     \
        " \"time\": {\"frames\": 60, \"fps\": 30}, \"bodies\": [" bodies "],\n"                    \
        " \"emitters\": [{\"material\": \"water\", \"speed\": 2, \"direction\": [0, -1, 0],\n"     \
        " \"shape\": {\"cylinder\": {\"radius\": 0.2, \"height\": 0.2}, \"at\": [0, 1.1, 0]}}],\n" \
        " \"sinks\": [{\"shape\": {\"plane\": {}, \"at\": [0, -1, 0]}}]}"
#define SHEET(degrees)                                                                             \
    "{\"shape\": {\"box\": [1, 0.01, 1], \"turn\": {\"axis\": [0, 0, 1], \"degrees\": " degrees    \
    "}}, \"wall\": true}"

TEST(the_estimate_subtracts_sinks)
{
    PxSceneEstimate e;
    double second = 2 * M_PI * 0.04 / 1.25e-4; /* particles */
    PxScene *scene = checked(DRAINED(""), 0);
    CHECK_OK(px_scene_estimate(scene, 1, &e));
    /* from 1 m to -1 m: 2 t + g t^2 / 2 = 2 m; steps of the point are a quarter of a spacing or
     * less */
    double fall = (sqrt(4 + 4 * 9.81) - 2) / 9.81;
    CHECK_NEAR(e.particles, second * fall, 0.02 * second * fall);
    px_scene_free(scene);
    /* off a tilted sheet it runs, on a level one it stays for the 2 s of the run */
    scene = checked(DRAINED(SHEET("30")), 0);
    CHECK_OK(px_scene_estimate(scene, 1, &e));
    CHECK(e.particles > second * fall && e.particles < 1.5 * second);
    px_scene_free(scene);
    scene = checked(DRAINED(SHEET("0")), 0);
    CHECK_OK(px_scene_estimate(scene, 1, &e));
    CHECK_NEAR(e.particles, 2 * second, 1e-6 * second);
    px_scene_free(scene);
}

/* Checks a scene and returns whether one of its complaints says the words. */
static bool checks_say(const char *text, PxSeverity severity, const char *words)
{
    PxScene *scene = scene_of(text);
    bool found = false;
    px_scene_check(scene);
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        found = found || (c->severity == severity && strstr(c->text, words) != NULL);
    }
    px_scene_free(scene);
    return found;
}

#define STAGE(spacing, more, bodies)                                                               \
    "{\"phyxel\": 1, \"spacing\": " spacing ", \"time\": {\"frames\": 60, \"fps\": 30}, " more     \
    "\"materials\": {\"water\": {\"density\": 1000}}, \"bodies\": [" bodies "]}"
#define STAGE_TANK                                                                                 \
    "{\"name\": \"tank\", \"wall\": true, \"inside\": true, "                                      \
    "\"shape\": {\"box\": [1, 1, 1], \"at\": [0, 0.5, 0]}}, "
#define STAGE_POOL                                                                                 \
    "{\"name\": \"pool\", \"material\": \"water\", "                                               \
    "\"shape\": {\"box\": [0.9, 0.3, 0.9], \"at\": [0, 0.2, 0]}}"
#define STAGE_PADDLE(way)                                                                          \
    ", {\"name\": \"paddle\", \"wall\": true, \"shape\": {\"box\": [0.2, 0.2, 0.2], "              \
    "\"at\": [0, 0.7, 0]}, \"keyframes\": [{\"at\": 0}, {\"at\": 1, \"move\": [" way ", 0, 0]}]}"

TEST(what_is_seldom_meant_is_mentioned)
{
    CHECK(checks_say(STAGE("0.05", "\"camera\": {\"from\": [0, 0.2, 0], \"to\": [1, 0, 0]}, ",
                           STAGE_TANK STAGE_POOL),
                     PX_NOTE, "is inside 'pool' at the start"));
    CHECK(!checks_say(STAGE("0.05", "\"camera\": {\"from\": [0, 0.6, 2], \"to\": [1, 0, 0]}, ",
                            STAGE_TANK STAGE_POOL),
                      PX_NOTE, "is inside"));
    CHECK(checks_say(STAGE("0.05", "", STAGE_POOL), PX_NOTE, "has no wall"));
    CHECK(!checks_say(STAGE("0.05", "", STAGE_TANK STAGE_POOL), PX_NOTE, "has no wall"));
    CHECK(checks_say(STAGE("0.05", "", STAGE_TANK STAGE_POOL STAGE_PADDLE("3")), PX_NOTE,
                     "move it out of 'tank', in which it starts, by 1 s"));
    CHECK(!checks_say(STAGE("0.05", "", STAGE_TANK STAGE_POOL STAGE_PADDLE("0.3")), PX_NOTE,
                      "move it out"));
    CHECK(checks_say(STAGE("2", "", STAGE_TANK STAGE_POOL), PX_WARNING,
                     "is 2 m, larger than all matter of the scene"));
}

TEST_MAIN()
