/// Every model of surface tension: round shapes, momenta, walls, two fluids, same bits.
#include "check.h"

#include "matter/kernel.h"
#include "phyxel/world.h"
#include "study/drop.h"
#include "world/state.h"

#include <stdlib.h>

static const struct {
    const char *name;
    double strength; /* middle of the range in 004 section 6.6.1; csf: N/m */
} models[] = {{"csf", 10}, {"becker", 0.05}, {"becker-cut", 0.05}, {"akinci", 0.6}, {"he", 1}};
enum { MODELS = sizeof models / sizeof *models };

/* A cube of 8^3 particles, 5 cm apart as in 004 section 6.5.1, thick enough to come to rest. */
static PxWorld *cube(int model, int threads)
{
    PxDropDef def = px_drop_def_default();
    def.cube = true;
    def.spacing = 0.05;
    def.radius = 0.2;
    def.viscosity = 10;
    def.threads = threads;
    def.tension = px_tension_choice(models[model].name);
    def.tension.param[0] = models[model].strength;
    PxWorld *world;
    CHECK_OK(px_drop_make(&def, &world));
    CHECK_EQUAL(px_world_count(world), 512);
    return world;
}

static double length(PxVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

PHYSICS(every_model_turns_a_cube_rounder_and_stays_calm)
{
    for (int k = 0; k < MODELS; ++k) {
        PxWorld *world = cube(k, 2);
        double before = px_drop_reach(world);
        CHECK_OK(px_world_advance(world, 1));
        PxStats stats;
        px_world_stats(world, &stats);
        /* corners reach sqrt(3) times as far as faces, less in a lattice of points */
        CHECK(before > 1.5);
        CHECK(px_drop_reach(world) < before - 0.1);
        CHECK(stats.speed_max < 0.5);
        CHECK(stats.density_error < 2);
        CHECK(stats.tension_force > 0 && stats.pressure_force > 0);
        px_world_free(world);
    }
}

PHYSICS(a_free_drop_keeps_its_momenta)
{
    for (int k = 0; k < MODELS; ++k) {
        PxWorld *world = cube(k, 2);
        CHECK_OK(px_world_advance(world, 0.5));
        PxStats stats;
        px_world_stats(world, &stats);
        /* it moved and turned round meanwhile; the fastest so far was faster than now */
        double scale = stats.mass * stats.speed_max;
        CHECK(stats.speed_max > 1e-3);
        CHECK_NEAR(length(stats.momentum), 0, 1e-5 * scale);
        CHECK_NEAR(length(stats.angular_momentum), 0, 1e-5 * scale * 0.2);
        const float *x = px_world_floats(world, "position", 0);
        double middle = 0;
        for (uint32_t i = 0; i < px_world_count(world); ++i)
            middle += (double)x[i] / px_world_count(world);
        CHECK_NEAR(middle, 0, 1e-6);
        px_world_free(world);
    }
}

TEST(water_at_a_wetted_wall_feels_no_tension_there)
{
    /* A full closed tank has no surface at all. */
    PxWorldDef def = px_world_def_default();
    def.gravity = (PxVec3){0, 0, 0};
    def.threads = 1;
    for (int k = 0; k < MODELS; ++k) {
        PxWorld *world;
        CHECK_OK(px_world_create(&def, &world));
        PxMaterialDef water = px_material_def_default();
        water.tension = px_tension_choice(models[k].name);
        water.tension.param[0] = models[k].strength;
        PxMaterialId id;
        CHECK_OK(px_world_add_material(world, &water, &id));
        PxBodyDef body = px_body_def_default();
        body.name = "water";
        body.shape.size = (PxVec3){0.2, 0.2, 0.2};
        body.material = id;
        CHECK_OK(px_world_add_body(world, &body, NULL));
        CHECK_OK(px_world_step(world, 1e-6));
        PxStats open;
        px_world_stats(world, &open);
        body.name = "tank";
        body.material = (PxMaterialId){0, 0};
        body.wall = body.inside = true;
        CHECK_OK(px_world_add_body(world, &body, NULL));
        CHECK_OK(px_world_step(world, 2e-6));
        PxStats full;
        px_world_stats(world, &full);
        /* at edges and in corners walls fill the neighbourhood only nearly as fluid would */
        CHECK(full.tension_force < 0.1 * open.tension_force);
        px_world_free(world);
    }
}

/* Mean tension force of `he` on a cube of n^3 particles of spacing s by 004 Eqs. 6.12 to 6.14, in
 * double; with `smoothed` false the colour of neighbours is 1 in Eq. 6.13. */
static double he_force(int n, double s, double h, double kappa, bool smoothed)
{
    enum { MOST = 512 };
    static double v[MOST], c[MOST], e[MOST];
    double scale = 1 / (s * s * s * px_kernel_lattice(h, s)), total = 0;
    int count = n * n * n;
    CHECK(count <= MOST);
    for (int pass = 0; pass < 4; ++pass)
        for (int i = 0; i < count; ++i) {
            double sum = 0, g[3] = {0, 0, 0};
            for (int j = 0; j < count; ++j) {
                double x[3] = {s * (i % n - j % n), s * (i / n % n - j / n % n),
                               s * (i / n / n - j / n / n)};
                double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
                if (r >= h)
                    continue;
                double w = s * s * s * scale * px_kernel_value(h, r);
                double slope = r > 0 ? s * s * s * scale * px_kernel_derivative(h, r) / r : 0;
                double weight = pass == 2   ? v[j] * (smoothed ? c[j] : 1)
                                : pass == 3 ? kappa / 4 * v[i] * v[j] * (e[i] + e[j])
                                            : 0;
                sum += pass == 0 ? w : pass == 1 ? v[j] * w : 0;
                for (int k = 0; k < 3; ++k)
                    g[k] += weight * slope * x[k];
            }
            double size = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
            if (pass == 0)
                v[i] = 1 / sum;
            else if (pass == 1)
                c[i] = sum;
            else if (pass == 2)
                e[i] = size / (c[i] * c[i]);
            else
                total += sqrt(size) / count;
        }
    return total;
}

TEST(he_has_the_published_sums_over_a_lattice)
{
    PxWorld *world = cube(4, 1);
    CHECK_OK(px_world_step(world, 1e-7));
    PxStats stats;
    px_world_stats(world, &stats);
    double wanted = he_force(8, 0.05, 0.1, models[4].strength, true);
    CHECK_NEAR(stats.tension_force / wanted, 1, 1e-4); /* of floats: 33 terms, 6e-8 each */
    /* the colour of neighbours is smoothed: with 1 the force would be lower */
    CHECK(he_force(8, 0.05, 0.1, models[4].strength, false) < 0.97 * wanted);
    px_world_free(world);
}

TEST(where_two_fluids_meet_each_pulls_on_its_own)
{
    /* A cube of oil on a cube of water, nothing else: they stay two, and momentum is kept
     * though their masses differ. */
    PxWorldDef def = px_world_def_default();
    def.gravity = (PxVec3){0, 0, 0};
    PxWorld *world;
    CHECK_OK(px_world_create(&def, &world));
    const char *names[] = {"water", "oil"};
    for (int k = 0; k < 2; ++k) {
        PxMaterialDef fluid = px_material_def_default();
        fluid.name = names[k];
        fluid.density = k == 0 ? 1000 : 500;
        fluid.viscosity = 1;
        fluid.viscosity_model.param[0] = 1e-6; /* the residual changes momentum */
        fluid.tension = px_tension_choice(k == 0 ? "csf" : "becker-cut");
        fluid.tension.param[0] = k == 0 ? 1 : 0.002;
        PxMaterialId id;
        CHECK_OK(px_world_add_material(world, &fluid, &id));
        PxBodyDef body = px_body_def_default();
        body.name = names[k];
        body.shape.size = (PxVec3){0.12, 0.12, 0.12};
        body.shape.at = (PxVec3){0, 0.12 * k, 0};
        body.material = id;
        CHECK_OK(px_world_add_body(world, &body, NULL));
    }
    CHECK_OK(px_world_advance(world, 0.3));
    PxStats stats;
    px_world_stats(world, &stats);
    CHECK_NEAR(length(stats.momentum), 0, 1e-5 * stats.mass * stats.speed_max);
    CHECK(stats.speed_max < 0.5);
    const PxTable *table = px_world_particles(world);
    const uint32_t *material = px_table_find(table, "material")->data[0];
    const float *y = px_world_floats(world, "position", 1);
    double water = 0, oil = 0;
    for (uint32_t i = 0; i < table->count; ++i) {
        water += material[i] == 0 ? (double)y[i] : 0;
        oil += material[i] == 1 ? (double)y[i] : 0;
    }
    CHECK(oil / 216 - water / 216 > 0.08);
    px_world_free(world);
}

TEST(tension_gives_the_same_bits_for_any_threads_and_instruction_set)
{
    for (int k = 0; k < MODELS; ++k) {
        uint64_t hash[3][2];
        for (int run = 0; run < 3; ++run) {
            if (run == 2)
                setenv("PHYXEL_ISA", "base", 1);
            PxWorld *world = cube(k, run == 0 ? 1 : 3);
            unsetenv("PHYXEL_ISA");
            CHECK_OK(px_world_advance(world, 0.05));
            px_table_hash(px_world_particles(world), PX_COLUMN_STATE | PX_COLUMN_FRAME, hash[run]);
            PxStats stats;
            px_world_stats(world, &stats);
            hash[run][1] ^= (uint64_t)(stats.tension_force * 1e12);
            px_world_free(world);
        }
        CHECK(hash[0][0] == hash[1][0] && hash[0][1] == hash[1][1]);
        CHECK(hash[0][0] == hash[2][0] && hash[0][1] == hash[2][1]);
    }
}

PHYSICS(steps_are_short_enough_for_strong_tension)
{
    /* dt <= 0.4 sqrt(rho h^3 / (2 pi sigma)), and sesph must bear the squeeze */
    PxDropDef def = px_drop_def_default();
    def.tension.param[0] = 100;
    PxWorld *world;
    CHECK_OK(px_drop_make(&def, &world));
    CHECK_OK(px_world_step(world, 1));
    PxStats stats;
    px_world_stats(world, &stats);
    CHECK(stats.dt <= 0.4 * sqrt(1000 * 1e-6 / (2 * 3.14159 * 100)));
    CHECK_OK(px_world_advance(world, 0.02));
    px_world_stats(world, &stats);
    CHECK(stats.density_error < 2);
    px_world_free(world);
}

TEST(its_numbers_may_change_while_the_world_runs)
{
    PxWorld *world = cube(0, 1);
    /* steps so short that nothing moves: damping, which goes with the root of sigma, is nil */
    CHECK_OK(px_world_step(world, 1e-7));
    PxStats weak, strong;
    px_world_stats(world, &weak);
    double sigma = 40, negative = -1;
    CHECK_OK(px_world_set(world, "materials.water.tension.sigma", &sigma, 1));
    CHECK_FAILS(px_world_set(world, "materials.water.tension.sigma", &negative, 1), PX_ERR_ARGUMENT,
                "sigma");
    CHECK_OK(px_world_step(world, 2e-7));
    px_world_stats(world, &strong);
    CHECK_NEAR(strong.tension_force / weak.tension_force, 4, 1e-3);
    px_world_free(world);
}

TEST(an_unknown_model_is_refused)
{
    PxDropDef def = px_drop_def_default();
    def.tension = px_tension_choice("nonsense");
    PxWorld *world;
    CHECK_FAILS(px_drop_make(&def, &world), PX_ERR_ARGUMENT, "tension");
}

TEST_MAIN()
