/// Everything that has an id can be added to, read in and removed from a living world.
#include "check.h"

#include "phyxel/world.h"
#include "world/attached/coats.h"
#include "world/attached/skins.h"

#include <math.h>
#include <string.h>

/* ---- one of every kind ----------------------------------------------------- */

enum { MATERIAL, WALL, FLUID, SOLID, EMITTER, SINK, HANDLE, FORCE, HEATER, KINDS };

/* An id of any kind. */
typedef struct Id {
    uint32_t slot, generation;
} Id;

#define BOX(x, y, z) ((PxVec3){(x), (y), (z)})

typedef struct Living {
    PxWorld *world;
    PxMaterialId water, jelly;
} Living;

static PxMaterialDef jelly_def(void)
{
    PxMaterialDef def = px_material_def_default();
    def.name = "jelly";
    def.young = 1e5;
    def.viscosity = 0;
    return def;
}

static Living living(void)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.05;
    def.threads = 1;
    Living l;
    CHECK_OK(px_world_create(&def, &l.world));
    PxMaterialDef water = px_material_def_default(), jelly = jelly_def();
    CHECK_OK(px_world_add_material(l.world, &water, &l.water));
    CHECK_OK(px_world_add_material(l.world, &jelly, &l.jelly));
    return l;
}

static PxBodyDef box_def(const char *name, PxMaterialId material, PxVec3 at)
{
    PxBodyDef def = px_body_def_default();
    def.name = name;
    def.material = material;
    def.shape.size = BOX(0.2, 0.2, 0.2);
    def.shape.at = at;
    return def;
}

static PxStatus add(Living *l, int kind, Id *out)
{
    PxStatus status = PX_ERR_ARGUMENT;
    *out = (Id){0, 0};
    if (kind == MATERIAL) {
        PxMaterialDef def = px_material_def_default();
        PxMaterialId id;
        def.name = "oil";
        def.viscosity = 1;
        status = px_world_add_material(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    } else if (kind == WALL || kind == FLUID || kind == SOLID) {
        PxBodyDef def = box_def("wall", (PxMaterialId){0, 0}, BOX(0, -0.5, 0));
        PxBodyId id;
        if (kind == FLUID)
            def = box_def("drop", l->water, BOX(0.5, 0, 0));
        if (kind == SOLID)
            def = box_def("block", l->jelly, BOX(-0.5, 0, 0));
        def.wall = kind == WALL;
        status = px_world_add_body(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    } else if (kind == EMITTER) {
        PxEmitterDef def = px_emitter_def_default();
        PxEmitterId id;
        def.name = "tap";
        def.material = l->water;
        def.shape.radius = 0.08;
        def.shape.height = 0.1;
        def.shape.at = BOX(0, 1, 0.5);
        def.speed = 2;
        status = px_world_add_emitter(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    } else if (kind == SINK) {
        PxSinkDef def = px_sink_def_default();
        PxSinkId id;
        def.name = "drain";
        def.shape.at.y = -30;
        status = px_world_add_sink(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    } else if (kind == HANDLE) {
        PxHandleDef def = px_handle_def_default();
        PxHandleId id;
        def.name = "hand";
        def.shape.size = BOX(1, 1, 1);
        def.shape.at = BOX(-0.5, 0, 0);
        status = px_world_add_handle(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    } else if (kind == FORCE) {
        PxForceDef def = px_force_def_default();
        PxForceId id;
        def.name = "wind";
        def.force.x = 1;
        status = px_world_add_force(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    } else if (kind == HEATER) {
        PxHeaterDef def = px_heater_def_default();
        PxHeaterId id;
        def.name = "flame";
        def.power = 10;
        status = px_world_add_heater(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    }
    return status;
}

static PxStatus remove_thing(Living *l, int kind, Id id)
{
    switch (kind) {
    case MATERIAL:
        return px_world_remove_material(l->world, (PxMaterialId){id.slot, id.generation});
    case EMITTER:
        return px_world_remove_emitter(l->world, (PxEmitterId){id.slot, id.generation});
    case SINK:
        return px_world_remove_sink(l->world, (PxSinkId){id.slot, id.generation});
    case HANDLE:
        return px_world_remove_handle(l->world, (PxHandleId){id.slot, id.generation});
    case FORCE:
        return px_world_remove_force(l->world, (PxForceId){id.slot, id.generation});
    case HEATER:
        return px_world_remove_heater(l->world, (PxHeaterId){id.slot, id.generation});
    default:
        return px_world_remove_body(l->world, (PxBodyId){id.slot, id.generation});
    }
}

static PxStats stats_of(const Living *l)
{
    PxStats stats;
    px_world_stats(l->world, &stats);
    CHECK(isfinite(stats.mass) && isfinite(stats.kinetic) && isfinite(stats.heat));
    return stats;
}

static PxBodyId body_id(Id id)
{
    return (PxBodyId){id.slot, id.generation};
}

static void steps(const Living *l, int count)
{
    for (int k = 0; k < count; ++k)
        CHECK_OK(px_world_step(l->world, 100));
}

/* ---- tests ------------------------------------------------------------------ */

TEST(every_kind_is_added_and_removed_while_the_world_lives)
{
    Living l = living();
    Id id[KINDS];
    for (int round = 0; round < 3; ++round) {
        for (int kind = 0; kind < KINDS; ++kind) {
            Id again;
            CHECK_OK(add(&l, kind, &id[kind]));
            CHECK(id[kind].slot > 0);
            CHECK_FAILS(add(&l, kind, &again), PX_ERR_ARGUMENT, "already");
            CHECK_EQUAL(again.slot, 0);
            steps(&l, 2);
        }
        steps(&l, 10);
        stats_of(&l);
        for (int kind = KINDS - 1; kind >= 0; --kind) {
            PxBodyId source = {0, 0};
            if (kind == EMITTER) /* its matter is the last body */
                source = (PxBodyId){id[SOLID].slot + 1, id[SOLID].generation};
            CHECK_OK(remove_thing(&l, kind, id[kind]));
            CHECK_FAILS(remove_thing(&l, kind, id[kind]), PX_ERR_ARGUMENT, "stale");
            if (kind == EMITTER)
                CHECK_OK(px_world_remove_body(l.world, source));
            steps(&l, 2);
        }
        CHECK_EQUAL(px_world_count(l.world), 0);
        CHECK_NEAR(stats_of(&l).mass, 0, 0);
    }
    CHECK_EQUAL(id[SINK].generation, 3);
    CHECK_EQUAL(id[MATERIAL].generation, 3);
    px_world_free(l.world);
}

TEST(an_id_that_was_never_given_is_refused)
{
    Living l = living();
    for (int kind = 0; kind < KINDS; ++kind) {
        CHECK_FAILS(remove_thing(&l, kind, (Id){0, 0}), PX_ERR_ARGUMENT, "null id");
        CHECK_FAILS(remove_thing(&l, kind, (Id){9, 1}), PX_ERR_ARGUMENT, "there is no");
    }
    px_world_free(l.world);
}

TEST(a_removed_body_takes_its_particles_and_their_mass_with_it)
{
    Living l = living();
    Id drop, block;
    CHECK_OK(add(&l, FLUID, &drop));
    CHECK_OK(add(&l, SOLID, &block));
    steps(&l, 3);
    PxStats before = stats_of(&l);
    CHECK_EQUAL(before.particles, 128);
    CHECK_OK(px_world_remove_body(l.world, body_id(drop)));
    PxStats after = stats_of(&l);
    CHECK_EQUAL(after.particles, 64);
    CHECK_EQUAL(after.removed, 64);
    CHECK_NEAR(after.mass + after.mass_out, before.mass, 1e-9);
    CHECK_EQUAL(px_world_skin_count(l.world), 1);
    steps(&l, 3);
    CHECK_OK(px_world_move_skins(l.world));
    CHECK_OK(px_world_remove_body(l.world, body_id(block)));
    CHECK_EQUAL(px_world_skin_count(l.world), 0);
    CHECK_OK(px_world_move_skins(l.world));
    steps(&l, 3);
    CHECK_NEAR(stats_of(&l).mass_out, before.mass, 1e-9);
    px_world_free(l.world);
}

TEST(particles_of_a_body_in_a_used_slot_have_new_ids)
{
    Living l = living();
    Id first, second;
    CHECK_OK(add(&l, FLUID, &first));
    uint64_t old = px_world_ids(l.world)[0];
    CHECK_OK(remove_thing(&l, FLUID, first));
    CHECK_OK(add(&l, FLUID, &second));
    CHECK_EQUAL(second.slot, first.slot);
    CHECK(second.generation != first.generation);
    for (uint32_t i = 0; i < px_world_count(l.world); ++i)
        CHECK(px_world_ids(l.world)[i] != old);
    px_world_free(l.world);
}

TEST(a_handle_on_a_removed_body_does_not_take_the_next_one_in_its_slot)
{
    Living l = living();
    Id block, other;
    CHECK_OK(add(&l, SOLID, &block));
    PxHandleDef def = px_handle_def_default();
    def.name = "hand";
    def.body = body_id(block);
    def.shape.size = BOX(9, 9, 9);
    def.start = 0.1;
    PxHandleId hand;
    CHECK_OK(px_world_add_handle(l.world, &def, &hand));
    CHECK_OK(remove_thing(&l, SOLID, block));
    def.name = "late";
    CHECK_FAILS(px_world_add_handle(l.world, &def, NULL), PX_ERR_ARGUMENT, "stale");
    CHECK_OK(add(&l, SOLID, &other));
    CHECK_EQUAL(other.slot, block.slot);
    CHECK_OK(px_world_advance(l.world, 0.4));
    for (uint32_t i = 0; i < px_world_count(l.world); ++i)
        CHECK_NEAR((double)px_world_floats(l.world, "velocity", 1)[i], -9.81 * 0.4, 1e-3);
    CHECK_OK(px_world_remove_handle(l.world, hand));
    px_world_free(l.world);
}

TEST(a_handle_added_late_holds_at_once_and_lets_go_when_it_is_removed)
{
    Living l = living();
    Id block, hand;
    CHECK_OK(add(&l, SOLID, &block));
    CHECK_OK(px_world_advance(l.world, 0.1));
    CHECK_OK(add(&l, HANDLE, &hand));
    float y = px_world_floats(l.world, "position", 1)[0];
    CHECK_OK(px_world_advance(l.world, 0.2));
    CHECK_NEAR((double)px_world_floats(l.world, "position", 1)[0], (double)y, 1e-6);
    CHECK_OK(remove_thing(&l, HANDLE, hand));
    CHECK_OK(px_world_advance(l.world, 0.3));
    CHECK_NEAR((double)px_world_floats(l.world, "velocity", 1)[0], -0.981, 1e-2);
    px_world_free(l.world);
}

TEST(a_material_in_use_stays)
{
    Living l = living();
    Id drop, tap;
    CHECK_OK(add(&l, FLUID, &drop));
    CHECK_FAILS(px_world_remove_material(l.world, l.water), PX_ERR_ARGUMENT, "'drop'");
    CHECK_OK(remove_thing(&l, FLUID, drop));
    CHECK_OK(add(&l, EMITTER, &tap));
    CHECK_FAILS(px_world_remove_material(l.world, l.water), PX_ERR_ARGUMENT, "'tap'");
    CHECK_FAILS(px_world_remove_body(l.world, (PxBodyId){1, 2}), PX_ERR_ARGUMENT, "emitter");
    CHECK_OK(px_world_advance(l.world, 0.3));
    CHECK_OK(remove_thing(&l, EMITTER, tap));
    PxStats stats = stats_of(&l);
    CHECK(stats.emitted > 0 && stats.particles == stats.emitted);
    CHECK_FAILS(px_world_remove_material(l.world, l.water), PX_ERR_ARGUMENT, "'tap'");
    CHECK_OK(px_world_remove_body(l.world, (PxBodyId){1, 2}));
    CHECK_OK(px_world_remove_material(l.world, l.water));
    CHECK_EQUAL(stats_of(&l).emitted, stats.emitted);
    PxMaterialDef def = px_material_def_default();
    CHECK_OK(px_world_add_material(l.world, &def, &l.water));
    CHECK_OK(add(&l, EMITTER, &tap));
    CHECK_OK(px_world_advance(l.world, 0.6));
    CHECK(stats_of(&l).emitted > stats.emitted);
    px_world_free(l.world);
}

TEST(a_coat_lets_go_of_a_removed_body)
{
    Living l = living();
    PxMaterialDef oil = px_material_def_default();
    PxMaterialId id;
    oil.name = "oil";
    oil.coat = px_coat_choice("surfels");
    CHECK_OK(px_world_add_material(l.world, &oil, &id));
    PxBodyDef left = box_def("left", id, BOX(-1, 0, 0)), right = box_def("right", id, BOX(1, 0, 0));
    PxBodyId left_id, right_id;
    CHECK_OK(px_world_add_body(l.world, &left, &left_id));
    CHECK_OK(px_world_add_body(l.world, &right, &right_id));
    CHECK_OK(px_world_move_coats(l.world));
    const PxCoat *coat = px_world_coat(l.world, 0)->coat;
    uint32_t both = coat->surfels.count;
    CHECK_OK(px_world_remove_body(l.world, left_id));
    steps(&l, 1);
    CHECK_OK(px_world_move_coats(l.world));
    CHECK(coat->surfels.count > 0 && coat->surfels.count < both);
    for (uint32_t i = 0; i < coat->surfels.count; ++i)
        CHECK(px_coat_place(coat, i).x > 0.5);
    CHECK_OK(px_world_remove_body(l.world, right_id));
    CHECK_OK(px_world_remove_material(l.world, id));
    CHECK_EQUAL(px_world_coat_count(l.world), 0);
    px_world_free(l.world);
}

TEST_MAIN()
