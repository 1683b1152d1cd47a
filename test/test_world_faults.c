/// A call that runs out of memory leaves the world as it was: every allocation of every call fails
/// once, in every kind of world.
#include "check.h"
#include "meters.h"

#include "phyxel/world.h"
#include "world/kinds/kind.h"
#include "world/saved.h"
#include "world/world_parts.h"

/* ---- worlds ----------------------------------------------------------------- */

enum { MIXED, MELTING, COATED, OCTREE, ABSORBING, WORLDS };
static const char *const world_name[WORLDS] = {"mixed", "melting", "coated", "octree", "absorbing"};

/* A world with one of everything, and what the calls below need. */
typedef struct Sample {
    int kind;
    PxWorld *world;
    PxMaterialId water, jelly, spare;
    PxBodyId tank, paddle, pool, block, tap_body;
    PxEmitterId tap;
    PxSinkId drain;
    PxHandleId hand;
    PxForceId wind;
    PxHeaterId flame;
    PxSavedWorld *saved; /* of the world some steps ago */
    PxSavedWorld *copy;  /* what a call under test made */
    float *column;
} Sample;

#define BOX(x, y, z) ((PxVec3){(x), (y), (z)})

/* Both meters fail in step: without sanitizers every allocation goes through malloc(). */
static Meter own_meter;
static const PxAllocator own_allocator = {own_allocate, own_release, &own_meter};

static Meter *meter(void)
{
    return SANITIZED ? &own_meter : &system_meter;
}

static void steps(const Sample *s, int count)
{
    for (int k = 0; k < count; ++k)
        CHECK_OK(px_world_step(s->world, 10));
}

static const PxKeyframe path[2] = {{.time = 0, .rotation = {.w = 1}},
                                   {.time = 1, .at = {0.05, 0, 0}, .rotation = {.w = 1}}};
static const PxTemperatureKey warmth[2] = {{.time = 0, .to = 20}, {.time = 1, .to = 60}};

static void add_materials(Sample *s)
{
    PxMaterialDef water = px_material_def_default(), jelly = px_material_def_default();
    PxMaterialDef spare = px_material_def_default();
    jelly.name = "jelly";
    jelly.young = 1e4;
    jelly.viscosity = 0;
    spare.name = "spare";
    if (s->kind == MELTING) {
        jelly.diffusivity = 1e-4;
        jelly.melts.melts = true;
        jelly.melts.from = 30;
        jelly.melts.to = 50;
        jelly.coat = px_coat_choice("surfels");
    }
    if (s->kind == COATED)
        water.coat = px_coat_choice("surfels");
    if (s->kind == ABSORBING) {
        jelly.absorb = 2;
        jelly.creep = 10;
        jelly.yield = 0.001;
    }
    CHECK_OK(px_world_add_material(s->world, &water, &s->water));
    CHECK_OK(px_world_add_material(s->world, &jelly, &s->jelly));
    CHECK_OK(px_world_add_material(s->world, &spare, &s->spare));
}

static PxBodyDef box_def(const char *name, PxMaterialId material, PxVec3 size, PxVec3 at)
{
    PxBodyDef def = px_body_def_default();
    def.name = name;
    def.material = material;
    def.shape.size = size;
    def.shape.at = at;
    return def;
}

static void add_bodies(Sample *s)
{
    PxBodyDef tank = box_def("tank", (PxMaterialId){0, 0}, BOX(0.8, 1.2, 0.8), BOX(0, 0, 0));
    PxBodyDef paddle = box_def("paddle", (PxMaterialId){0, 0}, BOX(0.2, 0.2, 0.2), BOX(0, 0.4, 0));
    PxBodyDef pool = box_def("pool", s->water, BOX(0.8, 0.2, 0.8), BOX(0, -0.5, 0));
    PxBodyDef block = box_def("block", s->jelly, BOX(0.3, 0.3, 0.3), BOX(-0.2, 0, 0));
    tank.wall = tank.inside = paddle.wall = true;
    paddle.keyframe = path;
    paddle.keyframes = 2;
    block.temperature = s->kind == MELTING ? 40 : 20;
    block.spin.z = s->kind == ABSORBING ? 5 : 0;
    if (s->kind == OCTREE) {
        block.fill = PX_FILL_OCTREE;
        block.shape.size = BOX(0.4, 0.4, 0.4);
    }
    CHECK_OK(px_world_add_body(s->world, &tank, &s->tank));
    CHECK_OK(px_world_add_body(s->world, &paddle, &s->paddle));
    if (s->kind != ABSORBING)
        CHECK_OK(px_world_add_body(s->world, &pool, &s->pool));
    CHECK_OK(px_world_add_body(s->world, &block, &s->block));
}

static void add_actors(Sample *s)
{
    PxEmitterDef tap = px_emitter_def_default();
    tap.name = "tap";
    tap.material = s->water;
    tap.shape.radius = 0.12;
    tap.shape.height = 0.1;
    tap.shape.at = BOX(0.2, 0, 0.2);
    tap.direction = BOX(0, -1, 0);
    tap.speed = 2;
    if (s->kind != ABSORBING)
        CHECK_OK(px_world_add_emitter(s->world, &tap, &s->tap));
    PxSinkDef drain = px_sink_def_default();
    drain.name = "drain";
    drain.shape.size = BOX(0.1, 0.1, 0.1);
    drain.shape.at = BOX(0.35, -0.55, 0.35);
    CHECK_OK(px_world_add_sink(s->world, &drain, &s->drain));
    PxHandleDef hand = px_handle_def_default();
    hand.name = "hand";
    hand.shape.size = BOX(0.1, 0.4, 0.4);
    hand.shape.at = BOX(-0.3, 0, 0);
    CHECK_OK(px_world_add_handle(s->world, &hand, &s->hand));
    PxForceDef wind = px_force_def_default();
    wind.name = "wind";
    wind.force.x = 1;
    CHECK_OK(px_world_add_force(s->world, &wind, &s->wind));
    PxHeaterDef flame = px_heater_def_default();
    flame.name = "flame";
    flame.power = 10;
    CHECK_OK(px_world_add_heater(s->world, &flame, &s->flame));
    PxEventDef event = {.head = px_event_def_default().head,
                        .time = 0.004,
                        .path = "gravity",
                        .value = {0, -8, 0},
                        .values = 3};
    CHECK_OK(px_world_add_event(s->world, &event));
}

static Sample fresh(int kind)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.1;
    def.threads = 1;
    def.allocator = SANITIZED ? &own_allocator : NULL;
    Sample s = {.kind = kind};
    CHECK_OK(px_world_create(&def, &s.world));
    s.world->scratch.separate = true;
    add_materials(&s);
    add_bodies(&s);
    add_actors(&s);
    return s;
}

/* A world after some steps. */
static Sample sample(int kind)
{
    Sample s = fresh(kind);
    steps(&s, 1);
    CHECK_OK(px_world_save(s.world, &s.saved));
    s.column = calloc(6 * 100000, sizeof *s.column);
    steps(&s, 2);
    return s;
}

static void sample_free(Sample *s)
{
    px_saved_free(s->saved);
    px_saved_free(s->copy);
    px_world_free(s->world);
    free(s->column);
}

/* ---- equal worlds ---------------------------------------------------------------- */

static void check_tables(const PxTable *a, const PxTable *b, const char *what, const char *name)
{
    if (!px_table_alike(a, b) || a->count != b->count)
        fail_msg("%s: table '%s' has %u columns, %u rows; wanted %u, %u", what, name, a->columns,
                 a->count, b->columns, b->count);
    for (uint32_t c = 0; c < a->columns; ++c)
        for (uint32_t k = 0; k < a->column[c].components; ++k)
            if (!(a->column[c].flags & PX_COLUMN_WORK) &&
                memcmp(a->column[c].data[k], b->column[c].data[k],
                       a->count * px_type_size(a->column[c].type)) != 0)
                fail_msg("%s: table '%s': column '%s' differs", what, name, a->column[c].name);
}

/* Compares what two moments of worlds saved. */
static void check_saved(PxSavedWorld *a, PxSavedWorld *b, const char *what)
{
    for (size_t k = 0; k < px_saved_number_count; ++k)
        if (a->value[k].whole != b->value[k].whole)
            fail_msg("%s: '%s' is %.17g, wanted %.17g", what, px_saved_numbers[k].name,
                     a->value[k].real, b->value[k].real);
    const char *name;
    PxTable *table;
    for (size_t k = 0; (table = px_saved_table(a, k, &name)) != NULL; ++k)
        check_tables(table, px_saved_table(b, k, &name), what, name);
}

/* Names and ids of everything in the world, with the values of their numbers. */
static uint64_t things_of(const PxWorld *world)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        for (size_t slot = 0; slot < px_kind_slots(px_kinds[k], world); ++slot) {
            const char *name;
            PxThingId id;
            void *def;
            if (!px_kind_at(px_kinds[k], world, slot, &name, &id, &def))
                continue;
            for (const char *c = name; *c != '\0'; ++c)
                sum = sum * 31 + (uint64_t)*c;
            sum = sum * 31 + (k + 1) * id.slot;
            const PxSection *section = &px_kinds[k]->section;
            for (size_t f = 0; def != NULL && f < section->field_count; ++f) {
                uint64_t bits = 0;
                if (section->fields[f].kind == PX_FIELD_NUMBER)
                    memcpy(&bits, px_field_in(&section->fields[f], def), sizeof(double));
                sum = sum * 31 + bits;
            }
        }
    return sum;
}

static void check_same(const Sample *a, const Sample *b, const char *what)
{
    PxSavedWorld *sa = NULL, *sb = NULL;
    CHECK_OK(px_world_save(a->world, &sa));
    CHECK_OK(px_world_save(b->world, &sb));
    check_saved(sa, sb, what);
    if (things_of(a->world) != things_of(b->world))
        fail_msg("%s: the things differ", what);
    px_saved_free(sa);
    px_saved_free(sb);
}

/* ---- calls ----------------------------------------------------------------------------- */

static PxStatus add_fluid_material(Sample *s)
{
    PxMaterialDef def = px_material_def_default();
    def.name = "oil";
    return px_world_add_material(s->world, &def, NULL);
}

static PxStatus add_melting_material(Sample *s)
{
    PxMaterialDef def = px_material_def_default();
    def.name = "wax";
    def.young = 1e4;
    def.diffusivity = 1e-4;
    def.melts.melts = true;
    def.coat = px_coat_choice("surfels");
    return px_world_add_material(s->world, &def, NULL);
}

static PxStatus add_box_wall(Sample *s)
{
    PxBodyDef def = box_def("plate", (PxMaterialId){0, 0}, BOX(0.1, 0.1, 0.1), BOX(0.3, 0.5, 0));
    def.wall = def.warm = true;
    def.keyframe = path;
    def.keyframes = 2;
    def.temperature_key = warmth;
    def.temperatures = 2;
    return px_world_add_body(s->world, &def, NULL);
}

static PxStatus add_round_wall(Sample *s)
{
    PxBodyDef def = px_body_def_default();
    def.name = "ball";
    def.wall = true;
    def.shape = px_shape_def_default(PX_SHAPE_SPHERE);
    def.shape.radius = 0.1;
    def.shape.at = BOX(0.3, 0.5, 0);
    return px_world_add_body(s->world, &def, NULL);
}

static PxStatus add_fluid(Sample *s)
{
    PxBodyDef def = box_def("drop", s->water, BOX(0.2, 0.2, 0.2), BOX(0.2, 0.2, -0.2));
    if (s->kind == COATED)
        def.surfels = 400;
    return px_world_add_body(s->world, &def, NULL);
}

static PxStatus add_solid(Sample *s)
{
    PxBodyDef def = box_def("cube", s->jelly, BOX(0.2, 0.2, 0.2), BOX(0.2, 0.2, -0.2));
    def.surfels = 400;
    def.skin = true;
    return px_world_add_body(s->world, &def, NULL);
}

static PxStatus add_octree(Sample *s)
{
    PxBodyDef def = box_def("cube", s->jelly, BOX(0.4, 0.4, 0.2), BOX(0.2, 0.2, -0.2));
    def.fill = s->kind == MELTING ? PX_FILL_HEXAGONAL : PX_FILL_OCTREE;
    return px_world_add_body(s->world, &def, NULL);
}

static PxStatus add_emitter(Sample *s)
{
    PxEmitterDef def = px_emitter_def_default();
    def.name = "spout";
    def.material = s->water;
    def.shape.radius = 0.15;
    def.shape.height = 0.1;
    def.shape.at = BOX(0.2, 0.3, -0.2);
    def.speed = 1;
    return px_world_add_emitter(s->world, &def, NULL);
}

static PxStatus add_sink(Sample *s)
{
    PxSinkDef def = px_sink_def_default();
    def.name = "gully";
    def.shape.at.y = -30;
    return px_world_add_sink(s->world, &def, NULL);
}

static PxStatus add_handle(Sample *s)
{
    PxHandleDef def = px_handle_def_default();
    def.name = "claw";
    def.body = s->block;
    def.keyframe = path;
    def.keyframes = 2;
    return px_world_add_handle(s->world, &def, NULL);
}

static PxStatus add_force(Sample *s)
{
    PxForceDef def = px_force_def_default();
    def.name = "gust";
    def.force.y = 1;
    return px_world_add_force(s->world, &def, NULL);
}

static PxStatus add_heater(Sample *s)
{
    PxHeaterDef def = px_heater_def_default();
    def.name = "lamp";
    def.holds = true;
    def.within = 1;
    def.temperature_key = warmth;
    def.temperatures = 2;
    return px_world_add_heater(s->world, &def, NULL);
}

static PxStatus remove_material(Sample *s)
{
    return px_world_remove_material(s->world, s->spare);
}

static PxStatus remove_wall(Sample *s)
{
    return px_world_remove_body(s->world, s->paddle);
}

static PxStatus remove_solid(Sample *s)
{
    return px_world_remove_body(s->world, s->block);
}

static PxStatus remove_emitter(Sample *s)
{
    return s->kind == ABSORBING ? PX_OK : px_world_remove_emitter(s->world, s->tap);
}

static PxStatus remove_sink(Sample *s)
{
    return px_world_remove_sink(s->world, s->drain);
}

static PxStatus remove_handle(Sample *s)
{
    return px_world_remove_handle(s->world, s->hand);
}

static PxStatus remove_force(Sample *s)
{
    return px_world_remove_force(s->world, s->wind);
}

static PxStatus remove_heater(Sample *s)
{
    return px_world_remove_heater(s->world, s->flame);
}

static PxStatus move_wall(Sample *s)
{
    PxPose to = {.move = {0, 0.1, 0}, .turn = {.w = 1}};
    return px_world_move_wall(s->world, s->paddle, &to, 0.1);
}

static PxStatus move_handle(Sample *s)
{
    PxPose to = {.move = {0, 0.1, 0}, .turn = {.w = 1}};
    return px_world_move_handle(s->world, s->hand, &to, 0.1);
}

static PxStatus set_number(Sample *s)
{
    return px_world_set(s->world, "materials.water.viscosity", (double[]){0.1}, 1);
}

/* Adds a column. */
static PxStatus set_diffusivity(Sample *s)
{
    return px_world_set(s->world, "materials.water.diffusivity", (double[]){1e-5}, 1);
}

static PxStatus set_density(Sample *s)
{
    return px_world_set(s->world, "materials.jelly.density", (double[]){900}, 1);
}

static PxStatus set_velocity(Sample *s)
{
    return px_world_set(s->world, "bodies.block.velocity", (double[]){0.1, 0, 0}, 3);
}

static PxStatus set_temperature(Sample *s)
{
    return px_world_set(s->world, "bodies.block.temperature", (double[]){45}, 1);
}

static PxStatus keep_column(Sample *s)
{
    return px_world_keep_column(s->world, "stress");
}

static PxStatus read_column(Sample *s)
{
    return px_world_read_column(s->world, "stress", s->column,
                                6 * sizeof *s->column * px_world_count(s->world));
}

static PxStatus move_skins(Sample *s)
{
    return px_world_move_skins(s->world);
}

static PxStatus move_coats(Sample *s)
{
    return px_world_move_coats(s->world);
}

static PxStatus save_fresh(Sample *s)
{
    return px_world_save(s->world, &s->copy);
}

static PxStatus save_over(Sample *s)
{
    return px_world_save(s->world, &s->saved);
}

static PxStatus restore(Sample *s)
{
    return px_world_restore(s->world, s->saved);
}

typedef struct Call {
    const char *name;
    PxStatus (*make)(Sample *s);
} Call;

static const Call calls[] = {
    {"add_fluid_material", add_fluid_material},
    {"add_melting_material", add_melting_material},
    {"add_box_wall", add_box_wall},
    {"add_round_wall", add_round_wall},
    {"add_fluid", add_fluid},
    {"add_solid", add_solid},
    {"add_octree", add_octree},
    {"add_emitter", add_emitter},
    {"add_sink", add_sink},
    {"add_handle", add_handle},
    {"add_force", add_force},
    {"add_heater", add_heater},
    {"remove_material", remove_material},
    {"remove_wall", remove_wall},
    {"remove_solid", remove_solid},
    {"remove_emitter", remove_emitter},
    {"remove_sink", remove_sink},
    {"remove_handle", remove_handle},
    {"remove_force", remove_force},
    {"remove_heater", remove_heater},
    {"move_wall", move_wall},
    {"move_handle", move_handle},
    {"set_number", set_number},
    {"set_diffusivity", set_diffusivity},
    {"set_density", set_density},
    {"set_velocity", set_velocity},
    {"set_temperature", set_temperature},
    {"keep_column", keep_column},
    {"read_column", read_column},
    {"move_skins", move_skins},
    {"move_coats", move_coats},
    {"save_fresh", save_fresh},
    {"save_over", save_over},
    {"restore", restore},
};

/* Fails allocation k of the call until there are none left. Returns the number of failures. */
static long fail_all(Sample *s, const Sample *before, const Call *call, long most, const char *what)
{
    for (long k = 1; k <= most; ++k) {
        char text[200];
        meter_start(meter(), k, false);
        PxStatus status = call->make(s);
        meter_stop(meter());
        if (status == PX_OK)
            return k - 1;
        snprintf(text, sizeof text, "%s, allocation %ld (%s)", what, k, px_error_message());
        if (status != PX_ERR_MEMORY)
            fail_msg("%s: got %s", text, px_status_name(status));
        check_same(s, before, text);
    }
    return most;
}

static void check_call(int kind, const Call *call)
{
    char what[120];
    snprintf(what, sizeof what, "%s world, %s", world_name[kind], call->name);
    /* `failing` fails everywhere and succeeds at last, `refused` only fails. */
    Sample failing = sample(kind), refused = sample(kind), plain = sample(kind);
    check_same(&failing, &plain, what);
    long failures = fail_all(&failing, &plain, call, 100000, what);
    fail_all(&refused, &plain, call, failures, what);
    Sample twin = sample(kind);
    steps(&refused, 2);
    steps(&twin, 2);
    check_same(&refused, &twin, what);
    CHECK_OK(call->make(&plain));
    check_same(&failing, &plain, what);
    steps(&failing, 2);
    steps(&plain, 2);
    check_same(&failing, &plain, what);
    sample_free(&failing);
    sample_free(&refused);
    sample_free(&plain);
    sample_free(&twin);
}

/* Sanitizers are slow: they see every third call of a world, others in each. */
static void check_world(int kind)
{
    size_t every = SANITIZED ? 3 : 1;
    for (size_t k = (size_t)kind % every; k < sizeof calls / sizeof *calls; k += every)
        check_call(kind, &calls[k]);
}

TEST(a_mixed_world_is_unchanged_by_a_call_that_gets_no_memory)
{
    check_world(MIXED);
}

TEST(so_is_a_melting_world)
{
    check_world(MELTING);
}

TEST(so_is_a_coated_world)
{
    check_world(COATED);
}

TEST(so_is_a_world_with_an_octree_body)
{
    check_world(OCTREE);
}

TEST(so_is_a_world_of_absorbing_solids)
{
    check_world(ABSORBING);
}

/* ---- steps -------------------------------------------------------------------------- */

/* Every allocation of every step fails once, until the step succeeds. */
static long fail_steps(int kind, int count)
{
    long failures = 0;
    Sample failing = fresh(kind), plain = fresh(kind);
    for (int done = 0; done < count; ++done) {
        char what[120];
        long k = 1;
        PxStatus status;
        do {
            meter_start(meter(), k++, false);
            status = px_world_step(failing.world, 10);
            meter_stop(meter());
            if (status != PX_OK && status != PX_ERR_MEMORY)
                fail_msg("%s world, allocation %ld of step %d: %s", world_name[kind], k - 1, done,
                         px_error_message());
        } while (status != PX_OK);
        failures += k - 2;
        steps(&plain, 1);
        snprintf(what, sizeof what, "%s world, step %d", world_name[kind], done);
        check_same(&failing, &plain, what);
    }
    sample_free(&failing);
    sample_free(&plain);
    return failures;
}

TEST(a_step_that_got_no_memory_is_taken_again_with_the_same_bits)
{
    int count = SANITIZED ? 3 : 10;
    for (int kind = 0; kind < WORLDS; ++kind)
        CHECK(fail_steps(kind, count) > 30 * count);
}

/* ---- values that are not finite ------------------------------------------------------------- */

/* Overflows in the stage of motion and in that of heat. */
static void overflow(const Sample *s, bool heat, bool on)
{
    if (heat)
        s->world->heaters.data[0].def.power = on ? 1e300 : 10;
    else
        s->world->forces.data[0].def.force.x = on ? 1e300 : 1;
}

TEST(a_step_with_a_value_that_is_not_finite_leaves_the_world_as_it_was)
{
    for (int kind = 0; kind < WORLDS; ++kind)
        for (int heat = 0; heat < 2; ++heat) {
            char what[80];
            snprintf(what, sizeof what, "%s, %s", world_name[kind], heat ? "heat" : "motion");
            Sample a = sample(kind), b = sample(kind);
            overflow(&a, heat, true);
            PxStatus status = px_world_step(a.world, 10);
            if (status != PX_ERR_NUMERIC)
                fail_msg("%s: %s", what, px_status_name(status));
            overflow(&a, heat, false);
            steps(&a, 2);
            steps(&b, 2);
            check_same(&a, &b, what);
            sample_free(&a);
            sample_free(&b);
        }
}

TEST_MAIN()
