/// Steps of cloth that go wrong, cut or with energy gained, are taken again, and shorter.
#include "check.h"

#include "draped.h"
#include "world/saved.h"

#include <string.h>

#define CLOTH(thickness, weft, shear, more)                                                        \
    "\"m\": {\"density\": 100, \"friction\": 0.4, \"cloth\": {\"mass\": 0.2, \"weft\": " weft      \
    ", \"warp\": " weft ", \"shear\": " shear ", \"thickness\": " thickness more "}}"

#define CORNER(name, x, z)                                                                         \
    "{\"name\": \"" name "\", \"body\": \"sheet\", \"shape\": {\"box\": [0.06, 0.1, 0.06], "       \
    "\"at\": [" x ", 0.5, " z "]}}"

/* A wooden cone falls with its tip ahead, at 8 m/s, on a sheet that is held at its corners. */
static const char dart[] = "{\"phyxel\": 1, \"spacing\": 0.02, \"materials\": {" CLOTH(
    "0.0005", "3000", "300",
    "") ", \"wood\": {\"density\": 600}}, \"bodies\": ["
        "{\"name\": \"sheet\", \"material\": \"m\", \"shape\": {\"sheet\": {\"width\": 0.6, "
        "\"length\": 0.6, \"columns\": 20, \"rows\": 20}, \"at\": [0, 0.5, 0]}}, "
        "{\"name\": \"dart\", \"material\": \"wood\", \"rigid\": true, \"friction\": 0.4, "
        "\"velocity\": "
        "[0, -8, 0], \"shape\": {\"cone\": {\"radius\": 0.03, \"height\": 0.15}, \"at\": [0.01, "
        "0.72, "
        "0.02], \"turn\": {\"axis\": [1, 0, 0.05], \"degrees\": 178}}}], \"handles\": [" CORNER(
            "a", "-0.3", "-0.3") ", " CORNER("b", "-0.3",
                                             "0.3") ", " CORNER("c", "0.3",
                                                                "-0.3") ", " CORNER("d", "0.3",
                                                                                    "0.3") "]}";

/* Two sheets that fly against each other at 20 m/s, without gravity. */
static const char clap[] =
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], \"materials\": {" CLOTH(
        "0.001", "500", "50",
        ", \"self_collision\": true") "}, \"bodies\": ["
                                      "{\"name\": \"a\", \"material\": \"m\", \"velocity\": [0, "
                                      "-10, 0], \"shape\": {\"sheet\": "
                                      "{\"width\": 0.4, \"length\": 0.4, \"columns\": 16, "
                                      "\"rows\": 16}, \"at\": [0, 0.5, 0]}}, "
                                      "{\"name\": \"b\", \"material\": \"m\", \"velocity\": [0, "
                                      "10, 0], \"shape\": {\"sheet\": "
                                      "{\"width\": 0.4, \"length\": 0.4, \"columns\": 12, "
                                      "\"rows\": 12}, \"at\": [0.05, 0.3, 0.03], "
                                      "\"turn\": {\"axis\": [0, 1, 0], \"degrees\": 20}}}]}";

/* Free cloth on a ball, its edges a quarter of the spacing, and 0.5 kg of water that falls on it
 * with 8 m/s. */
static const char splash[] =
    "{\"phyxel\": 1, \"spacing\": 0.04, \"max_step\": 0.0037, \"courant\": 1, \"materials\": "
    "{" CLOTH(
        "0.002", "2000", "200",
        ", \"bend\": 3e-5") ", \"water\": {\"density\": 1000, \"viscosity\": 0.001}}, \"bodies\": ["
                            "{\"name\": \"sheet\", \"material\": \"m\", \"shape\": {\"sheet\": "
                            "{\"width\": 0.2, \"length\": 0.2, \"columns\": 20, \"rows\": 20}, "
                            "\"at\": [0, 0.102, 0]}}, "
                            "{\"name\": \"ball\", \"wall\": true, \"shape\": {\"sphere\": 0.1}}, "
                            "{\"name\": \"block\", \"material\": \"water\", \"velocity\": [0, -8, "
                            "0], "
                            "\"shape\": {\"box\": [0.08, 0.08, 0.08], \"at\": [0, 0.15, 0]}}]}";

/* With that of particles, J. */
static double whole_energy_of(PxWorld *world)
{
    PxStats s = stats_of(world);
    return energy_of(world) + s.kinetic + s.potential;
}

/* Largest growth of energy in a step, of the kinetic energy `whole`; nothing must cross. */
static double growth(const char *text, double whole, double end)
{
    PxWorld *world = world_of(text, 1);
    double last = whole_energy_of(world), most = 0, shortest = 1;
    while (stats_of(world).time < end) {
        CHECK_OK(px_world_step(world, floor(30 * stats_of(world).time + 1.001) / 30));
        most = fmax(most, whole_energy_of(world) - last);
        last = whole_energy_of(world);
        shortest = fmin(shortest, stats_of(world).dt);
    }
    PxStats stats = stats_of(world);
    print_message("growth %.2g J of %g J, shortest step %.2g ms, crossed %llu\n", most, whole,
                  1000 * shortest, (unsigned long long)stats.cloth_crossed);
    CHECK(stats.cloth_crossed == 0);
    CHECK(stats.leaked == 0);
    px_world_free(world);
    return most / whole;
}

/* With steps that are always taken: 2 crossings. */
TEST(a_dart_that_falls_on_cloth_neither_cuts_it_nor_gains_energy)
{
    CHECK(growth(dart, 2.84, 0.1) < 0.005);
}

/* With steps that are always taken: growth 0.29 J of 3.2 J. */
TEST(sheets_that_meet_at_twenty_metres_a_second_gain_no_energy)
{
    CHECK(growth(clap, 3.2, 0.1) < 0.005);
}

/* With steps that are always taken while there is fluid: growth 160 J of 16.4 J, and particles
 * leak.
 */
TEST(water_that_presses_fine_cloth_on_a_ball_gives_it_no_energy)
{
    CHECK(growth(splash, 16.4, 0.017) < 0.005);
}

static void check_bits(const char *text, double end)
{
    uint64_t hash[3][4];
    for (int k = 0; k < 3; ++k) {
        PxWorld *world = world_of(text, k == 1 ? 3 : 1);
        double shortened = 0;
        while (stats_of(world).time < end) {
            CHECK_OK(px_world_step(world, floor(30 * stats_of(world).time + 1.001) / 30));
            if (shortened > 0 || !(px_world_state(world).cloth_part > 0))
                continue;
            shortened = stats_of(world).time;
            if (k == 2) { /* while steps are shorter */
                PxSavedWorld *saved = NULL;
                CHECK_OK(px_world_save(world, &saved));
                PxWorld *fresh = world_of(text, 1);
                CHECK_OK(px_world_resume(fresh, saved));
                px_saved_free(saved);
                px_world_free(world);
                world = fresh;
            }
        }
        CHECK(shortened > 0);
        hash_of(world, hash[k]);
        px_table_hash(&world->particles.table, PX_COLUMN_STATE, hash[k] + 2);
        px_world_free(world);
    }
    CHECK(memcmp(hash[1], hash[0], sizeof hash[0]) == 0);
    CHECK(memcmp(hash[2], hash[0], sizeof hash[0]) == 0);
}

TEST(steps_taken_again_give_the_same_bits_for_any_threads_and_when_restored)
{
    check_bits(dart, 0.1);
    check_bits(splash, 0.017);
}

TEST_MAIN()
