/// What a world takes, it gives back; a step of a settled world takes nothing; and
/// a world that gets no memory says so and goes on when there is some again.
///
/// Two meters: a caller's allocator, through which everything large goes, and
/// malloc() itself, which this program puts its own in front of. The sanitizers do
/// the same, so under them only the first meter is read; in their place the leak
/// checker looks at the rest.
#include "check.h"

#include "phyxel/world.h"

#include <stdatomic.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED) && !defined(__GLIBC__)
#define SANITIZED 1 /* or another C library: its malloc() cannot be stood in for like this */
#elif !defined(SANITIZED)
#define SANITIZED 0
#endif

/* ---- meters ------------------------------------------------------------- */

/* Counts while `on`, and lets calls fail: number `fails_at`, counting from 1, and
 * with `for_good` all that follow it. */
typedef struct Meter {
    atomic_bool on;
    atomic_long calls, live, fails_at;
    atomic_bool for_good;
} Meter;

static bool meter_refuses(Meter *m)
{
    if (!atomic_load(&m->on))
        return false;
    long call = atomic_fetch_add(&m->calls, 1) + 1, at = atomic_load(&m->fails_at);
    return at > 0 && (call == at || (call > at && atomic_load(&m->for_good)));
}

static void meter_start(Meter *m, long fails_at, bool for_good)
{
    atomic_store(&m->calls, 0);
    atomic_store(&m->fails_at, fails_at);
    atomic_store(&m->for_good, for_good);
    atomic_store(&m->on, true);
}

static void meter_stop(Meter *m)
{
    atomic_store(&m->on, false);
}

/* The caller's allocator. */

static void *own_allocate(void *user, size_t bytes)
{
    Meter *m = user;
    if (meter_refuses(m))
        return NULL;
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory != NULL)
        atomic_fetch_add(&m->live, (long)bytes);
    return memory;
}

static void own_release(void *user, void *memory, size_t bytes)
{
    Meter *m = user;
    atomic_fetch_sub(&m->live, (long)bytes);
    free(memory);
}

/* The system's. `live` counts blocks that were made while the meter was on; it is
 * compared before and after, so blocks from elsewhere do not matter. */

static Meter system_meter;

#if !SANITIZED
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void *counted(void *memory)
{
    if (memory != NULL)
        atomic_fetch_add(&system_meter.live, 1);
    return memory;
}

void *malloc(size_t bytes)
{
    return meter_refuses(&system_meter) ? NULL : counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
    return meter_refuses(&system_meter) ? NULL : counted(__libc_calloc(count, bytes));
}

void *realloc(void *memory, size_t bytes)
{
    if (meter_refuses(&system_meter))
        return NULL;
    void *moved = __libc_realloc(memory, bytes);
    return memory == NULL ? counted(moved) : moved;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return meter_refuses(&system_meter) ? NULL : counted(__libc_memalign(alignment, bytes));
}

void free(void *memory)
{
    if (memory != NULL)
        atomic_fetch_sub(&system_meter.live, 1);
    __libc_free(memory);
}
#endif

/* ---- a world with one of everything ------------------------------------- */

/* Water that fills the tank to the brim of the block, at rest but for what the
 * pressure needs to build up; a paddle that moves far above it; an event. */
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

    PxEventDef event = {
        .time = 0.001, .path = "materials.water.viscosity", .value = {0.5}, .values = 1};
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

/* What a failed step leaves is what it found: stepping again when there is memory
 * gives the world that never lacked any. */
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
