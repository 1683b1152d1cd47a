/// Worlds saved to memory and put back: they continue with the same bits.
#include "meters.h"

#include "world/kinds/kind.h"
#include "states.h"

#include "phyxel/world.h"
#include "world/attached/coats.h"
#include "world/attached/skins.h"
#include "world/saved.h"

#include <stdatomic.h>

/* Advances in two frames, after each of which surfaces are carried along. */
static void go_on(PxWorld *world, double by)
{
    double from = px_world_time(world);
    for (int k = 1; k <= 2; ++k) {
        CHECK_OK(px_world_advance(world, from + by * k / 2));
        CHECK_OK(px_world_move_skins(world));
        CHECK_OK(px_world_move_coats(world));
    }
}

/* The saved state of a world and its statistics. */
typedef struct Print {
    uint64_t table[32][2];
    PxSavedValue value[PX_SAVED_NUMBERS];
    PxStats stats;
    size_t things;
} Print;

static Print print_of(PxWorld *world)
{
    Print print;
    memset(&print, 0, sizeof print);
    PxSavedWorld *saved = NULL;
    CHECK_OK(px_saved_view(world, &saved));
    const char *name;
    const PxTable *table;
    for (size_t k = 0; (table = px_saved_table(saved, k, &name)) != NULL; ++k) {
        CHECK(k < PX_COUNT(print.table));
        px_table_hash(table, PX_COLUMN_STATE | PX_COLUMN_FRAME, print.table[k]);
    }
    memcpy(print.value, saved->value, sizeof print.value);
    px_saved_free(saved);
    px_world_stats(world, &print.stats);
    return print;
}

static void check_same(const Print *a, const Print *b, const char *name)
{
    for (size_t k = 0; k < PX_COUNT(a->table); ++k)
        if (memcmp(a->table[k], b->table[k], sizeof a->table[k]) != 0)
            fail_msg("%s: table %zu differs", name, k);
    for (size_t k = 0; k < px_saved_number_count; ++k)
        if (a->value[k].whole != b->value[k].whole)
            fail_msg("%s: %s differs: %g and %g", name, px_saved_numbers[k].name, a->value[k].real,
                     b->value[k].real);
    CHECK(memcmp(&a->stats, &b->stats, sizeof a->stats) == 0);
}

TEST(a_world_restored_from_memory_continues_with_the_same_bits)
{
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        Print first = {.things = 0};
        for (int threads = 1; threads <= 2; ++threads) {
            const Case *c = &cases[k];
            PxWorld *world = state_world(c, threads);
            go_on(world, c->first);
            Print at_save = print_of(world);
            PxSavedWorld *saved = NULL;
            CHECK_OK(px_world_save(world, &saved));
            CHECK(px_saved_bytes(saved) > 1000);
            go_on(world, c->second);
            Print straight = print_of(world);
            for (int again = 0; again < 2; ++again) {
                CHECK_OK(px_world_restore(world, saved));
                Print back = print_of(world);
                check_same(&at_save, &back, c->name);
                go_on(world, c->second);
                Print now = print_of(world);
                check_same(&straight, &now, c->name);
            }
            if (threads == 1)
                first = straight;
            check_same(&first, &straight, c->name);
            px_saved_free(saved);
            px_world_free(world);
        }
    }
}

/* Asks left until the answer is yes; negative: it is no. */
static bool stop_at_last(void *user)
{
    _Atomic long *left = user;
    return atomic_load(left) >= 0 && atomic_fetch_sub(left, 1) == 0;
}

/* A frame whose every step, and the motion of coats at its end, is stopped once on its way, at
 * another place each time. Returns the number of steps that were stopped. */
static int go_on_and_stop(PxWorld *world, double by, long *place)
{
    double until = px_world_time(world) + by;
    int stopped = 0;
    _Atomic long left = -1;
    CHECK_OK(px_world_stop_when(world, stop_at_last, &left));
    while (px_world_time(world) < until) {
        double before = px_world_time(world);
        *place = (*place * 7 + 3) % 101;
        atomic_store(&left, *place);
        PxStatus status = px_world_step(world, until);
        stopped += status == PX_ERR_STOPPED;
        atomic_store(&left, -1);
        if (status == PX_ERR_STOPPED) {
            CHECK(px_world_time(world) == before);
            CHECK_OK(px_world_step(world, until));
        } else {
            CHECK_OK(status);
        }
    }
    CHECK_OK(px_world_move_skins(world));
    atomic_store(&left, *place % 10);
    PxStatus status = px_world_move_coats(world);
    atomic_store(&left, -1);
    if (status == PX_ERR_STOPPED)
        CHECK_OK(px_world_move_coats(world));
    else
        CHECK_OK(status);
    CHECK_OK(px_world_stop_when(world, NULL, NULL));
    return stopped;
}

TEST(a_step_that_is_stopped_is_undone_and_repeated_with_the_same_bits)
{
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        const Case *c = &cases[k];
        PxWorld *world = state_world(c, 1);
        go_on(world, c->first);
        Print straight = print_of(world);
        px_world_free(world);
        for (int threads = 1; threads <= 2; ++threads) {
            long place = 0; /* the first step is stopped at its first ask */
            world = state_world(c, threads);
            int stopped = go_on_and_stop(world, c->first / 2, &place);
            stopped += go_on_and_stop(world, c->first / 2, &place);
            CHECK(stopped > 0);
            Print now = print_of(world);
            check_same(&straight, &now, c->name);
            px_world_free(world);
        }
    }
}

/* The state of a step that was stopped is saved and put into another world, as a resumed run does.
 */
TEST(a_world_saved_after_a_stopped_step_continues_with_the_same_bits)
{
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        const Case *c = &cases[k];
        for (long place = 0; place < 60; place += place / 2 + 1) {
            PxWorld *world = state_world(c, 1), *other = state_world(c, 2);
            _Atomic long left = place;
            double until = c->first / 2;
            CHECK_OK(px_world_stop_when(world, stop_at_last, &left));
            PxStatus status = PX_OK;
            while (status == PX_OK && px_world_time(world) < until)
                status = px_world_step(world, until);
            CHECK(status == PX_OK || status == PX_ERR_STOPPED);
            CHECK_OK(px_world_stop_when(world, NULL, NULL));
            PxSavedWorld *saved = NULL;
            CHECK_OK(px_world_save(world, &saved));
            CHECK_OK(px_world_resume(other, saved));
            CHECK_OK(px_world_advance(world, until));
            CHECK_OK(px_world_advance(other, until));
            Print straight = print_of(world), resumed = print_of(other);
            check_same(&straight, &resumed, c->name);
            px_saved_free(saved);
            px_world_free(other);
            px_world_free(world);
        }
    }
}

/* A world that was saved on its way; *straight is its state at the end. */
static PxWorld *saved_on_the_way(const Case *c, PxSavedWorld **saved, Print *straight)
{
    PxWorld *world = state_world(c, 2);
    go_on(world, c->first);
    CHECK_OK(px_world_save(world, saved));
    go_on(world, c->second);
    *straight = print_of(world);
    return world;
}

/* Restored, the world goes the same way again. */
static void check_restored(PxWorld *world, const PxSavedWorld *saved, const Case *c,
                           const Print *straight)
{
    CHECK_OK(px_world_restore(world, saved));
    go_on(world, c->second);
    Print now = print_of(world);
    check_same(straight, &now, c->name);
}

/* Things of every kind come and go after the save. */
TEST(additions_and_settings_after_the_save_are_undone)
{
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        const Case *c = &cases[k];
        PxSavedWorld *saved = NULL;
        Print straight;
        PxWorld *world = saved_on_the_way(c, &saved, &straight);
        CHECK_OK(px_world_restore(world, saved));

        double gravity[3] = {1, 2, 3};
        CHECK_OK(px_world_set(world, "gravity", gravity, 3));
        PxMaterialDef oil = px_material_def_default();
        PxMaterialId id;
        oil.name = "oil";
        oil.diffusivity = 1e-4;
        CHECK_OK(px_world_add_material(world, &oil, &id));
        PxBodyDef ball = px_body_def_default();
        ball.name = "ball";
        ball.shape = px_shape_def_default(PX_SHAPE_SPHERE);
        ball.shape.radius = 0.1;
        ball.shape.at = (PxVec3){0, 0.8, 0};
        ball.material = id;
        CHECK_OK(px_world_add_body(world, &ball, NULL));
        PxBodyDef wall = px_body_def_default();
        wall.name = "ramp";
        wall.wall = true;
        wall.shape = px_shape_def_default(PX_SHAPE_SPHERE);
        wall.shape.radius = 0.2;
        wall.shape.at = (PxVec3){0.3, 0.4, 0};
        CHECK_OK(px_world_add_body(world, &wall, NULL));
        PxEmitterDef tap = px_emitter_def_default();
        tap.name = "tap 2";
        tap.shape = px_shape_def_default(PX_SHAPE_BOX);
        tap.shape.size = (PxVec3){0.1, 0.1, 0.1};
        tap.shape.at = (PxVec3){0, 0.5, 0.1};
        tap.direction = (PxVec3){0, -1, 0};
        tap.speed = 1;
        tap.material = id;
        CHECK_OK(px_world_add_emitter(world, &tap, NULL));
        PxEventDef event = {.head = px_event_def_default().head,
                            .time = px_world_time(world) + 0.001,
                            .path = "gravity.x",
                            .value = {3},
                            .values = 1};
        CHECK_OK(px_world_add_event(world, &event));
        go_on(world, 0.02);

        check_restored(world, saved, c, &straight);

        /* The names are free again. */
        CHECK_FAILS(px_world_add_body(world, &ball, NULL), PX_ERR_ARGUMENT, "material");
        CHECK_OK(px_world_add_material(world, &oil, &ball.material));
        CHECK_OK(px_world_add_body(world, &ball, NULL));
        px_saved_free(saved);
        px_world_free(world);
    }
}

static void remove_all(PxWorld *world, const PxKind *kind)
{
    for (size_t slot = 0; slot < px_kind_slots(kind, world); ++slot) {
        PxThingId id;
        if (px_kind_at(kind, world, slot, NULL, &id, NULL))
            CHECK_OK(px_kind_remove(kind, world, id));
    }
}

TEST(removals_after_the_save_are_undone)
{
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        const Case *c = &cases[k];
        PxSavedWorld *saved = NULL;
        Print straight;
        PxWorld *world = saved_on_the_way(c, &saved, &straight);

        /* Removes everything, and what others depend on last. */
        for (size_t kind = PX_KIND_COUNT; --kind > 0;) /* the first one is materials */
            remove_all(world, px_kinds[kind]);
        CHECK_EQUAL(px_world_count(world), 0);
        remove_all(world, &px_material_kind);
        CHECK_OK(px_world_advance(world, px_world_time(world) + 0.01));

        check_restored(world, saved, c, &straight);
        for (size_t kind = PX_KIND_COUNT; --kind > 0;)
            remove_all(world, px_kinds[kind]);
        px_saved_free(saved);
        px_world_free(world);
    }
}

TEST(saving_again_replaces_the_saved_state)
{
    const Case *c = &cases[0];
    PxWorld *world = state_world(c, 1), *other = state_world(c, 1);
    PxSavedWorld *saved = NULL;
    CHECK_OK(px_world_save(world, &saved));
    go_on(world, c->first);
    CHECK_OK(px_world_save(world, &saved));
    Print wanted = print_of(world);
    go_on(world, c->second);
    CHECK_OK(px_world_save(world, &saved)); /* there are fewer or as many rows: in place */
    CHECK_OK(px_world_restore(world, saved));
    CHECK(px_world_time(world) > wanted.stats.time);

    CHECK_FAILS(px_world_save(other, &saved), PX_ERR_ARGUMENT, "save");
    CHECK_FAILS(px_world_restore(other, saved), PX_ERR_ARGUMENT, "restore");
    CHECK_FAILS(px_world_restore(world, NULL), PX_ERR_ARGUMENT, "restore");
    px_saved_free(saved);
    px_saved_free(NULL);
    px_world_free(world);
    px_world_free(other);
}

/* malloc() fails at every call in turn, in a world that has become another since it was saved. */
TEST(without_memory_neither_saving_nor_restoring_changes_anything)
{
    if (SANITIZED)
        skip();
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        const Case *c = &cases[k];
        PxWorld *world = state_world(c, 1);
        go_on(world, c->first);
        PxSavedWorld *saved = NULL, *later = NULL;
        CHECK_OK(px_world_save(world, &saved));
        Print at_save = print_of(world);
        PxMaterialDef oil = px_material_def_default();
        PxMaterialId id;
        oil.name = "oil";
        CHECK_OK(px_world_add_material(world, &oil, &id));
        PxBodyDef ball = px_body_def_default();
        ball.name = "ball";
        ball.shape.size = (PxVec3){0.4, 0.1, 0.4};
        ball.shape.at = (PxVec3){0, 0.8, 0};
        ball.material = id;
        CHECK_OK(px_world_add_body(world, &ball, NULL));
        go_on(world, c->second);
        Print before = print_of(world);
        PxStatus status = PX_ERR_MEMORY;
        long n;
        for (n = 1; status != PX_OK && n < 2000; ++n) {
            meter_start(&system_meter, n, n % 2);
            status = px_world_save(world, &later);
            meter_stop(&system_meter);
            CHECK(status == PX_OK ? later != NULL : status == PX_ERR_MEMORY && later == NULL);
        }
        CHECK(n > 10 && n < 2000);
        status = PX_ERR_MEMORY;
        for (n = 1; status != PX_OK && n < 2000; ++n) {
            meter_start(&system_meter, n, n % 2);
            status = px_world_restore(world, saved);
            meter_stop(&system_meter);
            CHECK(status == PX_OK || status == PX_ERR_MEMORY);
            Print now = print_of(world);
            check_same(status == PX_OK ? &at_save : &before, &now, c->name);
        }
        CHECK(n > 5 && n < 2000);
        CHECK_OK(px_world_restore(world, later));
        go_on(world, c->second);
        Print wanted = print_of(world);
        for (n = 1; n < 20; ++n) { /* the target stays unchanged */
            meter_start(&system_meter, n, true);
            status = px_world_save(world, &later);
            meter_stop(&system_meter);
            CHECK(status == PX_OK || status == PX_ERR_MEMORY);
            if (status == PX_OK)
                break;
            CHECK_OK(px_world_restore(world, later));
            Print now = print_of(world);
            check_same(&before, &now, c->name);
            go_on(world, c->second);
            now = print_of(world);
            check_same(&wanted, &now, c->name);
        }
        px_saved_free(saved);
        px_saved_free(later);
        px_world_free(world);
    }
}

TEST(an_empty_world_can_be_saved)
{
    PxWorldDef def = px_world_def_default();
    PxWorld *world;
    PxSavedWorld *saved = NULL;
    CHECK_OK(px_world_create(&def, &world));
    CHECK_OK(px_world_save(world, &saved));
    PxMaterialDef oil = px_material_def_default();
    CHECK_OK(px_world_add_material(world, &oil, NULL));
    CHECK_OK(px_world_restore(world, saved));
    CHECK_OK(px_world_add_material(world, &oil, NULL));
    px_saved_free(saved);
    px_world_free(world);
}

TEST_MAIN()
