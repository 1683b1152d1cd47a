/// Seams of cloth: what they tie, closing, holding, ripping, saving, and complaints about them.
#include "check.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "scene/content.h"
#include "text_world.h"
#include "world/cloth_stage.h"
#include "world/saved.h"

#include <stdlib.h>
#include <string.h>

#define START                                                                                      \
    "{\"phyxel\": 1, \"name\": \"sewn\", \"time\": {\"frames\": 10, \"fps\": 20},"                 \
    " \"gravity\": [0, 0, 0], \"spacing\": 0.05,"
#define COTTON(more)                                                                               \
    " \"materials\": {\"cotton\": {\"density\": 100, \"cloth\": {\"mass\": 0.2, \"weft\": 200,"    \
    " \"warp\": 200, \"shear\": 50, \"bend\": 1e-5, \"thickness\": 0.01" more "}}},"
#define PANEL(name, cells, y, more)                                                                \
    "{\"name\": \"" name "\", \"material\": \"cotton\", \"shape\": {\"sheet\": {\"width\": 0.4,"   \
    " \"length\": 0.4, \"columns\": " cells ", \"rows\": " cells "}, \"at\": [0, " y ", 0]}" more  \
    "}"
#define TWO(more)                                                                                  \
    START COTTON(more) " \"bodies\": [" PANEL("front", "8", "0.03",                                \
                                              "") ", " PANEL("back", "11", "-0.03", "") "],"

/* Largest distance between both ends of the ties of a seam that hold. */
static double gap_of(const PxWorld *world, size_t seam)
{
    const PxSeam *s = &world->seams.data[seam];
    const PxColumn *x = px_table_find(&world->cloth_vertices, "position");
    double most = 0;
    for (size_t k = 0; k < s->ties; ++k) {
        PxVec3 at[2];
        for (int n = 0; n < 2; ++n) {
            const PxClothTieEnd *e = &s->tie[k].end[n];
            const PxCloth *c = NULL;
            for (size_t m = 0; m < world->cloths.count; ++m)
                if (world->cloths.data[m].body == s->body[n])
                    c = &world->cloths.data[m];
            PxVec3 p[2];
            for (uint32_t m = 0; m < 2; ++m) {
                uint32_t i = c->first + c->sheet->face[e->face].corner[(e->side + m) % 3];
                p[m] = px_vec(((double *)x->data[0])[i], ((double *)x->data[1])[i],
                              ((double *)x->data[2])[i]);
            }
            at[n] = px_mad(p[0], px_sub(p[1], p[0]), e->part);
        }
        if (!s->tie[k].ripped)
            most = fmax(most, px_length(px_sub(at[0], at[1])));
    }
    return most;
}

TEST(a_seam_ties_borders_by_their_arc_lengths)
{
    PxWorld *world = world_of(TWO("") " \"seams\": [{\"from\": \"front\", \"to\": \"back\"}]}", 1);
    const PxSeam *s = &world->seams.data[0];
    double width = 0;
    CHECK_EQUAL(s->ties, 44); /* the vertices around the finer one */
    for (size_t k = 0; k < s->ties; ++k) {
        width += s->tie[k].width;
        CHECK(s->tie[k].end[1].part == 0 || s->tie[k].end[1].part == 1);
    }
    CHECK_NEAR(width, 1.6, 1e-12);
    CHECK_NEAR(gap_of(world, 0), 0.06, 1e-9); /* all of them are opposite */
    px_world_free(world);
}

TEST(a_seam_takes_the_borders_in_its_shape_and_near_enough)
{
    PxWorld *world =
        world_of(TWO("") " \"seams\": [{\"from\": \"front\", \"to\": \"back\", \"shape\": {\"box\":"
                         " [0.1, 1, 1], \"at\": [0.2, 0, 0]}}]}",
                 1);
    CHECK_EQUAL(world->seams.data[0].ties, 14); /* 11 edges, and one of each side in the box */
    px_world_free(world);
    world = world_of(
        START COTTON("") " \"bodies\": [" PANEL(
            "front", "8", "0",
            "") ", "
                "{\"name\": \"back\", \"material\": \"cotton\", \"shape\": {\"sheet\":"
                " {\"width\": 0.4, \"length\": 0.4, \"columns\": 8, \"rows\": 8},"
                " \"at\": [0.42, 0, 0]}}], \"seams\": [{\"from\": \"front\", \"to\": \"back\","
                " \"within\": 0.03}]}",
        1);
    CHECK_EQUAL(world->seams.data[0].ties, 9); /* side by side */
    CHECK_NEAR(gap_of(world, 0), 0.02, 1e-9);
    px_world_free(world);
}

TEST(a_seam_closes_in_its_time_and_stays_closed)
{
    PxWorld *world =
        world_of(TWO(", \"self_collision\": true") " \"seams\": [{\"from\": \"front\","
                                                   " \"to\": \"back\", \"time\": 0.1}]}",
                 2);
    CHECK_OK(px_world_advance(world, 0.05));
    CHECK_NEAR(gap_of(world, 0), 0.03, 0.003); /* half of the time, half of the way */
    CHECK_OK(px_world_advance(world, 0.12));
    CHECK(gap_of(world, 0) < 2e-4);
    CHECK_OK(px_world_advance(world, 0.2));
    CHECK(gap_of(world, 0) < 2e-4);
    PxStats stats;
    px_world_stats(world, &stats);
    CHECK_EQUAL(stats.cloth_crossed, 0);
    CHECK_EQUAL(stats.not_converged, 0);
    px_world_free(world);
}

PHYSICS(a_sewn_bag_in_flight_keeps_its_momentum_and_gains_no_energy)
{
    static const char *const integration[] = {"", ", \"integration\": \"bdf2\""};
    for (int k = 0; k < 2; ++k) {
        char text[3000];
        snprintf(
            text, sizeof text,
            START COTTON("%s, \"damping\": 0") " \"bodies\": [" PANEL(
                "front", "8", "0.03", "%s") ", " PANEL("back", "11", "-0.03",
                                                       "%s") "], \"seams\": [{\"from\": \"front\", "
                                                             "\"to\": \"back\", \"time\": 0.1}]}",
            integration[k], ", \"velocity\": [1, 0.5, 0], \"spin\": [2, 3, 1]",
            ", \"velocity\": [1, 0.5, 0], \"spin\": [2, 3, 1]");
        PxWorld *world = world_of(text, 2);
        PxStats s;
        CHECK_OK(px_world_advance(world, 0.12));
        px_world_stats(world, &s);
        PxVec3 first = s.cloth_momentum;
        double energy = s.cloth_kinetic + s.cloth_elastic, most = 0;
        for (int n = 1; n <= 40; ++n) {
            CHECK_OK(px_world_advance(world, 0.12 + 0.02 * n));
            px_world_stats(world, &s);
            most = fmax(most, (s.cloth_kinetic + s.cloth_elastic) / energy);
            CHECK(gap_of(world, 0) < 1e-3);
        }
        CHECK(most < 1 + 1e-4);
        CHECK_NEAR(px_length(px_sub(s.cloth_momentum, first)) / px_length(first), 0, 1e-5);
        CHECK_NEAR(px_length(first), 0.064 * sqrt(1.25), 1e-5);
        px_world_free(world);
    }
}

/* A flat sheet whose sides are sewn to each other. */
#define SLEEVE(more)                                                                               \
    START COTTON(", \"self_collision\": true" more) " \"bodies\": [{\"name\": \"sleeve\", "        \
                                                    "\"material\": \"cotton\", \"shape\": "        \
                                                    "{\"sheet\": "                                 \
                                                    "{\"width\": 0.6, \"length\": 0.3, "           \
                                                    "\"columns\": 24, \"rows\": 12}}}], "          \
                                                    "\"seams\": [{\"from\": "                      \
                                                    "\"sleeve\", \"time\": 0.3, "                  \
                                                    "\"shape\": {\"box\": [1, 1, 0.29]}}]}"

TEST(flat_cloth_that_is_sewn_to_itself_becomes_a_tube)
{
    PxWorld *world = world_of(SLEEVE(""), 2);
    PxStats stats;
    CHECK_OK(px_world_advance(world, 1.2)); /* it is closed, and has unfolded */
    px_world_stats(world, &stats);
    CHECK_EQUAL(stats.cloth_crossed, 0);
    CHECK_EQUAL(stats.not_converged, 0);
    CHECK(gap_of(world, 0) < 2e-3);
    CHECK(px_length(stats.cloth_momentum) < 1e-9);
    const PxColumn *x = px_table_find(&world->cloth_vertices, "position");
    const double *at[2] = {x->data[0], x->data[1]};
    double area = 0; /* that the middle row encloses */
    for (uint32_t k = 0; k < 25; ++k) {
        uint32_t i = 6 * 25 + k, j = 6 * 25 + (k + 1) % 25;
        area += 0.5 * (at[0][i] * at[1][j] - at[0][j] * at[1][i]);
    }
    double circle = 0.6 * 0.6 / (4 * PX_PI);
    print_message("area of the tube / circle: %.3f\n", fabs(area) / circle);
    CHECK(fabs(area) > 0.5 * circle);
    px_world_free(world);
    /* that is no mistake */
    PxScene *scene;
    CHECK_OK(px_scene_read_text("s.json", ".", SLEEVE(""), strlen(SLEEVE("")), &scene));
    px_scene_check(scene);
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k)
        CHECK_EQUAL(px_scene_complaint(scene, k)->severity, PX_NOTE);
    px_scene_free(scene);
}

/* Two strips, sewn end to end and pulled apart at a slow constant speed. */
#define STRIPS(cells, strength)                                                                    \
    START COTTON(                                                                                  \
        ", \"damping\": 20, \"limit\": 10") " \"bodies\": [{\"name\": \"left\", \"material\": "    \
                                            "\"cotton\", \"shape\": {\"sheet\":"                   \
                                            " {\"width\": 0.2, \"length\": 0.1, "                  \
                                            "\"columns\": " cells ", \"rows\": " cells "},"        \
                                            " \"at\": [-0.1, 0, 0]}}, {\"name\": \"right\", "      \
                                            "\"material\": \"cotton\", \"shape\":"                 \
                                            " {\"sheet\": {\"width\": 0.2, \"length\": 0.1, "      \
                                            "\"columns\": 6, \"rows\": 6},"                        \
                                            " \"at\": [0.1, 0, 0]}}],"                             \
                                            " \"seams\": [{\"name\": \"hem\", \"from\": "          \
                                            "\"left\", \"to\": \"right\", \"within\": 0.01,"       \
                                            " \"time\": 0, \"strength\": " strength "}],"          \
                                            " \"handles\": [{\"name\": \"pin\", \"body\": "        \
                                            "\"left\", \"shape\": {\"box\": [0.01, 1, 1],"         \
                                            " \"at\": [-0.2, 0, 0]}}, {\"name\": \"pull\", "       \
                                            "\"body\": \"right\", \"shape\": {\"box\":"            \
                                            " [0.01, 1, 1], \"at\": [0.2, 0, 0]}, \"keyframes\": " \
                                            "[{\"at\": 0}, {\"at\": 1, \"move\":"                  \
                                            " [0.1, 0, 0]}]}]}"

TEST(a_seam_rips_at_its_strength)
{
    /* strain 0.25 t over 0.4 m, so 50 N/m per second; 8 N/m at 0.16 s */
    static const char *const scene[] = {STRIPS("4", "8"), STRIPS("9", "8")};
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = world_of(scene[k], 1);
        CHECK_OK(px_world_advance(world, 0.14));
        CHECK_EQUAL(px_seams_ripped(world), 0);
        CHECK(gap_of(world, 0) < 2e-4);
        CHECK_OK(px_world_advance(world, 0.18));
        CHECK_EQUAL(px_seams_ripped(world), world->seams.data[0].ties);
        px_world_free(world);
    }
}

TEST(a_seam_leaves_with_its_cloth_and_by_itself)
{
    PxWorld *world = world_of(TWO("") " \"seams\": [{\"name\": \"hem\", \"from\": \"front\","
                                      " \"to\": \"back\"}]}",
                              1);
    PxSeamId id = {1, world->seams.data[0].generation};
    PxBodyId body;
    CHECK_OK(px_world_advance(world, 0.02));
    CHECK_OK(px_world_set(world, "seams.hem.strength", (double[]){5}, 1));
    CHECK_OK(px_world_find_body(world, "back", &body));
    CHECK_OK(px_world_remove_body(world, body));
    CHECK_OK(px_world_advance(world, 0.04));
    CHECK_OK(px_world_remove_seam(world, id));
    CHECK_OK(px_world_advance(world, 0.06));
    px_world_free(world);
}

TEST(a_closing_seam_gives_the_same_bits_for_any_number_of_threads_and_after_a_resume)
{
    const char *text = TWO(", \"self_collision\": true, \"integration\": \"bdf2\"") //
        " \"seams\": [{\"from\": \"front\", \"to\": \"back\", \"time\": 0.06, \"start\": 0.01,"
        " \"strength\": 1}]}";
    PxVec3 sum[3];
    for (int k = 0; k < 3; ++k) {
        PxWorld *world = world_of(text, 1 + k);
        CHECK_OK(px_world_advance(world, 0.04));
        if (k == 2) {
            PxWorld *again = world_of(text, 2);
            CHECK_OK(px_world_continue(again, world));
            px_world_free(world);
            world = again;
        }
        CHECK_OK(px_world_advance(world, 0.1));
        PxStats s;
        px_world_stats(world, &s);
        sum[k] = px_vec(s.cloth_kinetic, s.cloth_elastic, (double)px_seams_ripped(world));
        CHECK(k == 0 || memcmp(&sum[k], &sum[0], sizeof sum[0]) == 0);
        px_world_free(world);
    }
}

/* ---- complaints ---- */

static void complains(const char *text, const char *wanted)
{
    PxScene *scene = scene_of(text);
    px_scene_check(scene);
    bool found = false;
    for (size_t k = 0; k < scene->complaints.count; ++k)
        found = found || strstr(scene->complaints.data[k].shown.text, wanted) != NULL;
    if (!found && scene->complaints.count > 0)
        printf("%s\n", scene->complaints.data[0].shown.text);
    CHECK(found);
    px_scene_free(scene);
}

TEST(check_says_what_is_wrong_with_a_seam)
{
    complains(TWO("") " \"seams\": [{\"from\": \"front\", \"to\": \"back\", \"within\": 0.01}]}",
              "sews nothing: no edge of the border is near enough; 'front' has 32 edges");
    complains(TWO("") " \"seams\": [{\"from\": \"front\", \"to\": \"back\", \"shape\":"
                      " {\"sphere\": 0.1}}]}",
              "sews nothing: no edge of the border is in its shape");
    complains(TWO("") " \"seams\": [{\"from\": \"front\", \"shape\": {\"box\": [0.1, 1, 1],"
                      " \"at\": [0.2, 0, 0]}}]}",
              "sews 'front' to itself, and only one stretch of its border is in the shape");
    complains(TWO("") " \"seams\": [{\"from\": \"front\"}]}", "has no \"shape\"");
    complains(TWO("") " \"seams\": [{\"from\": \"front\", \"to\": \"back\", \"time\": 0.001}]}",
              "borders 0.06 m apart are drawn together faster than 5 m/s");
    complains(START COTTON("") " \"bodies\": [" PANEL("front", "8", "0", "") ", " //
              PANEL("back", "8", "3", "") "], \"seams\": [{\"from\": \"front\", \"to\":"
                                          " \"back\", \"time\": 9}]}",
              "borders that are up to 3 m apart");
    complains(TWO("") " \"seams\": [{\"from\": \"front\", \"to\": \"none\"}]}", "none");
    complains(
        START COTTON("") " \"bodies\": [" PANEL(
            "front", "8", "0",
            "") ", "
                "{\"name\": \"back\", \"material\": \"cotton\", \"shape\": {\"sheet\":"
                " {\"width\": 0.5, \"length\": 0.5, \"columns\": 8, \"rows\": 8},"
                " \"at\": [0, 0.1, 0]}}], \"seams\": [{\"from\": \"front\", \"to\": \"back\"}]}",
        "the longer side is 25 % longer");
}

TEST_MAIN()
