/// Everything that has an id can be added to, read in and removed from a living world.
#include "check.h"

#include "phyxel/world.h"
#include "world/attached/coats.h"
#include "world/attached/skins.h"
#include "world/kinds/kind.h"

#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one of every kind ----------------------------------------------------- */

enum {
    MATERIAL,
    WALL,
    FLUID,
    SOLID,
    RIGID,
    JOINT,
    SEAM,
    EMITTER,
    SINK,
    HANDLE,
    FORCE,
    FIELD,
    HEATER,
    GAUGE,
    KINDS
};

/* An id of any kind. */
typedef struct Id {
    uint32_t slot, generation;
} Id;

#define BOX(x, y, z) ((PxVec3){(x), (y), (z)})

typedef struct Living {
    PxWorld *world;
    PxMaterialId water, jelly;
    PxBodyId door;     /* the body of the joint */
    PxBodyId panel[2]; /* those of the seam */
} Living;

static PxMaterialDef jelly_def(void)
{
    PxMaterialDef def = px_material_def_default();
    def.name = "jelly";
    def.young = 1e5;
    def.viscosity = 0;
    return def;
}

static void add_panels(Living *l)
{
    PxMaterialDef cotton = px_material_def_default();
    PxBodyDef body = px_body_def_default();
    cotton.name = "cotton";
    cotton.cloth.cloth = true;
    CHECK_OK(px_world_add_material(l->world, &cotton, &body.material));
    body.shape = px_shape_def_default(PX_SHAPE_SHEET);
    body.shape.columns = body.shape.rows = 3;
    for (int k = 0; k < 2; ++k) {
        body.name = k == 0 ? "front" : "back";
        body.shape.at = (PxVec3){30, 30 + 0.1 * k, 30}; /* far from all else */
        CHECK_OK(px_world_add_body(l->world, &body, &l->panel[k]));
    }
}

static Living living(void)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.05;
    def.threads = 1;
    Living l = {.door = {0, 0}};
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
    } else if (kind == WALL || kind == FLUID || kind == SOLID || kind == RIGID) {
        PxBodyDef def = box_def("wall", (PxMaterialId){0, 0}, BOX(0, -0.5, 0));
        PxBodyId id;
        if (kind == FLUID)
            def = box_def("drop", l->water, BOX(0.5, 0, 0));
        if (kind == SOLID)
            def = box_def("block", l->jelly, BOX(-0.5, 0, 0));
        if (kind == RIGID)
            def = box_def("crate", l->water, BOX(0, 0.5, -0.5));
        def.wall = kind == WALL;
        def.rigid = kind == RIGID;
        status = px_world_add_body(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    } else if (kind == JOINT) { /* of a body of its own, which stays */
        PxBodyDef body = box_def("door", l->water, BOX(0, 0.5, 3));
        PxJointDef def = px_joint_def_default();
        PxJointId id;
        body.rigid = true;
        PxRigidState state;
        if (px_world_rigid_state(l->world, l->door, &state) != PX_OK) {
            CHECK_OK(px_world_add_body(l->world, &body, &l->door));
            CHECK_OK(px_world_rigid_state(l->world, l->door, &state));
        }
        def.name = "pin";
        def.body = l->door;
        def.at = state.place;
        status = px_world_add_joint(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    } else if (kind == SEAM) { /* of two panels of its own, which stay */
        PxSeamDef def = px_seam_def_default();
        PxSeamId id;
        if (px_world_find_body(l->world, "front", &l->panel[0]) != PX_OK)
            add_panels(l);
        def.name = "hem";
        def.from = l->panel[0];
        def.to = l->panel[1];
        status = px_world_add_seam(l->world, &def, &id);
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
    } else if (kind == FIELD) {
        PxForceFieldDef def = px_force_field_def_default();
        PxForceFieldId id;
        def.name = "gust";
        def.velocity.x = 1;
        status = px_world_add_force_field(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    } else if (kind == HEATER) {
        PxHeaterDef def = px_heater_def_default();
        PxHeaterId id;
        def.name = "flame";
        def.power = 10;
        status = px_world_add_heater(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    } else if (kind == GAUGE) {
        PxGaugeDef def = px_gauge_def_default();
        PxGaugeId id;
        def.name = "probe";
        status = px_world_add_gauge(l->world, &def, &id);
        *out = (Id){id.slot, id.generation};
    }
    return status;
}

static PxStatus remove_thing(Living *l, int kind, Id id)
{
    switch (kind) {
    case MATERIAL:
        return px_world_remove_material(l->world, (PxMaterialId){id.slot, id.generation});
    case JOINT:
        return px_world_remove_joint(l->world, (PxJointId){id.slot, id.generation});
    case SEAM:
        return px_world_remove_seam(l->world, (PxSeamId){id.slot, id.generation});
    case EMITTER:
        return px_world_remove_emitter(l->world, (PxEmitterId){id.slot, id.generation});
    case SINK:
        return px_world_remove_sink(l->world, (PxSinkId){id.slot, id.generation});
    case HANDLE:
        return px_world_remove_handle(l->world, (PxHandleId){id.slot, id.generation});
    case FORCE:
        return px_world_remove_force(l->world, (PxForceId){id.slot, id.generation});
    case FIELD:
        return px_world_remove_force_field(l->world, (PxForceFieldId){id.slot, id.generation});
    case HEATER:
        return px_world_remove_heater(l->world, (PxHeaterId){id.slot, id.generation});
    case GAUGE:
        return px_world_remove_gauge(l->world, (PxGaugeId){id.slot, id.generation});
    default:
        return px_world_remove_body(l->world, (PxBodyId){id.slot, id.generation});
    }
}

/* Reads something of every kind: a pose, a force, its particles, or a value by its path. */
static PxStatus read_thing(Living *l, int kind, Id id)
{
    PxBodyId body = {id.slot, id.generation};
    PxPose pose;
    PxVec3 force, torque;
    switch (kind) {
    case MATERIAL:
        return px_world_set(l->world, "materials.oil.viscosity", (double[]){2}, 1);
    case WALL: {
        PxStatus status = px_world_wall_pose(l->world, body, &pose);
        return status == PX_OK ? px_world_boundary_force(l->world, body, &force, &torque) : status;
    }
    case RIGID: {
        PxRigidState state;
        return px_world_rigid_state(l->world, body, &state);
    }
    case JOINT:
        return px_world_set(l->world, "joints.pin.breaks", (double[]){1e6}, 1);
    case SEAM:
        return px_world_set(l->world, "seams.hem.strength", (double[]){1e6}, 1);
    case EMITTER:
        return px_world_emitter_body(l->world, (PxEmitterId){id.slot, id.generation}, &body);
    case HANDLE:
        return px_world_handle_pose(l->world, (PxHandleId){id.slot, id.generation}, &pose);
    case FIELD:
        return px_world_set(l->world, "fields.gust.velocity.z", (double[]){2}, 1);
    case FORCE:
        return px_world_set(l->world, "forces.wind.force", (double[]){0, 1, 0}, 3);
    case HEATER:
        return px_world_set(l->world, "heaters.flame.power", (double[]){20}, 1);
    case GAUGE: {
        PxGaugeSample sample;
        double value;
        return px_world_read_gauge(l->world, (PxGaugeId){id.slot, id.generation}, &value, 1,
                                   &sample);
    }
    case SINK:
        return PX_OK; /* has nothing to read */
    default:
        for (uint32_t i = 0; i < px_world_count(l->world); ++i)
            if (px_world_words(l->world, "body")[i] == id.slot - 1)
                return PX_OK;
        return PX_ERR_ARGUMENT;
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

TEST(every_kind_is_added_read_and_removed_while_the_world_lives)
{
    CHECK_EQUAL(KINDS, PX_KIND_COUNT + 3); /* bodies: a wall, a fluid, a solid, a rigid one */
    Living l = living();
    Id id[KINDS];
    for (int round = 0; round < 3; ++round) {
        for (int kind = 0; kind < KINDS; ++kind) {
            Id again;
            CHECK_OK(add(&l, kind, &id[kind]));
            CHECK(id[kind].slot > 0);
            CHECK_FAILS(add(&l, kind, &again), PX_ERR_ARGUMENT, "already");
            CHECK_EQUAL(again.slot, 0);
            CHECK_OK(read_thing(&l, kind, id[kind]));
            steps(&l, 2);
            CHECK_OK(read_thing(&l, kind, id[kind]));
        }
        steps(&l, 10);
        stats_of(&l);
        for (int kind = KINDS - 1; kind >= 0; --kind) {
            PxBodyId source = {0, 0};
            if (kind == EMITTER)
                CHECK_OK(px_world_emitter_body(
                    l.world, (PxEmitterId){id[kind].slot, id[kind].generation}, &source));
            CHECK_OK(remove_thing(&l, kind, id[kind]));
            CHECK_FAILS(remove_thing(&l, kind, id[kind]), PX_ERR_ARGUMENT, "stale");
            CHECK(kind == SINK || read_thing(&l, kind, id[kind]) == PX_ERR_ARGUMENT);
            if (kind == EMITTER)
                CHECK_OK(px_world_remove_body(l.world, source));
            steps(&l, 2);
        }
        CHECK_EQUAL(px_world_count(l.world), 0);
        CHECK_NEAR(stats_of(&l).mass, 0, 0);
    }
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

TEST(an_id_lost_by_a_restore_never_names_a_new_thing)
{
    Living l = living();
    PxSavedWorld *saved = NULL;
    for (int kind = 0; kind < KINDS; ++kind) {
        Id lost, next;
        CHECK_OK(px_world_save(l.world, &saved));
        CHECK_OK(add(&l, kind, &lost));
        CHECK_OK(px_world_restore(l.world, saved));
        CHECK_OK(add(&l, kind, &next));
        CHECK_EQUAL(next.slot, lost.slot);
        CHECK_FAILS(remove_thing(&l, kind, lost), PX_ERR_ARGUMENT, "stale");
        CHECK_OK(px_world_restore(l.world, saved));
    }
    px_saved_free(saved);
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
    PxBodyId source;
    CHECK_OK(px_world_emitter_body(l.world, (PxEmitterId){tap.slot, tap.generation}, &source));
    CHECK_FAILS(px_world_remove_body(l.world, source), PX_ERR_ARGUMENT, "emitter");
    CHECK_OK(px_world_advance(l.world, 0.3));
    CHECK_OK(remove_thing(&l, EMITTER, tap));
    PxStats stats = stats_of(&l);
    CHECK(stats.emitted > 0 && stats.particles == stats.emitted);
    CHECK_FAILS(px_world_remove_material(l.world, l.water), PX_ERR_ARGUMENT, "'tap'");
    CHECK_OK(px_world_remove_body(l.world, source));
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

/* ---- poses --------------------------------------------------------------------- */

TEST(a_wall_is_dragged_and_its_pose_read)
{
    Living l = living();
    Id wall, drop;
    PxPose pose;
    CHECK_OK(add(&l, WALL, &wall));
    CHECK_OK(add(&l, FLUID, &drop));
    CHECK_OK(px_world_wall_pose(l.world, body_id(wall), &pose));
    CHECK_NEAR(px_length(pose.move), 0, 0);
    CHECK_FAILS(px_world_wall_pose(l.world, body_id(drop), &pose), PX_ERR_ARGUMENT, "no wall");
    double to = 0;
    for (int frame = 0; frame < 5; ++frame) {
        PxPose target = {.move = {to += 0.02, 0, 0}, .turn = {.w = 1}};
        CHECK_OK(px_world_move_wall(l.world, body_id(wall), &target, 0.02));
        CHECK_OK(px_world_advance(l.world, 0.02 * (frame + 1)));
        CHECK_OK(px_world_wall_pose(l.world, body_id(wall), &pose));
        CHECK_NEAR(pose.move.x, to, 1e-9);
    }
    PxPose bad = {.move = {(double)NAN, 0, 0}, .turn = {.w = 1}};
    CHECK_FAILS(px_world_move_wall(l.world, body_id(wall), &bad, 0.1), PX_ERR_ARGUMENT, "finite");
    bad = (PxPose){.move = {0, 0, 0}};
    CHECK_FAILS(px_world_move_wall(l.world, body_id(wall), &bad, 0.1), PX_ERR_ARGUMENT, "turn");
    bad.turn.w = 1;
    CHECK_FAILS(px_world_move_wall(l.world, body_id(wall), &bad, 0), PX_ERR_ARGUMENT, "within");
    CHECK_FAILS(px_world_move_wall(l.world, body_id(wall), &bad, INFINITY), PX_ERR_ARGUMENT,
                "within");
    const PxKeyframe away = {.time = 0, .at = {1, 0, 0}, .rotation = {.w = 1}};
    CHECK_FAILS(px_world_set_wall_path(l.world, body_id(wall), &away, 1), PX_ERR_ARGUMENT, "jump");
    const PxKeyframe path[2] = {{.time = 0.1, .at = {to, 0, 0}, .rotation = {.w = 1}},
                                {.time = 0.2, .at = {to, 0.1, 0}, .rotation = {.w = 1}}};
    CHECK_OK(px_world_set_wall_path(l.world, body_id(wall), path, 2));
    CHECK_OK(px_world_advance(l.world, 0.15));
    CHECK_OK(px_world_wall_pose(l.world, body_id(wall), &pose));
    CHECK_NEAR(pose.move.y, 0.05, 1e-6);
    CHECK_OK(remove_thing(&l, WALL, wall));
    CHECK_FAILS(px_world_wall_pose(l.world, body_id(wall), &pose), PX_ERR_ARGUMENT, "stale");
    px_world_free(l.world);
}

TEST(a_handle_drags_what_it_holds)
{
    Living l = living();
    Id block, hand;
    CHECK_OK(add(&l, SOLID, &block));
    CHECK_OK(add(&l, HANDLE, &hand));
    PxHandleId id = {hand.slot, hand.generation};
    CHECK_OK(px_world_advance(l.world, 0.1));
    PxStats before = stats_of(&l);
    PxPose target = {.move = {0, 0.3, 0}, .turn = {.w = 1}}, pose;
    CHECK_OK(px_world_move_handle(l.world, id, &target, 0.2));
    CHECK_OK(px_world_advance(l.world, 0.2));
    CHECK_NEAR((double)px_world_floats(l.world, "velocity", 1)[0], 1.5, 1e-3);
    CHECK_OK(px_world_advance(l.world, 0.4));
    CHECK_OK(px_world_handle_pose(l.world, id, &pose));
    CHECK_NEAR(pose.move.y, 0.3, 1e-12);
    CHECK_NEAR((stats_of(&l).potential - before.potential) / (before.mass * 9.81), 0.3, 1e-5);
    CHECK_OK(px_world_set_handle_path(l.world, id,
                                      &(PxKeyframe){.at = {0, 0.3, 0}, .rotation = {.w = 1}}, 1));
    CHECK_OK(remove_thing(&l, HANDLE, hand));
    CHECK_FAILS(px_world_move_handle(l.world, id, &target, 0.2), PX_ERR_ARGUMENT, "stale");
    px_world_free(l.world);
}

TEST(a_skin_is_read_without_a_step)
{
    Living l = living();
    Id block;
    CHECK_OK(add(&l, SOLID, &block));
    CHECK_OK(px_world_move_skins(l.world));
    PxWorldSurface surface;
    CHECK_EQUAL(px_world_surfaces(l.world, &surface, 1), 1);
    CHECK(surface.body.slot == block.slot && surface.points > 8 && surface.triangles >= 12);
    float *position = malloc(surface.points * 3 * sizeof *position);
    uint32_t *triangle = malloc(surface.triangles * 3 * sizeof *triangle);
    CHECK_OK(px_world_read_surface(l.world, 0, position, NULL, NULL, triangle));
    float low = position[1];
    for (uint32_t i = 0; i < surface.points; ++i)
        low = fminf(low, position[3 * i + 1]);
    CHECK_NEAR((double)low, -0.1, 1e-5);
    for (uint32_t k = 0; k < 3 * surface.triangles; ++k)
        CHECK(triangle[k] < surface.points);
    CHECK_FAILS(px_world_read_surface(l.world, 1, position, NULL, NULL, NULL), PX_ERR_ARGUMENT,
                "no surface 1");
    CHECK(px_world_time(l.world) == 0);
    free(position);
    free(triangle);
    px_world_free(l.world);
}

TEST(a_coat_is_read_without_a_step)
{
    Living l = living();
    PxMaterialDef wax = jelly_def();
    wax.name = "wax";
    wax.coat = px_coat_choice("surfels");
    PxMaterialId id;
    CHECK_OK(px_world_add_material(l.world, &wax, &id));
    PxBodyDef block = box_def("block", id, BOX(0, 0, 0));
    CHECK_OK(px_world_add_body(l.world, &block, NULL));
    CHECK_OK(px_world_move_coats(l.world));
    PxWorldSurface surface;
    CHECK_EQUAL(px_world_surfaces(l.world, &surface, 1), 1);
    CHECK(surface.body.slot == 0 && surface.material.slot == id.slot);
    CHECK(surface.points > 24 && surface.triangles == 0);
    float *position = malloc(surface.points * 6 * sizeof *position);
    float *again = position + 3 * (size_t)surface.points;
    float *normal = malloc(surface.points * 3 * sizeof *normal);
    float *radius = malloc(surface.points * sizeof *radius);
    CHECK_OK(px_world_read_surface(l.world, 0, position, normal, radius, NULL));
    for (uint32_t i = 0; i < surface.points; ++i) {
        float most = 0, square = 0;
        for (uint32_t k = 3 * i; k < 3 * i + 3; ++k) {
            most = fmaxf(most, fabsf(position[k]));
            square += normal[k] * normal[k];
        }
        CHECK_NEAR((double)most, 0.1, 0.026); /* half a spacing */
        CHECK_NEAR((double)square, 1, 1e-5);
        CHECK(radius[i] > 0);
    }
    CHECK_OK(px_world_read_surface(l.world, 0, again, NULL, NULL, NULL));
    CHECK(memcmp(position, again, 3 * sizeof *position * surface.points) == 0);
    CHECK(px_world_time(l.world) == 0);
    free(position);
    free(normal);
    free(radius);
    px_world_free(l.world);
}

/* ---- shapes from memory ------------------------------------------------------------ */

TEST(a_mesh_from_memory_is_a_shape_like_any_other)
{
    static const float corner[8][3] = {
        {-0.1f, -0.1f, -0.1f}, {0.1f, -0.1f, -0.1f}, {0.1f, 0.1f, -0.1f}, {-0.1f, 0.1f, -0.1f},
        {-0.1f, -0.1f, 0.1f},  {0.1f, -0.1f, 0.1f},  {0.1f, 0.1f, 0.1f},  {-0.1f, 0.1f, 0.1f}};
    static const uint32_t face[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                         {0, 1, 5}, {0, 5, 4}, {2, 3, 7}, {2, 7, 6},
                                         {1, 2, 6}, {1, 6, 5}, {0, 4, 7}, {0, 7, 3}};
    Living l = living();
    PxBodyDef def = box_def("cube", l.water, BOX(0, 0, 0));
    def.shape = px_shape_def_default(PX_SHAPE_MESH);
    CHECK_FAILS(px_world_add_body(l.world, &def, NULL), PX_ERR_ARGUMENT, "vertices");
    def.shape.vertex = corner;
    def.shape.vertices = 8;
    CHECK_FAILS(px_world_add_body(l.world, &def, NULL), PX_ERR_ARGUMENT, "some of both");
    def.shape.triangle = face;
    def.shape.triangles = 11;
    CHECK_FAILS(px_world_add_body(l.world, &def, NULL), PX_ERR_FORMAT, "cube");
    def.shape.triangles = 12;
    CHECK_OK(px_world_add_body(l.world, &def, NULL));
    CHECK_EQUAL(px_world_count(l.world), 64);
    PxSinkDef sink = px_sink_def_default();
    sink.name = "drain";
    sink.shape = def.shape;
    sink.shape.scale = 0.5;
    CHECK_OK(px_world_add_sink(l.world, &sink, NULL));
    CHECK_OK(px_world_step(l.world, 1e-4));
    CHECK_EQUAL(px_world_count(l.world), 64 - 8);
    px_world_free(l.world);
}

/* ---- steps at the edge ---------------------------------------------------------------- */

TEST(a_step_of_any_length_is_answered)
{
    Living l = living();
    for (int what = 0; what < 4; ++what) {
        Id id;
        if (what > 0)
            CHECK_OK(add(&l, what == 1 ? WALL : what == 2 ? EMITTER : SOLID, &id));
        double time = px_world_time(l.world);
        CHECK_FAILS(px_world_step(l.world, (double)NAN), PX_ERR_ARGUMENT, "already");
        CHECK_FAILS(px_world_step(l.world, -INFINITY), PX_ERR_ARGUMENT, "already");
        CHECK_FAILS(px_world_step(l.world, time), PX_ERR_ARGUMENT, "already");
        CHECK_FAILS(px_world_advance(l.world, INFINITY), PX_ERR_ARGUMENT, "wanted to go");
        CHECK_FAILS(px_world_advance(l.world, (double)NAN), PX_ERR_ARGUMENT, "wanted to go");
        CHECK_FAILS(px_world_advance(l.world, time - 1), PX_ERR_ARGUMENT, "wanted to go");
        CHECK_OK(px_world_advance(l.world, time));
        CHECK(px_world_time(l.world) == time);
        for (int k = 0; k < 3; ++k)
            CHECK_OK(px_world_step(l.world, INFINITY));
        PxStats s = stats_of(&l);
        CHECK(s.time > time && s.time <= time + 3 * 0.0101);
        const double all[] = {s.time,
                              s.dt,
                              s.neighbours,
                              s.speed_max,
                              s.mass,
                              s.kinetic,
                              s.potential,
                              s.elastic,
                              s.heat,
                              s.heat_in,
                              s.temperature_min,
                              s.temperature_max,
                              s.momentum.x,
                              s.angular_momentum.y,
                              s.density_error,
                              s.density_error_max,
                              s.tension_force,
                              s.pressure_force,
                              s.solve_error,
                              s.mass_in,
                              s.mass_out};
        for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
            CHECK(isfinite(all[k]));
    }
    px_world_free(l.world);
}

/* ---- whose numbers ------------------------------------------------------------------------ */

/* A solid beside a fluid, each with pressure numbers of its own. */
static double top_position(bool strange)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.05;
    def.threads = 1;
    PxWorld *world;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef jelly = jelly_def(), water = px_material_def_default();
    PxMaterialId jelly_id, water_id;
    water.pressure = px_pressure_choice("sesph");
    if (strange) {
        jelly.pressure = px_pressure_choice("dfsph");
        jelly.pressure.param[1] = 7; /* where sesph has its fluctuation */
    } else {
        jelly.pressure = water.pressure;
    }
    CHECK_OK(px_world_add_material(world, &jelly, &jelly_id));
    CHECK_OK(px_world_add_material(world, &water, &water_id));
    PxBodyDef block = box_def("block", jelly_id, BOX(0, 0.2, 0));
    PxBodyDef pool = box_def("pool", water_id, BOX(0, 0, 0));
    CHECK_OK(px_world_add_body(world, &block, NULL));
    CHECK_OK(px_world_add_body(world, &pool, NULL));
    CHECK_OK(px_world_advance(world, 0.02));
    double sum = 0;
    for (uint32_t i = 0; i < px_world_count(world); ++i)
        sum += (double)px_world_floats(world, "position", 1)[i] * (1 + (double)(i % 7));
    PxStats stats;
    px_world_stats(world, &stats);
    px_world_free(world);
    return sum + (double)stats.step;
}

TEST(pressure_numbers_of_a_solid_are_read_by_nobody)
{
    CHECK(top_position(true) == top_position(false));
}

TEST_MAIN()
