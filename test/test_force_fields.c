/// Force fields: wind, drag, vortices, attractors and noise on fluids, solids, rigid bodies and
/// cloth, in their region and time, and their part of the energy balance.
#include "scenes.h"

#include "phyxel/world.h"

#include <math.h>

#define START                                                                                      \
    "{\"phyxel\": 1, \"spacing\": 0.05, \"gravity\": [0, 0, 0], "                                  \
    "\"time\": {\"frames\": 10, \"fps\": 10}, \"materials\": {\"water\": {\"density\": 1000}, "    \
    "\"jelly\": {\"density\": 1000, \"young\": 1e5}, "                                             \
    "\"silk\": {\"density\": 100, \"cloth\": {\"mass\": 0.1}}}, "
#define DROP                                                                                       \
    "\"bodies\": [{\"name\": \"drop\", \"material\": \"water\", "                                  \
    "\"shape\": {\"box\": [0.2, 0.2, 0.2]}}], "
#define CUBE                                                                                       \
    "\"bodies\": [{\"name\": \"cube\", \"material\": \"jelly\", "                                  \
    "\"shape\": {\"box\": [0.2, 0.2, 0.2]}}], "
#define CRATE                                                                                      \
    "\"bodies\": [{\"name\": \"crate\", \"material\": \"jelly\", \"rigid\": true, "                \
    "\"spin\": [0, 3, 0], \"shape\": {\"box\": [0.2, 0.3, 0.1]}}], "
#define SHEET                                                                                      \
    "\"bodies\": [{\"name\": \"rag\", \"material\": \"silk\", "                                    \
    "\"shape\": {\"sheet\": {\"width\": 0.4, \"length\": 0.4, \"columns\": 8, \"rows\": 8}}}], "

typedef struct Run {
    PxStats last;
    double fields, rigid, cloth, worst, scale; /* sums over the steps, J */
    double kinetic; /* of all matter at the end less that at the first step */
} Run;

static double all_kinetic(const PxStats *s)
{
    return s->kinetic + s->rigid_kinetic + s->cloth_kinetic;
}

/* Runs to `until`; checks that the columns work_... add up to the change of energy. */
static Run run(const char *text, double until, int threads)
{
    PxScene *scene = scene_of(text);
    CHECK_COUNT(scene, 0);
    PxWorld *world = NULL;
    CHECK_OK(px_scene_world(scene, threads, &world));
    Run r = {.worst = 0};
    double before = 0;
    for (int k = 0; world != NULL; ++k) {
        CHECK_OK(px_world_step(world, until));
        px_world_stats(world, &r.last);
        double sum = 0, now = r.last.kinetic + r.last.potential + r.last.elastic;
        for (size_t c = 0; px_stats_column(c) != NULL; ++c)
            if (strncmp(px_stats_column(c)->name, "work_", 5) == 0)
                sum += px_stats_value(&r.last, px_stats_column(c));
        if (k > 0)
            r.worst = fmax(r.worst, fabs(now - before - sum));
        else
            r.kinetic = -all_kinetic(&r.last);
        before = now;
        r.scale = fmax(r.scale, fmax(r.last.kinetic, fabs(sum)));
        if (k > 0) {
            r.fields += r.last.work_fields;
            r.rigid += r.last.rigid_work_fields;
            r.cloth += r.last.cloth_work_fields;
        }
        if (r.last.time >= until)
            break;
    }
    r.kinetic += all_kinetic(&r.last);
    px_world_free(world);
    px_scene_free(scene);
    return r;
}

/* 8 kg are drawn along by a wind of 2 m/s at 3/s: v = 2 (1 - exp(-3 t)). */
TEST(wind_carries_fluids_solids_bodies_and_cloth_along)
{
    const char *const bodies[] = {DROP, CUBE, CRATE, SHEET};
    const double mass[] = {8, 8, 6, 0.016};
    for (int k = 0; k < 4; ++k) {
        char text[1500];
        snprintf(text, sizeof text,
                 START "%s\"fields\": [{\"kind\": \"wind\", "
                       "\"velocity\": [2, 0, 0], \"rate\": 3}]}",
                 bodies[k]);
        Run r = run(text, 0.5, 1);
        double v = 2 * (1 - exp(-1.5)), p = r.last.momentum.x + r.last.cloth_momentum.x;
        if (k != 2)
            CHECK_NEAR(p / mass[k], v, 1e-3 * v);
        if (k ==
            2) /* spin dies out as the velocity of the wind is approached; I = m/12 (a^2+b^2) */
            CHECK_NEAR(r.last.rigid_kinetic, 3 * v * v + 0.5 * 6 / 12 * (0.04 + 0.01) * 9 * exp(-3),
                       2e-3 * 3 * v * v);
        CHECK_NEAR(r.worst, 0, 1e-9 * r.scale);
        CHECK_NEAR(r.fields + r.rigid + r.cloth, r.kinetic, 0.01 * fabs(r.kinetic));
    }
}

TEST(a_field_acts_in_its_region_and_time_and_on_its_body)
{
    Run r = run(START DROP "\"fields\": [{\"kind\": \"wind\", \"velocity\": [0, 0, 2], "
                           "\"rate\": 1e6, \"start\": 0.1, \"end\": 0.2}]}",
                0.09, 1);
    CHECK(r.last.momentum.z == 0 && r.fields == 0);
    r = run(START DROP "\"fields\": [{\"kind\": \"drag\", \"rate\": 1, "
                       "\"shape\": {\"box\": [1, 1, 1], \"at\": [3, 0, 0]}}]}",
            0.1, 1);
    CHECK(r.fields == 0);
    /* half of it is inside */
    r = run(START DROP "\"fields\": [{\"kind\": \"attractor\", \"strength\": 1, "
                       "\"at\": [100, 0, 0], \"shape\": {\"box\": [1, 1, 1], "
                       "\"at\": [0, 0.5, 0]}}]}",
            0.02, 1);
    CHECK_NEAR(r.last.momentum.x, 0.5 * 8 * 0.02, 1e-3 * 0.08);
    r = run(START DROP "\"fields\": [{\"kind\": \"wind\", \"velocity\": [1, 0, 0], "
                       "\"body\": \"drop\"}]}",
            0.1, 1);
    CHECK_NEAR(r.last.momentum.x, 8 * (1 - exp(-0.1)), 1e-2);
}

/* What pulls as a Plummer sphere has the potential -S c^2 / sqrt(r^2 + c^2). */
TEST(an_attractor_does_the_work_of_its_potential)
{
    Run r = run(START DROP "\"fields\": [{\"kind\": \"attractor\", \"strength\": 5, "
                           "\"size\": 0.5, \"at\": [1, 0, 0]}]}",
                0.5, 1);
    CHECK_NEAR(r.worst, 0, 1e-9 * r.scale);
    /* a point from 1 m: integrated by steps of 1 us */
    double x = 1, v = 0, dt = 1e-6;
    for (int k = 0; k < 500000; ++k) {
        v += dt * 5 * x * 0.25 / pow(x * x + 0.25, 1.5);
        x -= dt * v;
    }
    CHECK_NEAR(r.last.momentum.x / 8, v, 0.02 * v);
    CHECK_NEAR(r.fields, 0.5 * 8 * v * v, 0.05 * 4 * v * v);
}

TEST(a_vortex_turns_matter_and_leaves_its_fall_alone)
{
    Run r = run(START CUBE "\"events\": [{\"at\": 0, \"set\": \"bodies.cube.velocity\", "
                           "\"to\": [0, -1, 0]}], \"fields\": [{\"kind\": \"vortex\", "
                           "\"spin\": 4, \"rate\": 5}]}",
                0.4, 1);
    /* of particles at 0.025 and 0.075 m from the middle along x and z */
    double inertia = 8 * (0.025 * 0.025 + 0.075 * 0.075), turned = 4 * (1 - exp(-2));
    CHECK_NEAR(r.last.angular_momentum.y, inertia * turned, 2e-3 * inertia * turned);
    CHECK_NEAR(r.last.momentum.y, -8, 1e-3 * 8);
}

/* Mean square of the acceleration over space is strength^2; a drop much larger than the eddies has
 * nearly no mean acceleration. */
TEST(noise_has_its_strength_and_no_mean)
{
    Run r = run(START DROP "\"fields\": [{\"kind\": \"noise\", \"strength\": 3, "
                           "\"size\": 0.04, \"seed\": 7}]}",
                0.001, 1);
    double v = sqrt(2 * r.last.kinetic / 8) / 0.001;
    /* The pressure solve removes the part of the acceleration that would compress the drop. */
    CHECK(v > 1 && v < 3.6);
    CHECK(fabs(r.last.momentum.x) / 8 / 0.001 < 1);
}

TEST(fields_have_the_same_bits_for_any_number_of_threads)
{
    const char *text = START DROP
        "\"fields\": [{\"kind\": \"noise\", \"strength\": 3, \"size\": 0.1, \"period\": 0.2}, "
        "{\"kind\": \"vortex\", \"spin\": 4, \"size\": 0.05, "
        "\"shape\": {\"sphere\": 0.2}, \"fade\": 0.1}]}";
    Run a = run(text, 0.1, 1), b = run(text, 0.1, 3);
    CHECK(a.last.kinetic == b.last.kinetic && a.fields == b.fields);
    CHECK(a.fields > 0);
}

TEST(wrong_fields_are_named)
{
    const struct {
        const char *field, *words;
    } wrong[] = {
        {"{\"kind\": \"gust\"}", "wind"},
        {"{\"strength\": 1}", "is missing"},
        {"{\"kind\": \"wind\", \"spin\": 1}", "is for vortices, and this is wind"},
        {"{\"kind\": \"noise\", \"strength\": 1}", "noise needs the size of its eddies"},
        {"{\"kind\": \"drag\", \"rate\": 1e9}", "1/s"},
        {"{\"kind\": \"drag\", \"fade\": 0.1}", "is for fields with a \"shape\""},
        {"{\"kind\": \"vortex\"}", "does nothing until an event sets its \"spin\""},
        {"{\"kind\": \"drag\", \"body\": \"dorp\"}", "drop"},
        {"{\"kind\": \"drag\", \"start\": 1, \"end\": 1}", "wanted more than the start"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        char text[1500];
        snprintf(text, sizeof text, START DROP "\"fields\": [%s]}", wrong[k].field);
        PxScene *scene = scene_of(text);
        CHECK_COUNT(scene, 1);
        const PxComplaint *c = px_scene_complaint(scene, 0);
        if (c != NULL && strstr(c->text, wrong[k].words) == NULL)
            printf("%s: %s\n", wrong[k].field, c->text);
        CHECK(c != NULL && strstr(c->text, wrong[k].words) != NULL);
        px_scene_free(scene);
    }
}

TEST_MAIN()
