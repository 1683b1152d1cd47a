/// Small pieces of broken solids are rigid bodies: they keep their shape and momenta, rest on
/// walls, touch each other, and give the same bits for any threads and after a stop.
#include "check.h"
#include "text_world.h"

#include "coupling/elastic_set.h"
#include "world/saved.h"
#include "world/world_parts.h"

#include <math.h>

/* A bar that flies and spins apart at about 6 ms. */
#define FLUNG(law, more)                                                                           \
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], \"materials\": {\"stone\": "       \
    "{\"density\": 1000, \"young\": 1e6" more ", \"fracture\": {\"strength\": 2e4" law "}}}, "     \
    "\"bodies\": [{\"name\": \"bar\", \"skin\": false, \"material\": \"stone\", \"shape\": "       \
    "{\"box\": [0.4, 0.08, 0.08]}, \"velocity\": [1, 0.5, 0], \"spin\": [0, 5, 30]}]}"

#define RIGID ", \"rigid_below\": 0.13"
#define IMPLICIT ", \"integration\": \"implicit\""

/* Largest change of a distance between two rows of a rigid piece, in spacings, until `end`. */
static double worst_change(PxWorld *world, double end)
{
    const PxParticles *p = &world->particles;
    uint32_t n = p->table.count;
    double worst = 0;
    PxVec3 *at = calloc(n, sizeof *at);
    uint64_t *id = calloc(n, sizeof *id);
    uint32_t *piece = calloc(n, sizeof *piece);
    CHECK(at != NULL && id != NULL && piece != NULL);
    PxElasticColumns e;
    px_elastic_columns(&p->table, &e);
    for (uint32_t i = 0; i < n; ++i) {
        at[i] = px_particle_place(p, i);
        id[i] = p->id[i];
        piece[i] = e.component[i];
    }
    CHECK_OK(px_world_advance(world, end));
    px_elastic_columns(&p->table, &e);
    for (uint32_t i = 0; i < n; ++i) {
        CHECK(p->id[i] == id[i]);
        CHECK(e.component[i] == piece[i]); /* nothing broke in the meantime */
        for (uint32_t j = 0; j < i; ++j)
            if (piece[j] == piece[i]) {
                double now = px_length(px_sub(px_particle_place(p, i), px_particle_place(p, j)));
                double was = px_length(px_sub(at[i], at[j]));
                worst = fmax(worst, fabs(now - was) / 0.02);
            }
    }
    free(at);
    free(id);
    free(piece);
    return worst;
}

static void check_free_flight(const char *text)
{
    PxWorld *world = world_of(text, 2);
    PxStats first = stats_of(world);
    double last = first.kinetic, most = 0;
    for (int k = 1; k <= 60; ++k) {
        CHECK_OK(px_world_advance(world, 0.001 * k));
        PxStats now = stats_of(world);
        double energy = now.kinetic + now.elastic;
        most = fmax(most, energy / last);
        last = energy;
    }
    CHECK(stats_of(world).fragments >= 2);
    CHECK(stats_of(world).rigid_fragments == stats_of(world).fragments);
    double changed = worst_change(world, 0.1);
    PxStats end = stats_of(world);
    print_message("%d pieces, shapes change by %.2g spacings, energy by %.6f at most\n",
                  (int)end.fragments, changed, most);
    CHECK(end.mass == first.mass);
    CHECK(changed < 1e-5);
    CHECK(most < 1.002); /* as without rigid pieces (test_fracture) */
    CHECK_NEAR(end.momentum.x, first.momentum.x, 1e-5 * first.momentum.x);
    CHECK_NEAR(end.momentum.y, first.momentum.y, 1e-5 * first.momentum.x);
    double l = px_length(first.angular_momentum);
    CHECK_NEAR(end.angular_momentum.x, first.angular_momentum.x, 1e-4 * l);
    CHECK_NEAR(end.angular_momentum.y, first.angular_momentum.y, 1e-4 * l);
    CHECK_NEAR(end.angular_momentum.z, first.angular_momentum.z, 1e-4 * l);
    px_world_free(world);
}

TEST(pieces_keep_shape_and_momenta_and_never_gain_energy)
{
    check_free_flight(FLUNG(RIGID, ""));
}

TEST(implicit_pieces_keep_shape_and_momenta_and_never_gain_energy)
{
    check_free_flight(FLUNG(RIGID, IMPLICIT));
}

TEST(without_the_key_or_before_it_breaks_all_is_elastic)
{
    PxWorld *world = world_of(FLUNG("", ""), 2);
    CHECK_OK(px_world_advance(world, 0.03));
    CHECK(stats_of(world).fragments >= 2);
    CHECK(stats_of(world).rigid_fragments == 0);
    CHECK(worst_change(world, 0.035) > 1e-4);
    px_world_free(world);
    world = world_of(FLUNG(", \"rigid_below\": 10", ""), 2); /* a whole body is no piece */
    CHECK_OK(px_world_advance(world, 0.004));
    CHECK(stats_of(world).fragments == 1);
    CHECK(stats_of(world).rigid_fragments == 0);
    CHECK(stats_of(world).elastic > 0);
    px_world_free(world);
}

static void hash_of(const PxWorld *world, uint64_t hash[2])
{
    px_table_hash(&world->particles.table, PX_COLUMN_STATE, hash);
}

TEST(threads_and_a_stop_give_the_same_bits)
{
    uint64_t hash[3][2];
    PxSavedWorld *saved = NULL;
    PxWorld *world = world_of(FLUNG(RIGID, ""), 1), *fresh = world_of(FLUNG(RIGID, ""), 2);
    CHECK_OK(px_world_advance(world, 0.03));
    CHECK(stats_of(world).rigid_fragments > 0);
    CHECK_OK(px_world_save(world, &saved));
    CHECK_OK(px_world_advance(world, 0.05));
    hash_of(world, hash[0]);
    CHECK_OK(px_world_resume(fresh, saved));
    CHECK_OK(px_world_advance(fresh, 0.05));
    hash_of(fresh, hash[1]);
    px_saved_free(saved);
    px_world_free(world);
    px_world_free(fresh);
    world = world_of(FLUNG(RIGID, ""), 3);
    CHECK_OK(px_world_advance(world, 0.03));
    CHECK_OK(px_world_advance(world, 0.05));
    hash_of(world, hash[2]);
    px_world_free(world);
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    CHECK(memcmp(hash[0], hash[2], sizeof hash[0]) == 0);
}

/* A bar breaks, and its pieces fall on a floor that says what it carries. */
#define DROPPED(law, more, gravity)                                                                \
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": " gravity                                     \
    ", \"materials\": {\"stone\": {\"density\": 1000, "                                            \
    "\"young\": 1e6" more ", \"fracture\": {\"strength\": 2e4" law "}}}, \"bodies\": [{\"name\": " \
    "\"floor\", \"wall\": true, \"shape\": {\"plane\": {}, \"at\": [0, -0.1, 0]}}, {\"name\": "    \
    "\"bar\", \"skin\": false, \"material\": \"stone\", \"shape\": {\"box\": [0.4, 0.08, "         \
    "0.08]}, \"spin\": [0, 20, 20]}], \"gauges\": [{\"name\": \"load\", \"measures\": "            \
    "\"force\", \"body\": \"floor\", \"every\": 0.2, \"over\": 0.2}]}"

static void check_rest(const char *text)
{
    PxWorld *world = world_of(text, 2);
    CHECK_OK(px_world_advance(world, 1.2));
    double push = 0;
    for (int k = 1; k <= 20; ++k) {
        CHECK_OK(px_world_advance(world, 1.2 + 0.01 * k));
        for (size_t n = 0; n < world->readings.count; ++n)
            push = world->reading_values.data[world->readings.data[n].first + 1];
    }
    PxStats now = stats_of(world);
    double low = INFINITY;
    for (uint32_t i = 0; i < world->particles.table.count; ++i)
        low = fmin(low, (double)world->particles.y[i] + 0.1);
    print_message("%d of %d pieces rigid, the floor carries %.4f of their weight, lowest row %.4f "
                  "m, kinetic energy %.3g J\n",
                  (int)now.rigid_fragments, (int)now.fragments, -push / (9.81 * now.mass), low,
                  now.kinetic);
    CHECK(now.fragments >= 2);
    CHECK(now.rigid_fragments == now.fragments);
    CHECK(low > 0.0098); /* their radius is 0.01 */
    CHECK(now.kinetic < 1e-3);
    CHECK_NEAR(-push, 9.81 * now.mass, 0.02 * 9.81 * now.mass);
    px_world_free(world);
}

TEST(pieces_come_to_rest_on_a_floor_that_carries_their_weight)
{
    check_rest(DROPPED(RIGID, "", "[0, -9.81, 0]"));
}

TEST(implicit_pieces_come_to_rest_on_a_floor_that_carries_their_weight)
{
    check_rest(DROPPED(RIGID, IMPLICIT, "[0, -9.81, 0]"));
}

/* A block on a slope of 17 degrees, where friction holds up to 27, is cut in two by a blade that
 * goes up again. */
#define CUT(more)                                                                                  \
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, -9.37, 2.9], \"materials\": "             \
    "{\"jelly\": {\"density\": 1000, \"young\": 2e5, \"damping\": 20, \"fracture\": "              \
    "{\"strength\": 1e8, \"rigid_below\": 0.15}" more "}}, \"bodies\": [{\"name\": \"floor\", "    \
    "\"wall\": true, \"shape\": {\"plane\": {}, \"at\": [0, -0.06, 0]}}, {\"name\": \"jelly\", "   \
    "\"skin\": false, \"material\": \"jelly\", \"shape\": {\"box\": [0.24, 0.12, 0.08]}}, "        \
    "{\"name\": \"knife\", \"wall\": true, \"friction\": 0, \"blade\": true, \"shape\": "          \
    "{\"box\": [0.004, 0.12, 0.3], \"at\": [0.001, 0.13, 0]}, \"keyframes\": [{\"at\": 0}, "       \
    "{\"at\": 0.1, \"move\": [0, -0.127, 0]}, {\"at\": 0.2, \"move\": [0, 0.3, 0]}]}]}"

static double middle(const PxWorld *world)
{
    const PxParticles *p = &world->particles;
    double z = 0;
    for (uint32_t i = 0; i < p->table.count; ++i)
        z += (double)p->z[i] / p->table.count;
    return z;
}

static void check_slope(const char *text)
{
    PxWorld *world = world_of(text, 2);
    CHECK_OK(px_world_advance(world, 0.5));
    double before = middle(world);
    CHECK_OK(px_world_advance(world, 1));
    CHECK(stats_of(world).rigid_fragments == 2);
    print_message("pieces creep %.3g m in half a second\n", middle(world) - before);
    CHECK(fabs(middle(world) - before) < 2e-4); /* a hundredth of the spacing */
    px_world_free(world);
}

TEST(pieces_do_not_creep_down_a_slope)
{
    check_slope(CUT(""));
    check_slope(CUT(IMPLICIT));
}

TEST_MAIN()
