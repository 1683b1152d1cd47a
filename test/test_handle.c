/// Handles and forces on regions: held particles, their motion and release, resuming, and the total
/// of a force.
#include "check.h"
#include "scenes.h"

#include "base/sum.h"
#include "scene/content.h"
#include "solid/solid_columns.h"
#include "world/saved.h"
#include "world/world_parts.h"

#define PI 3.14159265358979323846
#define COUNT 1000 /* particles of each block */

/* Two blocks of jelly, 10 x 10 x 10 particles each, and water between them. */
static PxWorld *jelly_world(int threads)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.02;
    def.threads = threads;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef material = px_material_def_default();
    PxMaterialId jelly, water;
    CHECK_OK(px_world_add_material(world, &material, &water));
    material.name = "jelly";
    material.young = 1e4;
    CHECK_OK(px_world_add_material(world, &material, &jelly));
    PxBodyDef body = px_body_def_default();
    body.shape.size = (PxVec3){0.2, 0.2, 0.2};
    for (int k = 0; k < 3; ++k) {
        body.name = k == 0 ? "left" : k == 1 ? "pool" : "right";
        body.material = k == 1 ? water : jelly;
        body.shape.at.x = 0.3 * (k - 1);
        CHECK_OK(px_world_add_body(world, &body, NULL));
    }
    CHECK_OK(px_solid_columns_add(&world->particles.table));
    px_particles_refresh(&world->particles);
    return world;
}

#define LEFT ((PxBodyId){1, world->bodies.data[0].generation})
#define POOL ((PxBodyId){2, world->bodies.data[1].generation})

/* A box around the upper half of all blocks. */
static PxHandleDef upper_half(void)
{
    PxHandleDef def = px_handle_def_default();
    def.name = "hand";
    def.shape.size = (PxVec3){2, 0.2, 2};
    def.shape.at = (PxVec3){0.01, 0.1, 0};
    return def;
}

static PxSolidColumns columns_of(const PxWorld *world)
{
    PxSolidColumns c;
    CHECK(px_solid_columns(&world->particles.table, &c));
    return c;
}

static uint32_t held_by(const PxWorld *world, uint32_t slot, uint32_t body)
{
    PxSolidColumns c = columns_of(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->particles.table.count; ++i)
        count += c.handle[i] == slot + 1 && world->particles.body[i] == body;
    return count;
}

/* ---- taking and letting go ------------------------------------------------------------ */

TEST(a_handle_takes_the_particles_of_solids_in_its_region)
{
    PxWorld *world = jelly_world(2);
    PxHandleDef def = upper_half();
    CHECK_OK(px_world_add_handle(world, &def, NULL));
    px_handles_grab(world, 0);
    CHECK_EQUAL(held_by(world, 0, 0), COUNT / 2);
    CHECK_EQUAL(held_by(world, 0, 1), 0); /* water */
    CHECK_EQUAL(held_by(world, 0, 2), COUNT / 2);
    PxSolidColumns c = columns_of(world);
    for (uint32_t i = 0; i < world->particles.table.count; ++i) {
        bool held = world->particles.body[i] != 1 && world->particles.y[i] > 0;
        CHECK_EQUAL(c.handle[i], held ? 1 : 0);
        CHECK(!held || c.hold[0][i] == world->particles.x[i]); /* a pin: where it is */
    }
    px_world_free(world);
}

TEST(a_handle_of_one_body_leaves_the_others)
{
    PxWorld *world = jelly_world(1);
    PxHandleDef def = upper_half();
    def.body = LEFT;
    CHECK_OK(px_world_add_handle(world, &def, NULL));
    px_handles_grab(world, 0);
    CHECK_EQUAL(held_by(world, 0, 0), COUNT / 2);
    CHECK_EQUAL(held_by(world, 0, 2), 0);
    px_world_free(world);
}

TEST(a_handle_takes_particles_once_and_releases_them_at_its_end)
{
    PxWorld *world = jelly_world(1);
    PxHandleDef def = upper_half();
    def.start = 0.1;
    def.end = 0.2;
    CHECK_OK(px_world_add_handle(world, &def, NULL));
    CHECK(px_handles_next(world, 0) == 0.1);
    px_handles_grab(world, 0.05);
    CHECK_EQUAL(held_by(world, 0, 0), 0);
    px_handles_grab(world, 0.1);
    CHECK_EQUAL(held_by(world, 0, 0), COUNT / 2);
    CHECK(px_handles_next(world, 0.1) == 0.2);
    /* particles that enter the region later are not held */
    for (uint32_t i = 0; i < world->particles.table.count; ++i)
        if (world->particles.y[i] < 0)
            world->particles.y[i] += 0.1f;
    px_handles_grab(world, 0.15);
    CHECK_EQUAL(held_by(world, 0, 0), COUNT / 2);
    px_handles_grab(world, 0.2);
    CHECK_EQUAL(held_by(world, 0, 0), 0);
    CHECK(isinf(px_handles_next(world, 0.2)));
    px_handles_grab(world, 0.3);
    CHECK_EQUAL(held_by(world, 0, 0), 0);
    px_world_free(world);
}

TEST(held_particles_are_taken_by_another_handle_only_after_release)
{
    PxWorld *world = jelly_world(1);
    PxHandleDef def = upper_half();
    def.name = "late"; /* the order in which they are added does not matter */
    def.start = 0.2;
    CHECK_OK(px_world_add_handle(world, &def, NULL));
    def.name = "greedy";
    def.start = 0.1;
    CHECK_OK(px_world_add_handle(world, &def, NULL));
    def.name = "first";
    def.start = 0;
    def.end = 0.2;
    CHECK_OK(px_world_add_handle(world, &def, NULL));
    px_handles_grab(world, 0);
    px_handles_grab(world, 0.1);
    CHECK_EQUAL(held_by(world, 2, 0), COUNT / 2);
    CHECK_EQUAL(held_by(world, 1, 0), 0);
    px_handles_grab(world, 0.2);
    CHECK_EQUAL(held_by(world, 0, 0), COUNT / 2);
    px_world_free(world);
}

/* ---- moving -------------------------------------------------------------------------------- */

/* A region that is rotated and moved when it starts to hold, and keeps rotating. */
static void add_journey(PxWorld *world)
{
    PxKeyframe key[] = {{0, {0, 0, 0}, {0, 0, 0, 1}},
                        {1, {0.3, 0, 0}, px_quat_turn((PxVec3){0, 0, 1}, PI / 2)},
                        {2, {0.3, 0.4, 0}, px_quat_turn((PxVec3){1, 2, 3}, 2)},
                        {3, {0.1, 0.1, 0.1}, px_quat_turn((PxVec3){1, 2, 3}, 2.04)}};
    PxHandleDef def = upper_half();
    def.start = 1;
    def.shape.size = (PxVec3){0.21, 1, 1}; /* turned by a quarter: low and wide */
    def.keyframe = key;
    def.keyframes = PX_COUNT(key);
    CHECK_OK(px_world_add_handle(world, &def, NULL));
}

TEST(the_region_moves_with_the_keyframes)
{
    /* At 1 s its middle is at (0.31, 0.1, 0) and its long sides lie along x and z: it reaches
     * from y = -0.005 to 0.205, x from -0.19 to 0.81. */
    PxWorld *world = jelly_world(1);
    add_journey(world);
    px_handles_grab(world, 1);
    CHECK_EQUAL(held_by(world, 0, 0), 0);
    CHECK_EQUAL(held_by(world, 0, 2), COUNT / 2);
    PxSolidColumns c = columns_of(world);
    for (uint32_t i = 0; i < world->particles.table.count; ++i) {
        if (c.handle[i] == 0)
            continue;
        /* taken is put back exactly where it was, to the rounding of floats (1 m: 6e-8) */
        PxVec3 x, v;
        px_handles_target(world, 0, 1,
                          px_vec((double)c.hold[0][i], (double)c.hold[1][i], (double)c.hold[2][i]),
                          &x, &v);
        CHECK_NEAR(x.x, (double)world->particles.x[i], 2e-7);
        CHECK_NEAR(x.y, (double)world->particles.y[i], 2e-7);
        CHECK_NEAR(x.z, (double)world->particles.z[i], 2e-7);
    }
    px_world_free(world);
}

TEST(the_velocity_of_held_particles_is_the_slope_of_their_path)
{
    PxWorld *world = jelly_world(1);
    add_journey(world);
    PxVec3 hold = {0.1, 0.25, -0.3}, x, v, before, after, unused;
    /* Central differences over 1e-5 s: (dt^2 / 6) w^3 r = 2e-10 m/s; rounding 1e-11 m/s. The
     * last stretch turns so little that it is gone through straight: its pace is even to
     * angle^2 / 6 with the angle between quaternions 0.02, 7e-5 of 0.04 rad/s times 0.4 m. */
    for (int k = 0; k < 29; ++k) {
        double t = 0.05 + 0.1 * k, dt = 1e-5, allowed = t > 2 ? 2e-6 : 1e-9;
        px_handles_target(world, 0, t, hold, &x, &v);
        px_handles_target(world, 0, t - dt, hold, &before, &unused);
        px_handles_target(world, 0, t + dt, hold, &after, &unused);
        CHECK_NEAR(v.x, (after.x - before.x) / (2 * dt), allowed);
        CHECK_NEAR(v.y, (after.y - before.y) / (2 * dt), allowed);
        CHECK_NEAR(v.z, (after.z - before.z) / (2 * dt), allowed);
    }
    /* at a keyframe it is that of what follows */
    px_handles_target(world, 0, 0, hold, &x, &v);
    CHECK(v.x > 0);
    px_handles_target(world, 0, 3, hold, &x, &v);
    CHECK(px_length(v) == 0);
    px_world_free(world);
}

TEST(a_pin_stands_still)
{
    PxWorld *world = jelly_world(1);
    PxHandleDef def = upper_half();
    CHECK_OK(px_world_add_handle(world, &def, NULL));
    PxVec3 x, v;
    px_handles_target(world, 0, 0.7, (PxVec3){1, 2, 3}, &x, &v);
    CHECK(x.x == 1 && x.y == 2 && x.z == 3);
    CHECK(px_length(v) == 0);
    px_world_free(world);
}

/* ---- going on ------------------------------------------------------------------------------- */

static void hash_of(const PxWorld *world, uint64_t hash[2])
{
    px_table_hash(px_world_particles(world), PX_COLUMN_STATE | PX_COLUMN_FRAME, hash);
}

TEST(a_resumed_run_with_handles_has_the_same_bits)
{
    uint64_t wanted[2], got[2];
    PxHandleDef second = upper_half();
    second.name = "second";
    second.start = 2;
    second.end = 2.5;
    PxWorld *straight = jelly_world(1), *world = jelly_world(2);
    add_journey(straight);
    add_journey(world);
    CHECK_OK(px_world_add_handle(straight, &second, NULL));
    CHECK_OK(px_world_add_handle(world, &second, NULL));
    for (int k = 0; k < 6; ++k) {
        px_handles_grab(straight, 0.5 * k);
        px_handles_grab(world, 0.5 * k);
        PxWorld *next = jelly_world(3);
        add_journey(next);
        CHECK_OK(px_world_add_handle(next, &second, NULL));
        CHECK_OK(px_world_continue(next, world));
        px_world_free(world);
        world = next;
        hash_of(straight, wanted);
        hash_of(world, got);
        CHECK(got[0] == wanted[0] && got[1] == wanted[1]);
        CHECK_EQUAL(held_by(world, 0, 2), 0.5 * k >= 1 ? COUNT / 2 : 0);
        CHECK_EQUAL(held_by(world, 1, 0), k == 4 ? COUNT / 2 : 0);
    }
    px_world_free(straight);
    px_world_free(world);
}

TEST(a_stored_state_with_unknown_handles_is_refused)
{
    PxWorld *world = jelly_world(1), *other = jelly_world(1);
    PxHandleDef def = upper_half();
    CHECK_OK(px_world_add_handle(world, &def, NULL));
    px_handles_grab(world, 0);
    CHECK_EQUAL(px_world_state(world).grips, 1);
    PxSavedWorld *saved;
    CHECK_OK(px_saved_view(world, &saved));
    CHECK_FAILS(px_world_resume(other, saved), PX_ERR_FORMAT, "does not belong to this scene");
    px_saved_number(saved, "grips")->whole = 0;
    CHECK_FAILS(px_world_resume(other, saved), PX_ERR_FORMAT, "held by a handle");
    px_saved_free(saved);
    px_world_free(world);
    px_world_free(other);
}

/* ---- forces ------------------------------------------------------------------------------------
 */

static PxForceDef pull(void)
{
    PxForceDef def = px_force_def_default();
    def.name = "wind";
    def.shape.size = (PxVec3){2, 0.2, 2};
    def.shape.at = (PxVec3){0, 0.1, 0};
    def.force = (PxVec3){3, -2, 0.5};
    return def;
}

/* Total force: sum of mass times acceleration, which was 0 before. */
static PxVec3 total(const PxWorld *world, float *const a[3])
{
    double f[3];
    for (int c = 0; c < 3; ++c) {
        PxSum sum = {0};
        for (uint32_t i = 0; i < world->particles.table.count; ++i)
            px_sum_add(&sum, (double)world->particles.mass[i] * (double)a[c][i]);
        f[c] = px_sum_value(&sum);
    }
    return px_vec(f[0], f[1], f[2]);
}

TEST(the_total_force_does_not_depend_on_the_particles_it_acts_on)
{
    PxWorld *world = jelly_world(2);
    PxForceDef def = pull();
    def.start = 0.1;
    def.end = 0.5;
    CHECK_OK(px_world_add_force(world, &def, NULL));
    float *a[3];
    uint32_t n = world->particles.table.count;
    for (int c = 0; c < 3; ++c)
        a[c] = calloc(n, sizeof *a[c]);
    world->particles.mass[7] *= 3.7f; /* wherever that is */
    for (uint32_t i = 0; i < n; ++i)
        world->particles.mass[i] *= 1.0f + 0.001f * (float)(i % 97);
    PxForceRows rows = {.count = n, .a = {a[0], a[1], a[2]}};
    px_forces_apply(world, 0.05, &rows);
    px_forces_apply(world, 0.5, &rows);
    CHECK(px_length(total(world, a)) == 0);
    CHECK(px_kinds_next(world, 0) == 0.1 && px_kinds_next(world, 0.1) == 0.5);
    px_forces_apply(world, 0.1, &rows);
    /* each acceleration is rounded to a float once: 6e-8 of 3 N */
    PxVec3 f = total(world, a);
    CHECK_NEAR(f.x, 3, 2e-7);
    CHECK_NEAR(f.y, -2, 2e-7);
    CHECK_NEAR(f.z, 0.5, 2e-7);
    float first = 0;
    for (uint32_t i = 0; i < n; ++i) {
        bool in = world->particles.body[i] != 1 && world->particles.y[i] > 0;
        CHECK((a[0][i] != 0) == in);
        if (in && first == 0)
            first = a[0][i];
        CHECK(!in || a[0][i] == first); /* distributed by mass: equal accelerations */
    }
    double value[3] = {0, 6, 0};
    CHECK_OK(px_world_set(world, "forces.wind.force", value, 3));
    for (int c = 0; c < 3; ++c)
        memset(a[c], 0, n * sizeof *a[c]);
    px_forces_apply(world, 0.2, &rows);
    CHECK_NEAR(total(world, a).y, 6, 4e-7);
    CHECK_OK(px_world_set(world, "forces.wind.force.y", (double[]){9}, 1));
    CHECK_FAILS(px_world_set(world, "forces.wind.start", value, 1), PX_ERR_ARGUMENT,
                "cannot change");
    CHECK_FAILS(px_world_set(world, "forces.storm.force", value, 3), PX_ERR_ARGUMENT,
                "no force 'storm'");
    for (int c = 0; c < 3; ++c)
        free(a[c]);
    px_world_free(world);
}

TEST(forces_follow_the_callers_order_and_places)
{
    PxWorld *world = jelly_world(1);
    PxForceDef def = pull();
    def.body = LEFT;
    CHECK_OK(px_world_add_force(world, &def, NULL));
    /* four particles of the left block, of which two have moved into the region */
    uint32_t row[4] = {17, 3, 101, 9};
    float x[3][4] = {{-0.3f, -0.3f, -0.3f, -0.3f}, {0.1f, -0.1f, 0.05f, -0.3f}, {0}};
    float a[3][4] = {{0}};
    PxForceRows rows = {.count = 4, .row = row, .x = {x[0], x[1], x[2]}, .a = {a[0], a[1], a[2]}};
    px_forces_apply(world, 1, &rows);
    double mass = (double)world->particles.mass[0];
    CHECK_NEAR((double)a[0][0], 3 / (2 * mass), 1e-6 * 3 / mass);
    CHECK(a[0][2] == a[0][0] && a[0][1] == 0 && a[0][3] == 0);
    CHECK_NEAR((double)a[1][2], -2 / (2 * mass), 1e-6 * 2 / mass);
    px_world_free(world);
}

/* ---- refused input -----------------------------------------------------------------------------
 */

TEST(invalid_handles_and_forces_are_refused)
{
    PxWorld *world = jelly_world(1);
    PxHandleDef def = upper_half();
    CHECK_FAILS(px_world_add_handle(world, &(PxHandleDef){0}, NULL), PX_ERR_ARGUMENT, "_default()");
    def.body = POOL;
    CHECK_FAILS(px_world_add_handle(world, &def, NULL), PX_ERR_ARGUMENT, "'pool' is no solid");
    def.body.slot = 9;
    CHECK_FAILS(px_world_add_handle(world, &def, NULL), PX_ERR_ARGUMENT, "there is no body 9");
    def.body.slot = 0;
    def.end = 0;
    CHECK_FAILS(px_world_add_handle(world, &def, NULL), PX_ERR_ARGUMENT, "end");
    def = upper_half();
    PxKeyframe key[2] = {{.time = 1}, {.time = 1}};
    def.keyframe = key;
    def.keyframes = 2;
    CHECK_FAILS(px_world_add_handle(world, &def, NULL), PX_ERR_ARGUMENT, "keyframe 2 is at 1 s");
    def.keyframes = 1;
    def.shape.size.x = -1;
    CHECK_FAILS(px_world_add_handle(world, &def, NULL), PX_ERR_ARGUMENT, "handle 'hand'");
    def = upper_half();
    world->state.time = 1;
    def.end = 0.5;
    CHECK_FAILS(px_world_add_handle(world, &def, NULL), PX_ERR_ARGUMENT, "already");
    def = upper_half();
    def.start = 2;
    CHECK_OK(px_world_add_handle(world, &def, NULL));
    CHECK_FAILS(px_world_add_handle(world, &def, NULL), PX_ERR_ARGUMENT, "there is a 'hand'");
    PxForceDef force = pull();
    force.force.x = (double)NAN;
    CHECK_FAILS(px_world_add_force(world, &force, NULL), PX_ERR_ARGUMENT, "force");
    force = pull();
    CHECK_OK(px_world_add_force(world, &force, NULL));
    CHECK_FAILS(px_world_add_force(world, &force, NULL), PX_ERR_ARGUMENT, "there is a 'wind'");
    CHECK_EQUAL(world->handles.count, 1);
    CHECK_EQUAL(world->grips.count, 2);
    px_world_free(world);
}

/* ---- scenes
 * ---------------------------------------------------------------------------------------- */

#define MATERIALS                                                                                  \
    " \"materials\": {\"water\": {\"density\": 1000}, \"jelly\": {\"density\": 1000, \"young\": "  \
    "10000}},\n"
#define JELLY                                                                                      \
    " \"bodies\": [" BOX ",\n{\"name\": \"bar\", \"shape\": {\"box\": [1, 0.2, 0.2], \"at\": "     \
    "[2, 0, 0]}, \"material\": \"jelly\"},\n" FLOOR "],\n"
#define JELLY_ALONE                                                                                \
    " \"bodies\": [{\"name\": \"pillar\", \"shape\": {\"box\": [0.1, 0.1, 0.1], \"at\": [9, 0, "   \
    "0]}, \"wall\": true},\n{\"name\": \"bar\", \"shape\": {\"box\": [1, 0.2, 0.2], \"at\": "      \
    "[2, 0, 0]}, \"material\": \"jelly\"},\n" FLOOR "],\n"
#define SOLID HEAD MATERIALS JELLY
#define ALONE HEAD MATERIALS JELLY_ALONE

TEST(a_scene_has_handles_and_forces)
{
    PxScene *scene = scene_of(
        ALONE "\"handles\": [{\"shape\": {\"box\": [0.1, 1, 1], \"at\": [1.5, 0, 0]}},\n"
              "{\"name\": \"hand\", \"body\": \"bar\", \"start\": 0, \"end\": 2, "
              "\"shape\": {\"box\": [0.1, 1, 1], \"at\": [2.5, 0, 0]},\n"
              "\"keyframes\": [{\"at\": 1, \"turn\": {\"axis\": [1, 0, 0], \"degrees\": 360}}]}],\n"
              "\"forces\": [{\"name\": \"pull\", \"shape\": {\"sphere\": 0.2, \"at\": [2, 0, 0]}, "
              "\"force\": [0, -5, 0]}],\n"
              "\"events\": [{\"at\": 1, \"set\": \"forces.pull.force\", \"to\": [0, 0, 0]},\n"
              "{\"at\": 2, \"set\": \"forces.pull.force.x\", \"to\": 1}]}");
    CHECK_COUNT(scene, 0);
    CHECK_OK(px_scene_check(scene));
    CHECK_COUNT(scene, 0);
    CHECK_TEXT(scene->handle[0].def.name, "handle 1");
    CHECK(scene->handle[0].is.refers[0] == PX_NO_BODY && scene->handle[1].is.refers[0] == 1);
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_EQUAL(world->handles.count, 2);
    CHECK_EQUAL(world->handles.data[1].keys, 4); /* all the way round: two are put between */
    CHECK_EQUAL(world->handles.data[1].region.body, 2);
    CHECK_EQUAL(world->forces.count, 1);
    CHECK(world->forces.data[0].def.force.y == -5);
    px_world_free(world);
    /* the scene with all defaults written out is the same scene */
    PxScene *again = scene_of(px_scene_resolved(scene));
    CHECK_COUNT(again, 0);
    CHECK_TEXT(px_scene_hash(again), px_scene_hash(scene));
    CHECK_OK(px_scene_set(scene, "handles.hand.end", "3"));
    CHECK(scene->handle[1].def.end == 3);
    CHECK(strcmp(px_scene_hash(again), px_scene_hash(scene)) != 0);
    px_scene_free(again);
    px_scene_free(scene);
}

#define HANDLE(body, more) SOLID "\"handles\": [{" body "\"shape\": {\"sphere\": 1}" more "}]}"

#define HANDLE_ALONE(body, more)                                                                   \
    ALONE "\"handles\": [{" body "\"shape\": {\"sphere\": 1}" more "}]}"

TEST(handles_must_name_a_solid)
{
    CHECK_ONE(HANDLE("\"body\": \"bra\", ", ""), "handles[0].body", 7, 22,
              "is 'bra', which is not among the solids and cloth of this scene: bar; did you mean "
              "'bar'?");
    CHECK_ONE(
        HANDLE("\"body\": \"block\", ", ""), "handles[0].body", 7, 22,
        "not a solid: the \"young\" of its material is 0; solids and cloth of this scene: bar");
    CHECK_ONE(HANDLE("\"body\": \"floor\", ", ""), "handles[0].body", 7, 22, "a wall");
    CHECK_ONE(HANDLE("\"body\": 5, ", ""), "handles[0].body", 7, 22, "wanted text");
    CHECK_ONE(HEAD WATER " \"bodies\": [" BOX "],\n\"handles\": [{\"shape\": {\"sphere\": 1}}]}",
              "handles[0]", 5, 13,
              "solids and cloth of this scene: none (a solid's material has \"young\")");
    /* once: that there is nothing in its shape follows from it */
    PxScene *scene =
        scene_of(HEAD WATER " \"bodies\": [" BOX "],\n\"handles\": [{\"body\": \"block\", "
                            "\"shape\": {\"sphere\": 1}}]}");
    px_scene_check(scene);
    CHECK_COUNT(scene, 1);
    px_scene_free(scene);
}

TEST(events_that_melt_or_freeze_are_refused_before_their_time)
{
    CHECK_ONE(SOLID "\"events\": [{\"at\": 1, \"set\": \"materials.jelly.young\", \"to\": 0}]}",
              "events[0].to", 7, 60, "a solid cannot become a fluid");
    CHECK_ONE(SOLID "\"events\": [{\"at\": 1, \"set\": \"materials.water.young\", \"to\": 5}]}",
              "events[0].to", 7, 60, "a fluid cannot become a solid");
}

TEST(errors_and_warnings_of_handles_and_forces)
{
    CHECK_ONE(SOLID "\"handles\": [{}]}", "handles[0].shape", 7, 13, "is missing");
    CHECK_ONE(HANDLE("", ", \"start\": 2, \"end\": 1"), "handles[0].end", 7, 57,
              "wanted more than the start, 2 s");
    CHECK_ONE(HANDLE("", ", \"keyframes\": [{\"at\": 1}, {\"at\": 1}]"),
              "handles[0].keyframes[1].at", 7, 70, "wanted more than the keyframe before");
    CHECK_ONE(HANDLE("\"name\": \"bar\", ", ""), "handles[0].name", 7, 22,
              "as is that of bodies[1]");
    CHECK_ONE(SOLID "\"forces\": [{\"shape\": {\"sphere\": 1}}]}", "forces[0].force", 7, 12,
              "is missing: wanted [x, y, z]");
    CHECK_ONE(SOLID "\"forces\": [{\"shape\": {\"sphere\": 1}, \"force\": [1, 0, 0]}],\n"
                    "\"events\": [{\"at\": 1, \"set\": \"forces.force 1.end\", \"to\": 5}]}",
              "events[0].set", 8, 29, "cannot change while the world runs");
    CHECK_ONE(SOLID "\"events\": [{\"at\": 1, \"set\": \"forces.pull.force\", \"to\": 5}]}",
              "events[0].set", 7, 29, "there is no force 'pull'; there are none");
}

TEST(regions_with_nothing_in_them_are_complained_about)
{
    static const struct {
        const char *text, *place, *words;
        PxSeverity severity;
    } cases[] = {
        {HANDLE_ALONE("", ""), "handles[0].shape",
         "has no particle of any solid in it at the start", PX_ERROR},
        {HANDLE_ALONE("\"body\": \"bar\", ", ""), "handles[0].shape",
         "no particle of 'bar' in it at the start: nothing will be held", PX_ERROR},
        /* a sheet between two layers of the lattice */
        {ALONE "\"handles\": [{\"shape\": {\"box\": [0.04, 1, 1], \"at\": [2, 0, 0]}}]}",
         "handles[0].shape", "thicker than the spacing (0.05 m)", PX_ERROR},
        {ALONE "\"forces\": [{\"shape\": {\"sphere\": 0.1}, \"force\": [1, 0, 0]}]}",
         "forces[0].shape", "nothing is pulled at first", PX_WARNING},
        {HANDLE_ALONE("", ", \"start\": 20"), "handles[0].start", "the run ends at", PX_WARNING},
    };
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        PxScene *scene = scene_of(cases[k].text);
        CHECK_COUNT(scene, 0);
        px_scene_check(scene);
        CHECK_COUNT(scene, 1);
        CHECK_TEXT(px_scene_complaint(scene, 0)->place, cases[k].place);
        if (strstr(px_scene_complaint(scene, 0)->text, cases[k].words) == NULL)
            fail_msg("'%s' lacks '%s'", px_scene_complaint(scene, 0)->text, cases[k].words);
        CHECK(px_scene_complaint(scene, 0)->severity == cases[k].severity);
        px_scene_free(scene);
    }
    /* later contents of a region are unknown, and keyframes give the place of a moving one */
    PxScene *scene = scene_of(
        ALONE "\"handles\": [{\"shape\": {\"sphere\": 0.3}, \"start\": 1},\n"
              "{\"shape\": {\"sphere\": 0.3}, \"keyframes\": [{\"at\": 0, \"move\": [2, 0, "
              "0]}]}]}");
    CHECK_OK(px_scene_check(scene));
    CHECK_COUNT(scene, 0);
    px_scene_free(scene);
}

TEST_MAIN()
