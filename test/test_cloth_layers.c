/// Layers of cloth that touch each other, under bodies much heavier than they are.
#include "check.h"

#include "draped.h"

#include <math.h>
#include <stdio.h>

#define LAYER(name, height, degrees)                                                               \
    "{\"name\": \"" name "\", \"material\": \"c\", \"shape\": {\"sheet\": {\"width\": 0.3, "       \
    "\"length\": 0.3, \"columns\": 12, \"rows\": 12}, \"at\": [0, " height                         \
    ", 0], \"turn\": {\"axis\": [0, 1, 0], \"degrees\": " degrees "}}}"

/* A ball of 2.1 kg falls at 2.5 m/s on loose sheets of 18 g that lie on a floor. */
static const char layers[] =
    "{\"phyxel\": 1, \"spacing\": 0.02, \"materials\": {\"c\": {\"density\": 200, \"friction\": "
    "0.3, \"cloth\": {\"mass\": 0.2, \"weft\": 500, \"warp\": 500, \"shear\": 50, \"thickness\": "
    "0.002, \"self_collision\": true}}, \"iron\": {\"density\": 7800}}, \"bodies\": [" LAYER(
        "a", "0.0015",
        "0") "," LAYER("b", "0.0045",
                       "13") "," LAYER("c", "0.0075",
                                       "31") ", "
                                             "{\"name\": \"floor\", \"wall\": true, \"friction\": "
                                             "0.3, \"shape\": {\"plane\": [0, 1, 0]}}, "
                                             "{\"name\": \"ball\", \"material\": \"iron\", "
                                             "\"rigid\": true, \"friction\": 0.3, "
                                             "\"velocity\": [0, -2.5, 0], \"shape\": {\"sphere\": "
                                             "0.04, \"at\": [0.006, 0.08, 0.008]}}]}";

/* Energy grows by no more than `gain` in a step, nothing crosses, and it takes few steps. */
static void pile_up(const char *scene, double seconds, uint64_t steps, double gain)
{
    PxWorld *world = world_of(scene, 1);
    double energy = energy_of(world), most = 0;
    while (stats_of(world).time < seconds) {
        CHECK_OK(px_world_step(world, seconds));
        most = fmax(most, energy_of(world) - energy);
        energy = energy_of(world);
        if (stats_of(world).step > steps)
            break;
    }
    PxStats stats = stats_of(world);
    print_message("%llu steps, growth %.2g J, limit %.2g J\n", (unsigned long long)stats.step, most,
                  gain);
    CHECK_NEAR(stats.time, seconds, 1e-9);
    CHECK(stats.cloth_crossed == 0);
    CHECK(stats.not_converged == 0);
    CHECK(most < gain);
    px_world_free(world);
}

/* Contact between the layers is too soft for the ball; ties between their vertices stop it.
 * Vertices that the solve had held at the floor were drawn there through the layer below, and steps
 * became as short as 1.5e-8 s. */
TEST(a_heavy_ball_on_layers_of_cloth_does_not_shorten_the_steps_for_ever)
{
    pile_up(layers, 0.1, 300, 0.02 * 6.6);
}

/* Ten sheets of 0.8 mm fall on a box and each other in steps of up to 10 ms. Ties of more than 1e6
 * masses are rounded to nothing in floats: all sheets were shot away with 4.3 MJ. */
PHYSICS(thin_sheets_that_fall_on_each_other_do_not_explode)
{
    char scene[6000];
    int n = snprintf(scene, sizeof scene,
                     "{\"phyxel\": 1, \"spacing\": 0.03, \"materials\": {\"c\": {\"density\": 100, "
                     "\"friction\": 0.4, \"cloth\": {\"mass\": 0.2, \"thickness\": 0.0008, "
                     "\"self_collision\": true, \"integration\": \"bdf2\", \"step\": 0.01}}}, "
                     "\"bodies\": [");
    for (int k = 0; k < 10; ++k)
        n += snprintf(scene + n, sizeof scene - (size_t)n,
                      "{\"name\": \"s%d\", \"material\": \"c\", \"shape\": {\"sheet\": {\"width\": "
                      "0.5, \"length\": 0.5, \"columns\": 14, \"rows\": 14}, \"at\": [%g, %g, %g], "
                      "\"turn\": {\"axis\": [0, 1, 0], \"degrees\": %d}}}, ",
                      k, 0.02 * (k % 3), 0.05 + 0.02 * k, 0.01 * (k % 2), 17 * k);
    snprintf(scene + n, sizeof scene - (size_t)n,
             "{\"name\": \"box\", \"wall\": true, \"shape\": {\"box\": [0.15, 0.04, 0.15], \"at\": "
             "[0, 0.02, 0]}}, {\"name\": \"floor\", \"wall\": true, \"shape\": {\"plane\": [0, 1, "
             "0]}}]}");
    pile_up(scene, 0.6, 400, 0.01 * 0.69);
}

/* A box of 1.5 kg falls on a sheet of 1 mm that lies crumpled on a floor. Contacts between layers
 * were as stiff as the sheet is heavy, layers came together under the box, and all cloth stopped
 * while the box went on into it: 943 crossings, and 0.3 J gained in a step. */
static const char crumpled[] =
    "{\"phyxel\": 1, \"spacing\": 0.03, \"materials\": {\"c\": {\"density\": 100, \"friction\": "
    "0.4, \"cloth\": {\"mass\": 0.2, \"thickness\": 0.001, \"self_collision\": true, "
    "\"integration\": \"bdf2\", \"step\": 0.008}}, \"i\": {\"density\": 1000, \"friction\": 0.4}}, "
    "\"bodies\": [{\"name\": \"sheet\", \"material\": \"c\", \"shape\": {\"sheet\": {\"width\": "
    "0.5, \"length\": 0.5, \"columns\": 20, \"rows\": 20}, \"at\": [0, 0.32, 0], \"turn\": "
    "{\"axis\": [1, 0, 0.2], \"degrees\": 85}}}, {\"name\": \"book\", \"rigid\": true, "
    "\"material\": "
    "\"i\", \"shape\": {\"box\": [0.25, 0.03, 0.2], \"at\": [0, 0.85, 0]}}, {\"name\": \"floor\", "
    "\"wall\": true, \"shape\": {\"plane\": [0, 1, 0]}}]}";

PHYSICS(a_book_that_falls_on_a_crumpled_sheet_presses_its_layers_together)
{
    pile_up(crumpled, 0.8, 500, 0.005 * 12.7);
}

TEST_MAIN()
