/// Fracture: cracks begin, grow, split and end, bonds weaken, bodies fall into pieces; the same
/// bits for any threads and after a stop; damaged checkpoints and wrong numbers are refused.
#include "check.h"
#include "text_world.h"

#include "solid/fracture/meet.h"
#include "world/fracture_stage.h"
#include "world/saved.h"

/* A short bar, pulled at both ends until it breaks at about 0.06 s. */
#define BAR(spacing, pull, law)                                                                    \
    "{\"phyxel\": 1, \"spacing\": " spacing                                                        \
    ", \"gravity\": [0, 0, 0], \"materials\": {\"stone\": "                                        \
    "{\"density\": 1000, \"young\": 1e6, \"poisson\": 0, \"damping\": 30, \"fracture\": {" law     \
    "}}}, \"bodies\": [{\"name\": \"bar\", \"skin\": false, \"material\": \"stone\", \"shape\": "  \
    "{\"box\": [0.24, 0.06, 0.06]}}], \"handles\": [{\"name\": \"left\", \"shape\": {\"box\": "    \
    "[0.05, 0.2, 0.2], \"at\": [-0.12, 0, 0]}, \"keyframes\": [{\"at\": 0}, {\"at\": 1, "          \
    "\"move\": "                                                                                   \
    "[-" pull                                                                                      \
    ", 0, 0]}]}, {\"name\": \"right\", \"shape\": {\"box\": [0.05, 0.2, 0.2], \"at\": [0.12, "     \
    "0, 0]}, \"keyframes\": [{\"at\": 0}, {\"at\": 1, \"move\": [" pull                            \
    ", 0, 0]}]}], \"gauges\": "                                                                    \
    "[{\"name\": \"pull\", \"measures\": \"force\", \"handle\": \"left\", \"every\": 0.001, "      \
    "\"over\": 0.001}]}"

static const char bar[] = BAR("0.02", "0.03", "\"strength\": 2e4");

static void hash_of(const PxWorld *world, uint64_t hash[1 + PX_CRACK_TABLES][2])
{
    px_table_hash(&world->particles.table, PX_COLUMN_STATE, hash[0]);
    for (int k = 0; k < PX_CRACK_TABLES; ++k)
        px_table_hash(&world->crack[k], PX_COLUMN_STATE, hash[1 + k]);
}

/* Steps until a crack has begun and has a front, but nothing is broken. */
static void step_into_a_crack(PxWorld *world)
{
    while (stats_of(world).crack_fronts == 0)
        CHECK_OK(px_world_step(world, 0.5));
    for (int k = 0; k < 3; ++k)
        CHECK_OK(px_world_step(world, 0.5));
    CHECK(stats_of(world).fragments == 1);
    CHECK(stats_of(world).crack_fronts > 0);
}

TEST(a_bar_that_is_pulled_breaks_in_pieces_of_the_same_mass)
{
    PxWorld *world = world_of(bar, 2);
    CHECK_OK(px_world_advance(world, 0.02));
    PxStats before = stats_of(world);
    CHECK(stats_of(world).cracks == 0);
    CHECK(stats_of(world).fragments == 1);
    CHECK_OK(px_world_advance(world, 0.25));
    PxStats after = stats_of(world);
    CHECK(after.cracks >= 1);
    CHECK(after.fragments >= 2);
    CHECK(after.mass == before.mass);
    CHECK(after.particles == before.particles);
    CHECK(after.crack_ends >= 1);
    /* a cut across the bar has 0.0036 m^2 */
    CHECK(after.crack_area > 0.0034);
    CHECK(px_cracks_valid(&world->fracture.now, world->bodies.count));
    px_world_free(world);
}

TEST(without_fracture_it_does_not_break)
{
    PxWorld *world = world_of(BAR("0.02", "0.03", "\"strength\": 1e9"), 1);
    CHECK_OK(px_world_advance(world, 0.2));
    CHECK(stats_of(world).cracks == 0);
    CHECK(stats_of(world).fragments == 1);
    px_world_free(world);
}

TEST(the_visibility_criterion_breaks_it_too)
{
    PxWorld *world =
        world_of(BAR("0.02", "0.03", "\"strength\": 2e4, \"model\": \"visibility\""), 1);
    CHECK_OK(px_world_advance(world, 0.25));
    CHECK(stats_of(world).fragments >= 2);
    px_world_free(world);
}

TEST(cracks_lower_bonds_gradually_and_never_raise_them)
{
    PxWorld *world = world_of(bar, 1);
    step_into_a_crack(world);
    const PxBonds *b = &world->elastic_set.bonds;
    uint32_t weak = 0;
    double least = 1;
    for (uint32_t i = 0; i < b->count; ++i)
        for (uint32_t e = b->start[i]; e < b->start[i + 1]; ++e) {
            uint32_t j = b->other[e], back = b->start[j];
            while (b->other[back] != i)
                ++back;
            CHECK(b->strength[back] == b->strength[e]); /* both ends agree */
            CHECK(b->strength[e] <= 1.0f);
            weak += b->strength[e] < 1.0f && b->strength[e] > 0.0f;
            least = b->strength[e] < least ? b->strength[e] : least;
        }
    CHECK(weak > 0);
    px_world_free(world);
}

TEST(threads_give_the_same_bits)
{
    uint64_t hash[2][1 + PX_CRACK_TABLES][2];
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = world_of(bar, k == 0 ? 1 : 3);
        CHECK_OK(px_world_advance(world, 0.2));
        CHECK(stats_of(world).fragments >= 2);
        hash_of(world, hash[k]);
        px_world_free(world);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
}

TEST(a_world_saved_in_the_middle_of_a_crack_continues_with_the_same_bits)
{
    PxWorld *world = world_of(bar, 2), *fresh = world_of(bar, 1);
    PxSavedWorld *saved = NULL;
    uint64_t first[1 + PX_CRACK_TABLES][2], again[1 + PX_CRACK_TABLES][2];
    step_into_a_crack(world);
    CHECK_OK(px_world_save(world, &saved));
    CHECK_OK(px_world_resume(fresh, saved)); /* as from a checkpoint */
    CHECK_OK(px_world_advance(world, 0.2));
    CHECK(stats_of(world).fragments >= 2);
    hash_of(world, first);
    CHECK_OK(px_world_restore(world, saved));
    CHECK_OK(px_world_advance(world, 0.2));
    hash_of(world, again);
    CHECK(memcmp(first, again, sizeof first) == 0);
    CHECK_OK(px_world_advance(fresh, 0.2));
    hash_of(fresh, again);
    CHECK(memcmp(first, again, sizeof first) == 0);
    px_saved_free(saved);
    px_world_free(fresh);
    px_world_free(world);
}

TEST(damaged_cracks_are_refused)
{
    PxWorld *world = world_of(bar, 1);
    PxSavedWorld *saved = NULL;
    step_into_a_crack(world);
    CHECK_OK(px_world_save(world, &saved));
    static const struct {
        const char *table, *column;
        uint32_t value;
    } wrong[] = {{"crack_triangles", "corner", 1000000},
                 {"crack_nodes", "vertex", 1000000},
                 {"crack_nodes", "kind", 2},
                 {"cracks", "body", 7},
                 {"crack_vertices", "rest", 0x7fc00000},
                 {"crack_nodes", "front", 5}};
    for (size_t k = 0; k < PX_COUNT(wrong); ++k) {
        PxWorld *fresh = world_of(bar, 1);
        uint32_t *at =
            px_table_find(px_saved_find(saved, wrong[k].table), wrong[k].column)->data[0];
        uint32_t good = at[1 % px_saved_find(saved, wrong[k].table)->count];
        at[1 % px_saved_find(saved, wrong[k].table)->count] = wrong[k].value;
        CHECK_FAILS(px_world_resume(fresh, saved), PX_ERR_FORMAT, "damaged");
        at[1 % px_saved_find(saved, wrong[k].table)->count] = good;
        px_world_free(fresh);
    }
    px_saved_free(saved);
    px_world_free(world);
}

TEST(a_segment_crosses_a_triangle_between_its_edges_only)
{
    const PxVec3 corner[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    PxVec3 at;
    CHECK(px_segment_crosses(px_vec(0.2, 0.3, 1), px_vec(0.2, 0.3, -3), corner, &at));
    CHECK_NEAR(at.x, 0.2, 1e-12);
    CHECK_NEAR(at.y, 0.3, 1e-12);
    CHECK_NEAR(at.z, 0, 1e-12);
    CHECK(px_segment_crosses(px_vec(0.5, 0.5, 1), px_vec(0.5, 0.5, -1), corner, &at)); /* an edge */
    CHECK(!px_segment_crosses(px_vec(0.6, 0.6, 1), px_vec(0.6, 0.6, -1), corner, &at));
    CHECK(!px_segment_crosses(px_vec(0.2, 0.3, 1), px_vec(0.2, 0.3, 0.1), corner, &at));
    CHECK(!px_segment_crosses(px_vec(-0.1, 0.3, 1), px_vec(-0.1, 0.3, -1), corner, &at));
}

#define STONE(more)                                                                                \
    HEAD " \"materials\": {\"stone\": {\"density\": 1000, " more "}},\n \"bodies\": [{\"name\": "  \
         "\"a\", \"shape\": {\"box\": [1, 1, 1]}, \"material\": \"stone\"}]}"

TEST(impossible_fracture_is_refused)
{
    CHECK_ONE(STONE("\"young\": 1e6, \"fracture\": {\"strength\": 0}"),
              "materials.stone.fracture.strength", 3, 82, "above 0");
    CHECK_ONE(STONE("\"young\": 1e6, \"fracture\": {}"), "materials.stone.fracture.strength", 3, 69,
              "missing");
    CHECK_ONE(STONE("\"fracture\": {\"strength\": 1e4}"), "materials.stone.fracture", 3, 43,
              "only a solid breaks");
    CHECK_ONE(STONE("\"young\": 1e6, \"absorb\": 5, \"fracture\": {\"strength\": 1e4}"),
              "materials.stone.fracture", 3, 70, "rest-shape updates");
}

/* ---- control ---------------------------------------------------------------------- */

/* A block of jelly on a floor; a thin blade goes down through it. */
#define JELLY(blade)                                                                               \
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], \"materials\": {\"jelly\": "       \
    "{\"density\": 1000, \"young\": 2e4, \"damping\": 20, \"fracture\": {\"strength\": 1e8}}}, "   \
    "\"bodies\": [{\"name\": \"floor\", \"wall\": true, \"shape\": {\"plane\": {}, \"at\": [0, "   \
    "-0.06, 0]}}, {\"name\": \"jelly\", \"skin\": false, \"material\": \"jelly\", \"shape\": "     \
    "{\"box\": [0.24, 0.12, 0.08]}}, {\"name\": \"knife\", \"wall\": true, \"friction\": 0" blade  \
    ", \"shape\": {\"box\": [0.006, 0.12, 0.3], \"at\": [0.041, 0.13, 0]}, \"keyframes\": "        \
    "[{\"at\": 0}, {\"at\": 0.4, \"move\": [0, -0.127, 0]}]}]}"

TEST(a_blade_cuts_what_it_passes_and_a_wall_does_not)
{
    uint64_t hash[2][1 + PX_CRACK_TABLES][2];
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = world_of(JELLY(", \"blade\": true"), k == 0 ? 1 : 3);
        double mass = stats_of(world).mass;
        CHECK_OK(px_world_advance(world, 0.4));
        CHECK(stats_of(world).fragments == 2);
        CHECK(stats_of(world).cracks == 0);
        CHECK(stats_of(world).mass == mass);
        hash_of(world, hash[k]);
        px_world_free(world);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    PxWorld *world = world_of(JELLY(""), 2);
    CHECK_OK(px_world_advance(world, 0.2));
    CHECK(stats_of(world).fragments == 1);
    px_world_free(world);
}

TEST(a_scored_bar_breaks_at_its_score)
{
    /* planes at +-0.04 m of the bar's middle have 0.3 of its strength */
    PxWorld *world = world_of(
        BAR("0.02", "0.006", "\"strength\": 2e4, \"score\": [0.08, 0, 0], \"score_width\": 0.03"),
        2);
    while (stats_of(world).crack_area == 0)
        CHECK_OK(px_world_step(world, 1));
    CHECK(stats_of(world).time < 0.2); /* unscored at about 0.3 s */
    CHECK_OK(px_world_advance(world, 0.6));
    CHECK(stats_of(world).fragments >= 2);
    const float *x = px_table_find(&world->crack[PX_CRACK_VERTICES], "rest")->data[0];
    for (uint32_t k = 0; k < world->crack[PX_CRACK_VERTICES].count; ++k)
        CHECK(fabsf(fabsf(x[k]) - 0.04f) < 0.021f);
    px_world_free(world);
}

#define BLADE(body)                                                                                \
    "{\"phyxel\": 1, \"spacing\": 0.1, \"materials\": {\"stone\": {\"density\": "                  \
    "1000, \"young\": 1e6}},\n \"bodies\": [" body "]}"

TEST(impossible_control_is_refused)
{
    CHECK_ONE(STONE("\"young\": 1e6, \"fracture\": {\"strength\": 1, \"score_depth\": 1}"),
              "materials.stone.fracture.score_depth", 3, 100, "0.99");
    CHECK_ONE(STONE("\"young\": 1e6, \"fracture\": {\"strength\": 1, \"score\": [-1, 0, 0]}"),
              "materials.stone.fracture.score[0]", 3, 95, "from 0");
    CHECK_ONE(BLADE("{\"name\": \"a\", \"material\": \"stone\", \"shape\": {\"sphere\": 1}, "
                    "\"blade\": true}"),
              "bodies[0].blade", 2, 72, "walls and rigid bodies");
}

/* ---- physics -------------------------------------------------------------------------- */

/* Stress at which the bar breaks: the largest pull over its section. */
static double broken_at(const char *text)
{
    PxWorld *world = world_of(text, 2);
    double most = 0;
    while (stats_of(world).fragments < 2) {
        CHECK_OK(px_world_step(world, 1));
        for (size_t k = 0; k < world->readings.count; ++k) {
            const PxReading *r = &world->readings.data[k];
            double force = fabs(world->reading_values.data[r->first]);
            most = force > most ? force : most;
        }
    }
    px_world_free(world);
    return most / (0.06 * 0.06);
}

PHYSICS(a_bar_breaks_at_its_strength_at_two_resolutions)
{
    /* within 10 per cent; the scatter of 5 per cent makes the weakest particle decide */
    CHECK_NEAR(broken_at(BAR("0.02", "0.006", "\"strength\": 2e4")), 2e4, 2e3);
    CHECK_NEAR(broken_at(BAR("0.01", "0.006", "\"strength\": 2e4")), 2e4, 2e3);
}

/* A block that flies and turns, stretched fast enough that it breaks: nothing outside acts. */
static const char flung[] =
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], \"materials\": {\"stone\": "
    "{\"density\": 1000, \"young\": 1e6, \"fracture\": {\"strength\": 2e4}}}, \"bodies\": "
    "[{\"name\": \"bar\", \"skin\": false, \"material\": \"stone\", \"shape\": {\"box\": [0.4, "
    "0.08, 0.08]}, \"velocity\": [1, 0.5, 0], \"spin\": [0, 0, 30]}]}";

PHYSICS(cracks_keep_momentum_and_never_add_energy)
{
    PxWorld *world = world_of(flung, 2);
    PxStats first = stats_of(world);
    double last = first.kinetic, most = 0;
    for (int k = 1; k <= 100; ++k) {
        CHECK_OK(px_world_advance(world, 0.001 * k));
        PxStats now = stats_of(world);
        double energy = now.kinetic + now.elastic;
        most = energy / last > most ? energy / last : most;
        last = energy;
    }
    PxStats end = stats_of(world);
    CHECK(end.fragments >= 2);
    CHECK_NEAR(end.momentum.x, first.momentum.x, 1e-5 * first.momentum.x);
    CHECK_NEAR(end.momentum.y, first.momentum.y, 1e-5 * first.momentum.x);
    CHECK_NEAR(end.angular_momentum.z, first.angular_momentum.z,
               1e-4 * fabs(first.angular_momentum.z));
    if (most > 1.002)
        fail_msg("energy grew by a factor of %.6f in a millisecond", most);
    px_world_free(world);
}

/* A block that is pushed apart until 5 ms. */
#define BURST(law)                                                                                 \
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], \"materials\": {\"stone\": "       \
    "{\"density\": 1000, \"young\": 1e6, \"poisson\": 0.2, \"fracture\": {\"strength\": 2e4, "     \
    "\"shield\": 0.08" law                                                                         \
    "}}}, \"bodies\": [{\"name\": \"block\", \"skin\": false, \"material\": \"stone\", "           \
    "\"shape\": {\"box\": [0.16, 0.16, 0.16]}}], \"fields\": [{\"kind\": \"attractor\", "          \
    "\"strength\": -3000, \"end\": 0.005}]}"

PHYSICS(toughness_takes_energy_and_stops_cracks)
{
    static const char *const text[2] = {BURST(""), BURST(", \"toughness\": 160")};
    double energy[2], area[2];
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = world_of(text[k], 2);
        double last = INFINITY, most = 0, sum = 0;
        for (int n = 1; n <= 9; ++n) {
            CHECK_OK(px_world_advance(world, 0.005 * n + 0.001));
            PxStats now = stats_of(world);
            sum = now.kinetic + now.elastic;
            most = sum / last > most ? sum / last : most;
            last = sum;
        }
        energy[k] = sum;
        area[k] = stats_of(world).crack_area;
        CHECK(stats_of(world).fragments >= 2);
        CHECK(px_length(stats_of(world).momentum) < 1e-4); /* 4 kg at some m/s, floats */
        CHECK(most < 1.002);
        px_world_free(world);
    }
    print_message("%.3g J and %.3g m^2, with toughness %.3g J and %.3g m^2\n", energy[0], area[0],
                  energy[1], area[1]);
    /* what the cracks took is missing, as far as matter at their fronts had it */
    CHECK(energy[0] - energy[1] > 0.25 * 160 * area[1]);
    CHECK(area[1] < 0.9 * area[0]);
}

TEST_MAIN()
