/// Cloth against itself and other cloth: nothing crosses, energy does not grow, what starts crossed
/// comes apart, equal bits.
#include "check.h"

#include "crossings.h"
#include "text_world.h"
#include "world/cloth_stage.h"

#include <string.h>

static double energy_of(PxWorld *world)
{
    PxClothTotals t;
    CHECK_OK(px_cloth_totals(world, &t));
    return t.kinetic + t.potential + t.elastic;
}

/* A soft sheet of 2 m with thin bending falls over a ball: its four corners become deep folds that
 * clap together. */
static PxWorld *folding(double step, int cells, int threads)
{
    char text[1000];
    snprintf(text, sizeof text,
             "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 60, "
             "\"friction\": 0.4, \"cloth\": {\"mass\": 0.3, \"weft\": 500, \"warp\": 500, "
             "\"shear\": 50, \"bend\": 5e-5, \"thickness\": 0.005, \"step\": %.12g, "
             "\"self_collision\": true}}}, \"bodies\": [{\"name\": \"a\", \"material\": \"m\", "
             "\"shape\": {\"sheet\": {\"width\": 2, \"length\": 2, \"columns\": %d, \"rows\": "
             "%d}, \"at\": [0, 0.503, 0]}}, {\"name\": \"ball\", \"wall\": true, \"friction\": "
             "0.4, \"shape\": {\"sphere\": 0.5}}]}",
             step, cells, cells);
    return world_of(text, threads);
}

static void check_folding(double step)
{
    PxWorld *world = folding(step, 36, 2);
    double before = energy_of(world), start = before;
    for (int k = 1; k <= 18; ++k) {
        CHECK_OK(px_world_advance(world, k / 24.0));
        double now = energy_of(world);
        CHECK(count_crossings(world) == 0);
        CHECK(now <= before + 1e-3);
        before = now;
    }
    PxStats stats = stats_of(world);
    print_message("steps of %.3g ms: energy %.3f J of %.3f J, strain %.3f\n", 1e3 * step, before,
                  start, stats.cloth_strain);
    CHECK(stats.cloth_crossed == 0);
    CHECK(before < 0.2 * start); /* it hangs */
    px_world_free(world);
}

PHYSICS(a_sheet_that_folds_over_a_ball_crosses_nothing_and_gains_no_energy)
{
    check_folding(1 / 240.0);
}

PHYSICS(long_steps_cross_nothing_either)
{
    check_folding(1 / 120.0);
}

/* Six sheets, each turned against the one below, fall on the floor. */
static PxWorld *stack(int threads, bool collide)
{
    char text[6000];
    int n = snprintf(text, sizeof text,
                     "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 60, "
                     "\"friction\": 0.5, \"cloth\": {\"mass\": 0.3, \"weft\": 500, \"warp\": 500, "
                     "\"shear\": 50, \"bend\": 1e-4, \"thickness\": 0.006, \"damping\": 2, "
                     "\"self_collision\": %s}}}, \"bodies\": [{\"name\": \"floor\", \"wall\": "
                     "true, \"friction\": 0.5, \"shape\": {\"plane\": [0, 1, 0]}}",
                     collide ? "true" : "false");
    for (int k = 0; k < 6; ++k)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      ", {\"name\": \"s%d\", \"material\": \"m\", \"shape\": {\"sheet\": "
                      "{\"width\": 0.4, \"length\": 0.4, \"columns\": 10, \"rows\": 10}, \"at\": "
                      "[%g, %g, 0], \"turn\": {\"axis\": [0.2, 1, 0], \"degrees\": %d}}}",
                      k, 0.03 * (k % 3), 0.1 + 0.06 * k, 25 * k);
    snprintf(text + n, sizeof text - (size_t)n, "]}");
    return world_of(text, threads);
}

PHYSICS(a_stack_of_sheets_comes_to_rest)
{
    PxWorld *world = stack(1, true);
    for (int k = 1; k <= 8; ++k) {
        CHECK_OK(px_world_advance(world, 0.25 * k));
        CHECK(count_crossings(world) == 0);
    }
    PxClothTotals t;
    CHECK_OK(px_cloth_totals(world, &t));
    print_message("after 2 s: kinetic energy %.2g J, fastest %.3g m/s\n", t.kinetic, t.speed);
    CHECK(stats_of(world).cloth_crossed == 0);
    CHECK(t.kinetic < 1e-4);
    px_world_free(world);
}

TEST(contacts_give_the_same_bits_for_any_threads_and_after_a_restart)
{
    uint64_t hash[4][2];
    for (int k = 0; k < 4; ++k) {
        PxWorld *world = stack(k == 2 ? 8 : k + 1, k < 3);
        PxSavedWorld *saved = NULL;
        CHECK_OK(px_world_advance(world, 0.2));
        if (k == 1) { /* on and back */
            CHECK_OK(px_world_save(world, &saved));
            CHECK_OK(px_world_advance(world, 0.22));
            CHECK_OK(px_world_restore(world, saved));
            px_saved_free(saved);
        }
        CHECK_OK(px_world_advance(world, 0.26));
        px_table_hash(&world->cloth_vertices, PX_COLUMN_STATE, hash[k]);
        px_world_free(world);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    CHECK(memcmp(hash[0], hash[2], sizeof hash[0]) == 0);
    CHECK(memcmp(hash[0], hash[3], sizeof hash[0]) != 0); /* sheets have met each other */
}

/* An upright sheet starts with its lower border through a flat one. */
TEST(what_starts_crossed_comes_apart)
{
    PxWorld *world = world_of(
        "{\"phyxel\": 1, \"spacing\": 0.05, \"gravity\": [0, 0, 0], \"materials\": {\"m\": "
        "{\"density\": 60, \"cloth\": {\"mass\": 0.3, \"thickness\": 0.006, \"damping\": 5, "
        "\"self_collision\": true}}}, \"bodies\": [{\"name\": \"a\", \"material\": \"m\", "
        "\"shape\": {\"sheet\": {\"width\": 0.4, \"length\": 0.4, \"columns\": 12, \"rows\": "
        "12}}}, {\"name\": \"b\", \"material\": \"m\", \"shape\": {\"sheet\": {\"width\": 0.2, "
        "\"length\": 0.2, \"columns\": 7, \"rows\": 7}, \"at\": [0.01, 0.08, 0.01], \"turn\": "
        "{\"axis\": [1, 0.1, 0], \"degrees\": 80}}}]}",
        1);
    CHECK_OK(px_world_advance(world, 0.004));
    uint32_t before = count_crossings(world);
    CHECK(before > 5);
    CHECK_OK(px_world_advance(world, 1));
    uint32_t after = count_crossings(world);
    print_message("crossings: %u, after 1 s %u\n", before, after);
    CHECK(after == 0);
    px_world_free(world);
}

/* Two sheets of 1 m start crossed, one upright: exactly in their middles, where both ways out are
 * as long, and 200 mm through. After 0.85 and 0.49 s nothing was crossed any more. */
PHYSICS(sheets_that_cross_in_their_middles_come_apart)
{
    for (int k = 0; k < 2; ++k) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"phyxel\": 1, \"spacing\": 0.05, \"gravity\": [0, 0, 0], \"materials\": "
                 "{\"m\": {\"density\": 60, \"cloth\": {\"mass\": 0.2, \"thickness\": 0.01, "
                 "\"damping\": 1, \"self_collision\": true}}}, \"bodies\": [{\"name\": \"a\", "
                 "\"material\": \"m\", \"shape\": {\"sheet\": {\"width\": 1, \"length\": 1, "
                 "\"columns\": 24, \"rows\": 24}}}, {\"name\": \"b\", \"material\": \"m\", "
                 "\"shape\": {\"sheet\": {\"width\": 1, \"length\": 1, \"columns\": 24, \"rows\": "
                 "24}, \"at\": [0, %g, 0], \"turn\": {\"axis\": [1, 0, 0], \"degrees\": 90}}}]}",
                 k == 0 ? 0 : 0.3);
        PxWorld *world = world_of(text, 2);
        CHECK_OK(px_world_advance(world, 0.004));
        CHECK(count_crossings(world) > 20);
        CHECK_OK(px_world_advance(world, 1.2));
        CHECK_EQUAL(count_crossings(world), 0);
        uint64_t crossed = stats_of(world).cloth_crossed;
        CHECK_OK(px_world_advance(world, 1.5));
        CHECK(stats_of(world).cloth_crossed == crossed);
        px_world_free(world);
    }
}

/* How deep triangles reach into a box around the origin, m: the lowest of many places of each. */
static double cut_of(const PxWorld *world, PxVec3 half)
{
    const PxClothSystem *y = &world->cloth_system;
    double deepest = 0;
    for (uint32_t f = 0; f < y->faces; ++f)
        for (int a = 0; a <= 20; ++a)
            for (int b = 0; a + b <= 20; ++b) {
                const uint32_t *c = y->face[f].corner;
                PxVec3 x = px_mad(px_mad(px_scale(vertex_of(world, c[0]), a / 20.0),
                                         vertex_of(world, c[1]), b / 20.0),
                                  vertex_of(world, c[2]), (20 - a - b) / 20.0);
                double in = fmin(half.x - fabs(x.x), fmin(half.y - fabs(x.y), half.z - fabs(x.z)));
                deepest = fmax(deepest, in);
            }
    return deepest;
}

/* The corners and edges of a box are sharp, and cells of 50 mm lie over them. */
TEST(a_sheet_on_a_box_is_not_cut_by_its_edges_and_corners)
{
    PxWorld *world = world_of(
        "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 60, "
        "\"friction\": 0.4, \"cloth\": {\"mass\": 0.23, \"weft\": 400, \"warp\": 400, "
        "\"shear\": 50, \"bend\": 3e-5, \"thickness\": 0.004}}}, \"bodies\": [{\"name\": \"a\", "
        "\"material\": \"m\", \"shape\": {\"sheet\": {\"width\": 1, \"length\": 1, \"columns\": "
        "20, \"rows\": 20}, \"at\": [0.013, 0.23, 0.008], \"turn\": {\"axis\": [0, 1, 0], "
        "\"degrees\": 10}}}, {\"name\": \"box\", \"wall\": true, \"friction\": 0.4, \"shape\": "
        "{\"box\": [0.4, 0.4, 0.4]}}]}",
        1);
    double deepest = 0;
    for (int k = 1; k <= 20; ++k) {
        CHECK_OK(px_world_advance(world, 0.05 * k));
        deepest = fmax(deepest, cut_of(world, px_vec(0.2, 0.2, 0.2)));
    }
    print_message("deepest cut: %.3g mm\n", 1e3 * deepest);
    CHECK(deepest < 0.4e-3); /* a tenth of the thickness */
    CHECK(stats_of(world).cloth_crossed == 0);
    px_world_free(world);
}

TEST_MAIN()
