/// Memory of a world: all of it is freed, a step of a settled world allocates nothing, and a world
/// that runs out of memory reports it and continues once there is some.
#include "check.h"
#include "meters.h"

#include "phyxel/world.h"

/* ---- a world with one of everything ------------------------------------- */

/* Water that fills the tank to the top of the block, at rest except for the build-up
 * of pressure; a paddle that moves far above it; an event. */
static PxStatus build(const PxAllocator *allocator, int threads, double spacing, PxWorld **out)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = spacing;
    def.threads = threads;
    def.allocator = allocator;
    PxStatus status = px_world_create(&def, out);
    if (status != PX_OK)
        return status;

    PxMaterialId water;
    PxMaterialDef material = px_material_def_default();
    material.name = "water";
    status = px_world_add_material(*out, &material, &water);

    PxBodyDef body = px_body_def_default();
    body.name = "tank";
    body.wall = body.inside = true;
    body.shape.size = (PxVec3){0.6, 1.2, 0.6};
    body.shape.at = (PxVec3){0, 0.6, 0};
    if (status == PX_OK)
        status = px_world_add_body(*out, &body, NULL);

    const PxKeyframe key[] = {{.time = 0, .rotation = {.w = 1}},
                              {.time = 1, .at = {0.1, 0, 0}, .rotation = {.w = 1}}};
    body = px_body_def_default();
    body.name = "paddle";
    body.wall = true;
    body.shape.size = (PxVec3){0.3, 0.2, 0.3};
    body.shape.at = (PxVec3){0, 1, 0};
    body.keyframe = key;
    body.keyframes = 2;
    if (status == PX_OK)
        status = px_world_add_body(*out, &body, NULL);

    body = px_body_def_default();
    body.name = "pool";
    body.material = water;
    body.shape.size = (PxVec3){0.6, 0.4, 0.6};
    body.shape.at = (PxVec3){0, 0.2, 0};
    if (status == PX_OK)
        status = px_world_add_body(*out, &body, NULL);

    PxEventDef event = {.head = px_event_def_default().head,
                        .time = 0.001,
                        .path = "materials.water.viscosity",
                        .value = {0.5},
                        .values = 1};
    if (status == PX_OK)
        status = px_world_add_event(*out, &event);
    return status;
}

static PxStatus steps(PxWorld *world, int count)
{
    PxStatus status = PX_OK;
    for (int k = 0; k < count && status == PX_OK; ++k)
        status = px_world_step(world, 10);
    return status;
}

/* ---- tests -------------------------------------------------------------- */

static void check_no_allocation(int threads)
{
    Meter own = {.live = 0};
    PxAllocator allocator = {own_allocate, own_release, &own};
    PxWorld *world;
    CHECK_OK(build(&allocator, threads, 0.04, &world));
    CHECK(px_world_count(world) == 15 * 10 * 15);
    CHECK_OK(steps(world, 120));
    meter_start(&own, 0, false);
    meter_start(&system_meter, 0, false);
    PxStatus status = PX_OK;
    PxStats stats;
    for (int k = 0; k < 50 && status == PX_OK; ++k) {
        status = px_world_step(world, 10);
        px_world_stats(world, &stats);
    }
    meter_stop(&system_meter);
    meter_stop(&own);
    CHECK_OK(status);
    CHECK_EQUAL(stats.step, 170);
    CHECK_EQUAL(atomic_load(&own.calls), 0);
    CHECK_EQUAL(atomic_load(&system_meter.calls), 0);
    px_world_free(world);
}

TEST(a_step_of_a_settled_tank_allocates_nothing)
{
    check_no_allocation(1);
}

TEST(nor_does_a_step_on_three_threads)
{
    check_no_allocation(3);
}

TEST(the_meters_can_tell)
{
    Meter own = {.live = 0};
    PxAllocator allocator = {own_allocate, own_release, &own};
    PxWorld *world;
    meter_start(&own, 0, false);
    meter_start(&system_meter, 0, false);
    PxStatus status = build(&allocator, 1, 0.1, &world);
    meter_stop(&system_meter);
    meter_stop(&own);
    CHECK_OK(status);
    CHECK(atomic_load(&own.calls) > 0 && atomic_load(&own.live) > 0);
    CHECK(SANITIZED || atomic_load(&system_meter.calls) > 0);
    CHECK(px_world_bytes(world) >= (size_t)atomic_load(&own.live));
    px_world_free(world);
    CHECK_EQUAL(atomic_load(&own.live), 0);
}

TEST(everything_is_given_back)
{
    Meter own = {.live = 0};
    PxAllocator allocator = {own_allocate, own_release, &own};
    long before = atomic_load(&system_meter.live);
    for (int round = 0; round < 2; ++round) {
        PxWorld *world;
        CHECK_OK(build(&allocator, 1, 0.1, &world));
        CHECK_OK(steps(world, 10));
        px_world_free(world);
        CHECK_EQUAL(atomic_load(&own.live), 0);
    }
    CHECK_EQUAL(atomic_load(&system_meter.live), before);
}

/* Builds and steps with the meter failing at call n. True when there was a failure. */
static bool fails_at(Meter *meter, const PxAllocator *allocator, long n, bool for_good)
{
    long before = atomic_load(&system_meter.live);
    PxWorld *world = NULL;
    meter_start(meter, n, for_good);
    PxStatus status = build(allocator, 1, 0.1, &world);
    if (status == PX_OK)
        status = steps(world, 4);
    meter_stop(meter);
    if (status != PX_OK && status != PX_ERR_MEMORY)
        fail_msg("call %ld failed: got %s (%s), wanted memory", n, px_status_name(status),
                 px_error_message());
    px_world_free(world);
    CHECK_EQUAL(atomic_load(&system_meter.live), before);
    return status != PX_OK;
}

static void fail_everywhere(Meter *meter, const PxAllocator *allocator)
{
    for (int for_good = 0; for_good < 2; ++for_good) {
        long n = 1;
        while (n < 1000 && fails_at(meter, allocator, n, for_good))
            ++n;
        CHECK(n > 10 && n < 1000);
    }
}

TEST(a_world_whose_allocator_fails_at_any_call_says_so)
{
    Meter own = {.live = 0};
    PxAllocator allocator = {own_allocate, own_release, &own};
    fail_everywhere(&own, &allocator);
    CHECK_EQUAL(atomic_load(&own.live), 0);
}

TEST(a_world_that_malloc_fails_says_so)
{
    if (SANITIZED)
        skip();
    fail_everywhere(&system_meter, NULL);
}

/* A failed step leaves the state unchanged: repeating it with enough memory gives the
 * same world as without the failure. */
TEST(a_step_that_got_no_memory_can_be_taken_again)
{
    Meter own = {.live = 0};
    PxAllocator allocator = {own_allocate, own_release, &own};
    PxWorld *plain;
    CHECK_OK(build(NULL, 1, 0.1, &plain));
    CHECK_OK(steps(plain, 4));
    uint32_t count = px_world_count(plain);
    int failures = 0;
    for (long n = 1; n < 1000; ++n) {
        PxWorld *world;
        CHECK_OK(build(&allocator, 1, 0.1, &world));
        meter_start(&own, n, false);
        int done = 0;
        bool failed = false;
        while (done < 4) {
            PxStatus status = px_world_step(world, 10);
            CHECK(status == PX_OK || (status == PX_ERR_MEMORY && !failed));
            failed |= status != PX_OK;
            done += status == PX_OK;
        }
        meter_stop(&own);
        CHECK(px_world_time(world) == px_world_time(plain));
        for (int c = 0; c < 3; ++c) {
            CHECK(memcmp(px_world_floats(world, "position", c),
                         px_world_floats(plain, "position", c), count * sizeof(float)) == 0);
            CHECK(memcmp(px_world_floats(world, "velocity", c),
                         px_world_floats(plain, "velocity", c), count * sizeof(float)) == 0);
        }
        CHECK(memcmp(px_world_ids(world), px_world_ids(plain), count * sizeof(uint64_t)) == 0);
        px_world_free(world);
        if (!failed)
            break;
        ++failures;
    }
    CHECK(failures > 5 && failures < 900);
    px_world_free(plain);
    CHECK_EQUAL(atomic_load(&own.live), 0);
}

TEST_MAIN()
