/// A jet of an elastic fluid from a tap against a wall: its energy balance, that it is one
/// component up to the pipe, and that walls hold it.
#include "check.h"

#include "base/vec.h"
#include "phyxel/world.h"
#include "solid/passes.h"
#include "world/elastic_stage.h"

#define SPACING 0.03
#define SPEED 2.5
#define HEIGHT 0.5
#define GRAVITY 9.81

/* 12 cm thick and 0.5 m from a wall; all lengths times `size`, speed and moduli as they are. The
 * tap runs until `end`. Without creep: nothing is lost to plastic flow. */
static PxWorld *jet(double young, double size, double end)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.spacing = SPACING * size;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef goo = px_material_def_default();
    PxMaterialId id;
    goo.name = "goo";
    goo.young = young;
    goo.poisson = 0.3;
    goo.viscosity = 4;
    goo.absorb = 10;
    CHECK_OK(px_world_add_material(world, &goo, &id));
    PxBodyDef wall = px_body_def_default();
    wall.name = "wall";
    wall.wall = true;
    wall.friction = 1;
    wall.shape.size = px_vec(0.1 * size, 2 * size, 2 * size);
    wall.shape.at = px_vec(0.55 * size, HEIGHT * size, 0);
    CHECK_OK(px_world_add_body(world, &wall, NULL));
    wall.name = "floor";
    wall.shape = px_shape_def_default(PX_SHAPE_PLANE);
    CHECK_OK(px_world_add_body(world, &wall, NULL));
    PxEmitterDef tap = px_emitter_def_default();
    tap.name = "tap";
    tap.shape.radius = 0.06 * size;
    tap.shape.height = 0.08 * size;
    tap.shape.at = px_vec(0, HEIGHT * size, 0);
    tap.shape.rotation = px_quat_turn(px_vec(0, 0, 1), -asin(1));
    tap.material = id;
    tap.direction = px_vec(1, 0, 0);
    tap.speed = SPEED;
    tap.end = end;
    CHECK_OK(px_world_add_emitter(world, &tap, NULL));
    return world;
}

/* Power of the plunger against elastic forces on the rows it holds, W. */
static double power(PxWorld *world)
{
    PxSolid s;
    double sum = 0;
    PxElasticSet *set = &world->elastic_set;
    PxCoupling c = px_world_coupling(world);
    if (set->row.count == 0)
        return 0;
    CHECK_OK(px_arena_reset(&world->scratch));
    CHECK_OK(px_elastic_set_gather(set, &c));
    CHECK_OK(px_elastic_set_open(set, &c, &s));
    px_solid_forces(&s, false);
    for (uint32_t i = 0; i < s.count; ++i) {
        const uint64_t *freed = px_emitters_progress(world).freed;
        if (px_emitter_holder(world, set->row.data[i], freed) == NULL)
            continue;
        PxF4 f = px_solid_force(s.lists, s.record, i);
        const float *v = s.v + 4 * (size_t)i;
        sum -= (double)(f[0] * v[0] + f[1] * v[1] + f[2] * v[2]);
    }
    return sum;
}

static uint32_t held_rows(const PxWorld *world, uint32_t *joined)
{
    const PxTable *t = &world->particles.table;
    uint32_t held = 0;
    *joined = 0;
    PxElasticColumns elastic;
    px_elastic_columns(t, &elastic);
    for (uint32_t i = 0; i < t->count; ++i)
        if (px_emitter_holder(world, i, px_emitters_progress(world).freed) != NULL) {
            ++held;
            *joined += elastic.component[i] > 0;
        }
    return held;
}

typedef struct Account {
    double most;  /* largest sum of kinetic and elastic energy, J */
    double over;  /* largest energy beyond inflow and plunger work, J */
    double rise;  /* largest rise after the tap was shut, J */
    double dense; /* mean compression, per cent */
} Account;

static Account account(double young, double size, double end, double stop)
{
    PxWorld *world = jet(young, size, end);
    Account a = {0, 0, 0, 0};
    PxStats stats;
    double work = 0, before = 0, lowest = INFINITY;
    while (px_world_time(world) < stop) {
        CHECK_OK(px_world_step(world, stop));
        px_world_stats(world, &stats);
        double now = power(world), in = 0.5 * SPEED * SPEED + GRAVITY * HEIGHT * size;
        double energy = stats.kinetic + stats.potential + stats.elastic;
        work += 0.5 * (before + now) * world->dt;
        before = now;
        a.most = fmax(a.most, stats.kinetic + stats.elastic);
        a.over = fmax(a.over, energy - stats.mass_in * in - work);
        a.dense += stats.density_error;
        if (px_world_time(world) > end && !px_emitter_is_open(world, 0)) {
            lowest = fmin(lowest, energy);
            a.rise = fmax(a.rise, energy - lowest);
        }
    }
    a.dense /= (double)stats.step;
    CHECK_EQUAL(stats.leaked, 0);
    CHECK(stats.particles > 100 && lowest < INFINITY);
    print_message("  %.0f kPa, size %g: %u particles, %.3g J at most, over %.4f, rise %.4f, "
                  "compressed %.2f %%\n",
                  young / 1000, size, (unsigned)stats.particles, a.most, a.over / a.most,
                  a.rise / a.most, a.dense);
    px_world_free(world);
    return a;
}

/* Work is summed once per step although forces vary between sub-steps, and leapfrog's energy
 * oscillates: 2 per cent of the largest kinetic plus elastic energy is allowed. */
PHYSICS(the_energy_of_an_elastic_jet_is_its_kinetic_inflow_plus_the_work_of_the_plunger)
{
    static const struct {
        double size, end, stop;
    } run[] = {{0.25, 0.1, 0.25}, {1, 0.3, 0.8}, {4, 1, 1.6}};
    for (size_t k = 0; k < PX_COUNT(run); ++k)
        for (int stiff = 0; stiff < 2; ++stiff) {
            Account a = account(stiff ? 9e5 : 4e5, run[k].size, run[k].end, run[k].stop);
            CHECK(a.over < 0.02 * a.most);
            CHECK(a.rise < 0.02 * a.most);
            CHECK(a.dense < 3); /* measured: 2.4 at impact at a quarter of the size */
        }
}

/* A free jet, and one that hits the wall. */
TEST(a_jet_and_the_matter_in_its_pipe_are_one_component)
{
    PxWorld *world = jet(4e5, 1, 0.3);
    while (px_world_time(world) < 0.3) {
        uint32_t joined, held;
        CHECK_OK(px_world_step(world, 0.3));
        held = held_rows(world, &joined);
        if (world->state.step > 10 && held > 0)
            CHECK(joined > 0);
        CHECK(world->elastic_set.components.count <= 1);
    }
    px_world_free(world);
}

/* Pressure keeps fluids half a spacing off walls, but is solved once per step; elastic forces act
 * in every sub-step, so walls must stop the particles there like those of solids. */
TEST(walls_hold_an_elastic_fluid_as_they_hold_solids)
{
    PxWorld *world = jet(4e5, 1, 0.3);
    const PxParticles *p = &world->particles;
    while (px_world_time(world) < 0.5) {
        CHECK_OK(px_world_step(world, 0.5));
        for (uint32_t i = 0; i < p->table.count; ++i) {
            double gap = fmin(0.5 - (double)p->x[i], (double)p->y[i]);
            CHECK(gap > 0.499 * SPACING); /* positions are floats */
        }
    }
    px_world_free(world);
}

/* 000 Eq. 6.15: the deformed shape becomes the rest shape, completely at elastic fraction 0. */
TEST(the_rest_shape_of_a_flowing_body_is_its_current_shape)
{
    PxWorld *world = jet(4e5, 1, 0.3);
    while (px_world_time(world) < 0.5) {
        CHECK_OK(px_world_step(world, 0.5));
        CHECK(world->state.rest_stretch < 1.001); /* as of the last rest-shape update */
    }
    px_world_free(world);
}

TEST_MAIN()
