/// Coats in scenes and runs: options, stored files, pictures, resuming.
#include "runs.h"

#include "phyxel/scene.h"
#include "render/subject.h"
#include "store/file.h"
#include "store/ply_points.h"
#include "world/attached/coats.h"
#include "world/state.h"

/* Water is poured on water; a block of jelly beside it has a coat as well, with its own surfels. */
#define SCENE(water, jelly)                                                                        \
    "{\"phyxel\": 1, \"name\": \"coats\", \"time\": {\"frames\": 4, \"fps\": 60},\n"               \
    " \"spacing\": 0.05, \"max_step\": 0.003,\n"                                                   \
    " \"materials\": {\"water\": {\"density\": 1000, \"coat\": " water "},\n"                      \
    "  \"jelly\": {\"density\": 1000, \"young\": 1e4, \"coat\": \"surfels\"}},\n"                  \
    " \"bodies\": [\n"                                                                             \
    "  {\"name\": \"floor\", \"shape\": {\"box\": [3, 0.2, 3], \"at\": [0, -0.1, 0]},\n"           \
    "   \"wall\": true},\n"                                                                        \
    "  {\"name\": \"pool\", \"shape\": {\"box\": [0.4, 0.2, 0.4], \"at\": [0, 0.1, 0]},\n"         \
    "   \"material\": \"water\"},\n"                                                               \
    "  {\"name\": \"block\", \"shape\": {\"box\": [0.2, 0.2, 0.2], \"at\": [1, 0.3, 0]},\n"        \
    "   \"material\": \"jelly\", \"surfels\": " jelly "}],\n"                                      \
    " \"emitters\": [{\"name\": \"tap\", \"shape\": {\"box\": [0.15, 0.1, 0.15],\n"                \
    "   \"at\": [0, 0.5, 0]}, \"direction\": [0, -1, 0], \"speed\": 2,\n"                          \
    "   \"material\": \"water\"}]}"

static void check_complaint(const char *text, const char *place, const char *words)
{
    PxScene *scene;
    px_scene_read_text("coat.json", NULL, text, strlen(text), &scene);
    px_scene_check(scene);
    bool found = false;
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        found = found || (strcmp(c->place, place) == 0 && strstr(c->text, words) != NULL);
    }
    if (!found)
        fail_msg("no complaint at %s with '%s'; the first is '%s'", place, words,
                 px_scene_complaint_count(scene) > 0 ? px_scene_complaint(scene, 0)->text : "none");
    px_scene_free(scene);
}

TEST(invalid_coats_are_refused_with_a_reason)
{
    check_complaint(SCENE("\"surfel\"", "2000"), "materials.water.coat", "surfels");
    check_complaint(SCENE("{\"model\": \"surfels\", \"spacing\": 2}", "2000"),
                    "materials.water.coat.spacing", "0.1");
    check_complaint(SCENE("{\"model\": \"surfels\", \"smoth\": 1}", "2000"),
                    "materials.water.coat.smoth", "smooth");
    check_complaint(SCENE("\"surfels\"", "20"), "bodies[2].surfels", "spacings apart");
}

static bool stop_in_the_third(void *user, const PxRunProgress *progress)
{
    (void)user;
    return progress->frame < 2 || progress->stored; /* between two frames */
}

/* How many surfels of that material there are, and the lowest and highest of them. */
static uint32_t surfels_of(const PxPlyPoints *ply, uint32_t material, double *low, double *high)
{
    const uint32_t *of = px_table_find(&ply->points, "material")->data[0];
    const float *y = px_table_find(&ply->points, "position")->data[1];
    uint32_t count = 0;
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t i = 0; i < ply->points.count; ++i)
        if (of[i] == material) {
            ++count;
            *low = fmin(*low, (double)y[i]);
            *high = fmax(*high, (double)y[i]);
        }
    return count;
}

TEST(a_resumed_run_has_the_same_coats)
{
    Folder whole = folder_make(), parts = folder_make();
    PxScene *scene = tiny_scene(SCENE("\"surfels\"", "2000"));
    PxRunDef def = run_into(whole.path);
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    def = run_into(parts.path);
    def.threads = 2;
    CHECK_FAILS(px_run(scene, &def, stop_in_the_third, NULL, NULL), PX_ERR_STOPPED, "stopped");
    def.resume = true;
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    Holding *wanted = holding_of(whole.path);
    CHECK_HOLDS(parts.path, wanted);
    free(wanted);
    CHECK(same_ply(whole.path, parts.path, "coat/000003.ply"));
    CHECK(same_ply(whole.path, parts.path, "coat/000004.ply"));

    /* The coats are where the matter is. */
    PxPlyPoints ply;
    double low, high;
    CHECK_OK(px_ply_points_read(folder_file(&whole, "coat/000004.ply"), &ply));
    CHECK(surfels_of(&ply, 0, &low, &high) > 400);
    CHECK_NEAR(low, 0, 0.03); /* the floor, which the field's surface may lie above */
    CHECK(low >= -1e-5);
    CHECK_NEAR(high, 0.55, 0.06); /* the back of the tap */
    CHECK(surfels_of(&ply, 1, &low, &high) > 1500);
    CHECK_NEAR(high - low, 0.2, 0.02); /* jelly that falls is as high as it was */
    double fallen = 0.5 * 9.81 * pow(4 / 60.0, 2);
    CHECK_NEAR(0.5 * (low + high), 0.3 - fallen, 0.005);
    CHECK(px_table_find(&ply.points, "melted") != NULL);
    px_ply_points_free(&ply);

    PxExportDef out = px_export_def_default();
    out.dir = whole.path;
    out.format = "vtp";
    out.what = PX_EXPORT_COAT;
    CHECK_OK(px_export(&out, NULL, NULL));
    CHECK(px_file_exists(folder_file(&whole, "vtp-coat/000004.vtp")));

    /* And are drawn instead of it. */
    PxSubject subject;
    PxThreads threads = {.count = 1};
    CHECK_OK(px_subject_read(whole.path, 4, PX_SHOW_BEST, &threads, &subject));
    CHECK(subject.coats.points.count > 0);
    for (uint32_t i = 0; i < subject.particles.count; ++i)
        CHECK(subject.skinned[i]);
    px_subject_free(&subject);
    CHECK_OK(px_subject_read(whole.path, 4, PX_SHOW_PARTICLES, &threads, &subject));
    CHECK_EQUAL(subject.coats.points.count, 0);
    px_subject_free(&subject);

    /* Another run in the folder leaves none of the old coats. */
    px_scene_free(scene);
    scene = tiny_scene(TINY("bare", "1000"));
    def = run_into(parts.path);
    def.overwrite = true;
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    CHECK(!px_file_exists(folder_file(&parts, "coat/000001.ply")));
    px_scene_free(scene);
    folder_remove(&whole);
    folder_remove(&parts);
}

TEST(the_coat_of_a_solid_starts_on_its_shape)
{
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(
        "{\"phyxel\": 1, \"time\": {\"frames\": 1, \"fps\": 60}, \"spacing\": 0.05,\n"
        " \"gravity\": [0, 0, 0], \"materials\": {\"wax\": {\"density\": 900, \"young\": 1e4,\n"
        "  \"melts\": {\"from\": 40, \"to\": 60}}},\n"
        " \"bodies\": [{\"name\": \"ball\", \"shape\": {\"sphere\": 0.3}, \"material\": "
        "\"wax\"}]}");
    PxRunDef def = run_into(folder.path);
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    PxPlyPoints ply;
    CHECK_OK(px_ply_points_read(folder_file(&folder, "coat/000001.ply"), &ply));
    const PxColumn *at = px_table_find(&ply.points, "position");
    /* half a spacing apart: 4 pi 0.3^2 / 0.025^2 = 1810 cells */
    CHECK(ply.points.count > 1800 && ply.points.count < 3600);
    for (uint32_t i = 0; i < ply.points.count; ++i) {
        PxVec3 x = {(double)((const float *)at->data[0])[i],
                    (double)((const float *)at->data[1])[i],
                    (double)((const float *)at->data[2])[i]};
        CHECK_NEAR(px_length(x), 0.3, 0.001); /* around particles it would be off by 0.02 */
    }
    px_ply_points_free(&ply);
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST(stored_coats_that_do_not_fit_are_refused)
{
    PxScene *scene = tiny_scene(SCENE("\"surfels\"", "2000"));
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_OK(px_world_move_coats(world));
    PxTable table[PX_COAT_TABLES];
    for (int k = 0; k < PX_COAT_TABLES; ++k)
        px_table_init(&table[k], NULL);
    CHECK_OK(px_world_store_coats(world, table));
    CHECK_OK(px_world_restore_coats(world, table));
    float *x = px_table_find(&table[PX_COAT_SURFELS], "position")->data[0];
    float kept = x[5];
    x[5] = NAN;
    CHECK_FAILS(px_world_restore_coats(world, table), PX_ERR_FORMAT, "coat");
    x[5] = kept;
    uint32_t *counts = px_table_find(&table[PX_COATS], "counts")->data[0];
    counts[1] += 1;
    CHECK_FAILS(px_world_restore_coats(world, table), PX_ERR_FORMAT, "does not fit");
    for (int k = 0; k < PX_COAT_TABLES; ++k)
        px_table_free(&table[k]);
    px_world_free(world);
    px_scene_free(scene);
}

/* ---- moulds ---- */

/* Mean distance, in spacings, of the surfels that face down in the middle of a pool from the slab
 * under it, 0.2 m high. A coat only 0.3 spacings around the particles does not touch it by itself.
 * `slab` are the keys of the slab. */
static double distance_from_slab(const char *slab, size_t *count)
{
    char text[1200];
    PxScene *scene;
    PxWorld *world;
    snprintf(text, sizeof text,
             "{\"phyxel\": 1, \"time\": {\"frames\": 3, \"fps\": 100}, \"spacing\": 0.05,\n"
             " \"materials\": {\"water\": {\"density\": 1000,\n"
             "  \"coat\": {\"model\": \"surfels\", \"iso\": 0.3}},\n"
             "  \"rubber\": {\"density\": 1000, \"young\": 1e7}},\n"
             " \"bodies\": [{\"name\": \"floor\", \"shape\": {\"plane\": {}}, \"wall\": true},\n"
             "  {\"name\": \"slab\", \"shape\": {\"box\": [1, 0.2, 1], \"at\": [0, 0.1, 0]}, %s},\n"
             "  {\"name\": \"pool\", \"shape\": {\"box\": [0.5, 0.2, 0.5], \"at\": [0, 0.3, 0]},\n"
             "   \"material\": \"water\"}]}",
             slab);
    CHECK_OK(px_scene_read_text("mould.json", NULL, text, strlen(text), &scene));
    CHECK_OK(px_scene_world(scene, 2, &world));
    for (int frame = 0; frame < 4; ++frame) {
        CHECK_OK(px_world_advance(world, 0.01 * frame));
        CHECK_OK(px_world_move_coats(world));
    }
    const PxCoat *coat = px_world_coat(world, 0)->coat;
    const float *down = px_table_find(&coat->surfels, "normal")->data[1];
    double sum = 0;
    *count = 0;
    for (uint32_t i = 0; i < coat->surfels.count; ++i) {
        PxVec3 x = px_coat_place(coat, i);
        if (down[i] > -0.8f || fabs(x.x) > 0.15 || fabs(x.z) > 0.15)
            continue;
        sum += fabs(x.y - 0.2) / 0.05;
        ++*count;
    }
    px_world_free(world);
    px_scene_free(scene);
    return *count > 0 ? sum / (double)*count : 0;
}

TEST(a_mould_may_be_a_wall_a_rigid_body_or_soft)
{
    static const char *const slab[][2] = {
        {"\"wall\": true", "\"wall\": true, \"cling\": 1"},
        {"\"material\": \"rubber\", \"rigid\": true",
         "\"material\": \"rubber\", \"rigid\": true, \"cling\": 1"},
        {"\"material\": \"rubber\"", "\"material\": \"rubber\", \"cling\": 1"}};
    for (size_t k = 0; k < PX_COUNT(slab); ++k) {
        size_t free, held;
        double without = distance_from_slab(slab[k][0], &free);
        double with = distance_from_slab(slab[k][1], &held);
        print_message("  slab %zu: %.4f spacings without, %.4f with\n", k, without, with);
        CHECK(free > 50 && held > 50);
        CHECK(with < 0.02);
        CHECK(without > 0.03);
    }
    check_complaint(SCENE("\"surfels\"", "2000, \"cling\": 1"), "bodies[2].cling", "do not melt");
}

TEST_MAIN()
