/// Melting and freezing: partly molten bodies keep the solid part of their shape; heat balance;
/// volume and stiffness after freezing; same bits.
#include "check.h"
#include "wax.h"

#include "base/vec.h"
#include "study/free_melt.h"
#include "study/frozen.h"
#include "world/elastic_stage.h"
#include "world/saved.h"

/* A block of that size, the body "cube", on a plate, each of a temperature. */
static PxWorld *block_on_plate(int threads, double spacing, const PxMaterialDef *material,
                               PxVec3 size, double temperature, double plate)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.spacing = spacing;
    def.threads = threads;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialId id;
    CHECK_OK(px_world_add_material(world, material, &id));
    PxBodyDef body = px_body_def_default();
    body.name = "plate";
    body.wall = true;
    body.shape = px_shape_def_default(PX_SHAPE_PLANE);
    body.warm = true;
    body.temperature = plate;
    CHECK_OK(px_world_add_body(world, &body, NULL));
    body = px_body_def_default();
    body.name = "cube";
    body.shape.size = size;
    body.shape.at = px_vec(0, 0.5 * size.y, 0);
    body.material = id;
    body.skin = false;
    body.temperature = temperature;
    CHECK_OK(px_world_add_body(world, &body, NULL));
    return world;
}

/* A cube of wax, 0.2 m each side, on a plate of 90 degrees C. */
static PxWorld *wax_on_plate(int threads)
{
    PxMaterialDef wax = wax_def();
    return block_on_plate(threads, 0.02, &wax, px_vec(0.2, 0.2, 0.2), 20, 90);
}

PHYSICS(a_cube_on_a_hot_plate_melts_below_and_keeps_its_shape_above)
{
    PxWorld *world = wax_on_plate(2);
    PxStats first, last;
    px_world_stats(world, &first);
    CHECK_OK(px_world_advance(world, 1.2));
    px_world_stats(world, &last);
    const PxParticles *p = &world->particles;
    /* The top layer: ids are counted along x, y, z of the lattice. */
    PxBounds top = px_bounds_empty(), all = px_bounds_empty();
    double highest = -1;
    int molten = 0;
    for (uint32_t i = 0; i < p->table.count; ++i)
        highest = fmax(highest, (double)p->y[i]);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        PxVec3 x = px_particle_place(p, i);
        px_bounds_add(&all, x);
        if (x.y > highest - 0.01)
            px_bounds_add(&top, x);
        molten += px_molten_fraction(p, world->materials.data, i) > 0.99;
    }
    print_message("  top %.4f x %.4f m at %.3f m, all %.3f m wide, %d molten\n",
                  top.high.x - top.low.x, top.high.z - top.low.z, highest, all.high.x - all.low.x,
                  molten);
    CHECK_NEAR(top.high.x - top.low.x, 0.18, 0.02 * 0.18);
    CHECK_NEAR(top.high.z - top.low.z, 0.18, 0.02 * 0.18);
    CHECK(all.high.x - all.low.x > 0.3);
    CHECK(molten > 100);
    CHECK(highest < 0.18);
    double melting = first.mass * (1000 * 40 + 2e4);
    CHECK_NEAR(last.heat - last.heat_in, first.heat - first.heat_in, 1e-5 * melting);
    CHECK(last.mass == first.mass);
    CHECK(last.leaked == 0);
    px_world_free(world);
}

/* A molten block falls and freezes from below while it spreads: components form, join and stop at
 * full speed. No external work is done, so the sum of kinetic, elastic and potential energy may
 * only fall. */
PHYSICS(matter_that_freezes_while_flowing_gains_no_energy)
{
    PxMaterialDef wax = wax_def();
    wax.young = 1e5;
    wax.latent_heat = 0;
    wax.melts.into.viscosity = 5;
    PxWorld *world = block_on_plate(2, 0.025, &wax, px_vec(0.25, 0.275, 0.25), 65, -20);
    PxStats stats;
    px_world_stats(world, &stats);
    double begin = stats.potential, least = begin, rise = 0;
    while (stats.time < 1) {
        CHECK_OK(px_world_step(world, 1));
        px_world_stats(world, &stats);
        double energy = stats.kinetic + stats.potential + stats.elastic;
        rise = fmax(rise, energy - least);
        least = fmin(least, energy);
    }
    print_message("  rises by %.2g of %.3g J, %.2g J in motion at the end\n", rise, begin,
                  stats.kinetic);
    CHECK(rise < 0.02 * begin);
    CHECK(stats.kinetic < 0.01 * begin);
    CHECK(stats.leaked == 0);
    px_world_free(world);
}

/* Rest shapes are updated every ten steps; matter that an event melts or freezes must change
 * state at once, without waiting for that update. */
TEST(sudden_melting_and_freezing_take_effect_in_the_next_step)
{
    PxWorld *world = wax_on_plate(2);
    for (int k = 0; k < 4; ++k) {
        double to = k % 2 == 0 ? 100 : 10;
        uint32_t shaped = 0;
        for (int n = 0; n < 3 + 2 * k; ++n)
            CHECK_OK(px_world_step(world, 1));
        CHECK_OK(px_world_set(world, "bodies.cube.temperature", &to, 1));
        CHECK_OK(px_world_step(world, 1));
        PxElasticColumns elastic;
        px_elastic_columns(&world->particles.table, &elastic);
        for (uint32_t i = 0; i < world->particles.table.count; ++i)
            shaped += elastic.component[i] > 0;
        CHECK(shaped == (k % 2 == 0 ? 0 : world->particles.table.count));
    }
    px_world_free(world);
}

TEST(melting_has_the_same_bits_for_any_threads_and_after_a_stop)
{
    uint64_t first[2], hash[2];
    for (int k = 0; k < 4; ++k) {
        PxWorld *world = wax_on_plate(k == 0 ? 1 : k);
        CHECK_OK(px_world_advance(world, 0.3));
        if (k == 3) {
            PxWorld *next = wax_on_plate(2);
            CHECK_OK(px_world_continue(next, world));
            px_world_free(world);
            world = next;
        }
        CHECK_OK(px_world_advance(world, 0.5));
        px_table_hash(&world->particles.table, PX_COLUMN_STATE | PX_COLUMN_FRAME, hash);
        if (k == 0)
            memcpy(first, hash, sizeof hash);
        CHECK(hash[0] == first[0] && hash[1] == first[1]);
        px_world_free(world);
    }
}

/* A cube without heat conduction until an event enables it, which changes the solvers in use. */
static PxWorld *cube_that_gets_warm(void)
{
    PxMaterialDef wax = wax_def();
    wax.melts.melts = false;
    wax.diffusivity = 0;
    PxWorld *world = block_on_plate(2, 0.02, &wax, px_vec(0.2, 0.2, 0.2), 20, 90);
    for (int k = 0; k < 2; ++k) {
        PxEventDef event = {.head = px_event_def_default().head,
                            .time = 0.05 + 0.05 * k,
                            .path = "materials.wax.diffusivity",
                            .value = {k == 0 ? 1e-3 : 0},
                            .values = 1};
        CHECK_OK(px_world_add_event(world, &event));
    }
    return world;
}

TEST(a_resumed_world_made_conducting_by_an_event_has_the_same_bits)
{
    static const double stops[] = {0.04, 0.07, 0.12};
    uint64_t wanted[2], hash[2];
    for (size_t k = 0; k < PX_COUNT(stops); ++k)
        for (int stopped = 0; stopped < 2; ++stopped) {
            PxWorld *world = cube_that_gets_warm();
            CHECK_OK(px_world_advance(world, stops[k]));
            if (stopped) {
                PxWorld *next = cube_that_gets_warm();
                CHECK_OK(px_world_continue(next, world));
                px_world_free(world);
                world = next;
            }
            CHECK_OK(px_world_advance(world, 0.2));
            px_table_hash(&world->particles.table, PX_COLUMN_STATE | PX_COLUMN_FRAME,
                          stopped ? hash : wanted);
            CHECK(!stopped || (hash[0] == wanted[0] && hash[1] == wanted[1]));
            px_world_free(world);
        }
}

TEST(impossible_components_are_refused)
{
    PxWorld *world = wax_on_plate(1), *next = wax_on_plate(1);
    CHECK_OK(px_world_advance(world, 0.02));
    PxElasticColumns elastic;
    px_elastic_columns(&world->particles.table, &elastic);
    elastic.component[7] = 4000000000u;
    CHECK_FAILS(px_world_continue(next, world), PX_ERR_FORMAT, "component");
    elastic.component[7] = 1;
    elastic.slot[3] = 4000000000u;
    CHECK_FAILS(px_world_continue(next, world), PX_ERR_FORMAT, "component");
    px_world_free(world);
    px_world_free(next);
}

PHYSICS(a_bar_melted_and_frozen_twice_keeps_volume_and_modulus)
{
    PxFrozenDef def = px_frozen_def_default();
    PxFrozenResult result;
    def.times = 2;
    CHECK_OK(px_frozen(&def, &result));
    print_message("  volume %.4f, modulus %.4f of what they should be\n", result.volume,
                  result.young);
    CHECK_NEAR(result.volume, 1, 0.03);
    CHECK_NEAR(result.young, 1, 0.10);
    CHECK(result.heat < 1e-5);
    CHECK(result.mass == 0);
}

/* Nothing acts on a blob in empty space from outside, so its momenta stay, and its energy may only
 * fall. The wanted bound of the angular momentum is 0.1 per cent; momentum is kept to the rounding
 * of velocities (1e-7 each) except for the residual of viscous solves. */
PHYSICS(a_spinning_blob_that_freezes_in_empty_space_keeps_its_momenta)
{
    static const struct {
        PxFreezing where;
        const char *integration, *pressure;
        double viscosity, damping, tension;
    } cases[] = {
        {PX_FREEZES_EVENLY, "leapfrog", "dfsph", 2, 0, 0},
        {PX_FREEZES_EVENLY, "leapfrog", "dfsph", 100, 3, 2},
        {PX_FREEZES_INSIDE, "leapfrog", "dfsph", 2, 3, 2},
        {PX_FREEZES_INSIDE, "leapfrog", "dfsph", 100, 0, 0},
        {PX_FREEZES_INSIDE, "leapfrog", "dfsph", 1e4, 0, 0},
        {PX_FREEZES_INSIDE, "implicit", "dfsph", 100, 0, 0},
        {PX_FREEZES_INSIDE, "leapfrog", "projection", 20, 0, 0},
        {PX_FREEZES_ONE_SIDE, "leapfrog", "dfsph", 100, 3, 0},
        {PX_FREEZES_ONE_SIDE, "implicit", "dfsph", 1000, 0, 0},
    };
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        PxFreeMeltDef def = px_free_melt_def_default();
        PxFreeMeltResult result;
        def.freezing = cases[k].where;
        def.material.integration = px_integration_choice(cases[k].integration);
        def.material.pressure = px_pressure_choice(cases[k].pressure);
        def.material.damping = cases[k].damping;
        def.material.melts.into.viscosity = cases[k].viscosity;
        if (cases[k].tension > 0) {
            def.material.tension = px_tension_choice("csf");
            def.material.melts.into.tension = cases[k].tension;
        }
        CHECK_OK(px_free_melt(&def, &result));
        print_message("  case %zu: angular %.1e, linear %.1e, energy rises by %.1e, %.2f molten\n",
                      k, result.angular, result.linear, result.gain, result.molten);
        CHECK(result.angular < 1e-3);
        CHECK(result.linear < 1e-6);
        CHECK(result.gain < 5e-3);
        CHECK(result.molten < 0.9);
    }
}

TEST_MAIN()
