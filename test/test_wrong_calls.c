/// Wrong calls of the interface: NULL, NaN, foreign ids, empty strings, zero counts, missing files.
/// Each is refused with an error, or returns the neutral value that the header states.
#include "check.h"

#include "folder.h"
#include "phyxel/phyxel.h"

#include <ctype.h>
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
    PxForceFieldDef field = px_force_field_def_default();
    PxHeaterDef heater = px_heater_def_default();
    PxJointDef joint = px_joint_def_default();
    PxSeamDef seam = px_seam_def_default();
    PxGaugeDef gauge = px_gauge_def_default();
    PxEventDef event = {.head = px_event_def_default().head, .path = "gravity.y", .values = 1};
    REFUSED(px_world_add_material(world, with_defs ? &material : NULL, NULL));
    REFUSED(px_world_add_body(world, with_defs ? &body : NULL, NULL));
    REFUSED(px_world_add_emitter(world, with_defs ? &emitter : NULL, NULL));
    REFUSED(px_world_add_sink(world, with_defs ? &sink : NULL, NULL));
    REFUSED(px_world_add_handle(world, with_defs ? &handle : NULL, NULL));
    REFUSED(px_world_add_force(world, with_defs ? &force : NULL, NULL));
    REFUSED(px_world_add_force_field(world, with_defs ? &field : NULL, NULL));
    REFUSED(px_world_add_heater(world, with_defs ? &heater : NULL, NULL));
    REFUSED(px_world_add_joint(world, with_defs ? &joint : NULL, NULL));
    REFUSED(px_world_add_seam(world, with_defs ? &seam : NULL, NULL));
    REFUSED(px_world_add_gauge(world, with_defs ? &gauge : NULL, NULL));
    REFUSED(px_world_add_event(world, with_defs ? &event : NULL));
}

TEST(a_call_without_a_world_is_refused)
{
    PxVec3 v;
    PxPose p;
    PxSavedWorld *saved = NULL;
    PxBodyId body;
    PxGaugeSample gauged;
    PxRigidState rigid;
    char name[96];
    const char *unit;
    double value = 1;
    float column[8];
    check_all(NULL, true);
    REFUSED(px_world_remove_material(NULL, (PxMaterialId){1, 1}));
    REFUSED(px_world_remove_body(NULL, (PxBodyId){1, 1}));
    REFUSED(px_world_remove_emitter(NULL, (PxEmitterId){1, 1}));
    REFUSED(px_world_remove_sink(NULL, (PxSinkId){1, 1}));
    REFUSED(px_world_remove_handle(NULL, (PxHandleId){1, 1}));
    REFUSED(px_world_remove_force(NULL, (PxForceId){1, 1}));
    REFUSED(px_world_remove_force_field(NULL, (PxForceFieldId){1, 1}));
    REFUSED(px_world_remove_heater(NULL, (PxHeaterId){1, 1}));
    REFUSED(px_world_remove_joint(NULL, (PxJointId){1, 1}));
    REFUSED(px_world_remove_seam(NULL, (PxSeamId){1, 1}));
    REFUSED(px_world_remove_gauge(NULL, (PxGaugeId){1, 1}));
    REFUSED(px_world_read_gauge(NULL, (PxGaugeId){1, 1}, &value, 1, &gauged));
    REFUSED(px_world_gauge_column(NULL, (PxGaugeId){1, 1}, 0, name, &unit));
    REFUSED(px_world_move_gauge(NULL, (PxGaugeId){1, 1}, (PxVec3){0, 0, 0}));
    REFUSED(px_world_rigid_state(NULL, (PxBodyId){1, 1}, &rigid));
    REFUSED(px_world_take_means(NULL));
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
    REFUSED(px_world_stop_when(NULL, NULL, NULL));
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
        CHECK_TEXT(px_rigid_contact_choice(word[k]).model, "");
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
    PxEventDef event = {
        .head = px_event_def_default().head, .time = (double)NAN, .path = "gravity.y", .values = 1};
    REFUSED(px_world_add_event(s.world, &event));
    event = (PxEventDef){.head = px_event_def_default().head, .path = "gravity.y"};
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

static void *allocate_nothing(void *user, size_t bytes)
{
    (void)user, (void)bytes;
    return NULL;
}

TEST(counts_without_arrays_are_refused)
{
    Sample s = sample();
    PxWorld *none;
    PxWorldDef def = px_world_def_default();
    def.allocator = &(PxAllocator){0};
    REFUSED(px_world_create(&def, &none));
    def.allocator = &(PxAllocator){.allocate = allocate_nothing};
    REFUSED(px_world_create(&def, &none));
    PxBodyDef body = px_body_def_default();
    body.name = "body";
    body.wall = true;
    body.keyframes = 1;
    REFUSED(px_world_add_body(s.world, &body, NULL));
    body.keyframes = 0;
    body.temperatures = 1;
    REFUSED(px_world_add_body(s.world, &body, NULL));
    body.temperatures = 0;
    body.shape = px_shape_def_default(PX_SHAPE_MESH);
    REFUSED(px_world_add_body(s.world, &body, NULL));
    body.shape.vertices = 3;
    body.shape.triangles = 1;
    REFUSED(px_world_add_body(s.world, &body, NULL));
    static const float vertex[3][3] = {{0}};
    static const uint32_t triangle[1][3] = {{0, 1, 3}};
    body.shape.vertex = vertex;
    REFUSED(px_world_add_body(s.world, &body, NULL));
    body.shape.triangle = triangle;
    CHECK_FAILS(px_world_add_body(s.world, &body, NULL), PX_ERR_FORMAT, "");
    body.shape = px_shape_def_default(PX_SHAPE_MESH);
    body.shape.mesh = "";
    CHECK(px_world_add_body(s.world, &body, NULL) != PX_OK);
    body.shape.mesh = "/nowhere/mesh.ply";
    CHECK_FAILS(px_world_add_body(s.world, &body, NULL), PX_ERR_IO, "mesh.ply");
    body.shape = px_shape_def_default((PxShapeKind)999);
    REFUSED(px_world_add_body(s.world, &body, NULL));
    body = px_body_def_default();
    body.name = "body";
    body.material = s.water;
    body.fill = 9;
    REFUSED(px_world_add_body(s.world, &body, NULL));
    body.fill = PX_FILL_CUBIC;
    body.shape.at.x = (double)INFINITY;
    REFUSED(px_world_add_body(s.world, &body, NULL));
    PxHandleDef handle = px_handle_def_default();
    handle.name = "handle";
    handle.keyframes = 1;
    REFUSED(px_world_add_handle(s.world, &handle, NULL));
    PxHeaterDef heater = px_heater_def_default();
    heater.name = "heater";
    heater.holds = true;
    heater.temperatures = 1;
    REFUSED(px_world_add_heater(s.world, &heater, NULL));
    px_world_free(s.world);
}

TEST(a_choice_that_no_function_made_is_refused)
{
    Sample s = sample();
    PxMaterialDef material = px_material_def_default();
    material.name = "oil";
    memset(material.pressure.model, 'x', sizeof material.pressure.model); /* without an end */
    REFUSED(px_world_add_material(s.world, &material, NULL));
    material.pressure = (PxModelChoice){.model = ""};
    REFUSED(px_world_add_material(s.world, &material, NULL));
    material.pressure = px_pressure_choice("dfsph");
    material.pressure.param[0] = (double)NAN;
    REFUSED(px_world_add_material(s.world, &material, NULL));
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
    PxEventDef event = px_event_def_default();
    event.head.size = offsetof(PxEventDef, values); /* an older one, of a single number */
    event.path = "gravity.y";
    event.values = -1;
    CHECK_OK(px_world_add_event(s.world, &event));
    enum { OLD = offsetof(PxColumnInfo, unit) };
    char memory[4 * sizeof(PxColumnInfo)];
    PxColumnInfo info[2];
    px_world_columns(s.world, info, 2);
    px_world_columns_sized(s.world, (PxColumnInfo *)(void *)memory, OLD, 2);
    CHECK(memcmp(memory, &info[0], OLD) == 0 && memcmp(memory + OLD, &info[1], OLD) == 0);
    px_world_free(s.world);
}

/* ---- scenes ---- */

static const char scene_text[] =
    "{\"phyxel\": 1, \"name\": \"small\", \"time\": {\"frames\": 1, \"fps\": 30}, \"spacing\": 0.1,"
    " \"materials\": {\"water\": {\"density\": 1000, \"viscosity\": 0.001}},"
    " \"bodies\": [{\"name\": \"drop\", \"material\": \"water\", \"shape\": {\"sphere\": 0.3}}]}";

static PxScene *small_scene(void)
{
    PxScene *scene;
    CHECK_OK(px_scene_read_text("small", NULL, scene_text, sizeof scene_text - 1, &scene));
    return scene;
}

TEST(wrong_calls_of_scenes_are_refused)
{
    PxScene *scene = small_scene(), *none;
    PxWorld *world;
    PxSceneEstimate estimate;
    REFUSED(px_scene_read(NULL, &none));
    REFUSED(px_scene_read("", &none));
    REFUSED(px_scene_read("small.json", NULL));
    CHECK_FAILS(px_scene_read("/nowhere/small.json", &none), PX_ERR_IO, "/nowhere/small.json");
    CHECK(none == NULL);
    REFUSED(px_scene_read_text(NULL, NULL, scene_text, 1, &none));
    REFUSED(px_scene_read_text("small", NULL, NULL, 1, &none));
    REFUSED(px_scene_read_text("small", NULL, scene_text, 1, NULL));
    CHECK_FAILS(px_scene_read_text("small", NULL, NULL, 0, &none), PX_ERR_FORMAT, "1 error");
    CHECK_EQUAL(px_scene_error_count(none), 1);
    CHECK_FAILS(px_scene_world(none, 1, &world), PX_ERR_FORMAT, "1 error");
    CHECK_FAILS(px_scene_estimate(none, 1, &estimate), PX_ERR_FORMAT, "errors");
    CHECK_FAILS(px_scene_set(none, "fps", "3"), PX_ERR_FORMAT, "not a scene");
    CHECK_FAILS(px_scene_check(none), PX_ERR_FORMAT, "1 error");
    px_scene_free(none);
    REFUSED(px_scene_coarsen(NULL, 2));
    REFUSED(px_scene_coarsen(scene, 0));
    REFUSED(px_scene_set(NULL, "fps", "3"));
    REFUSED(px_scene_set(scene, NULL, "3"));
    REFUSED(px_scene_set(scene, "", "3"));
    REFUSED(px_scene_set(scene, "fps", NULL));
    REFUSED(px_scene_check(NULL));
    REFUSED(px_scene_world(NULL, 1, &world));
    REFUSED(px_scene_world(scene, 1, NULL));
    REFUSED(px_scene_world(scene, -1, &world));
    CHECK(world == NULL);
    REFUSED(px_scene_estimate(NULL, 1, &estimate));
    REFUSED(px_scene_estimate(scene, 1, NULL));
    REFUSED(px_scene_estimate(scene, -1, &estimate));
    CHECK_NEAR(estimate.particles, 0, 0);
    CHECK(px_scene_complaint(scene, 1000) == NULL);
    CHECK(!px_scene_camera(scene, NULL));
    px_scene_free(scene);
}

TEST(a_value_without_a_scene_is_nothing)
{
    PxSceneCamera camera;
    CHECK_EQUAL(px_scene_complaint_count(NULL), 0);
    CHECK(px_scene_complaint(NULL, 0) == NULL);
    CHECK_EQUAL(px_scene_error_count(NULL), 0);
    CHECK(px_scene_name(NULL) == NULL);
    CHECK_EQUAL(px_scene_frames(NULL), 0);
    CHECK(isnan(px_scene_fps(NULL)));
    CHECK(isnan(px_scene_spacing(NULL)));
    CHECK_EQUAL(px_scene_up(NULL), 'y');
    CHECK(!px_scene_camera(NULL, &camera));
    CHECK(px_scene_resolved(NULL) == NULL);
    CHECK(px_scene_pressure(NULL) == NULL);
    CHECK(px_scene_hash(NULL) == NULL);
    px_scene_free(NULL);
}

/* ---- runs ---- */

TEST(wrong_calls_of_runs_are_refused)
{
    Folder own = folder_make();
    const char *folder = own.path;
    PxScene *scene = small_scene(), *none;
    PxRunDef def = px_run_def_default();
    PxRunReport report;
    REFUSED(px_run(scene, NULL, NULL, NULL, NULL));
    REFUSED(px_run(scene, &(PxRunDef){.out = folder}, NULL, NULL, NULL));
    REFUSED(px_run(scene, &def, NULL, NULL, &report)); /* no folder */
    def.out = "";
    REFUSED(px_run(scene, &def, NULL, NULL, &report));
    def.out = folder;
    REFUSED(px_run(NULL, &def, NULL, NULL, &report));
    CHECK(!report.complete && !report.resumable);
    def.threads = -1;
    REFUSED(px_run(scene, &def, NULL, NULL, &report));
    def.threads = 1;
    def.resume = def.overwrite = true;
    REFUSED(px_run(scene, &def, NULL, NULL, &report));
    def.resume = def.overwrite = false;
    def.from = "";
    REFUSED(px_run(scene, &def, NULL, NULL, &report));
    const char *const sets[] = {NULL};
    REFUSED(px_branch_scene(NULL, 0, NULL, 0, &none));
    REFUSED(px_branch_scene("", 0, NULL, 0, &none));
    REFUSED(px_branch_scene(folder, 0, NULL, 0, NULL));
    REFUSED(px_branch_scene(folder, 0, NULL, 1, &none));
    REFUSED(px_branch_scene(folder, 0, sets, 1, &none));
    CHECK_FAILS(px_branch_scene(folder, 0, NULL, 0, &none), PX_ERR_IO, "run.json");
    REFUSED(px_run_scene(NULL, &none));
    REFUSED(px_run_scene("", &none));
    REFUSED(px_run_scene(folder, NULL));
    CHECK_FAILS(px_run_scene("/nowhere", &none), PX_ERR_IO, "/nowhere/run.json");
    CHECK(none == NULL);
    px_scene_free(scene);
    folder_remove(&own);
}

/* ---- surfaces ---- */

TEST(wrong_calls_of_surfaces_are_refused)
{
    static const float x[] = {0}, far[] = {NAN};
    PxSurfaceDef def = px_surface_def_default();
    PxSurfaceParticles p = {.count = 1, .spacing = 0.1, .position = {x, x, x}};
    PxSurfaceMesh *mesh;
    PxSurfels *surfels;
    REFUSED(px_surface_make(NULL, &p, &mesh));
    REFUSED(px_surface_make(&def, NULL, &mesh));
    REFUSED(px_surface_make(&def, &p, NULL));
    REFUSED(px_surfels_make(NULL, &p, &surfels));
    REFUSED(px_surfels_make(&def, NULL, &surfels));
    REFUSED(px_surfels_make(&def, &p, NULL));
    PxSurfaceParticles wrong = p;
    wrong.spacing = (double)NAN;
    REFUSED(px_surface_make(&def, &wrong, &mesh));
    wrong = p;
    wrong.position[1] = NULL;
    REFUSED(px_surface_make(&def, &wrong, &mesh));
    wrong = p;
    wrong.position[1] = far;
    CHECK_FAILS(px_surface_make(&def, &wrong, &mesh), PX_ERR_NUMERIC, "finite");
    wrong = p;
    wrong.columns = 1;
    REFUSED(px_surface_make(&def, &wrong, &mesh));
    wrong.columns = PX_SURFACE_COLUMNS + 1;
    REFUSED(px_surface_make(&def, &wrong, &mesh));
    wrong = p;
    wrong.sheets = 1;
    REFUSED(px_surface_make(&def, &wrong, &mesh));
    wrong.sheet = &(PxSurfaceSheet){.triangles = 1};
    REFUSED(px_surface_make(&def, &wrong, &mesh));
    CHECK(mesh == NULL);
    def.field = NULL;
    REFUSED(px_surface_make(&def, &p, &mesh));
    def.field = "";
    REFUSED(px_surface_make(&def, &p, &mesh));
    def = px_surface_def_default();
    def.cell = (double)NAN;
    REFUSED(px_surface_make(&def, &p, &mesh));
    def = px_surface_def_default();
    CHECK_OK(
        px_surface_make(&def, &(PxSurfaceParticles){.spacing = 0.1}, &mesh)); /* no particles */
    PxSurfaceMeasure measure = {.area = 1};
    CHECK_OK(px_surface_measure(mesh, &measure));
    CHECK_NEAR(measure.area, 0, 0);
    px_surface_free(mesh);
    REFUSED(px_surface_measure(NULL, &measure));
    REFUSED(px_surface_measure(&(PxSurfaceMesh){0}, NULL));
    REFUSED(px_surface_measure(&(PxSurfaceMesh){.vertices = 1}, &measure));
    uint32_t triangle[1][3] = {{0, 0, 1}};
    float position[1][3] = {{0}};
    PxSurfaceMesh broken = {
        .vertices = 1, .triangles = 1, .position = position, .triangle = triangle};
    CHECK_FAILS(px_surface_measure(&broken, &measure), PX_ERR_ARGUMENT, "vertex 1");
    PxSurfaceRunDef run = px_surface_run_def_default();
    PxSurfaceReport report;
    REFUSED(px_surface_run(NULL, NULL, NULL, NULL));
    REFUSED(px_surface_run(&run, NULL, NULL, &report));
    run.dir = "";
    REFUSED(px_surface_run(&run, NULL, NULL, &report));
    run.dir = "/nowhere";
    CHECK_FAILS(px_surface_run(&run, NULL, NULL, &report), PX_ERR_ARGUMENT, "no frames");
    run.material = "";
    REFUSED(px_surface_run(&run, NULL, NULL, &report));
    run.material = NULL;
    run.columns = ",";
    REFUSED(px_surface_run(&run, NULL, NULL, &report));
    CHECK(px_surface_field(UINT32_MAX) == NULL);
    px_surface_free(NULL);
    px_surfels_free(NULL);
}

/* ---- pictures ---- */

#define RENDER_REFUSED(member, value)                                                              \
    do {                                                                                           \
        PxRenderDef wrong = def;                                                                   \
        wrong.member = value;                                                                      \
        REFUSED(px_render(&wrong, NULL, NULL, &report));                                           \
    } while (0)

TEST(wrong_calls_of_rendering_are_refused)
{
    PxRenderDef def = px_render_def_default();
    PxRenderReport report;
    REFUSED(px_render(NULL, NULL, NULL, NULL));
    REFUSED(px_render(&def, NULL, NULL, &report)); /* no folder */
    REFUSED(px_render_check(NULL));
    REFUSED(px_render_check(&def)); /* no folder */
    def.dir = "/nowhere";
    CHECK_FAILS(px_render(&def, NULL, NULL, &report), PX_ERR_ARGUMENT, "no frames");
    CHECK_EQUAL(report.pictures, 0);
    RENDER_REFUSED(dir, "");
    RENDER_REFUSED(out, "");
    RENDER_REFUSED(film, "");
    RENDER_REFUSED(fps, (double)NAN);
    RENDER_REFUSED(every, 0);
    RENDER_REFUSED(width, 0);
    RENDER_REFUSED(height, -1);
    RENDER_REFUSED(quality, (PxQuality)3);
    RENDER_REFUSED(samples, -1);
    RENDER_REFUSED(show, (PxShow)4);
    RENDER_REFUSED(stated_camera, true);
    RENDER_REFUSED(turntable, -1);
    RENDER_REFUSED(aperture, (double)NAN);
    RENDER_REFUSED(shutter, (double)NAN);
    RENDER_REFUSED(floor, (PxFloor)3);
    RENDER_REFUSED(lighting, (PxLighting)5);
    RENDER_REFUSED(sun_azimuth, (double)NAN);
    RENDER_REFUSED(sun_height, (double)NAN);
    RENDER_REFUSED(exposure, (double)NAN);
    RENDER_REFUSED(lamps, 1); /* without any */
    RENDER_REFUSED(threads, -1);
}

TEST(wrong_calls_of_films_are_refused)
{
    PxFilm *film;
    REFUSED(px_film_begin(NULL, 16, 16, 25, &film));
    REFUSED(px_film_begin("a.mp4", 16, 16, 25, NULL));
    REFUSED(px_film_begin("a.doc", 16, 16, 25, &film));
    REFUSED(px_film_begin("a.mp4", 0, 16, 25, &film));
    REFUSED(px_film_begin("a.mp4", 16, 1u << 30, 25, &film));
    REFUSED(px_film_begin("a.mp4", 16, 16, (double)NAN, &film));
    CHECK(film == NULL);
    REFUSED(px_film_add_pixels(NULL, NULL));
    REFUSED(px_film_finish(NULL));
    px_film_abandon(NULL);
}

/* ---- results ---- */

static bool each_frame(void *user, const PxFrameInfo *frame)
{
    (void)frame;
    ++*(int *)user;
    return true;
}

static void each_value(void *user, const char *name, const char *unit, const char *meaning,
                       double value)
{
    (void)name, (void)unit, (void)meaning, (void)value;
    ++*(int *)user;
}

TEST(wrong_calls_of_results_are_refused)
{
    PxExportDef def = px_export_def_default();
    PxInfoFiles files = {.skins = 3};
    char name[8] = "before";
    int calls = 0;
    REFUSED(px_export(NULL, NULL, NULL));
    REFUSED(px_export(&def, NULL, NULL)); /* no folder */
    px_export_folder(NULL, name, sizeof name);
    CHECK_TEXT(name, "");
    px_export_folder(&def, name, sizeof name);
    CHECK_TEXT(name, "");
    def.dir = "/nowhere";
    def.format = NULL;
    REFUSED(px_export(&def, NULL, NULL));
    px_export_folder(&def, name, sizeof name);
    CHECK_TEXT(name, "");
    def.format = "";
    REFUSED(px_export(&def, NULL, NULL));
    def.format = "vtp";
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "no frames");
    px_export_folder(&def, name, 0);
    px_export_folder(&def, NULL, 8);
    px_export_folder(&def, name, sizeof name);
    CHECK_TEXT(name, "/nowher");
    def.what = (PxExportWhat)7;
    REFUSED(px_export(&def, NULL, NULL));
    def.what = PX_EXPORT_SURFACE;
    def.material = "";
    REFUSED(px_export(&def, NULL, NULL));
    def.material = NULL;
    def.what = PX_EXPORT_PARTICLES;
    def.dir = "";
    REFUSED(px_export(&def, NULL, NULL));
    def.dir = "/nowhere";
    def.out = "";
    REFUSED(px_export(&def, NULL, NULL));
    def.out = NULL;
    def.up = 'x';
    REFUSED(px_export(&def, NULL, NULL));
    def.up = 0;
    def.threads = -1;
    REFUSED(px_export(&def, NULL, NULL));
    CHECK(px_export_format(UINT32_MAX) == NULL);
    REFUSED(px_info(NULL, each_frame, &calls));
    REFUSED(px_info("", each_frame, &calls));
    REFUSED(px_info("/nowhere", NULL, NULL));
    CHECK_OK(px_info("/nowhere", each_frame, &calls)); /* no frames */
    REFUSED(px_info_files(NULL, &files));
    CHECK_EQUAL(files.skins, 0);
    REFUSED(px_info_files("", &files));
    REFUSED(px_info_files("/nowhere", NULL));
    CHECK_OK(px_info_files("/nowhere", &files));
    CHECK_EQUAL(files.skins, 0);
    REFUSED(px_info_stats(NULL, each_value, &calls));
    REFUSED(px_info_stats("", each_value, &calls));
    REFUSED(px_info_stats("/nowhere", NULL, NULL));
    CHECK_FAILS(px_info_stats("/nowhere", each_value, &calls), PX_ERR_IO, "stats.csv");
    CHECK_EQUAL(calls, 0);
}

/* ---- words ---- */

TEST(wrong_words_have_neutral_answers)
{
    const char *const words[] = {NULL, "water", ""};
    CHECK(px_suggest(NULL, words, 3) == NULL);
    CHECK(px_suggest("water", NULL, 3) == NULL);
    CHECK(px_suggest("water", words, 0) == NULL);
    CHECK(px_suggest("", words, 3) == NULL);
    CHECK_TEXT(px_suggest("watr", words, 3), "water");
    CHECK_TEXT(px_status_name((PxStatus)999), "unknown");
    CHECK_TEXT(px_status_name((PxStatus)-1), "unknown");
    CHECK_TEXT(px_shape_kind_name((PxShapeKind)999), "unknown");
    PxShapeDef shape = px_shape_def_default((PxShapeKind)999);
    CHECK_NEAR(shape.scale, 1, 0);
}

/* Both a program with an older header and one with a newer header get what they know. */
#define FITS(type, member, call)                                                                   \
    do {                                                                                           \
        struct {                                                                                   \
            type out;                                                                              \
            uint64_t later;                                                                        \
        } newer;                                                                                   \
        type *out = &newer.out;                                                                    \
        size_t size = sizeof newer;                                                                \
        memset(&newer, 0xff, sizeof newer);                                                        \
        (void)call;                                                                                \
        CHECK_EQUAL(newer.later, 0);                                                               \
        size = offsetof(type, member);                                                             \
        memset(&newer, 0xff, sizeof newer);                                                        \
        (void)call;                                                                                \
        for (size_t k = 0; k < sizeof newer; ++k)                                                  \
            if (k >= size)                                                                         \
                CHECK_EQUAL(((unsigned char *)&newer)[k], 0xff);                                   \
    } while (0)

TEST(reports_fit_structures_of_any_size)
{
    PxScene *scene = small_scene();
    PxRunDef run = px_run_def_default();
    PxRenderDef render = px_render_def_default();
    PxSurfaceRunDef surface = px_surface_run_def_default();
    FITS(PxSceneEstimate, disk, px_scene_estimate_sized(scene, 1, out, size));
    FITS(PxRunReport, wall, px_run_sized(scene, &run, NULL, NULL, out, size));
    FITS(PxRenderReport, drawn, px_render_sized(&render, NULL, NULL, out, size));
    FITS(PxSurfaceReport, kept, px_surface_run_sized(&surface, NULL, NULL, out, size));
    FITS(PxSurfaceMeasure, volume, px_surface_measure_sized(&(PxSurfaceMesh){0}, out, size));
    FITS(PxInfoFiles, skins, px_info_files_sized("/nowhere", out, size));
    px_scene_free(scene);
}

TEST(displays_and_stored_frames_refuse_wrong_calls)
{
    PxDisplay *display;
    PxStored *frame;
    PxPose at;
    PxVec3 v;
    PxSceneCamera camera;
    PxStoredSurface surface;
    size_t count;
    float rgb[3];
    PxBodyId body;
    PxMaterialId material;
    REFUSED(px_display_make(NULL, &display));
    CHECK(display == NULL);
    REFUSED(px_display_make(NULL, NULL));
    REFUSED(px_display_pose(NULL, 0, 0, &at));
    REFUSED(px_display_deform(NULL, 0));
    REFUSED(px_display_camera(NULL, 1, &camera));
    REFUSED(px_display_bounds(NULL, &v, &v));
    CHECK(px_display_material(NULL, 0) == NULL && px_display_body(NULL, 0) == NULL);
    CHECK(isnan(px_display_ground(NULL)));
    CHECK(px_display_spacing(NULL) == 0);
    PxCoating *coating;
    PxCoatedBody coated;
    REFUSED(px_coating_make(NULL, &coating));
    CHECK(coating == NULL);
    REFUSED(px_coating_make(NULL, NULL));
    REFUSED(px_coating_follow(NULL));
    REFUSED(px_coating_touch(NULL, 0, NULL, v, NULL, NULL, 0));
    REFUSED(px_coating_get(NULL, NULL));
    REFUSED(px_coating_set(NULL, NULL));
    CHECK(!px_coating_body(NULL, 0, &coated) && px_coating_count(NULL) == 0);
    CHECK(!px_coating_wanted(NULL));
    px_coating_free(NULL);
    px_display_colour(NAN, rgb);
    CHECK(rgb[0] >= 0 && rgb[0] <= 1);
    px_display_free(NULL);
    REFUSED(px_stored_list(NULL, NULL, 0, &count));
    REFUSED(px_stored_list("", NULL, 0, &count));
    REFUSED(px_stored_list(".", NULL, 1, &count));
    REFUSED(px_stored_read(NULL, 0, 1, &frame));
    REFUSED(px_stored_read(".", 0, -1, &frame));
    REFUSED(px_stored_read(".", 0, 1, NULL));
    CHECK(px_stored_count(NULL) == 0 && isnan(px_stored_time(NULL)) && px_stored_step(NULL) == 0);
    CHECK(px_stored_columns(NULL, NULL, 0) == 0);
    CHECK(px_stored_floats(NULL, "position", 0) == NULL && px_stored_words(NULL, "body") == NULL);
    CHECK(!px_stored_pose(NULL, 0, &at, &v) && !px_stored_surface(NULL, 0, &surface));
    px_stored_free(NULL);
    Sample s = sample();
    REFUSED(px_world_find_body(NULL, "wall", &body));
    REFUSED(px_world_find_body(s.world, "", &body));
    REFUSED(px_world_find_body(s.world, "no", &body));
    REFUSED(px_world_find_body(s.world, "wall", NULL));
    REFUSED(px_world_find_material(s.world, "no", &material));
    CHECK_OK(px_world_find_body(s.world, "wall", &body));
    CHECK(body.slot == s.wall.slot && body.generation == s.wall.generation);
    CHECK(px_world_values(NULL, NULL, 0) == 0 && px_world_values(s.world, NULL, 0) > 3);
    px_world_free(s.world);
}

/* ---- gauges and joints ---- */

TEST(wrong_gauges_are_refused)
{
    Sample s = sample();
    PxGaugeDef good = px_gauge_def_default();
    PxGaugeId id;
    PxGaugeSample taken;
    char name[96];
    const char *unit;
    double value[3];
    good.name = "probe";
    good.measures = PX_GAUGE_PRESSURE;
    good.place = PX_GAUGE_POINT;
    good.at = (PxVec3){0, 7, 0};
    good.every = good.over = 0.1;
    PxGaugeDef def = good;
    def.name = "";
    REFUSED(px_world_add_gauge(s.world, &def, &id));
    def.name = NULL;
    REFUSED(px_world_add_gauge(s.world, &def, &id));
    def = good;
    def.at.x = (double)NAN;
    REFUSED(px_world_add_gauge(s.world, &def, &id));
    def = good;
    def.over = (double)NAN;
    REFUSED(px_world_add_gauge(s.world, &def, &id));
    def = good;
    def.over = 1; /* longer than the time between samples */
    REFUSED(px_world_add_gauge(s.world, &def, &id));
    def = good;
    def.measures = (PxGaugeQuantity)99;
    REFUSED(px_world_add_gauge(s.world, &def, &id));
    def = good;
    def.place = (PxGaugePlace)99;
    REFUSED(px_world_add_gauge(s.world, &def, &id));
    def = good;
    def.place = PX_GAUGE_LINE;
    def.samples = (double)NAN;
    REFUSED(px_world_add_gauge(s.world, &def, &id));
    def = good;
    def.place = PX_GAUGE_PLANE; /* without a normal or a size */
    def.normal = (PxVec3){0, 0, 0};
    REFUSED(px_world_add_gauge(s.world, &def, &id));
    def = good;
    def.body = (PxBodyId){s.wall.slot, s.wall.generation + 7};
    REFUSED(px_world_add_gauge(s.world, &def, &id));
    CHECK_OK(px_world_add_gauge(s.world, &good, &id));
    REFUSED(px_world_add_gauge(s.world, &good, NULL)); /* the name is taken */
    PxGaugeId foreign = {id.slot, id.generation + 7};
    REFUSED(px_world_read_gauge(s.world, foreign, value, 3, &taken));
    REFUSED(px_world_read_gauge(s.world, id, NULL, 3, &taken));
    REFUSED(px_world_gauge_column(s.world, foreign, 0, name, &unit));
    REFUSED(px_world_gauge_column(s.world, id, 99, name, &unit));
    REFUSED(px_world_gauge_column(s.world, id, 0, NULL, &unit));
    REFUSED(px_world_move_gauge(s.world, foreign, (PxVec3){0, 0, 0}));
    REFUSED(px_world_move_gauge(s.world, id, (PxVec3){0, (double)NAN, 0}));
    REFUSED(px_world_remove_gauge(s.world, foreign));
    CHECK_OK(px_world_read_gauge(s.world, id, NULL, 0, &taken));
    CHECK_OK(px_world_remove_gauge(s.world, id));
    REFUSED(px_world_remove_gauge(s.world, id));
    px_world_free(s.world);
}

TEST(wrong_seams_are_refused)
{
    Sample s = sample();
    PxMaterialDef cotton = px_material_def_default();
    PxBodyDef sheet = px_body_def_default();
    PxSeamId id;
    PxBodyId body[2];
    cotton.name = "cotton";
    cotton.cloth.cloth = true;
    CHECK_OK(px_world_add_material(s.world, &cotton, &sheet.material));
    sheet.shape = px_shape_def_default(PX_SHAPE_SHEET);
    for (int k = 0; k < 2; ++k) {
        sheet.name = k == 0 ? "front" : "back";
        sheet.shape.at = (PxVec3){20, 20 + 0.1 * k, 20};
        CHECK_OK(px_world_add_body(s.world, &sheet, &body[k]));
    }
    PxSeamDef good = px_seam_def_default(), def;
    good.name = "hem";
    good.from = body[0];
    good.to = body[1];
    def = good;
    def.name = NULL;
    REFUSED(px_world_add_seam(s.world, &def, &id));
    def = good;
    def.from = s.wall;
    REFUSED(px_world_add_seam(s.world, &def, &id));
    def = good;
    def.to = (PxBodyId){body[1].slot, body[1].generation + 7};
    REFUSED(px_world_add_seam(s.world, &def, &id));
    def = good;
    def.to = (PxBodyId){0, 0}; /* its border is one loop */
    REFUSED(px_world_add_seam(s.world, &def, &id));
    def = good;
    def.time = (double)NAN;
    REFUSED(px_world_add_seam(s.world, &def, &id));
    def = good;
    def.strength = -1;
    REFUSED(px_world_add_seam(s.world, &def, &id));
    def = good;
    def.within = 0.01; /* they are 0.1 m apart */
    REFUSED(px_world_add_seam(s.world, &def, &id));
    def = good;
    def.part = true;
    def.shape.kind = (PxShapeKind)99;
    REFUSED(px_world_add_seam(s.world, &def, &id));
    def.shape = px_shape_def_default(PX_SHAPE_BOX); /* at the origin: nothing is in it */
    REFUSED(px_world_add_seam(s.world, &def, &id));
    CHECK_OK(px_world_add_seam(s.world, &good, &id));
    REFUSED(px_world_add_seam(s.world, &good, NULL)); /* the name is taken */
    REFUSED(px_world_remove_seam(s.world, (PxSeamId){id.slot, id.generation + 7}));
    CHECK_OK(px_world_remove_seam(s.world, id));
    px_world_free(s.world);
}

TEST(wrong_joints_are_refused)
{
    Sample s = sample();
    PxBodyDef ball = px_body_def_default();
    PxBodyId body;
    PxJointId id;
    PxRigidState rigid;
    ball.name = "ball";
    ball.shape = px_shape_def_default(PX_SHAPE_SPHERE);
    ball.shape.at = (PxVec3){0, 9, 0};
    ball.material = s.water;
    ball.rigid = true;
    CHECK_OK(px_world_add_body(s.world, &ball, &body));
    PxJointDef good = px_joint_def_default(), def;
    good.name = "pin";
    good.body = body;
    good.at = ball.shape.at;
    def = good;
    def.name = "";
    REFUSED(px_world_add_joint(s.world, &def, &id));
    def = good;
    def.body = s.wall;
    REFUSED(px_world_add_joint(s.world, &def, &id));
    def.body = (PxBodyId){0, 0};
    REFUSED(px_world_add_joint(s.world, &def, &id));
    def = good;
    def.to = body; /* with itself */
    REFUSED(px_world_add_joint(s.world, &def, &id));
    def = good;
    def.kind = (PxJointKind)99;
    REFUSED(px_world_add_joint(s.world, &def, &id));
    def = good;
    def.at.y = (double)NAN;
    REFUSED(px_world_add_joint(s.world, &def, &id));
    def = good;
    def.kind = PX_JOINT_HINGE;
    def.axis = (PxVec3){0, 0, 0};
    REFUSED(px_world_add_joint(s.world, &def, &id));
    def = good;
    def.kind = PX_JOINT_SPRING;
    def.stiffness = (double)NAN;
    REFUSED(px_world_add_joint(s.world, &def, &id));
    CHECK_OK(px_world_add_joint(s.world, &good, &id));
    REFUSED(px_world_remove_joint(s.world, (PxJointId){id.slot, id.generation + 7}));
    REFUSED(px_world_rigid_state(s.world, s.wall, &rigid));
    REFUSED(px_world_rigid_state(s.world, body, NULL));
    CHECK_OK(px_world_rigid_state(s.world, body, &rigid));
    /* a second body in the first */
    ball.name = "second";
    ball.shape.at.x = 0.1;
    CHECK_FAILS(px_world_add_body(s.world, &ball, NULL), PX_ERR_ARGUMENT, "ball");
    px_world_free(s.world);
}

/* ---- meshes and foam ---- */

TEST(wrong_calls_that_make_meshes_are_refused)
{
    Folder own = folder_make();
    const char *path = folder_file(&own, "mesh.obj");
    PxColonDef colon = px_colon_def_default();
    PxVolumeDef volume = px_volume_def_default();
    PxSheetDef sheet = px_sheet_def_default();
    REFUSED(px_make_colon(NULL, path, NULL));
    REFUSED(px_make_colon(&(PxColonDef){.size = 1}, path, NULL));
    REFUSED(px_make_colon(&colon, NULL, NULL));
    REFUSED(px_make_colon(&colon, "", NULL));
    REFUSED(px_make_colon(&colon, folder_file(&own, "mesh.txt"), NULL));
    colon.size = (double)NAN;
    REFUSED(px_make_colon(&colon, path, NULL));
    colon = px_colon_def_default();
    colon.triangles = 0;
    REFUSED(px_make_colon(&colon, path, NULL));
    colon = px_colon_def_default();
    colon.folds = -1;
    REFUSED(px_make_colon(&colon, path, NULL));
    PxVolumeSamples samples;
    REFUSED(px_volume_samples_read(NULL, &samples));
    REFUSED(px_volume_samples_read(NULL, NULL));
    px_volume_samples_free(NULL);
    REFUSED(px_make_volume_mesh(NULL, path, NULL));
    REFUSED(px_make_volume_mesh(&volume, path, NULL)); /* without a file */
    volume.path = "";
    CHECK(px_make_volume_mesh(&volume, path, NULL) != PX_OK);
    volume.path = "/nowhere/scan.nrrd";
    CHECK_FAILS(px_make_volume_mesh(&volume, path, NULL), PX_ERR_IO, "scan.nrrd");
    REFUSED(px_make_volume_mesh(&volume, NULL, NULL));
    volume.at = (double)NAN;
    REFUSED(px_make_volume_mesh(&volume, path, NULL));
    volume = px_volume_def_default();
    volume.path = "/nowhere/scan.raw";
    volume.samples[0] = volume.samples[1] = volume.samples[2] = UINT32_MAX;
    CHECK(px_make_volume_mesh(&volume, path, NULL) != PX_OK); /* without a type */
    REFUSED(px_make_sheet(NULL, path, NULL));
    REFUSED(px_make_sheet(&sheet, NULL, NULL));
    REFUSED(px_make_sheet(&sheet, "", NULL));
    sheet.size[0] = (double)NAN;
    REFUSED(px_make_sheet(&sheet, path, NULL));
    sheet = px_sheet_def_default();
    sheet.cells[0] = UINT32_MAX;
    REFUSED(px_make_sheet(&sheet, path, NULL));
    sheet = px_sheet_def_default();
    sheet.pattern = (PxSheetPattern)99;
    REFUSED(px_make_sheet(&sheet, path, NULL));
    PxWalkerDef walker = px_walker_def_default();
    const char *poses = folder_file(&own, "poses.pc2");
    REFUSED(px_make_walker(NULL, path, poses, NULL, NULL));
    REFUSED(px_make_walker(&walker, NULL, poses, NULL, NULL));
    REFUSED(px_make_walker(&walker, "", poses, NULL, NULL));
    REFUSED(px_make_walker(&walker, path, NULL, NULL, NULL));
    REFUSED(px_make_walker(&walker, path, "", NULL, NULL));
    REFUSED(px_make_walker(&walker, path, poses, "", NULL));
    walker.height = (double)NAN;
    REFUSED(px_make_walker(&walker, path, poses, NULL, NULL));
    walker = px_walker_def_default();
    walker.triangles = UINT32_MAX;
    REFUSED(px_make_walker(&walker, path, poses, NULL, NULL));
    walker = px_walker_def_default();
    walker.seconds = (double)INFINITY;
    REFUSED(px_make_walker(&walker, path, poses, NULL, NULL));
    CHECK(access(poses, F_OK) != 0);
    CHECK(access(path, F_OK) != 0);
    folder_remove(&own);
}

TEST(wrong_calls_of_foam_are_refused)
{
    PxFoamRunDef def = px_foam_run_def_default();
    PxSurfaceReport report;
    REFUSED(px_foam_run(NULL, NULL, NULL, &report));
    REFUSED(px_foam_run(&def, NULL, NULL, &report));
    def.dir = "";
    REFUSED(px_foam_run(&def, NULL, NULL, &report));
    def.dir = "/nowhere";
    CHECK(px_foam_run(&def, NULL, NULL, &report) != PX_OK);
    def.amount = (double)NAN;
    REFUSED(px_foam_run(&def, NULL, NULL, &report));
    def.amount = 1;
    def.life = -1;
    REFUSED(px_foam_run(&def, NULL, NULL, &report));
    def.life = 1;
    def.threads = -1;
    REFUSED(px_foam_run(&def, NULL, NULL, &report));
}

/* ---- all of it ---- */

/* Functions that no call can get wrong: without arguments, or with any. */
static const char *const harmless[] = {"px_version",           "px_error_message",
                                       "px_scene_schema",      "px_melt_def_default",
                                       "px_cloth_def_default", "px_fracture_def_default"};

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    char *text = calloc(1, 1 << 20);
    CHECK(text != NULL && fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* Does `text` call `name`? */
static bool calls(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += length)
        if (at[length] == '(')
            return true;
    return false;
}

TEST(every_function_of_the_interface_is_called_wrongly_here)
{
    static const char mark[] = "PX_API ";
    char *own = read_text(PX_SOURCE_DIR "/test/test_wrong_calls.c");
    DIR *folder = opendir(PX_SOURCE_DIR "/include/phyxel");
    CHECK(folder != NULL);
    size_t functions = 0, missing = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[1200];
        snprintf(path, sizeof path, PX_SOURCE_DIR "/include/phyxel/%.200s", entry->d_name);
        if (strstr(entry->d_name, ".h") == NULL)
            continue;
        char *text = read_text(path);
        for (char *at = text; (at = strstr(at, mark)) != NULL; at += strlen(mark)) {
            char name[100], *open = strchr(at, '('), *start = open;
            while (start > at && (start[-1] == '_' || isalnum((unsigned char)start[-1])))
                --start;
            if (open == NULL || at[strlen(mark)] == '_')
                continue;
            snprintf(name, sizeof name, "%.*s", (int)(open - start), start);
            if (strncmp(name, "px_", 3) != 0)
                continue; /* the macro's own definition */
            ++functions;
            bool found = false;
            for (size_t k = 0; k < sizeof harmless / sizeof *harmless; ++k)
                found = found || strcmp(name, harmless[k]) == 0;
            found = found || calls(own, name);
            size_t length = strlen(name);
            char other[120];
            if (!found && length > 6 && strcmp(name + length - 6, "_sized") == 0) {
                name[length - 6] = '\0'; /* the inline function that calls it */
                found = calls(own, name);
            } else if (!found && length > 5 && strcmp(name + length - 5, "_init") == 0) {
                snprintf(other, sizeof other, "%.*s_default", (int)(length - 5), name);
                found = calls(own, other);
            }
            if (!found) {
                print_message("%s: %s() has no wrong call here\n", entry->d_name, name);
                ++missing;
            }
        }
        free(text);
    }
    closedir(folder);
    free(own);
    CHECK(functions > 150);
    CHECK_EQUAL(missing, 0);
}

TEST_MAIN()
