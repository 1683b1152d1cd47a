/// A run as its caller sees it: stopping, resuming, refusals, messages.
#include "runs.h"

#include "phyxel/render.h"
#include "phyxel/surface.h"
#include "store/checkpoint.h"
#include "store/file.h"

#include <unistd.h>

static const char text[] = TINY("tiny", "1000");

static PxScene *scene_with(const char *path, const char *value)
{
    PxScene *scene = tiny_scene(text);
    CHECK_OK(px_scene_set(scene, path, value));
    CHECK_EQUAL(px_scene_error_count(scene), 0);
    return scene;
}

/* The files of an uninterrupted run with that number of frames. */
static Holding *undisturbed(const char *frames)
{
    Folder folder = folder_make();
    PxScene *scene = scene_with("time.frames", frames);
    PxRunDef def = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    Holding *h = holding_of(def.out);
    CHECK_EQUAL(h->count, atoi(frames) + 1);
    px_scene_free(scene);
    folder_remove(&folder);
    return h;
}

/* ---- stopping and going on ---------------------------------------------- */

static bool stop_after(void *user, const PxRunProgress *progress)
{
    (void)progress;
    int *calls = user;
    return --*calls > 0;
}

/* Stops after every call to `each` in turn, so after every step and every frame. */
static void check_stops(uint32_t checkpoint)
{
    Holding *wanted = undisturbed("2");
    PxScene *scene = tiny_scene(text);
    int at = 1;
    for (PxStatus status = PX_ERR_STOPPED; status == PX_ERR_STOPPED && at < 100; ++at) {
        Folder folder = folder_make();
        PxRunDef def = run_into(folder_file(&folder, "run"));
        def.checkpoint = checkpoint;
        int calls = at;
        PxRunReport report;
        status = px_run(scene, &def, stop_after, &calls, &report);
        CHECK(status == PX_OK || status == PX_ERR_STOPPED);
        CHECK(report.resumable && report.complete == (status == PX_OK));
        def.resume = true;
        CHECK_OK(px_run(scene, &def, NULL, NULL, &report));
        CHECK(report.complete && report.frames == 2 && report.damaged == 0);
        CHECK_HOLDS(def.out, wanted);
        folder_remove(&folder);
    }
    CHECK(at > 6 && at < 100);
    px_scene_free(scene);
    free(wanted);
}

TEST(a_run_stopped_after_any_step_resumes_to_the_same_bits)
{
    check_stops(1);
}

TEST(so_does_one_without_regular_checkpoints)
{
    check_stops(0);
}

static bool always_stop(void *user, const PxRunProgress *progress)
{
    return progress->step == *(const uint64_t *)user;
}

TEST(a_run_stopped_at_every_step_completes)
{
    Holding *wanted = undisturbed("2");
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text);
    PxRunDef def = run_into(folder_file(&folder, "run"));
    uint64_t step = 0;
    PxStatus status = PX_ERR_STOPPED;
    while (status == PX_ERR_STOPPED && step < 100) {
        status = px_run(scene, &def, always_stop, &step, NULL);
        def.resume = true;
        ++step;
    }
    CHECK_OK(status);
    CHECK(step > 6);
    CHECK_HOLDS(def.out, wanted);
    px_scene_free(scene);
    folder_remove(&folder);
    free(wanted);
}

/* A resumed run writes run.json at once, so that the record has the new length even if
 * the run is killed. */
static bool look_at_record(void *user, const PxRunProgress *progress)
{
    PxScene *kept;
    CHECK_OK(px_run_scene(user, &kept));
    CHECK_EQUAL(px_scene_frames(kept), 4);
    CHECK_EQUAL(progress->frames, 4);
    px_scene_free(kept);
    return progress->step < 12 || progress->stored;
}

TEST(a_run_made_longer_equals_a_longer_run)
{
    Holding *shorter = undisturbed("2"), *longer = undisturbed("4");
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text), *more = scene_with("time.frames", "4");
    PxRunDef def = run_into(folder_file(&folder, "run"));
    PxRunReport report;
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    CHECK_HOLDS(def.out, shorter);
    def.resume = true;
    CHECK_FAILS(px_run(more, &def, look_at_record, (void *)def.out, &report), PX_ERR_STOPPED,
                "of 4");
    CHECK_EQUAL(report.first, 2);

    PxScene *kept;
    CHECK_OK(px_run_scene(def.out, &kept));
    CHECK_EQUAL(px_scene_frames(kept), 4);
    CHECK_OK(px_run(kept, &def, NULL, NULL, &report));
    CHECK_HOLDS(def.out, longer);

    /* Wanting fewer throws nothing away. */
    CHECK_OK(px_run(scene, &def, NULL, NULL, &report));
    CHECK(report.complete && report.frames == 4);
    CHECK_HOLDS(def.out, longer);
    px_scene_free(kept);
    px_scene_free(more);
    px_scene_free(scene);
    folder_remove(&folder);
    free(longer);
    free(shorter);
}

/* ---- refused input ------------------------------------------------------ */

TEST(nothing_is_overwritten_unasked)
{
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text), *other = scene_with("materials.water.viscosity", "3");
    PxRunDef def = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    Holding *before = holding_of(def.out);
    PxRunReport report;
    CHECK_FAILS(px_run(scene, &def, NULL, NULL, &report), PX_ERR_EXISTS, "holds a run already");
    CHECK(!report.resumable);
    CHECK_FAILS(px_run(other, &def, NULL, NULL, NULL), PX_ERR_EXISTS, "holds a run already");
    CHECK_HOLDS(def.out, before);

    def.resume = true;
    CHECK_FAILS(px_run(other, &def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "another scene");
    CHECK(strstr(px_error_message(), "materials.water.viscosity is 0.001 there and 3 here"));
    CHECK_HOLDS(def.out, before);

    def.overwrite = true;
    CHECK_FAILS(px_run(other, &def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "not both");
    def.resume = false;
    CHECK_OK(px_run(other, &def, NULL, NULL, NULL));
    px_scene_free(other);
    px_scene_free(scene);
    folder_remove(&folder);
    free(before);
}

/* A folder may hold a file of the user with a name that runs use. */
TEST(a_file_of_somebody_elses_is_not_overwritten_either)
{
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text);
    PxRunDef def = run_into(folder.path);
    FILE *file = fopen(folder_file(&folder, "stats.csv"), "w");
    fputs("mine\n", file);
    fclose(file);
    CHECK_FAILS(px_run(scene, &def, NULL, NULL, NULL), PX_ERR_EXISTS, "holds a run already");
    def.resume = true;
    CHECK_FAILS(px_run(scene, &def, NULL, NULL, NULL), PX_ERR_IO, "run.json");
    char line[16] = "";
    file = fopen(folder_file(&folder, "stats.csv"), "r");
    CHECK(fgets(line, sizeof line, file) != NULL);
    fclose(file);
    CHECK_TEXT(line, "mine\n");
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST(a_run_goes_on_with_another_camera_and_other_looks)
{
    static const struct {
        const char *path, *value;
    } changes[] = {
        {"camera", "{\"from\": [1, 1, 1], \"to\": [0, 0, 0]}"},
        {"picture", "{\"set\": \"day\"}"},
        {"bodies.tank.look", "{\"kind\": \"clear\"}"},
    };
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text);
    PxRunDef def = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    def.resume = true;
    for (size_t k = 0; k < sizeof changes / sizeof *changes; ++k) {
        PxScene *changed = scene_with(changes[k].path, changes[k].value);
        CHECK_OK(px_run(changed, &def, NULL, NULL, NULL));
        px_scene_free(changed);
    }
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST(every_kind_of_change_to_a_scene_is_named)
{
    static const struct {
        const char *path, *value, *words;
    } changes[] = {
        {"name", "other", "name is \"tiny\" there and \"other\" here"},
        {"spacing", "0.09", "spacing is 0.1 there and 0.09 here"},
        {"time.fps", "151", "time.fps is 150 there and 151 here"},
        {"gravity", "[0, -1, 0]", "gravity[1] is -9.81 there and -1 here"},
        {"bodies.tank.friction", "0.7", "bodies[0].friction is 0.5 there and 0.7 here"},
        {"events[0].at", "0.009", "events[0].at is 0.008 there and 0.009 here"},
        {"events", "[]", "events is a list of 2 there and a list of 0 here"},
    };
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text);
    PxRunDef def = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    def.resume = true;
    for (size_t k = 0; k < sizeof changes / sizeof *changes; ++k) {
        PxScene *changed = scene_with(changes[k].path, changes[k].value);
        CHECK_FAILS(px_run(changed, &def, NULL, NULL, NULL), PX_ERR_ARGUMENT, changes[k].words);
        px_scene_free(changed);
    }
    px_scene_free(scene);
    folder_remove(&folder);
}

static bool run_another(void *user, const PxRunProgress *progress)
{
    PxScene *scene = tiny_scene(text);
    PxRunDef def = run_into(user);
    (void)progress;
    CHECK_FAILS(px_run(scene, &def, NULL, NULL, NULL), PX_ERR_EXISTS, "another process");
    def.resume = true;
    CHECK_FAILS(px_run(scene, &def, NULL, NULL, NULL), PX_ERR_EXISTS, "another process");
    def.resume = false;
    def.overwrite = true;
    CHECK_FAILS(px_run(scene, &def, NULL, NULL, NULL), PX_ERR_EXISTS, "another process");
    px_scene_free(scene);
    return true;
}

TEST(two_runs_never_share_a_folder)
{
    Holding *wanted = undisturbed("2");
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text);
    char out[FOLDER_PATH];
    snprintf(out, sizeof out, "%s", folder.path);
    PxRunDef def = run_into(out);
    CHECK_OK(px_run(scene, &def, run_another, out, NULL));
    CHECK_HOLDS(out, wanted);
    px_scene_free(scene);
    folder_remove(&folder);
    free(wanted);
}

/* ---- folders that change under a run ------------------------------------- */

typedef struct Attack {
    const char *dir;
    const char *remove; /* a file or folder in it; NULL: all of it */
    bool again;         /* another run starts in its place */
    bool done;
} Attack;

static bool attack(void *user, const PxRunProgress *progress)
{
    Attack *a = user;
    if (a->done || !progress->stored || progress->frame < 1)
        return true;
    a->done = true;
    char path[4 * FOLDER_PATH];
    snprintf(path, sizeof path, "%s/%s", a->dir, a->remove != NULL ? a->remove : ".");
    if (unlink(path) != 0)
        folder_remove_path(a->remove != NULL ? path : a->dir);
    if (a->again) {
        PxScene *scene = tiny_scene(text);
        PxRunDef def = run_into(a->dir);
        CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
        px_scene_free(scene);
    }
    return true;
}

static void check_attack(Attack a, const char *words, const Holding *left)
{
    Folder folder = folder_make();
    PxScene *scene = scene_with("time.frames", "4");
    a.dir = folder_file(&folder, "run");
    PxRunDef def = run_into(a.dir);
    PxRunReport report;
    CHECK_FAILS(px_run(scene, &def, attack, &a, &report), PX_ERR_IO, words);
    CHECK(a.done && !report.complete);
    CHECK(a.remove != NULL || (!report.resumable && report.frames == 0));
    if (left != NULL)
        CHECK_HOLDS(a.dir, left);
    else if (a.remove == NULL)
        CHECK_EQUAL(folder_count(a.dir), -1);
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST(a_removed_folder_ends_the_run_and_is_not_made_again)
{
    check_attack((Attack){0}, "removed or replaced", NULL);
}

TEST(a_new_run_in_a_removed_folder_is_not_mixed_with_the_old_one)
{
    Holding *wanted = undisturbed("2");
    check_attack((Attack){.again = true}, "removed or replaced", wanted);
    free(wanted);
}

TEST(files_removed_during_a_run_are_noticed)
{
    static const struct {
        const char *name, *words;
    } cases[] = {{"frames", "frames/"},
                 {"frames/000001.h5", "000001.h5' is missing"},
                 {"checkpoints", "checkpoints/"},
                 {"stats.csv", "stats.csv' was removed"},
                 {".lock", "removed or replaced"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        check_attack((Attack){.remove = cases[k].name}, cases[k].words, NULL);
}

/* ---- foreign files -------------------------------------------------------- */

/* Copies a file from the folder of one run to that of another, or swaps two. */
static void copy_file(const char *from, const char *to)
{
    void *bytes;
    size_t size;
    CHECK_OK(px_file_read(from, 1 << 24, &bytes, &size));
    CHECK_OK(px_file_write_atomic(to, bytes, size));
    px_list_free(bytes);
}

/* Info, surface, render, export and resume of a folder with one bad frame. */
static void check_noticed(const char *dir, const char *words)
{
    Holding *h = holding_of(dir);
    CHECK(h->damaged > 0);
    free(h);
    PxSurfaceRunDef surface = px_surface_run_def_default();
    surface.dir = dir;
    CHECK_FAILS(px_surface_run(&surface, NULL, NULL, NULL), PX_ERR_FORMAT, words);
    PxExportDef out = px_export_def_default();
    out.dir = dir;
    out.format = "csv";
    CHECK_FAILS(px_export(&out, NULL, NULL), PX_ERR_FORMAT, words);
    PxRenderDef render = px_render_def_default();
    render.dir = dir;
    render.width = render.height = 16;
    render.samples = 1;
    PxStatus status = px_render(&render, NULL, NULL, NULL);
    CHECK(status == PX_ERR_UNSUPPORTED || status == PX_ERR_FORMAT);
    CHECK(status == PX_ERR_UNSUPPORTED || strstr(px_error_message(), words) != NULL);
    PxScene *more = scene_with("time.frames", "4");
    PxRunDef def = run_into(dir);
    def.resume = true;
    PxRunReport report;
    CHECK_FAILS(px_run(more, &def, NULL, NULL, &report), PX_ERR_FORMAT, words);
    CHECK(strstr(px_error_message(), "overwriting") != NULL && !report.resumable);
    px_scene_free(more);
}

TEST(frames_of_other_runs_missing_and_swapped_frames_are_noticed)
{
    static const struct {
        const char *from, *to, *words;
    } cases[] = {
        {"other/frames/000001.h5", "run/frames/000001.h5", "another run"},
        {"same/frames/000001.h5", "run/frames/000001.h5", "another run"}, /* equal particles */
        {"run/frames/000000.h5", "run/frames/000001.h5", "says to be frame 0"},
        {NULL, "run/frames/000000.h5", "missing"},
        {NULL, "run/frames/000001.h5", ""},
        {NULL, "run/frames/000002.h5", "missing"},
    };
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text), *other = tiny_scene(TINY("tiny", "900"));
    PxRunDef def = run_into(folder_file(&folder, "other"));
    CHECK_OK(px_run(other, &def, NULL, NULL, NULL));
    def = run_into(folder_file(&folder, "same"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char to[2 * FOLDER_PATH], run[2 * FOLDER_PATH];
        snprintf(to, sizeof to, "%s/%s", folder.path, cases[k].to);
        snprintf(run, sizeof run, "%s/run", folder.path);
        def = run_into(run);
        CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
        if (cases[k].from != NULL)
            copy_file(folder_file(&folder, cases[k].from), to);
        else
            CHECK(unlink(to) == 0);
        check_noticed(run, cases[k].words);
        folder_remove_path(run);
    }
    px_scene_free(scene);
    px_scene_free(other);
    folder_remove(&folder);
}

TEST(a_checkpoint_of_another_run_is_refused)
{
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text), *more = scene_with("time.frames", "4");
    PxRunDef def = run_into(folder_file(&folder, "same"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    def = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    copy_file(folder_file(&folder, "same/checkpoints/000002.h5"),
              folder_file(&folder, "run/checkpoints/000002.h5"));
    def.resume = true;
    CHECK_FAILS(px_run(more, &def, NULL, NULL, NULL), PX_ERR_FORMAT, "of another run");
    px_scene_free(more);
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST(forged_numbers_of_a_checkpoint_are_refused)
{
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text), *more = scene_with("time.frames", "4");
    PxRunDef def = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    PxThreads threads = {.count = 1};
    PxScalar scalar[] = {{.name = "frame", .kind = PX_SCALAR_U64},
                         {.name = "wall", .kind = PX_SCALAR_F64},
                         {.name = "scene_hash", .kind = PX_SCALAR_TEXT},
                         {.name = "run", .kind = PX_SCALAR_TEXT},
                         {.name = "gauge_rows", .kind = PX_SCALAR_U64}};
    def.resume = true;
    for (int k = -3; k < (int)px_saved_number_count; ++k) {
        PxSavedWorld *saved;
        CHECK_OK(px_saved_create(&saved));
        CHECK_OK(px_checkpoint_read(def.out, 2, saved, scalar, 5, &threads));
        PxScalar good[5];
        memcpy(good, scalar, sizeof good);
        PxSavedValue before = saved->value[k < 0 ? 0 : k];
        bool whole = k >= 0 && px_saved_numbers[k].type != PX_F64;
        if (k == -3)
            scalar[0].u64 += (uint64_t)1 << 32;
        else if (k < 0)
            scalar[1].f64 = k == -2 ? INFINITY : NAN;
        else if (!whole)
            saved->value[k].real = k % 2 == 0 ? INFINITY : NAN;
        else
            saved->value[k].whole = UINT64_MAX;
        CHECK_OK(px_checkpoint_write(def.out, 2, saved, scalar, 5, (PxFileCheck){0}, &threads));
        bool flag = whole && (strcmp(px_saved_numbers[k].name, "bound_due") == 0 ||
                              strcmp(px_saved_numbers[k].name, "elastic_count") == 0);
        if (!flag)
            CHECK_FAILS(px_run(more, &def, NULL, NULL, NULL), PX_ERR_FORMAT, "checkpoint");
        if (k >= 0)
            saved->value[k] = before;
        CHECK_OK(px_checkpoint_write(def.out, 2, saved, good, 5, (PxFileCheck){0}, &threads));
        px_saved_free(saved);
    }
    CHECK_OK(px_run(more, &def, NULL, NULL, NULL));
    px_scene_free(more);
    px_scene_free(scene);
    folder_remove(&folder);
}

TEST(a_missing_stats_csv_is_noticed)
{
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text), *more = scene_with("time.frames", "4");
    PxRunDef def = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    CHECK(unlink(folder_file(&folder, "run/stats.csv")) == 0);
    def.resume = true;
    PxRunReport report;
    CHECK_FAILS(px_run(more, &def, NULL, NULL, &report), PX_ERR_FORMAT, "stats.csv' is missing");
    CHECK(!report.resumable);
    px_scene_free(more);
    px_scene_free(scene);
    folder_remove(&folder);
}

/* ---- meshes ------------------------------------------------------------- */

static void write_tetrahedron(const char *path, double size)
{
    FILE *file = fopen(path, "w");
    fprintf(file, "v 0 0 0\nv %g 0 0\nv 0 %g 0\nv 0 0 %g\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
            size, size, size);
    fclose(file);
}

static PxScene *mesh_scene(const char *folder)
{
    static const char with_mesh[] =
        "{\"phyxel\": 1, \"time\": {\"frames\": 2, \"fps\": 300}, \"spacing\": 0.1,\n"
        " \"materials\": {\"water\": {\"density\": 1000}},\n"
        " \"bodies\": [{\"name\": \"blob\", \"shape\": {\"mesh\": \"blob.obj\"},\n"
        "  \"material\": \"water\"}]}\n";
    PxScene *scene = NULL;
    CHECK_OK(px_scene_read_text("mesh.json", folder, with_mesh, strlen(with_mesh), &scene));
    return scene;
}

TEST(a_scene_with_a_mesh_is_taken_up_from_its_folder_alone)
{
    Folder folder = folder_make();
    char out[2 * FOLDER_PATH], mesh[2 * FOLDER_PATH], here[4096];
    snprintf(out, sizeof out, "%s/run", folder.path);
    snprintf(mesh, sizeof mesh, "%s/blob.obj", folder.path);
    write_tetrahedron(mesh, 1);
    PxScene *scene = mesh_scene(folder.path);
    PxRunDef def = run_into(out);
    int calls = 2;
    CHECK(px_run(scene, &def, stop_after, &calls, NULL) == PX_ERR_STOPPED);
    px_scene_free(scene);

    PxScene *kept;
    PxRunReport report;
    CHECK(getcwd(here, sizeof here) != NULL && chdir("/") == 0);
    CHECK_OK(px_run_scene(out, &kept));
    def.resume = true;
    CHECK_OK(px_run(kept, &def, NULL, NULL, &report));
    CHECK(chdir(here) == 0);
    CHECK(report.complete);
    px_scene_free(kept);

    /* The same words, another mesh behind them. */
    write_tetrahedron(mesh, 1.2);
    PxScene *changed = mesh_scene(folder.path);
    CHECK_FAILS(px_run(changed, &def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "meshes");
    px_scene_free(changed);
    folder_remove(&folder);
}

TEST(a_scene_that_cannot_be_built_overwrites_nothing)
{
    Folder folder = folder_make();
    char out[2 * FOLDER_PATH], mesh[2 * FOLDER_PATH];
    snprintf(out, sizeof out, "%s/run", folder.path);
    snprintf(mesh, sizeof mesh, "%s/blob.obj", folder.path);
    write_tetrahedron(mesh, 1);
    PxScene *scene = tiny_scene(text), *gone = mesh_scene(folder.path);
    PxRunDef def = run_into(out);
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    Holding *before = holding_of(out);
    CHECK(unlink(mesh) == 0);
    def.overwrite = true;
    PxRunReport report;
    CHECK(px_run(gone, &def, NULL, NULL, &report) != PX_OK);
    CHECK(strstr(px_error_message(), "blob.obj") != NULL);
    CHECK(!report.resumable);
    CHECK_HOLDS(out, before);
    px_scene_free(gone);
    px_scene_free(scene);
    folder_remove(&folder);
    free(before);
}

/* ---- damaged checkpoints ------------------------------------------------ */

typedef enum Damage { TRUNCATED, EMPTY, FLIPPED, ZEROED, OTHER_FILE } Damage;

static void damage(const char *dir, uint32_t number, Damage how)
{
    char path[4 * FOLDER_PATH];
    snprintf(path, sizeof path, "%s/checkpoints/%06u.h5", dir, number);
    FILE *file = fopen(path, "r+");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    CHECK(size > 1000);
    switch (how) {
    case TRUNCATED:
        CHECK(ftruncate(fileno(file), size / 2) == 0);
        break;
    case EMPTY:
        CHECK(ftruncate(fileno(file), 0) == 0);
        break;
    case FLIPPED:
        CHECK(fseek(file, size / 2, SEEK_SET) == 0);
        int byte = fgetc(file);
        CHECK(fseek(file, size / 2, SEEK_SET) == 0);
        fputc(byte ^ 1, file);
        break;
    case ZEROED: /* as file systems leave it after a power cut: the length, but no data */
        CHECK(fseek(file, 0, SEEK_SET) == 0);
        for (long k = 0; k < size; ++k)
            fputc(0, file);
        break;
    case OTHER_FILE:
        CHECK(ftruncate(fileno(file), 0) == 0 && fseek(file, 0, SEEK_SET) == 0);
        for (int k = 0; k < 1000; ++k)
            fputs("not a checkpoint\n", file);
        break;
    }
    fclose(file);
}

TEST(a_damaged_checkpoint_is_skipped_for_the_previous_one)
{
    Holding *wanted = undisturbed("4");
    PxScene *scene = tiny_scene(text), *more = scene_with("time.frames", "4");
    for (Damage how = TRUNCATED; how <= OTHER_FILE; ++how) {
        Folder folder = folder_make();
        PxRunDef def = run_into(folder_file(&folder, "run"));
        PxRunReport report;
        CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
        damage(def.out, 2, how);
        def.resume = true;
        CHECK_OK(px_run(more, &def, NULL, NULL, &report));
        CHECK_EQUAL(report.first, 1);
        CHECK_EQUAL(report.damaged, 1);
        CHECK_HOLDS(def.out, wanted);
        folder_remove(&folder);
    }
    px_scene_free(more);
    px_scene_free(scene);
    free(wanted);
}

TEST(when_all_checkpoints_are_damaged_nothing_is_touched)
{
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text);
    PxRunDef def = run_into(folder_file(&folder, "run"));
    PxRunReport report;
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    Holding *before = holding_of(def.out);
    damage(def.out, 1, FLIPPED);
    damage(def.out, 2, TRUNCATED);
    def.resume = true;
    CHECK_FAILS(px_run(scene, &def, NULL, NULL, &report), PX_ERR_FORMAT, "000001.h5");
    CHECK(strstr(px_error_message(), "overwriting") != NULL && !report.resumable);
    CHECK_HOLDS(def.out, before);
    def.resume = false;
    def.overwrite = true;
    CHECK_OK(px_run(scene, &def, NULL, NULL, &report));
    CHECK_HOLDS(def.out, before);
    px_scene_free(scene);
    folder_remove(&folder);
    free(before);
}

/* ---- numbers that stop being numbers ------------------------------------ */

static PxWorld *tiny_world(PxScene **scene)
{
    PxWorld *world;
    *scene = tiny_scene(text);
    CHECK_OK(px_scene_world(*scene, 1, &world));
    CHECK_OK(px_world_step(world, 1));
    return world;
}

static void check_poked(const char *column, int component, float value)
{
    PxScene *scene;
    PxWorld *world = tiny_world(&scene);
    double time = px_world_time(world);
    ((float *)px_world_floats(world, column, component))[7] = value;
    PxStatus status = px_world_step(world, 1);
    CHECK_EQUAL(status, PX_ERR_NUMERIC);
    const char *said = px_error_message();
    /* The lowest id among the particles to which the NaN has spread by then. */
    const char *id = strstr(said, "particle ");
    CHECK(id != NULL);
    unsigned long long number = strtoull(id + 9, NULL, 10);
    bool known = false;
    for (uint32_t i = 0; i < px_world_count(world); ++i)
        known |= px_world_ids(world)[i] == number;
    CHECK(known);
    CHECK(strstr(said, "body 'block'") != NULL);
    CHECK(strstr(said, " stage of step 2") != NULL);
    CHECK(px_world_time(world) == time);
    px_world_free(world);
    px_scene_free(scene);
}

TEST(a_velocity_that_is_no_number_stops_the_step)
{
    check_poked("velocity", 0, NAN);
    check_poked("velocity", 1, NAN);
}

TEST(a_velocity_beyond_reason_stops_the_step_for_its_length)
{
    const float speeds[] = {INFINITY, 3e38f, 1e9f};
    for (int k = 0; k < 3; ++k) {
        PxScene *scene;
        PxWorld *world = tiny_world(&scene);
        ((float *)px_world_floats(world, "velocity", 2))[7] = speeds[k];
        CHECK_FAILS(px_world_step(world, 1), PX_ERR_NUMERIC,
                    "because of the speed of its particles");
        CHECK(strstr(px_error_message(), "step 2 at t = ") != NULL);
        px_world_free(world);
        px_scene_free(scene);
    }
}

TEST(a_position_that_is_no_number_stops_the_step)
{
    check_poked("position", 0, NAN);
    check_poked("position", 1, -INFINITY);
}

TEST(a_single_free_particle_names_itself)
{
    /* Without viscosity and beyond the support of the others the NaN does not spread. */
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.1;
    def.threads = 1;
    PxWorld *world;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef material = px_material_def_default();
    material.name = "dust";
    material.viscosity = 0;
    PxMaterialId dust;
    CHECK_OK(px_world_add_material(world, &material, &dust));
    for (int k = 0; k < 5; ++k) {
        char name[32];
        snprintf(name, sizeof name, "grain %d", k);
        PxBodyDef body = px_body_def_default();
        body.name = name;
        body.material = dust;
        body.shape.size = (PxVec3){0.1, 0.1, 0.1};
        body.shape.at = (PxVec3){k, 0, 0};
        CHECK_OK(px_world_add_body(world, &body, NULL));
    }
    CHECK_EQUAL(px_world_count(world), 5);
    CHECK_OK(px_world_step(world, 1));
    const float *x = px_world_floats(world, "position", 0);
    for (uint32_t i = 0; i < 5; ++i)
        if (x[i] > 2.5f && x[i] < 3.5f)
            ((float *)px_world_floats(world, "velocity", 1))[i] = NAN;
    CHECK_FAILS(px_world_step(world, 1), PX_ERR_NUMERIC, "body 'grain 3'");
    px_world_free(world);
}

typedef struct Told {
    size_t count, known;
    double step, mass;
} Told;

static void note_value(void *user, const char *name, const char *unit, const char *meaning,
                       double value)
{
    Told *told = user;
    const PxStatsColumn *column = px_stats_column(told->count);
    if (column != NULL) {
        CHECK_TEXT(name, column->name);
        CHECK_TEXT(unit, column->unit);
        CHECK_TEXT(meaning, column->meaning);
        ++told->known;
    }
    ++told->count;
    told->step = strcmp(name, "step") == 0 ? value : told->step;
    told->mass = strcmp(name, "mass") == 0 ? value : told->mass;
}

TEST(stats_csv_has_the_columns_that_are_described)
{
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text);
    PxRunDef def = run_into(folder_file(&folder, "run"));
    PxRunReport report;
    CHECK_OK(px_run(scene, &def, NULL, NULL, &report));
    Told told = {.count = 0};
    CHECK_OK(px_info_stats(def.out, note_value, &told));
    CHECK(px_stats_column(told.known) == NULL && told.count > told.known);
    CHECK_EQUAL(told.step, report.stats.step);
    CHECK(told.mass == report.stats.mass && told.mass > 0);
    CHECK_FAILS(px_info_stats(folder.path, note_value, &told), PX_ERR_IO, "stats.csv");
    px_scene_free(scene);
    folder_remove(&folder);
}

typedef struct WallNames {
    char name[40][64];
    size_t count, described;
} WallNames;

static void note_wall(void *user, const char *name, const char *unit, const char *meaning,
                      double value)
{
    (void)value;
    WallNames *walls = user;
    if (strstr(name, "_force_") == NULL && strstr(name, "_torque_") == NULL)
        return;
    for (size_t k = 0; k < walls->count; ++k)
        if (strcmp(walls->name[k], name) == 0)
            fail_msg("there are two columns '%s'", name);
    CHECK_TEXT(unit, strstr(name, "_force_") != NULL ? "N" : "N m");
    walls->described += meaning[0] != '\0';
    snprintf(walls->name[walls->count++], sizeof walls->name[0], "%s", name);
}

/* Column names have fewer characters than names of walls. */
TEST(walls_with_similar_names_have_columns_of_their_own)
{
    Folder folder = folder_make();
    PxScene *scene =
        tiny_scene("{\"phyxel\": 1, \"spacing\": 0.1, \"time\": {\"frames\": 1},\n"
                   " \"materials\": {\"water\": {\"density\": 1000}},\n"
                   " \"bodies\": [\n"
                   "  {\"name\": \"drop\", \"material\": \"water\",\n"
                   "   \"shape\": {\"box\": [0.3, 0.3, 0.3], \"at\": [0, 0.3, 0]}},\n"
                   "  {\"name\": \"a b\", \"wall\": true, \"shape\": {\"plane\": {}}},\n"
                   "  {\"name\": \"a_b\", \"wall\": true,\n"
                   "   \"shape\": {\"box\": [1, 1, 1], \"at\": [3, 0, 0]}},\n"
                   "  {\"name\": \"a-b\", \"wall\": true,\n"
                   "   \"shape\": {\"box\": [1, 1, 1], \"at\": [5, 0, 0]}}]}\n");
    PxRunDef def = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    WallNames walls = {.count = 0};
    CHECK_OK(px_info_stats(def.out, note_wall, &walls));
    CHECK_EQUAL(walls.count, 18);
    CHECK_EQUAL(walls.described, 18);
    CHECK_TEXT(walls.name[0], "a_b_force_x");
    CHECK_TEXT(walls.name[6], "a_b_2_force_x");
    CHECK_TEXT(walls.name[17], "a_b_3_torque_z");
    px_scene_free(scene);
    folder_remove(&folder);
}

/* Scenes cannot make a NaN, so it is put into the checkpoint. */
TEST(a_run_that_cannot_go_on_names_the_last_good_frame)
{
    Holding *wanted = undisturbed("4");
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(text), *more = scene_with("time.frames", "4");
    PxRunDef def = run_into(folder_file(&folder, "run"));
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    Holding *before = holding_of(def.out);

    PxThreads threads = {.count = 1};
    PxSavedWorld *saved;
    CHECK_OK(px_saved_create(&saved));
    PxScalar scalar[] = {{.name = "frame", .kind = PX_SCALAR_U64},
                         {.name = "wall", .kind = PX_SCALAR_F64},
                         {.name = "scene_hash", .kind = PX_SCALAR_TEXT},
                         {.name = "run", .kind = PX_SCALAR_TEXT},
                         {.name = "gauge_rows", .kind = PX_SCALAR_U64}};
    CHECK_OK(px_checkpoint_read(def.out, 2, saved, scalar, 5, &threads));
    float *speed = px_table_find(px_saved_find(saved, "particles"), "velocity")->data[1],
          good = speed[5];
    PxRunReport report;
    def.resume = true;
    speed[5] = NAN;
    CHECK_OK(px_checkpoint_write(def.out, 2, saved, scalar, 5, (PxFileCheck){0}, &threads));
    CHECK_FAILS(px_run(more, &def, NULL, NULL, &report), PX_ERR_FORMAT,
                "the velocity of stored particle 5 is not finite");
    speed[5] = 1e8f;
    CHECK_OK(px_checkpoint_write(def.out, 2, saved, scalar, 5, (PxFileCheck){0}, &threads));
    CHECK_FAILS(px_run(more, &def, NULL, NULL, &report), PX_ERR_NUMERIC, "the fastest particle");
    CHECK(strstr(px_error_message(), "the last good frame is 2") != NULL);
    CHECK(report.frames == 2 && report.resumable && !report.complete);
    CHECK_HOLDS(def.out, before);
    char record[1 << 14] = "";
    FILE *file = fopen(folder_file(&folder, "run/run.json"), "r");
    CHECK(file != NULL && fread(record, 1, sizeof record - 1, file) > 0);
    fclose(file);
    CHECK(strstr(record, "\"status\": \"failed\"") != NULL);
    CHECK(strstr(record, "the last good frame is 2") != NULL);

    speed[5] = good;
    CHECK_OK(px_checkpoint_write(def.out, 2, saved, scalar, 5, (PxFileCheck){0}, &threads));
    CHECK_OK(px_run(more, &def, NULL, NULL, &report));
    CHECK_HOLDS(def.out, wanted);
    px_saved_free(saved);
    px_scene_free(more);
    px_scene_free(scene);
    folder_remove(&folder);
    free(before);
    free(wanted);
}

TEST_MAIN()
