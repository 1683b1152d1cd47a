/// Conduction of heat, against the solutions that are known.
#include "check.h"

#include "phyxel/world.h"
#include "world/heat.h"
#include "world/state.h"

#include <stdlib.h>

/* ---- worlds ------------------------------------------------------------- */

typedef struct Set {
    PxWorld *world;
    PxMaterialId material;
    double spacing;
} Set;

static PxMaterialDef stuff(double diffusivity)
{
    PxMaterialDef def = px_material_def_default();
    def.name = "stuff";
    def.viscosity = 0;
    def.diffusivity = diffusivity;
    return def;
}

/* Weightless, so that nothing moves. */
static Set set_make(double spacing, double step, int threads, const PxMaterialDef *material)
{
    Set set = {.spacing = spacing};
    PxWorldDef def = px_world_def_default();
    def.spacing = spacing;
    def.threads = threads;
    def.max_step = step;
    def.gravity = (PxVec3){0, 0, 0};
    CHECK_OK(px_world_create(&def, &set.world));
    CHECK_OK(px_world_add_material(set.world, material, &set.material));
    return set;
}

static void add_box(Set *set, const char *name, PxVec3 low, PxVec3 high, double temperature)
{
    PxBodyDef body = px_body_def_default();
    body.name = name;
    body.shape.size = (PxVec3){high.x - low.x, high.y - low.y, high.z - low.z};
    body.shape.at =
        (PxVec3){0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)};
    body.material = set->material;
    body.temperature = temperature;
    CHECK_OK(px_world_add_body(set->world, &body, NULL));
}

/* A bar of two halves, cold below x = 0 and hot above, `half` spacings each and 6 x 6 thick. */
static void add_bar(Set *set, int half, double cold, double hot)
{
    double s = set->spacing;
    add_box(set, "cold", (PxVec3){-half * s, 0, 0}, (PxVec3){0, 6 * s, 6 * s}, cold);
    add_box(set, "hot", (PxVec3){0, 0, 0}, (PxVec3){half * s, 6 * s, 6 * s}, hot);
}

static double worst_of_erf(const Set *set, double diffusivity, double time, double cold, double hot)
{
    const float *x = px_world_floats(set->world, "position", 0);
    const float *t = px_world_floats(set->world, "temperature", 0);
    double worst = 0;
    for (uint32_t i = 0; i < px_world_count(set->world); ++i) {
        double exact = 0.5 * (cold + hot) +
                       0.5 * (hot - cold) * erf((double)x[i] / sqrt(4 * diffusivity * time));
        worst = fmax(worst, fabs((double)t[i] - exact) / (hot - cold));
    }
    return worst;
}

/* ---- conduction --------------------------------------------------------- */

TEST(two_halves_of_a_bar_follow_the_error_function)
{
    double a = 1e-4;
    for (int round = 0; round < 2; ++round) {
        double s = round == 0 ? 0.02 : 0.01;
        PxMaterialDef def = stuff(a);
        Set set = set_make(s, 0.05, 2, &def);
        add_bar(&set, round == 0 ? 12 : 24, 10, 90);
        double time = 36 * 0.02 * 0.02 / (16 * a); /* sqrt(4 a t) is 3 coarse spacings */
        CHECK_OK(px_world_advance(set.world, time));
        /* measured: 0.9 % of the difference, 0.2 % with half the spacing */
        CHECK(worst_of_erf(&set, a, time, 10, 90) < (round == 0 ? 0.015 : 0.004));
        px_world_free(set.world);
    }
}

static void temperature_range(const Set *set, double *least, double *most)
{
    const float *t = px_world_floats(set->world, "temperature", 0);
    *least = INFINITY;
    *most = -INFINITY;
    for (uint32_t i = 0; i < px_world_count(set->world); ++i) {
        *least = fmin(*least, (double)t[i]);
        *most = fmax(*most, (double)t[i]);
    }
}

TEST(any_diffusivity_keeps_the_heat_and_stays_between_the_extremes)
{
    for (double a = 1e-9; a < 1e4; a *= 10)
        for (int latent = 0; latent < 2; ++latent) {
            PxMaterialDef def = stuff(a);
            def.heat_capacity = 2000;
            def.melts.melts = latent == 1;
            def.melts.from = 40;
            def.melts.to = 45;
            def.latent_heat = 2e5;
            Set set = set_make(0.02, 0.01, 2, &def);
            add_bar(&set, 6, -200, 900);
            double before = px_world_heat(set.world), least, most;
            for (int step = 0; step < 8; ++step) {
                CHECK_OK(px_world_step(set.world, 1));
                temperature_range(&set, &least, &most);
                /* the solve leaves up to 1e-5 of the range */
                CHECK(least >= -200 - 0.02 && most <= 900 + 0.02);
            }
            CHECK_NEAR(px_world_heat(set.world), before, 1e-6 * before);
            PxStats stats;
            px_world_stats(set.world, &stats);
            CHECK_EQUAL(stats.not_converged, 0);
            if (a >= 100 && latent == 0) { /* all of it is as warm as the mean */
                CHECK_NEAR(least, 350, 0.1);
                CHECK_NEAR(most, 350, 0.1);
            }
            px_world_free(set.world);
        }
}

TEST(slow_warming_is_not_lost_in_rounding)
{
    /* Floats near 900 are 6e-5 apart; a step warms the layer next to the joint by a dt / s^2,
     * 2.5e-6 degrees. */
    double a = 1e-7, s = 0.02;
    PxMaterialDef def = stuff(a);
    Set set = set_make(s, 0.01, 2, &def);
    add_bar(&set, 6, 900, 901);
    double before = px_world_heat(set.world);
    const PxColumn *low = px_table_find(px_world_particles(set.world), "temperature_low");
    CHECK(low != NULL);
    for (int step = 0; step < 50; ++step)
        CHECK_OK(px_world_step(set.world, 10));
    /* layers next to the joint: a dt / s^2 of the difference a step */
    const float *x = px_world_floats(set.world, "position", 0);
    const float *t = px_world_floats(set.world, "temperature", 0);
    double dt = px_world_time(set.world), seen = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < px_world_count(set.world); ++i)
        if ((double)x[i] > -s && x[i] < 0) {
            seen += (double)t[i] + (double)((const float *)low->data[0])[i] - 900;
            ++count;
        }
    CHECK_EQUAL(count, 36);
    CHECK_NEAR(seen / count, a * dt / (s * s), 0.1 * a * dt / (s * s));
    CHECK_NEAR(px_world_heat(set.world), before, 1e-12 * before);
    px_world_free(set.world);
}

static void run_hash(int threads, double diffusivity, uint64_t hash[2])
{
    PxMaterialDef def = stuff(diffusivity);
    Set set = set_make(0.02, 0.01, threads, &def);
    add_bar(&set, 20, 0, 100);
    for (int step = 0; step < 4; ++step)
        CHECK_OK(px_world_step(set.world, 1));
    px_table_hash(px_world_particles(set.world), PX_COLUMN_STATE, hash);
    px_world_free(set.world);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    static const double diffusivity[] = {1e-3, 1};
    for (int k = 0; k < 2; ++k) {
        uint64_t one[2], three[2];
        run_hash(1, diffusivity[k], one);
        run_hash(3, diffusivity[k], three);
        CHECK(one[0] == three[0] && one[1] == three[1]);
    }
}

TEST_MAIN()
