/// Dynamic resampling of solids that break: where cells are split, what is kept, the same bits for
/// any threads and after a stop; refusals.
#include "check.h"
#include "text_world.h"

#include "coupling/octree_cells.h"
#include "solid/solid_columns.h"
#include "world/elastic_stage.h"
#include "world/fracture_stage.h"
#include "world/saved.h"

#include <math.h>

/* A bar that flies and turns so fast that it breaks: nothing outside acts. */
#define FLUNG(spacing, fill, law)                                                                  \
    "{\"phyxel\": 1, \"spacing\": " spacing                                                        \
    ", \"gravity\": [0, 0, 0], \"materials\": {\"stone\": {\"density\": 1000, \"young\": 1e6, "    \
    "\"fracture\": {\"strength\": 2e4" law                                                         \
    ", \"shield\": 0.1}}}, \"bodies\": [{\"name\": \"bar\", \"skin\": false, \"material\": "       \
    "\"stone\", \"fill\": "                                                                        \
    "\"" fill "\", \"shape\": {\"box\": [0.4, 0.08, 0.08], \"turn\": {\"axis\": [0, 1, 0], "       \
    "\"degrees\": 30}}, \"velocity\": [1, 0.5, 0], \"spin\": [0, 0, 30]}]}"

static const char lattice[] = FLUNG("0.02", "cubic", ", \"resample\": 0.01");
static const char octree[] = FLUNG("0.01", "octree", "");

static void hash_of(const PxWorld *world, uint64_t hash[1 + PX_CRACK_TABLES][2])
{
    px_table_hash(&world->particles.table, PX_COLUMN_STATE, hash[0]);
    for (int k = 0; k < PX_CRACK_TABLES; ++k)
        px_table_hash(&world->crack[k], PX_COLUMN_STATE, hash[1 + k]);
}

static void step_into_a_crack(PxWorld *world)
{
    while (stats_of(world).crack_fronts == 0)
        CHECK_OK(px_world_step(world, 0.5));
}

TEST(a_split_keeps_mass_momenta_energy_and_the_centre)
{
    static const char *const text[] = {lattice, octree};
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = world_of(text[k], 2);
        step_into_a_crack(world);
        PxStats before = stats_of(world);
        CHECK_OK(px_arena_reset(&world->scratch));
        CHECK_OK(px_elastic_stage_begin(world));
        CHECK_OK(px_elastic_stage_split(world)); /* as at the start of the next step */
        PxStats after = stats_of(world);
        CHECK(after.particles > before.particles);
        CHECK(after.mass == before.mass); /* 8 eighths */
        CHECK_NEAR(after.kinetic / before.kinetic, 1, 1e-12);
        /* floats of positions and velocities of about 1, 6e-8 each */
        CHECK_NEAR(after.momentum.x, before.momentum.x, 1e-12);
        CHECK_NEAR(after.momentum.y, before.momentum.y, 1e-12);
        CHECK_NEAR(after.angular_momentum.z / before.angular_momentum.z, 1, 1e-8);
        CHECK_NEAR(after.angular_momentum.x, before.angular_momentum.x, 1e-9);
        px_world_free(world);
    }
}

/* Nearest node of a front to a particle, in the rest shape; infinite: there is none. */
static double front_distance(const PxWorld *world, const PxSolidColumns *s, uint32_t i)
{
    const PxCracks *c = &world->fracture.now;
    double least = INFINITY;
    for (uint32_t k = 0; k < c->nodes.count; ++k) {
        PxVec3 at = px_crack_place(c, c->nodes.data[k].vertex);
        PxVec3 to = px_vec((double)s->rest[0][i], (double)s->rest[1][i], (double)s->rest[2][i]);
        least = fmin(least, px_length(px_sub(at, to)));
    }
    return least;
}

TEST(cells_near_fronts_are_of_the_finest_size_and_others_are_not_split)
{
    PxWorld *world = world_of(lattice, 2);
    PxSolidColumns s;
    step_into_a_crack(world);
    CHECK_OK(px_arena_reset(&world->scratch));
    CHECK_OK(px_elastic_stage_begin(world));
    CHECK_OK(px_elastic_stage_split(world));
    uint32_t fine = 0, coarse = 0, near = 0;
    CHECK(px_solid_columns(&world->particles.table, &s));
    for (uint32_t i = 0; i < world->particles.table.count; ++i) {
        double r = (double)world->particles.radius[i], far = front_distance(world, &s, i);
        CHECK(r > 0.0049); /* a resample of 0.01 */
        CHECK((double)s.volume[i] > 0);
        CHECK_NEAR((double)s.volume[i] / (8 * r * r * r), 1, 1e-5);
        if (r > 0.009) {
            ++coarse;
            CHECK(far > 1.4 * 0.02);
        } else {
            ++fine;
            CHECK(far < 2.5 * 0.02 + 0.0175); /* a parent's middle, and half its diagonal */
        }
        near += far < 0.02;
    }
    print_message("%u fine, %u coarse\n", fine, coarse);
    CHECK(near > 0 && fine > 0 && coarse > 0);
    px_world_free(world);
}

TEST(a_bar_that_is_resampled_falls_into_pieces_with_the_same_bits_for_any_threads)
{
    static const char *const text[] = {lattice, octree};
    for (int t = 0; t < 2; ++t) {
        uint64_t hash[2][1 + PX_CRACK_TABLES][2];
        for (int k = 0; k < 2; ++k) {
            PxWorld *world = world_of(text[t], k == 0 ? 1 : 3);
            PxStats before = stats_of(world);
            CHECK_OK(px_world_advance(world, 0.05));
            CHECK(stats_of(world).fragments >= 2);
            CHECK(stats_of(world).particles > before.particles);
            CHECK(stats_of(world).mass == before.mass);
            hash_of(world, hash[k]);
            px_world_free(world);
        }
        CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    }
}

TEST(a_world_saved_while_cells_are_split_continues_with_the_same_bits)
{
    static const char *const text[] = {lattice, octree};
    for (int t = 0; t < 2; ++t) {
        PxWorld *world = world_of(text[t], 2), *fresh = world_of(text[t], 1);
        PxSavedWorld *saved = NULL;
        uint64_t first[1 + PX_CRACK_TABLES][2], again[1 + PX_CRACK_TABLES][2];
        step_into_a_crack(world);
        for (int k = 0; k < 2; ++k) { /* before the first split, and in the middle */
            CHECK_OK(px_world_save(world, &saved));
            CHECK_OK(px_world_resume(fresh, saved));
            double until = stats_of(world).time + 0.005;
            CHECK_OK(px_world_advance(world, until));
            CHECK_OK(px_world_advance(fresh, until));
            hash_of(world, first);
            hash_of(fresh, again);
            CHECK(memcmp(first, again, sizeof first) == 0);
            px_saved_free(saved);
            saved = NULL;
        }
        px_world_free(fresh);
        px_world_free(world);
    }
}

TEST(what_is_drawn_out_gets_more_particles_without_cracks)
{
    static const char text[] =
        "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], \"materials\": {\"gum\": "
        "{\"density\": 1000, \"young\": 1e5, \"poisson\": 0.4, \"damping\": 10, \"yield\": 0.05, "
        "\"creep\": 10, \"fracture\": {\"strength\": 1e9, \"resample\": 0.01}}}, \"bodies\": "
        "[{\"name\": \"gum\", \"skin\": false, \"material\": \"gum\", \"shape\": {\"box\": [0.24, "
        "0.08, 0.08]}}], \"handles\": [{\"shape\": {\"box\": [0.06, 0.2, 0.2], \"at\": [-0.12, 0, "
        "0]}, \"keyframes\": [{\"at\": 0}, {\"at\": 0.5, \"move\": [-0.2, 0, 0]}]}, {\"shape\": "
        "{\"box\": [0.06, 0.2, 0.2], \"at\": [0.12, 0, 0]}, \"keyframes\": [{\"at\": 0}, {\"at\": "
        "0.5, \"move\": [0.2, 0, 0]}]}]}";
    PxWorld *world = world_of(text, 2);
    PxStats before = stats_of(world);
    CHECK_OK(px_world_advance(world, 0.05)); /* 10 per cent of its length */
    CHECK(stats_of(world).particles == before.particles);
    CHECK_OK(px_world_advance(world, 0.5));
    PxStats after = stats_of(world);
    CHECK(after.cracks == 0);
    CHECK(after.fragments == 1);
    CHECK(after.mass == before.mass);
    print_message("%llu particles, then %llu\n", (unsigned long long)before.particles,
                  (unsigned long long)after.particles);
    CHECK(after.particles > before.particles);
    px_world_free(world);
}

#define STONE(more)                                                                                \
    "{\"phyxel\": 1,\n \"spacing\": 0.1,\n \"materials\": {\"stone\": {\"density\": 1000, " more   \
    "}},\n \"bodies\": [{\"name\": \"a\", \"shape\": {\"box\": [1, 1, 1]}, \"material\": "         \
    "\"stone\"}]}"

TEST(impossible_resampling_is_refused)
{
    PxScene *scene =
        scene_of(STONE("\"young\": 1e6, \"fracture\": {\"strength\": 1, \"resample\": 0.012}"));
    PxWorld *world = NULL;
    CHECK(px_scene_world(scene, 1, &world) == PX_ERR_ARGUMENT); /* a program that does not check */
    CHECK(strstr(px_error_message(), "0.0125 m") != NULL);
    CHECK(px_scene_check(scene) != PX_OK);
    CHECK_SAYS(scene, 0, "materials.stone.fracture.resample", 3, 97, "0.0125 m");
    px_scene_free(scene);
    CHECK_ONE(STONE("\"young\": 1e6, \"fracture\": {\"strength\": 1, \"resample\": 0.1}, "
                    "\"melts\": {\"from\": 1, \"to\": 2}"),
              "materials.stone.fracture", 3, 57, "one size");
}

/* ---- physics -------------------------------------------------------------------------- */

PHYSICS(resampling_adds_no_energy_and_keeps_momentum)
{
    static const char *const text[] = {lattice, octree};
    for (int t = 0; t < 2; ++t) {
        PxWorld *world = world_of(text[t], 2);
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
        CHECK(end.particles > first.particles);
        CHECK_NEAR(end.momentum.x, first.momentum.x, 1e-5 * first.momentum.x);
        CHECK_NEAR(end.momentum.y, first.momentum.y, 1e-5 * first.momentum.x);
        CHECK_NEAR(end.angular_momentum.z, first.angular_momentum.z,
                   1e-4 * fabs(first.angular_momentum.z));
        print_message("energy grew by a factor of %.6f at most\n", most);
        CHECK(most < 1.002); /* as without resampling, test_fracture.c */
        px_world_free(world);
    }
}

TEST_MAIN()
