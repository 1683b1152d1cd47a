/// The mean pressure of an interval and its spread, which frames store.
#include "check.h"

#include "phyxel/world.h"

#include <math.h>
#include <stdlib.h>

static PxWorld *make_tank(const char *pressure, int threads)
{
    PxWorldDef def = px_world_def_default();
    PxWorld *world = NULL;
    def.spacing = 0.025;
    def.threads = threads;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef water = px_material_def_default();
    water.pressure = px_pressure_choice(pressure);
    PxBodyDef body = px_body_def_default();
    CHECK_OK(px_world_add_material(world, &water, &body.material));
    body.name = "water";
    body.shape.size = (PxVec3){0.2, 0.3, 0.2};
    body.shape.at = (PxVec3){0, 0.15, 0};
    CHECK_OK(px_world_add_body(world, &body, NULL));
    PxBodyDef tank = px_body_def_default();
    tank.name = "tank";
    tank.wall = tank.inside = true;
    tank.shape.size = (PxVec3){0.2, 0.6, 0.2};
    tank.shape.at = (PxVec3){0, 0.3, 0};
    CHECK_OK(px_world_add_body(world, &tank, NULL));
    return world;
}

TEST(the_mean_is_weighted_by_the_length_of_steps)
{
    PxWorld *world = make_tank("dfsph", 1);
    uint32_t n = px_world_count(world);
    double *sum = calloc(n + 1, sizeof *sum), *square = calloc(n + 1, sizeof *square), time = 0;
    CHECK_OK(px_world_advance(world, 0.02));
    CHECK_OK(px_world_take_means(world));
    double start = px_world_time(world);
    while (px_world_time(world) < 0.06) {
        double before = px_world_time(world);
        CHECK_OK(px_world_step(world, 0.06));
        double dt = px_world_time(world) - before;
        const float *p = px_world_floats(world, "pressure", 0);
        const uint64_t *id = px_world_ids(world);
        for (uint32_t i = 0; i < n; ++i) { /* ids begin at 1 in a world of one body */
            CHECK((id[i] & 0xffffffff) < n + 1);
            sum[id[i] & 0xffffffff] += dt * (double)p[i];
            square[id[i] & 0xffffffff] += dt * (double)p[i] * (double)p[i];
        }
        time += dt;
    }
    CHECK_NEAR(time, 0.06 - start, 1e-12);
    CHECK_OK(px_world_take_means(world));
    const float *p = px_world_floats(world, "pressure", 0);
    const float *spread = px_world_floats(world, "pressure_spread", 0);
    const uint64_t *id = px_world_ids(world);
    for (uint32_t i = 0; i < n; ++i) {
        double mean = sum[id[i] & 0xffffffff] / time;
        double variance = square[id[i] & 0xffffffff] / time - mean * mean;
        /* floats, a dozen steps */
        CHECK_NEAR((double)p[i], mean, 1e-5 * 3000);
        CHECK_NEAR((double)spread[i], sqrt(fmax(variance, 0)), 1e-2 * mean + 1);
    }
    /* nothing is left of it in the next interval */
    CHECK_OK(px_world_take_means(world));
    CHECK(px_world_floats(world, "pressure", 0)[0] == 0.0f);
    free(sum);
    free(square);
    px_world_free(world);
    CHECK_FAILS(px_world_take_means(NULL), PX_ERR_ARGUMENT, "world");
}

TEST(an_interval_survives_saving_and_any_number_of_threads)
{
    PxWorld *one = make_tank("dfsph", 1), *two = make_tank("dfsph", 2);
    PxSavedWorld *saved = NULL;
    CHECK_OK(px_world_advance(one, 0.02));
    CHECK_OK(px_world_advance(two, 0.02));
    CHECK_OK(px_world_save(two, &saved));
    CHECK_OK(px_world_advance(two, 0.03));
    CHECK_OK(px_world_take_means(two));
    CHECK_OK(px_world_restore(two, saved));
    CHECK_OK(px_world_advance(one, 0.04));
    CHECK_OK(px_world_advance(two, 0.04));
    CHECK_OK(px_world_take_means(one));
    CHECK_OK(px_world_take_means(two));
    const char *const column[] = {"pressure", "pressure_spread"};
    for (int k = 0; k < 2; ++k)
        CHECK(memcmp(px_world_floats(one, column[k], 0), px_world_floats(two, column[k], 0),
                     px_world_count(one) * sizeof(float)) == 0);
    px_saved_free(saved);
    px_world_free(one);
    px_world_free(two);
}

PHYSICS(the_pressure_of_every_frame_carries_the_weight)
{
    /* Mean over particles within a spacing of half depth, in frames of 1/30 s. Measured from 1.5 s
     * to 2.5 s: 0.9988 to 1.0061 (dfsph), 0.9993 to 1.0080 (pcisph). */
    static const char *const model[] = {"dfsph", "pcisph"};
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = make_tank(model[k], 1);
        for (int frame = 1; frame <= 75; ++frame) {
            CHECK_OK(px_world_advance(world, frame / 30.0));
            CHECK_OK(px_world_take_means(world));
            const float *y = px_world_floats(world, "position", 1);
            const float *p = px_world_floats(world, "pressure", 0);
            PxStats stats;
            px_world_stats(world, &stats);
            double surface = 2 * stats.potential / (stats.mass * 9.81), sum = 0, wanted = 0;
            for (uint32_t i = 0; i < px_world_count(world); ++i)
                if (fabs((double)y[i] - 0.5 * surface) < 0.025) {
                    sum += (double)p[i];
                    wanted += 1000 * 9.81 * (surface - (double)y[i]);
                }
            if (frame > 45)
                CHECK_NEAR(sum / wanted, 1, 0.02);
        }
        px_world_free(world);
    }
}

TEST_MAIN()
