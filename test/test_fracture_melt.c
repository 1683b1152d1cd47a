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

/* ---- half molten ------------------------------------------------------------------- */

/* A bar whose middle is partly molten, pulled slowly. */
#define MUSHY(temperature, spacing)                                                                \
    "{\"phyxel\": 1, \"spacing\": " spacing ", \"gravity\": [0, 0, 0], \"materials\": {\"wax\": "  \
    "{\"density\": 1000, \"young\": 1e5, \"damping\": 10, \"fracture\": {\"strength\": 1e4}, "     \
    "\"melts\": {\"from\": 40, \"to\": 60, \"into\": {\"viscosity\": 1}}}}, \"bodies\": "          \
    "[{\"name\": \"bar\", \"skin\": false, \"material\": \"wax\", \"temperature\": 20, "           \
    "\"shape\": {\"box\": [0.4, 0.08, 0.08]}}], \"heaters\": [{\"shape\": {\"box\": [0.12, 1, "    \
    "1]}, \"temperature\": " temperature                                                           \
    ", \"within\": 0.01, \"start\": 0.05}], \"handles\": [{\"name\": \"left\", \"shape\": "        \
    "{\"box\": [0.06, 0.2, 0.2], \"at\": [-0.2, 0, 0]}, \"keyframes\": [{\"at\": 0.2}, "           \
    "{\"at\": 5.2, \"move\": [-0.05, 0, 0]}]}, {\"name\": \"right\", \"shape\": {\"box\": [0.06, " \
    "0.2, 0.2], \"at\": [0.2, 0, 0]}, \"keyframes\": [{\"at\": 0.2}, {\"at\": 5.2, \"move\": "     \
    "[0.05, 0, 0]}]}], \"gauges\": [{\"measures\": \"force\", \"handle\": \"left\", \"every\": "   \
    "0.01, \"over\": 0.01}]}"

/* Stress at which it has come apart; *where: the largest distance of a crack from its middle, m. */
static double torn_at(const char *text, double *where)
{
    PxWorld *world = world_of(text, 2);
    double most = 0, mass = stats_of(world).mass;
    while (stats_of(world).fragments < 2 && stats_of(world).time < 2) {
        CHECK_OK(px_world_step(world, 2));
        for (size_t k = 0; k < world->readings.count; ++k) {
            const PxReading *r = &world->readings.data[k];
            most = fmax(most, fabs(world->reading_values.data[r->first]));
        }
    }
    CHECK(stats_of(world).fragments >= 2);
    CHECK(stats_of(world).mass == mass);
    const PxCracks *c = &world->fracture.now;
    *where = c->triangles.count > 0 ? 0 : INFINITY;
    for (size_t k = 0; k < c->triangles.count; ++k)
        *where = fmax(*where, fabs(px_crack_place(c, c->triangles.data[k].corner[0]).x));
    px_world_free(world);
    return most / (0.08 * 0.08);
}

PHYSICS(what_is_half_molten_tears_where_it_is_weak_at_the_strength_that_is_left)
{
    /* solid fractions of 0.5 and 0.75, that is 1/6 and 7/12 of the strength; the weakest particle
     * decides, and the strength scatters by 5 per cent */
    static const struct {
        const char *text;
        double strength;
    } bar[] = {{MUSHY("50", "0.02"), 1e4 / 6},
               {MUSHY("45", "0.02"), 7e4 / 12},
               {MUSHY("50", "0.0133333333"), 1e4 / 6}};
    for (size_t k = 0; k < PX_COUNT(bar); ++k) {
        double where, stress = torn_at(bar[k].text, &where);
        print_message("tears at %.4g Pa of %.4g, at most %.3g m from the middle\n", stress,
                      bar[k].strength, where);
        CHECK_NEAR(stress, bar[k].strength, 0.1 * bar[k].strength);
        CHECK(where < 0.06 + 0.01); /* the warm part ends at 6 cm */
    }
}

/* The same bar without handles; it turns until it tears. */
static const char thrown[] =
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], \"materials\": {\"wax\": "
    "{\"density\": 1000, \"young\": 1e5, \"fracture\": {\"strength\": 1e4}, \"melts\": {\"from\": "
    "40, \"to\": 60, \"into\": {\"viscosity\": 0.1}}}}, \"bodies\": [{\"name\": \"bar\", \"skin\": "
    "false, \"material\": \"wax\", \"temperature\": 20, \"shape\": {\"box\": [0.4, 0.08, 0.08]}, "
    "\"velocity\": [1, 0.5, 0], \"spin\": [0, 0, 18]}], \"heaters\": [{\"shape\": {\"box\": [0.12, "
    "1, "
    "1]}, \"temperature\": 50, \"within\": 0.01, \"start\": 0, \"end\": 0.02}]}";

PHYSICS(half_molten_matter_that_tears_keeps_momentum_and_gains_no_energy)
{
    PxWorld *world = world_of(thrown, 2);
    PxStats first = stats_of(world);
    double last = first.kinetic, most = 0;
    for (int k = 1; k <= 100; ++k) {
        CHECK_OK(px_world_advance(world, 0.002 * k));
        PxStats now = stats_of(world);
        double energy = now.kinetic + now.elastic;
        most = energy / last > most ? energy / last : most;
        last = energy;
    }
    PxStats end = stats_of(world);
    print_message("%llu pieces, %llu cracks; energy grew by %.6f at most\n",
                  (unsigned long long)end.fragments, (unsigned long long)end.cracks, most);
    CHECK(end.fragments >= 2);
    CHECK(end.cracks >= 1);
    CHECK(end.mass == first.mass);
    CHECK_NEAR(end.momentum.x, first.momentum.x, 1e-5 * first.momentum.x);
    CHECK_NEAR(end.momentum.y, first.momentum.y, 1e-5 * first.momentum.x);
    CHECK_NEAR(end.angular_momentum.z, first.angular_momentum.z,
               1e-3 * fabs(first.angular_momentum.z));
    CHECK(most < 1.002);
    px_world_free(world);
}

TEST(half_molten_matter_that_is_saved_while_it_tears_continues_with_the_same_bits)
{
    PxWorld *world = world_of(thrown, 2), *fresh = world_of(thrown, 1);
    PxSavedWorld *saved = NULL;
    uint64_t hash[2][2];
    while (stats_of(world).crack_fronts == 0)
        CHECK_OK(px_world_step(world, 0.5));
    CHECK_OK(px_world_save(world, &saved));
    CHECK_OK(px_world_resume(fresh, saved));
    double until = stats_of(world).time + 0.05;
    CHECK_OK(px_world_advance(world, until));
    CHECK_OK(px_world_advance(fresh, until));
    CHECK(stats_of(world).fragments >= 2);
    px_table_hash(&world->particles.table, PX_COLUMN_STATE, hash[0]);
    px_table_hash(&fresh->particles.table, PX_COLUMN_STATE, hash[1]);
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    px_saved_free(saved);
    px_world_free(world);
    px_world_free(fresh);
}

TEST_MAIN()
