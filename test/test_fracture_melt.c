/// Fracture of matter that melts and freezes: what has frozen breaks, cracks close where it melts.
#include "check.h"
#include "text_world.h"

#include "coupling/elastic_set.h"
#include "world/saved.h"
#include "world/world_parts.h"

#include <math.h>

/* A bar of wax at a temperature, pulled at both ends; an event may change the temperature. */
#define WAX(temperature, more)                                                                     \
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], \"materials\": {\"wax\": "         \
    "{\"density\": 1000, \"young\": 1e6, \"poisson\": 0, \"damping\": 30, \"fracture\": "          \
    "{\"strength\": 2e4}, \"melts\": {\"from\": 40, \"to\": 60, \"into\": {\"viscosity\": 1}}}}, " \
    "\"bodies\": [{\"name\": \"bar\", \"skin\": false, \"material\": \"wax\", "                    \
    "\"temperature\": " temperature                                                                \
    ", \"shape\": {\"box\": [0.24, 0.06, 0.06]}}], \"handles\": [{\"name\": "                      \
    "\"left\", \"shape\": {\"box\": [0.05, 0.2, 0.2], \"at\": [-0.12, 0, 0]}, \"keyframes\": "     \
    "[{\"at\": 0}, {\"at\": 1, \"move\": [-0.03, 0, 0]}]}, {\"name\": \"right\", \"shape\": "      \
    "{\"box\": [0.05, 0.2, 0.2], \"at\": [0.12, 0, 0]}, \"keyframes\": [{\"at\": 0}, {\"at\": 1, " \
    "\"move\": [0.03, 0, 0]}]}]" more "}"

TEST(cold_wax_breaks_and_stays_broken)
{
    uint64_t hash[2][2];
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = world_of(WAX("20", ""), k == 0 ? 1 : 3);
        double mass = stats_of(world).mass;
        CHECK_OK(px_world_advance(world, 0.2));
        CHECK(stats_of(world).cracks >= 1);
        uint64_t pieces = stats_of(world).fragments;
        CHECK(pieces >= 2);
        CHECK(stats_of(world).mass == mass);
        CHECK_OK(px_world_advance(world, 0.3)); /* many rest-shape updates */
        CHECK(stats_of(world).fragments >= pieces);
        px_table_hash(&world->particles.table, PX_COLUMN_STATE, hash[k]);
        px_world_free(world);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
}

TEST(a_world_saved_in_a_crack_of_wax_continues_with_the_same_bits)
{
    PxWorld *world = world_of(WAX("20", ""), 2), *fresh = world_of(WAX("20", ""), 1);
    PxSavedWorld *saved = NULL;
    uint64_t hash[2][2];
    while (stats_of(world).crack_fronts == 0)
        CHECK_OK(px_world_step(world, 0.5));
    CHECK_OK(px_world_save(world, &saved));
    CHECK_OK(px_world_resume(fresh, saved));
    CHECK_OK(px_world_advance(world, 0.2));
    CHECK_OK(px_world_advance(fresh, 0.2));
    px_table_hash(&world->particles.table, PX_COLUMN_STATE, hash[0]);
    px_table_hash(&fresh->particles.table, PX_COLUMN_STATE, hash[1]);
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    px_saved_free(saved);
    px_world_free(world);
    px_world_free(fresh);
}

TEST(cracks_close_where_wax_melts_and_stay_where_it_is_cold)
{
    /* cracks that do not divide the bar yet, then its left part or all of it melts */
    static const char *const heater[2] = {
        ", \"heaters\": [{\"name\": \"hot\", \"shape\": {\"box\": [4, 4, 4]}, \"temperature\": "
        "70, \"within\": 0.01, \"start\": 0.2}]",
        ", \"heaters\": [{\"name\": \"hot\", \"shape\": {\"box\": [1, 4, 4], \"at\": [0.58, 0, "
        "0]}, "
        "\"temperature\": 70, \"within\": 0.01, \"start\": 0.2}]"};
    double area[2];
    for (int k = 0; k < 2; ++k) {
        char text[4000];
        snprintf(text, sizeof text, WAX("20", "%s"), heater[k]);
        PxWorld *world = world_of(text, 2);
        CHECK_OK(px_world_advance(world, 0.199));
        double before = stats_of(world).crack_area;
        CHECK(before > 0.003);
        CHECK_OK(px_world_advance(world, 0.27));
        area[k] = stats_of(world).crack_area / before;
        CHECK(px_cracks_valid(&world->fracture.now, world->bodies.count));
        if (k == 0)
            CHECK(stats_of(world).crack_fronts == 0);
        px_world_free(world);
    }
    print_message("%.2f and %.2f of the cracks are left\n", area[0], area[1]);
    CHECK(area[0] == 0);
    CHECK(area[1] > 0.9); /* the heater ends 2 cm from the middle, where the bar broke */
}

TEST(what_has_frozen_breaks)
{
    /* a liquid block, frozen from 0.02 s on, and blown apart at 0.15 s */
    static const char text[] =
        "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], \"materials\": {\"wax\": "
        "{\"density\": 1000, \"young\": 1e6, \"damping\": 30, \"fracture\": {\"strength\": 2e4}, "
        "\"melts\": {\"from\": 40, \"to\": 60, \"into\": {\"viscosity\": 10}}}}, \"bodies\": "
        "[{\"name\": \"block\", \"skin\": false, \"material\": \"wax\", \"temperature\": 70, "
        "\"shape\": {\"box\": [0.2, 0.1, 0.1]}}], \"heaters\": [{\"name\": \"cold\", \"shape\": "
        "{\"box\": [4, 4, 4]}, \"temperature\": 0, \"within\": 0.01, \"start\": 0.02}], "
        "\"fields\": "
        "[{\"kind\": \"attractor\", \"strength\": -3000, \"start\": 0.15, \"end\": 0.16}]}";
    PxWorld *world = world_of(text, 2);
    double mass = stats_of(world).mass;
    CHECK(stats_of(world).fragments == 0);
    CHECK_OK(px_world_advance(world, 0.15));
    CHECK(stats_of(world).fragments == 1);
    CHECK(stats_of(world).cracks == 0);
    CHECK_OK(px_world_advance(world, 0.25));
    CHECK(stats_of(world).cracks > 0);
    CHECK(stats_of(world).fragments >= 2);
    CHECK(stats_of(world).mass == mass);
    px_world_free(world);
}

TEST_MAIN()
