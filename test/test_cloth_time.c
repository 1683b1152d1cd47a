/// Integration of cloth in time: implicit Euler and BDF2.
#include "check.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "draped.h"
#include "world/cloth_stage.h"

#include <string.h>

/* A strip of 1 m that is let go at 30 degrees from hanging straight, without damping. */
static PxWorld *pendulum(const char *integration, double step)
{
    char text[1000];
    snprintf(text, sizeof text,
             "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, "
             "\"cloth\": {\"mass\": 0.2, \"stiff_damping\": 0, \"bend\": 1e-3, \"integration\": "
             "\"%s\", \"step\": %g}}}, \"bodies\": [{\"name\": \"a\", \"material\": \"m\", "
             "\"shape\": {\"sheet\": {\"width\": 1, \"length\": 0.1, \"columns\": 20, \"rows\": "
             "2}, \"turn\": {\"axis\": [0, 0, 1], \"degrees\": -60}}}], \"handles\": [{\"name\": "
             "\"h\", \"body\": \"a\", \"shape\": {\"box\": [0.02, 0.02, 1], \"at\": [-0.25, "
             "0.433, 0]}}]}",
             integration, step);
    return world_of(text, 1);
}

#define WHOLE (0.02 * 9.81 * 0.5 * (1 - 0.8660254)) /* J above hanging straight */

/* Energy that is left after a second as a part of WHOLE. Every `short_one`th step is shorter. */
static double left(const char *integration, double step, int short_one, double *grown)
{
    PxWorld *world = pendulum(integration, step);
    double first = energy_of(world), now = first, most = first;
    for (int k = 1; stats_of(world).time < 1; ++k) {
        double now_step = short_one > 0 && k % short_one == 0 ? 0.3 * step : step;
        CHECK_OK(px_world_step(world, stats_of(world).time + now_step));
        now = energy_of(world);
        most = fmax(most, now);
    }
    *grown = (most - first) / WHOLE;
    px_world_free(world);
    return 1 + (now - first) / WHOLE;
}

TEST(a_swinging_strip_keeps_its_energy_much_better_with_bdf2)
{
    double grown[4], euler = left("euler", 0.004, 0, &grown[0]);
    double bdf2 = left("bdf2", 0.004, 0, &grown[1]), fine = left("bdf2", 0.002, 0, &grown[2]);
    double uneven = left("bdf2", 0.004, 4, &grown[3]);
    print_message("energy after 1 s in steps of 4 ms: Euler %.4f, BDF2 %.4f, with every fourth "
                  "step shorter %.4f; in steps of 2 ms %.4f\n",
                  euler, bdf2, uneven, fine);
    for (int k = 0; k < 4; ++k)
        CHECK(grown[k] < 1e-3);
    CHECK(1 - bdf2 < 0.25 * (1 - euler));
    CHECK(1 - fine < 0.5 * (1 - bdf2));
    CHECK(1 - uneven < 0.3 * (1 - euler));
}

static const char draped[] =
    DRAPED("\"cloth\": {\"mass\": 0.2, \"thickness\": 0.004, \"integration\": \"bdf2\"}");

TEST(bdf2_gives_the_same_bits_for_any_threads_and_when_continued)
{
    uint64_t hash[4][2];
    PxSavedWorld *saved = NULL;
    for (int k = 0; k < 3; ++k) {
        PxWorld *world = world_of(draped, k + 1);
        CHECK_OK(px_world_advance(world, 0.13));
        if (k == 2)
            CHECK_OK(px_world_save(world, &saved));
        CHECK_OK(px_world_advance(world, 0.3));
        hash_of(world, hash[k]);
        if (k == 2) {
            CHECK_OK(px_world_restore(world, saved));
            CHECK_OK(px_world_advance(world, 0.3));
            hash_of(world, hash[3]);
        }
        px_world_free(world);
    }
    px_saved_free(saved);
    for (int k = 1; k < 4; ++k)
        CHECK(memcmp(hash[0], hash[k], sizeof hash[0]) == 0);
}

TEST(bdf2_on_a_ball_and_a_floor_crosses_nothing_and_loses_energy)
{
    PxWorld *world = world_of(draped, 1);
    double most = 0, first = energy_of(world), now = first;
    while (stats_of(world).time < 1.2) {
        CHECK_OK(px_world_step(world, 1.2));
        double before = now;
        now = energy_of(world);
        most = fmax(most, now - before);
    }
    PxStats stats = stats_of(world);
    print_message("largest growth of energy in a step / energy lost: %.2g; kinetic %.2g J\n",
                  most / (first - now), stats.cloth_kinetic);
    CHECK(stats.cloth_contacts > 10 && stats.cloth_crossed == 0);
    /* Where a vertex comes into contact it is integrated by implicit Euler, its neighbours by BDF2:
     * single steps may gain up to 0.01 of the energy that is lost in all. */
    CHECK(most < 0.02 * (first - now));
    px_world_free(world);
}

/* Two sheets meet in free flight: no impulse of a collision is lost in the past of a vertex. */
TEST(sheets_that_collide_keep_their_momentum_with_bdf2)
{
    PxWorld *world = world_of(
        "{\"phyxel\": 1, \"spacing\": 0.05, \"gravity\": [0, 0, 0], \"materials\": {\"m\": "
        "{\"density\": 100, \"friction\": 0.3, \"cloth\": {\"mass\": 0.2, \"thickness\": 0.01, "
        "\"integration\": \"bdf2\", \"self_collision\": true}}}, \"bodies\": [{\"name\": \"a\", "
        "\"material\": \"m\", \"velocity\": [0.1, -1, 0], \"shape\": {\"sheet\": {\"width\": 0.3, "
        "\"length\": 0.3, \"columns\": 8, \"rows\": 8}, \"at\": [0.05, 0.05, 0.02]}}, {\"name\": "
        "\"b\", \"material\": \"m\", \"shape\": {\"sheet\": {\"width\": 0.5, \"length\": 0.5, "
        "\"columns\": 10, \"rows\": 10}}}]}",
        1);
    PxVec3 before = stats_of(world).cloth_momentum;
    CHECK_OK(px_world_advance(world, 0.3));
    PxStats stats = stats_of(world);
    double lost = px_length(px_sub(stats.cloth_momentum, before)) / px_length(before);
    print_message("momentum lost / momentum: %.2g\n", lost);
    CHECK(stats.cloth_crossed == 0 && lost < 1e-3);
    px_world_free(world);
}

TEST_MAIN()
