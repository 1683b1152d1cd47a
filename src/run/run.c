/// The main loop of a run: steps, frames, statistics, checkpoints and resuming.
///
/// At the end of a frame stats.csv is synced, then the frame is written, then the
/// checkpoint. Wherever the process is killed, all frames and rows before the newest
/// checkpoint are on disk. Resuming recomputes the rest with the same bits, because a
/// step depends only on the state.
#include "base/def.h"
#include "base/profile.h"
#include "phyxel/run.h"
#include "phyxel/version.h"
#include "run/coat_files.h"
#include "run/folder_lock.h"
#include "run/gauges_file.h"
#include "run/outlook.h"
#include "run/record.h"
#include "run/skin_files.h"
#include "run/stats_file.h"
#include "run/surface_files.h"
#include "scene/content.h"
#include "store/checkpoint.h"
#include "store/frame.h"
#include "store/run_files.h"
#include "store/xdmf.h"
#include "world/cloth_stage.h"
#include "world/rigid_stage.h"
#include "world/actors/gauge.h"
#include "world/attached/coats.h"
#include "world/columns.h"
#include "world/state.h"
#include "world/stats_columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Longest time between checkpoints, s, since a frame may take hours. */
#define CHECKPOINT_SECONDS 300.0

typedef struct Run {
    const PxScene *scene;
    const PxRunDef *def;
    const char *dir;
    PxThreads threads;
    PxWorld *world;
    PxStatsFile stats;
    PxStats last; /* the last row of stats.csv */
    PxGaugesFile gauges;
    uint64_t gauge_rows; /* of the checkpoint that is resumed */
    PxProfile profile;   /* time outside the steps: statistics, frames, checkpoints */
    PxXdmf xdmf;
    uint32_t frame;      /* number of the last stored frame */
    uint32_t frames;     /* number of frames to compute */
    double began;        /* px_clock() of this call */
    double checkpointed; /* px_clock() of the last checkpoint */
    double wall_before;  /* wall-clock time of earlier calls, s */
    uint64_t step_first;
    uint32_t damaged; /* damaged checkpoints that were skipped */
    PxOutlook outlook;
    double frame_bytes, table_bytes, checkpoint_bytes; /* in the folder, after the last frame */
    PxRunId id;
    PxFolderLock lock;
} Run;

static PxRunDef run_def_defaults(void)
{
    return (PxRunDef){.checkpoint = 1};
}

PX_DEF(PxRunDef, run_def, "run")

/* Wall-clock time of all calls that computed this run, s. */
static double wall_so_far(const Run *run)
{
    return run->wall_before + px_clock() - run->began;
}

/* ---- storing ------------------------------------------------------------ */

static PxStatus check_lock(const void *user)
{
    return px_folder_lock_check(user);
}

/* The condition of all writing: the folder is still that of this run. */
static PxFileCheck ours(const Run *run)
{
    return (PxFileCheck){check_lock, &run->lock};
}

static PxFrameMeta meta_of(const Run *run)
{
    PxFrameMeta meta = {.number = run->frame,
                        .check = ours(run),
                        .step = px_world_state(run->world).step,
                        .time = px_world_time(run->world),
                        .spacing = px_scene_spacing(run->scene),
                        .up = px_scene_up(run->scene)};
    snprintf(meta.name, sizeof meta.name, "%s", px_scene_name(run->scene));
    memcpy(meta.run, run->id.run, sizeof meta.run);
    memcpy(meta.scene, run->id.scene, sizeof meta.scene);
    return meta;
}

static PxStatus store_particles(Run *run)
{
    PxFrameMeta meta = meta_of(run);
    PX_TRY(px_world_take_means(run->world));
    PX_TRY(px_world_refresh_columns(run->world));
    const PxTable *particles = px_world_particles(run->world);
    PxTable rigid, joints, cloth, faces;
    px_table_init(&rigid, NULL);
    px_table_init(&joints, NULL);
    px_table_init(&cloth, NULL);
    px_table_init(&faces, NULL);
    PxStatus status = px_rigid_frame(run->world, &rigid);
    if (status == PX_OK)
        status = px_joints_frame(run->world, &joints);
    if (status == PX_OK)
        status = px_cloth_frame(run->world, &cloth, &faces);
    meta.rigid = &rigid;
    meta.joints = &joints;
    meta.cloth = &cloth;
    meta.cloth_faces = &faces;
    if (status == PX_OK)
        status = px_frame_write(run->dir, &meta, particles, &run->threads);
    if (status == PX_OK)
        status = px_xdmf_add(&run->xdmf, &meta, particles);
    px_table_free(&rigid);
    px_table_free(&joints);
    px_table_free(&cloth);
    px_table_free(&faces);
    PX_TRY(status);
    return px_xdmf_update(&run->xdmf, run->dir);
}

static PxStatus store_skins(Run *run)
{
    PxFrameMeta meta = meta_of(run);
    return px_skin_files_write(run->dir, &meta, run->world);
}

static PxStatus store_coats(Run *run)
{
    PxFrameMeta meta = meta_of(run);
    return px_coat_files_write(run->dir, &meta, run->world);
}

/* Coats move before anything is written, since only that may be stopped. */
static PxStatus store_frame(Run *run)
{
    PxStatus status = PX_OK;
    if (px_world_coat_count(run->world) > 0)
        PX_STAGE(&run->profile, "coats")
    status = px_world_move_coats(run->world);
    if (status == PX_OK)
        PX_STAGE(&run->profile, "frames")
    status = store_particles(run);
    if (status == PX_OK && px_world_coat_count(run->world) > 0)
        PX_STAGE(&run->profile, "coats")
    status = store_coats(run);
    if (status == PX_OK && px_world_skin_count(run->world) + px_cloth_count(run->world) > 0)
        PX_STAGE(&run->profile, "skins")
    status = store_skins(run);
    return status;
}

/* Scalars of a checkpoint in addition to the saved world. */
enum { FRAME, WALL, SCENE_HASH, RUN_ID, GAUGE_ROWS, SCALARS };

static void scalars_of(const Run *run, double wall, PxScalar scalar[SCALARS])
{
    scalar[FRAME] = px_scalar_u64("frame", run->frame);
    scalar[WALL] = px_scalar_f64("wall", wall);
    scalar[SCENE_HASH] = px_scalar_text("scene_hash", px_scene_hash(run->scene));
    scalar[RUN_ID] = px_scalar_text("run", run->id.run);
    scalar[GAUGE_ROWS] = px_scalar_u64("gauge_rows", px_gauges_file_rows(&run->gauges));
}

static PxStatus store_checkpoint(Run *run)
{
    PxScalar scalar[SCALARS];
    scalars_of(run, wall_so_far(run), scalar);
    PxSavedWorld *saved;
    PX_TRY(px_saved_view(run->world, &saved));
    PxStatus status = PX_OK;
    PX_STAGE(&run->profile, "checkpoints")
    {
        status = px_csv_sync(run->stats.csv);
        if (status == PX_OK)
            status = px_gauges_file_sync(&run->gauges);
        if (status == PX_OK)
            status = px_checkpoint_write(run->dir, run->frame, saved, scalar, SCALARS, ours(run),
                                         &run->threads);
    }
    px_saved_free(saved);
    run->checkpointed = px_clock();
    return status;
}

/* The statistics now, or if something is not finite those of the last row of stats.csv. */
static PxStats stats_of(const Run *run)
{
    PxStats stats;
    px_world_stats(run->world, &stats);
    for (size_t k = 0; px_stats_column(k) != NULL; ++k)
        if (!isfinite(px_stats_value(&stats, px_stats_column(k))))
            return run->last;
    return stats;
}

static PxStatus store_record(Run *run, PxRunStatus status, const char *message)
{
    PxRecord record = {.scene = run->scene,
                       .id = &run->id,
                       .check = ours(run),
                       .status = status,
                       .message = message,
                       .frames = run->frame,
                       .threads = run->threads.count,
                       .wall = wall_so_far(run),
                       .world = run->world,
                       .from = run->def->from,
                       .from_frame = run->def->from_frame,
                       .profile = &run->profile};
    record.stats = stats_of(run);
    return px_record_write(run->dir, &record);
}

/* ---- beginning ---------------------------------------------------------- */

static const char *const run_folders[] = {"checkpoints", "frames"};

/* Refuses links in the places of the run's folders and files. */
static PxStatus refuse_links(const char *dir)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, dir, "checkpoints"));
    PX_TRY(px_refuse_link(path));
    for (PxRunFile kind = PX_FILE_FRAME; kind < PX_RUN_FILES; ++kind) {
        PX_TRY(px_path_join(path, dir, "%s", px_run_file_folder(kind)));
        PX_TRY(px_refuse_link(path));
    }
    return PX_OK;
}

/* Whether the folder has files that a run would overwrite. Empty subfolders do not
 * count: a run killed before it wrote run.json may leave them. */
static PxStatus holds_a_run(const char *dir, bool *out)
{
    static const char *const files[] = {"run.json", "stats.csv", "gauges.csv", "frames.xdmf"};
    char path[PX_PATH_MAX];
    *out = false;
    for (size_t k = 0; k < PX_COUNT(files); ++k) {
        PX_TRY(px_path_join(path, dir, "%s", files[k]));
        *out |= px_file_exists(path);
    }
    for (size_t k = 0; k < PX_COUNT(run_folders); ++k) {
        PxNumbers numbers;
        PX_TRY(px_path_join(path, dir, "%s", run_folders[k]));
        PX_TRY(px_folder_numbers(path, ".h5", &numbers));
        *out |= numbers.count > 0;
        PX_LIST_FREE(&numbers);
    }
    return PX_OK;
}

/* Removes the files of an earlier run, and no others. Checkpoints are removed and synced
 * first, and run.json stays until the new one replaces it. So if the process is killed,
 * the folder belongs either to the old run, which restarts at 0, or to the new one. */
static PxStatus throw_away(const char *dir)
{
    static const char *const files[] = {"stats.csv", "gauges.csv", "frames.xdmf"};
    char path[PX_PATH_MAX], folder[PX_PATH_MAX];
    for (size_t k = 0; k < PX_COUNT(run_folders); ++k) {
        PX_TRY(px_path_join(folder, dir, "%s", run_folders[k]));
        if (!px_file_exists(folder))
            continue;
        PxNumbers numbers;
        PX_TRY(px_folder_numbers(folder, ".h5", &numbers));
        PxStatus status = PX_OK;
        for (size_t i = numbers.count; i > 0 && status == PX_OK; --i) {
            status = px_path_join(path, folder, "%06u.h5", numbers.data[i - 1]);
            if (status == PX_OK)
                status = px_file_remove(path);
        }
        PX_LIST_FREE(&numbers);
        PX_TRY(status);
        PX_TRY(px_folder_sync(folder));
    }
    for (size_t k = 0; k < PX_COUNT(files); ++k) {
        PX_TRY(px_path_join(path, dir, "%s", files[k]));
        PX_TRY(px_file_remove(path));
    }
    PX_TRY(px_surface_files_remove(dir));
    for (PxRunFile kind = PX_FILE_SKIN; kind < PX_FILE_STORED; ++kind)
        PX_TRY(px_run_file_remove(dir, kind, 0));
    return PX_OK;
}

/* Counts the checkpoints after number `last`. */
static PxStatus count_after(const char *dir, uint32_t last, uint32_t *out)
{
    char folder[PX_PATH_MAX];
    PxNumbers numbers;
    *out = 0;
    PX_TRY(px_path_join(folder, dir, "checkpoints"));
    PX_TRY(px_folder_numbers(folder, ".h5", &numbers));
    for (size_t k = 0; k < numbers.count; ++k)
        *out += numbers.data[k] > last;
    PX_LIST_FREE(&numbers);
    return PX_OK;
}

/* Restores the world from checkpoint `number` of `dir`, which holds the run `id`. */
static PxStatus load(Run *run, const char *dir, uint32_t number, const PxRunId *id)
{
    PxScalar scalar[SCALARS];
    scalars_of(run, 0, scalar); /* sets names and kinds */
    PxSavedWorld *saved;
    PX_TRY(px_saved_create(&saved));
    PxStatus status = px_checkpoint_read(dir, number, saved, scalar, SCALARS, &run->threads);
    const char *other = strcmp(scalar[SCENE_HASH].text, id->scene) != 0 ? "scene" : "run";
    if (status == PX_OK && (strcmp(scalar[SCENE_HASH].text, id->scene) != 0 ||
                            strcmp(scalar[RUN_ID].text, id->run) != 0))
        status = px_fail(PX_ERR_FORMAT, "%s: checkpoint %u is of another %s than run.json", dir,
                         number, other);
    if (status == PX_OK &&
        (scalar[FRAME].u64 != number || !isfinite(scalar[WALL].f64) || scalar[WALL].f64 < 0))
        status = px_fail(PX_ERR_FORMAT,
                         "%s: checkpoint %u says to be of frame %llu after %g s of computing", dir,
                         number, (unsigned long long)scalar[FRAME].u64, scalar[WALL].f64);
    if (status == PX_OK) {
        run->frame = (uint32_t)scalar[FRAME].u64;
        run->wall_before = scalar[WALL].f64;
        run->gauge_rows = scalar[GAUGE_ROWS].u64;
        status = px_world_resume(run->world, saved);
    }
    px_saved_free(saved);
    return status;
}

/* Checks that all files of a kind up to frame `last` are there. */
static PxStatus check_numbers(const char *dir, PxRunFile kind, uint32_t last)
{
    PxNumbers numbers;
    PX_TRY(px_run_file_numbers(dir, kind, &numbers));
    size_t there = 0;
    while (there < numbers.count && there <= last && numbers.data[there] == there)
        ++there;
    PX_LIST_FREE(&numbers);
    if (there > last)
        return PX_OK;
    char path[PX_PATH_MAX];
    PX_TRY(px_run_file_path(path, dir, kind, (uint32_t)there));
    return px_fail(PX_ERR_FORMAT, "'%s' is missing", path);
}

/* Checks that all files that the run stores with a frame are there up to frame `last`. */
static PxStatus check_stored(const Run *run, uint32_t last)
{
    for (PxRunFile kind = PX_FILE_FRAME; kind < PX_FILE_STORED; ++kind) {
        bool stored = kind == PX_FILE_FRAME ||
                      (kind == PX_FILE_COAT && px_world_coat_count(run->world) > 0) ||
                      (kind == PX_FILE_SKIN && px_skin_files_needed(run->world, false)) ||
                      (kind == PX_FILE_SKIN_SURFELS && px_skin_files_needed(run->world, true));
        if (stored)
            PX_TRY(check_numbers(run->dir, kind, last));
    }
    return PX_OK;
}

/* Lists the frames up to the checkpoint in frames.xdmf; all must be there and of this run. */
static PxStatus check_frames(Run *run)
{
    uint32_t damaged = 0;
    PxStatus status = check_stored(run, run->frame);
    if (status == PX_OK)
        status = px_xdmf_rebuild(&run->xdmf, run->dir, run->frame, &damaged);
    if (status == PX_OK && damaged > 0)
        status = PX_ERR_FORMAT;
    if (status == PX_ERR_FORMAT)
        return px_fail(status, "%s; put it back as it was, or begin the run anew by overwriting it",
                       px_error_message());
    return status;
}

/* Resumes the run of the folder from its newest undamaged checkpoint, or from the beginning. */
static PxStatus take_up(Run *run, bool *found)
{
    uint32_t number;
    PxStatus status = px_checkpoint_latest(run->dir, UINT32_MAX, &number, found);
    if (status == PX_ERR_FORMAT)
        return px_fail(status, "%s; the run can only be begun anew, by overwriting it",
                       px_error_message());
    if (status != PX_OK || !*found)
        return status;
    PX_TRY(count_after(run->dir, number, &run->damaged));
    PX_TRY(load(run, run->dir, number, &run->id));
    return check_frames(run);
}

/* Copies a table of the parent; resuming removes the rows after the checkpoint. */
static PxStatus copy_table(const Run *run, const char *name)
{
    char from[PX_PATH_MAX], to[PX_PATH_MAX];
    void *bytes;
    size_t size;
    PX_TRY(px_path_join(from, run->def->from, "%s", name));
    PX_TRY(px_path_join(to, run->dir, "%s", name));
    PX_TRY(px_file_read(from, (size_t)1 << 36, &bytes, &size));
    PxStatus status = px_file_write_atomic(to, bytes, size);
    px_list_free(bytes);
    return status;
}

/* Starts from the newest checkpoint of another run before the frame of the branch. A checkpoint
 * with the number of that frame is not used: it may have been written after it, between frames. */
static PxStatus branch_off(Run *run, bool *found)
{
    const PxRunDef *def = run->def;
    uint32_t number;
    if (def->from_frame == 0)
        return PX_OK;
    PxStatus status = px_checkpoint_latest(def->from, def->from_frame - 1, &number, found);
    if (status == PX_ERR_FORMAT) { /* start from the beginning */
        *found = false;
        return PX_OK;
    }
    if (status != PX_OK || !*found)
        return status;
    PxRunId parent;
    PX_TRY(px_run_id_read(def->from, &parent));
    status = load(run, def->from, number, &parent);
    if (status == PX_OK)
        status = px_run_id_share(&run->id, &parent, run->frame);
    px_run_id_free(&parent);
    PX_TRY(status);
    for (PxRunFile kind = PX_FILE_FRAME; kind < PX_FILE_STORED; ++kind)
        PX_TRY(px_run_file_share(def->from, run->dir, kind, run->frame));
    PX_TRY(copy_table(run, "stats.csv"));
    return px_world_gauge_count(run->world) > 0 ? copy_table(run, "gauges.csv") : PX_OK;
}

/* Reads the id of the run that is resumed, or makes a new one. */
static PxStatus identify(Run *run, bool resumed)
{
    const char *scene = px_scene_hash(run->scene);
    if (resumed)
        PX_TRY(px_run_id_read(run->dir, &run->id));
    if (run->id.run[0] == '\0')
        px_run_id_make(run->id.run);
    snprintf(run->id.scene, sizeof run->id.scene, "%s", scene);
    return PX_OK;
}

/* Creates a subfolder of the run and removes partial files of dead processes from it. run.json,
 * which is written next, syncs it. */
static PxStatus tidy_folder(const char *dir, const char *name)
{
    char folder[PX_PATH_MAX];
    PX_TRY(px_path_join(folder, dir, "%s", name));
    PX_TRY(px_folder_make_in(folder));
    return px_folder_clean(folder);
}

static PxStatus open_tables(Run *run, bool resumed, uint64_t step)
{
    PX_TRY(px_stats_file_open(&run->stats, run->dir, run->world, resumed, step));
    return px_gauges_file_open(&run->gauges, run->dir, run->world, resumed, step, run->gauge_rows);
}

static PxStatus begin(Run *run)
{
    const PxRunDef *def = run->def;
    bool there, found = false;
    if (px_scene_hash(run->scene) == NULL || px_scene_resolved(run->scene) == NULL)
        return px_fail(PX_ERR_MEMORY, "run: no room for the scene's text");
    PX_TRY(px_refuse_link(run->dir));
    PX_TRY(px_folder_make(run->dir));
    PX_TRY(px_folder_lock(&run->lock, run->dir));
    run->xdmf.check = ours(run);
    PX_TRY(refuse_links(run->dir));
    PX_TRY(holds_a_run(run->dir, &there));
    bool resume = there && (def->resume || (def->go_on && !def->overwrite));
    if (there && !resume && !def->overwrite)
        return px_fail(PX_ERR_EXISTS,
                       "%s holds a run already: resume it, overwrite it, or choose another folder",
                       run->dir);
    if (resume) {
        PxStatus same = px_record_compare(run->dir, run->scene);
        if (same != PX_OK && !def->resume)
            return px_fail(PX_ERR_EXISTS, "%s", px_error_message());
        PX_TRY(same);
    }
    PX_TRY(identify(run, resume));
    /* Build the world before removing old files, so that an invalid scene does no harm. */
    bool trusted = run->scene->checked || resume;
    PX_TRY(px_scene_world_trusted(run->scene, def->threads, trusted, &run->world));
    PX_TRY(px_world_stop_when(run->world, def->stop, def->stop_user));
    if (there && def->overwrite)
        PX_TRY(throw_away(run->dir));
    PX_TRY(tidy_folder(run->dir, "."));
    for (size_t k = 0; k < PX_COUNT(run_folders); ++k)
        PX_TRY(tidy_folder(run->dir, run_folders[k]));
    if (resume)
        PX_TRY(take_up(run, &found));
    else if (def->from != NULL)
        PX_TRY(branch_off(run, &found));
    if (run->frames < run->frame) /* existing frames beyond the requested number stay */
        run->frames = run->frame;

    PxWorldState state = px_world_state(run->world);
    run->step_first = state.step;
    if (found) /* before anything is changed, as rows may be missing */
        PX_TRY(open_tables(run, true, state.step));
    PX_TRY(store_record(run, PX_RUN_RUNNING, NULL));
    for (PxRunFile kind = PX_FILE_FRAME; kind < PX_FILE_STORED; ++kind)
        PX_TRY(px_run_file_remove(run->dir, kind, run->frame + 1));
    if (found && def->from != NULL) /* those of the parent */
        PX_TRY(check_frames(run));
    if (found) {
        PX_TRY(px_xdmf_write(&run->xdmf, run->dir));
        return def->from != NULL ? store_checkpoint(run) : PX_OK;
    }
    PX_TRY(open_tables(run, false, 0));
    PX_TRY(px_skin_files_folders(run->dir, run->world));
    PX_TRY(px_coat_files_folder(run->dir, run->world));
    PX_TRY(store_frame(run));
    return def->checkpoint > 0 ? store_checkpoint(run) : PX_OK;
}

/* ---- going on ----------------------------------------------------------- */

static PxOutlookSample sample_of(const Run *run)
{
    PxWorldState state = px_world_state(run->world);
    return (PxOutlookSample){.time = state.time,
                             .wall = px_clock() - run->began,
                             .bytes = run->frame_bytes + run->table_bytes,
                             .particles = (double)px_world_count(run->world)};
}

/* After a frame: notes what the folder has and how long it took. */
static void look_out(Run *run)
{
    run->frame_bytes += px_outlook_frame_bytes(run->dir, run->frame);
    run->table_bytes = px_outlook_table_bytes(run->dir);
    run->checkpoint_bytes = px_outlook_checkpoint_bytes(run->dir);
    px_outlook_add(&run->outlook, sample_of(run));
}

static bool tell(const Run *run, PxRunFunction *each, void *user, bool stored, double dt)
{
    if (each == NULL)
        return true;
    PxWorldState state = px_world_state(run->world);
    double end = run->frames / px_scene_fps(run->scene), wall = px_clock() - run->began;
    double left, bytes;
    uint64_t steps = state.step - run->step_first;
    PxOutlookSample now = sample_of(run);
    bool known = px_outlook_left(&run->outlook, now, end, &left, &bytes) && wall > 0.5;
    PxRunProgress progress = {
        .frame = run->frame,
        .frames = run->frames,
        .stored = stored,
        .step = state.step,
        .particles = px_world_count(run->world),
        .time = state.time,
        .end = end,
        .dt = dt,
        .wall = wall,
        .left = known ? left : -1,
        .step_seconds = steps > 0 ? wall / (double)steps : 0,
        .disk = known && bytes >= 0 ? now.bytes + bytes + run->checkpoint_bytes : -1,
    };
    return each(user, &progress);
}

/* Stores the state between two steps, from which the run is resumed. */
static PxStatus stop(Run *run)
{
    PX_TRY(store_checkpoint(run));
    return px_fail(PX_ERR_STOPPED, "stopped at t = %g s, after frame %u of %u",
                   px_world_time(run->world), run->frame, run->frames);
}

static PxStatus go(Run *run, PxRunFunction *each, void *user)
{
    double dt = 0;                            /* of the last step */
    for (uint32_t k = 0; k < run->frame; ++k) /* of earlier calls */
        run->frame_bytes += px_outlook_frame_bytes(run->dir, k);
    look_out(run);
    bool on = tell(run, each, user, true, dt);
    while (run->frame < run->frames) {
        double until = (run->frame + 1) / px_scene_fps(run->scene);
        while (px_world_time(run->world) < until) {
            if (!on)
                return stop(run);
            PxStats stats;
            PxStatus status = px_world_step(run->world, until);
            if (status == PX_ERR_STOPPED) /* the step was undone */
                return stop(run);
            PX_TRY(status);
            PX_STAGE(&run->profile, "statistics")
            {
                px_world_stats(run->world, &stats);
                PX_TRY(px_stats_file_row(&run->stats, run->world, &stats, wall_so_far(run)));
                run->last = stats;
                PX_TRY(px_gauges_file_rows_of_step(&run->gauges, run->world, stats.step));
            }
            dt = stats.dt;
            if (px_world_time(run->world) < until) {
                on = tell(run, each, user, false, dt);
                if (px_clock() - run->checkpointed > CHECKPOINT_SECONDS)
                    PX_TRY(store_checkpoint(run));
            }
        }
        PX_TRY(px_csv_sync(run->stats.csv));
        PX_TRY(px_gauges_file_sync(&run->gauges));
        ++run->frame;
        PxStatus status = store_frame(run);
        if (status != PX_OK) {
            --run->frame; /* counts only stored frames */
            return status == PX_ERR_STOPPED ? stop(run) : status;
        }
        if (run->def->checkpoint > 0 &&
            (run->frame % run->def->checkpoint == 0 || run->frame == run->frames))
            PX_TRY(store_checkpoint(run));
        look_out(run);
        on = tell(run, each, user, true, dt);
    }
    return PX_OK;
}

static void finish(Run *run, PxRunReport *report)
{
    px_world_free(run->world);
    px_xdmf_free(&run->xdmf);
    px_folder_unlock(&run->lock);
    px_run_id_free(&run->id);
    report->frames = run->frame;
    report->complete = run->frame >= run->frames;
    report->wall = px_clock() - run->began;
}

static PxStatus run_scene(const PxScene *scene, const PxRunDef *def, PxRunFunction *each,
                          void *user, PxRunReport *report)
{
    if (def->out == NULL || def->out[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "run: start from px_run_def_default() and say where to");
    if (def->from != NULL && def->from[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "run: the folder to branch off is empty");
    PX_TRY(px_threads_check(def->threads, "run"));
    if (def->resume && def->overwrite)
        return px_fail(PX_ERR_ARGUMENT, "run: either resume or overwrite, not both");
    Run run = {.scene = scene,
               .def = def,
               .dir = def->out,
               .threads = {.count = def->threads > 0 ? def->threads : px_threads_available()},
               .frames = px_scene_frames(scene),
               .began = px_clock(),
               .checkpointed = px_clock(),
               .lock = {.descriptor = -1}};
    PxStatus status = begin(&run);
    bool begun = status == PX_OK;
    report->first = run.frame;
    report->damaged = run.damaged;
    if (begun)
        status = go(&run, each, user);
    bool kept = true;
    if (begun && (status == PX_OK || status == PX_ERR_STOPPED)) {
        kept = check_stored(&run, run.frame) == PX_OK;
        if (!kept)
            status = px_fail_prefix(PX_ERR_IO, "removed during the run: ");
    }
    bool lost = begun && px_folder_lock_check(&run.lock) != PX_OK;
    if (lost)
        status = PX_ERR_IO;
    if (status == PX_ERR_NUMERIC)
        px_fail(status, "%s; the last good frame is %u", px_error_message(), run.frame);

    /* Keep the message of the failure through the cleanup. */
    char message[1024];
    snprintf(message, sizeof message, "%s", status != PX_OK ? px_error_message() : "");
    report->resumable = begun && !lost && kept;
    if (begun && !lost) {
        report->stats = stats_of(&run);
        PxStatus last = px_xdmf_write(&run.xdmf, run.dir);
        PxStatus closed = px_stats_file_close(&run.stats);
        last = last == PX_OK ? closed : last;
        closed = px_gauges_file_close(&run.gauges);
        last = last == PX_OK ? closed : last;
        PxRunStatus now = status == PX_OK            ? PX_RUN_DONE
                          : status == PX_ERR_STOPPED ? PX_RUN_STOPPED
                                                     : PX_RUN_FAILED;
        closed = store_record(&run, now, message[0] != '\0' ? message : NULL);
        last = last == PX_OK ? closed : last;
        status = status == PX_OK ? last : status;
    } else {
        px_stats_file_close(&run.stats);
        px_gauges_file_close(&run.gauges);
    }
    if (message[0] != '\0')
        px_fail(status, "%s", message);
    finish(&run, report);
    if (lost)
        report->frames = 0;
    report->complete = report->complete && !lost && kept;
    return status;
}

PxStatus px_run_sized(const PxScene *scene, const PxRunDef *given, PxRunFunction *each, void *user,
                      PxRunReport *report, size_t size)
{
    PxRunReport made = {0};
    px_result_put(report, size, 0, &made, sizeof made);
    PX_WANT(scene);
    PxRunDef def;
    PX_TRY(read_run_def(given, &def));
    PxStatus status = run_scene(scene, &def, each, user, &made);
    px_result_put(report, size, 0, &made, sizeof made);
    return status;
}
