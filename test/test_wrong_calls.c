/// Wrong calls of the interface of worlds: NULL, NaN, foreign ids, empty strings, zero counts. Each
/// is refused with PX_ERR_ARGUMENT, or returns the neutral value that the header states.
#include "check.h"

#include "phyxel/world.h"

#include <stdlib.h>

static const PxPose pose = {.turn = {.w = 1}};
static const PxKeyframe key = {.rotation = {.w = 1}};

#define REFUSED(call) CHECK_FAILS(call, PX_ERR_ARGUMENT, "")

/* A world with a wall, and the ids of nothing. */
typedef struct Sample {
    PxWorld *world;
    PxMaterialId water;
    PxBodyId wall;
} Sample;

static Sample sample(void)
{
    Sample s;
    PxWorldDef def = px_world_def_default();
    def.threads = 1;
    CHECK_OK(px_world_create(&def, &s.world));
    PxMaterialDef water = px_material_def_default();
    CHECK_OK(px_world_add_material(s.world, &water, &s.water));
    PxBodyDef wall = px_body_def_default();
    wall.name = "wall";
    wall.wall = true;
    CHECK_OK(px_world_add_body(s.world, &wall, &s.wall));
    return s;
}

/* Every call that changes or reads `world` and takes defs that are otherwise good. */
static void check_all(PxWorld *world, bool with_defs)
{
    PxMaterialDef material = px_material_def_default();
    PxBodyDef body = px_body_def_default();
    PxEmitterDef emitter = px_emitter_def_default();
    PxSinkDef sink = px_sink_def_default();
    PxHandleDef handle = px_handle_def_default();
    PxForceDef force = px_force_def_default();
    PxHeaterDef heater = px_heater_def_default();
    PxEventDef event = {.path = "gravity.y", .values = 1};
    REFUSED(px_world_add_material(world, with_defs ? &material : NULL, NULL));
    REFUSED(px_world_add_body(world, with_defs ? &body : NULL, NULL));
    REFUSED(px_world_add_emitter(world, with_defs ? &emitter : NULL, NULL));
    REFUSED(px_world_add_sink(world, with_defs ? &sink : NULL, NULL));
    REFUSED(px_world_add_handle(world, with_defs ? &handle : NULL, NULL));
    REFUSED(px_world_add_force(world, with_defs ? &force : NULL, NULL));
    REFUSED(px_world_add_heater(world, with_defs ? &heater : NULL, NULL));
    REFUSED(px_world_add_event(world, with_defs ? &event : NULL));
}

TEST(a_call_without_a_world_is_refused)
{
    PxVec3 v;
    PxPose p;
    PxSavedWorld *saved = NULL;
    PxBodyId body;
    double value = 1;
    float column[8];
    check_all(NULL, true);
    REFUSED(px_world_remove_material(NULL, (PxMaterialId){1, 1}));
    REFUSED(px_world_remove_body(NULL, (PxBodyId){1, 1}));
    REFUSED(px_world_remove_emitter(NULL, (PxEmitterId){1, 1}));
    REFUSED(px_world_remove_sink(NULL, (PxSinkId){1, 1}));
    REFUSED(px_world_remove_handle(NULL, (PxHandleId){1, 1}));
    REFUSED(px_world_remove_force(NULL, (PxForceId){1, 1}));
    REFUSED(px_world_remove_heater(NULL, (PxHeaterId){1, 1}));
    REFUSED(px_world_emitter_body(NULL, (PxEmitterId){1, 1}, &body));
    REFUSED(px_world_boundary_force(NULL, (PxBodyId){1, 1}, &v, &v));
    REFUSED(px_world_wall_pose(NULL, (PxBodyId){1, 1}, &p));
    REFUSED(px_world_handle_pose(NULL, (PxHandleId){1, 1}, &p));
    REFUSED(px_world_move_wall(NULL, (PxBodyId){1, 1}, &pose, 1));
    REFUSED(px_world_move_handle(NULL, (PxHandleId){1, 1}, &pose, 1));
    REFUSED(px_world_set_wall_path(NULL, (PxBodyId){1, 1}, &key, 1));
    REFUSED(px_world_set_handle_path(NULL, (PxHandleId){1, 1}, &key, 1));
    REFUSED(px_world_set(NULL, "gravity.y", &value, 1));
    REFUSED(px_world_step(NULL, 1));
    REFUSED(px_world_advance(NULL, 1));
    REFUSED(px_world_read_column(NULL, "position", column, sizeof column));
    REFUSED(px_world_keep_column(NULL, "stress"));
    REFUSED(px_world_read_surface(NULL, 0, column, NULL, NULL, NULL));
    REFUSED(px_world_move_skins(NULL));
    REFUSED(px_world_move_coats(NULL));
    REFUSED(px_world_save(NULL, &saved));
    REFUSED(px_world_restore(NULL, NULL));
    px_world_free(NULL);
    px_saved_free(NULL);
}

TEST(a_value_without_a_world_is_nothing)
{
    PxStats stats = {.mass = 5};
    PxColumnInfo column;
    PxWorldSurface surface;
    PxStage stage;
    px_world_stats(NULL, &stats);
    CHECK_NEAR(stats.mass, 0, 0);
    px_world_stats(NULL, NULL);
    CHECK_NEAR(px_world_time(NULL), 0, 0);
    CHECK_EQUAL(px_world_count(NULL), 0);
    CHECK_EQUAL(px_world_columns(NULL, &column, 1), 0);
    CHECK_EQUAL(px_world_surfaces(NULL, &surface, 1), 0);
    CHECK_EQUAL(px_world_stages(NULL, &stage, 1), 0);
    CHECK_EQUAL(px_world_bytes(NULL), 0);
    CHECK_EQUAL(px_saved_bytes(NULL), 0);
    CHECK(px_world_floats(NULL, "position", 0) == NULL);
    CHECK(px_world_words(NULL, "material") == NULL);
    CHECK(px_world_ids(NULL) == NULL);
    CHECK(isnan(px_stats_value(NULL, px_stats_column(0))));
    CHECK(isnan(px_stats_value(&stats, NULL)));
    CHECK(px_stats_column((size_t)-1) == NULL);
}

TEST(an_unknown_model_is_an_empty_choice)
{
    const char *const word[] = {NULL, "", "none of these"};
    for (size_t k = 0; k < sizeof word / sizeof *word; ++k) {
        CHECK_TEXT(px_pressure_choice(word[k]).model, "");
        CHECK_TEXT(px_viscosity_choice(word[k]).model, "");
        CHECK_TEXT(px_tension_choice(word[k]).model, "");
        CHECK_TEXT(px_integration_choice(word[k]).model, "");
        CHECK_TEXT(px_coat_choice(word[k]).model, "");
    }
}

TEST(a_def_must_be_there_and_have_a_name)
{
    Sample s = sample();
    PxWorld *none;
    REFUSED(px_world_create(NULL, &none));
    PxWorldDef def = px_world_def_default();
    REFUSED(px_world_create(&def, NULL));
    def.spacing = (double)NAN;
    REFUSED(px_world_create(&def, &none));
    CHECK(none == NULL);
    check_all(s.world, false);
    PxMaterialDef material = px_material_def_default();
    material.name = "";
    REFUSED(px_world_add_material(s.world, &material, NULL));
    material.name = "oil";
    material.density = (double)NAN;
    REFUSED(px_world_add_material(s.world, &material, NULL));
    PxSinkDef sink = px_sink_def_default();
    REFUSED(px_world_add_sink(s.world, &sink, NULL)); /* its name is "" */
    PxEventDef event = {.time = (double)NAN, .path = "gravity.y", .values = 1};
    REFUSED(px_world_add_event(s.world, &event));
    event = (PxEventDef){.path = "gravity.y"};
    REFUSED(px_world_add_event(s.world, &event));
    px_world_free(s.world);
}

TEST(other_wrong_arguments_are_refused)
{
    Sample s = sample();
    PxVec3 v;
    PxPose p;
    double value[3] = {1, (double)NAN, 0};
    float column[8];
    PxBodyId foreign = {s.wall.slot, s.wall.generation + 7};
    REFUSED(px_world_set(s.world, NULL, value, 1));
    REFUSED(px_world_set(s.world, "", value, 1));
    REFUSED(px_world_set(s.world, "gravity.y", NULL, 1));
    REFUSED(px_world_set(s.world, "gravity.y", value, 0));
    REFUSED(px_world_set(s.world, "gravity.y", value, -1));
    REFUSED(px_world_set(s.world, "gravity", value, 3));
    REFUSED(px_world_boundary_force(s.world, foreign, &v, &v));
    REFUSED(px_world_boundary_force(s.world, s.wall, NULL, NULL));
    REFUSED(px_world_wall_pose(s.world, foreign, &p));
    REFUSED(px_world_wall_pose(s.world, s.wall, NULL));
    REFUSED(px_world_move_wall(s.world, s.wall, NULL, 1));
    REFUSED(px_world_move_wall(s.world, s.wall, &pose, (double)NAN));
    REFUSED(px_world_set_wall_path(s.world, s.wall, NULL, 1));
    REFUSED(px_world_handle_pose(s.world, (PxHandleId){1, 1}, &p));
    REFUSED(px_world_read_column(s.world, NULL, column, 0));
    REFUSED(px_world_read_column(s.world, "", column, 0));
    REFUSED(px_world_keep_column(s.world, NULL));
    REFUSED(px_world_keep_column(s.world, ""));
    REFUSED(px_world_save(s.world, NULL));
    REFUSED(px_world_restore(s.world, NULL));
    CHECK(px_world_floats(s.world, NULL, 0) == NULL);
    CHECK(px_world_floats(s.world, "", 0) == NULL);
    CHECK(px_world_words(s.world, NULL) == NULL);
    px_world_free(s.world);
}

/* A program that was compiled with an older header has a smaller structure, one with a newer header
 * a larger one. */
TEST(results_fit_structures_of_any_size)
{
    Sample s = sample();
    struct {
        PxStats stats;
        uint64_t later;
    } newer;
    memset(&newer, 0xff, sizeof newer);
    px_world_stats_sized(s.world, &newer.stats, sizeof newer);
    CHECK_EQUAL(newer.later, 0);
    memset(&newer, 0xff, sizeof newer);
    px_world_stats_sized(s.world, &newer.stats, offsetof(PxStats, mass));
    CHECK_NEAR(newer.stats.speed_max, 0, 0);
    uint64_t mass;
    memcpy(&mass, &newer.stats.mass, sizeof mass);
    CHECK(mass == UINT64_MAX);
    for (size_t k = 0; px_stats_column(k) != NULL; ++k)
        CHECK(isnan(px_stats_value_sized(&newer.stats, offsetof(PxStats, mass),
                                         px_stats_column(k))) ==
              (px_stats_column(k)->offset >= offsetof(PxStats, mass)));
    enum { OLD = offsetof(PxColumnInfo, unit) };
    char memory[4 * sizeof(PxColumnInfo)];
    PxColumnInfo info[2];
    px_world_columns(s.world, info, 2);
    px_world_columns_sized(s.world, (PxColumnInfo *)(void *)memory, OLD, 2);
    CHECK(memcmp(memory, &info[0], OLD) == 0 && memcmp(memory + OLD, &info[1], OLD) == 0);
    px_world_free(s.world);
}

TEST_MAIN()
