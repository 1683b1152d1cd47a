/// Bench of whole runs: what a small scene waits for before its first step and how many steps it
/// makes in a second; memory and frames of large ones.
///
/// A dam break in a tank of 53 by 40 by 13 units, whose column is 13 by 26 by 13, run as `phyxel
/// run` does, with frames, a checkpoint and statistics.
#define _GNU_SOURCE /* nftw() */
#include "study/bench.h"

#include "base/profile.h"
#include "phyxel/run.h"
#include "store/frame.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Above as many, the grids of flip and the first step of both would need more than 12 GB. */
#define MOST_AUTO 4e6

#define COLUMN 4394.0 /* particles of the column at a spacing of 1 unit */

static const char DAM[] =
    "{\"phyxel\": 1, \"name\": \"dam\", \"time\": {\"frames\": %d, \"fps\": 30}, \"spacing\": %.9g,"
    "\"materials\": {\"water\": {\"density\": 1000, \"viscosity\": 0.001, \"pressure\": \"%s\"}},"
    "\"bodies\": [{\"name\": \"tank\", \"shape\": {\"box\": [1.59, 1.2, 0.39],"
    " \"at\": [0.795, 0.6, 0.195]}, \"wall\": true, \"inside\": true},"
    "{\"name\": \"column\", \"shape\": {\"box\": [0.39, 0.78, 0.39], \"at\": [0.195, 0.39, 0.195]},"
    " \"material\": \"water\"}]}";

typedef struct Timing {
    uint64_t steps;         /* to stop after; 0: all */
    double start, first;    /* before the first step, and that step, s */
    double wall, processor; /* at the end of the first step */
    double took, busy;      /* of the steps after the first one, without frames, s */
    uint64_t done;
    uint32_t particles;
} Timing;

static double processor(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Called after every step and after every frame. */
static bool after_step(void *user, const PxRunProgress *p)
{
    Timing *t = user;
    if (p->step == 0)
        t->start = p->wall;
    if (p->step == 1)
        t->first = p->wall - t->wall;
    if (p->step > 1 && !p->stored) { /* the last step before a frame is told with the frame */
        t->took += p->wall - t->wall;
        t->busy += processor() - t->processor;
        ++t->done;
    }
    t->particles = (uint32_t)p->particles;
    t->wall = p->wall;
    t->processor = processor();
    return t->steps == 0 || p->step < t->steps;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *ftw)
{
    (void)status;
    (void)kind;
    (void)ftw;
    return remove(path);
}

/* Runs a dam of about so many particles in a folder, which the caller removes. */
static PxStatus run_dam(PxBench *bench, double particles, const char *model, int frames,
                        const char *folder, Timing *t)
{
    char text[1024];
    PxScene *scene;
    double spacing = 0.03 * cbrt(COLUMN / particles);
    int size = snprintf(text, sizeof text, DAM, frames, spacing, model);
    double began = px_clock();
    PxStatus status = px_scene_read_text("dam", NULL, text, (size_t)size, &scene);
    double read = px_clock() - began;
    if (status == PX_OK) {
        PxRunDef def = px_run_def_default();
        def.out = folder;
        def.threads = bench->threads.count;
        status = px_run(scene, &def, after_step, t, NULL);
        if (status == PX_ERR_STOPPED && t->steps > 0)
            status = PX_OK;
    }
    t->start += read;
    px_scene_free(scene);
    return status;
}

static PxStatus make_folder(char path[300])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, 300, "%.200s/phyxel-runs-XXXXXX", folder != NULL ? folder : "/tmp");
    return mkdtemp(path) != NULL ? PX_OK : px_fail(PX_ERR_IO, "runs: cannot make '%s'", path);
}

static PxStatus small(PxBench *bench, const char *model)
{
    Timing best = {.start = INFINITY};
    for (int n = 0; n < (bench->def.quick ? 1 : 5); ++n) {
        Timing t = {.steps = 0};
        char folder[300];
        PX_TRY(px_bench_next(bench, "a run of 5,000 particles: %s", model));
        PX_TRY(make_folder(folder));
        PxStatus status = run_dam(bench, 5000, model, 15, folder, &t);
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
        PX_TRY(status);
        double start = fmin(best.start, t.start);
        if (n == 0 || t.took < best.took)
            best = t;
        best.start = start;
    }
    px_report_row(bench->report, model, (double)best.particles, 1e3 * best.start, 1e3 * best.first,
                  (double)best.done, (double)best.done / best.took,
                  1e3 * best.busy / (double)best.done);
    return PX_OK;
}

/* A few steps of a large dam, then its last frame written and read by itself. */
static PxStatus large(PxBench *bench, double particles, const char *model)
{
    Timing t = {.steps = 3};
    char folder[300];
    PX_TRY(px_bench_next(bench, "a run of %.0f particles: %s", particles, model));
    PX_TRY(make_folder(folder));
    PxStatus status = run_dam(bench, particles, model, 1, folder, &t);
    double peak = px_bench_peak_memory(), write = INFINITY, read = INFINITY;
    PxTable table;
    PxFrameMeta meta;
    px_table_init(&table, NULL);
    double began = px_clock();
    if (status == PX_OK)
        status = px_frame_read(folder, 0, &meta, &table, &bench->threads);
    read = px_clock() - began;
    began = px_clock();
    if (status == PX_OK)
        status = px_frame_write(folder, &meta, &table, &bench->threads);
    write = px_clock() - began;
    px_table_free(&table);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    PX_TRY(status);
    px_report_row(bench->report, model, (double)t.particles, t.start, t.took / (double)t.done,
                  peak / 1e9, peak / t.particles, write, read);
    return PX_OK;
}

PxStatus px_bench_runs(PxBench *bench)
{
    static const PxReportColumn small_columns[] = {
        {"pressure", "pressure", "%s"},
        {"particles", "particles", "%.0f"},
        {"start_ms", "before the first step, ms", "%.1f"},
        {"first_ms", "first step, ms", "%.1f"},
        {"steps", "timed steps", "%.0f"},
        {"steps_a_second", "steps/s", "%.0f"},
        {"processor_ms", "processor, ms a step", "%.2f"},
    };
    static const PxReportColumn large_columns[] = {
        {"pressure", "pressure", "%s"},
        {"particles", "particles", "%.0f"},
        {"start_s", "before the first step, s", "%.2f"},
        {"step_s", "s a step", "%.2f"},
        {"peak_gb", "peak GB so far", "%.2f"},
        {"bytes", "bytes a particle", "%.0f"},
        {"write_s", "a frame written, s", "%.2f"},
        {"read_s", "and read, s", "%.2f"},
    };
    px_report_table(bench->report, "small", "runs of 5,000 particles", small_columns,
                    PX_COUNT(small_columns));
    PX_TRY(small(bench, "auto"));
    PX_TRY(small(bench, "dfsph"));
    px_report_table(bench->report, "large", "runs of many particles, three steps", large_columns,
                    PX_COUNT(large_columns));
    double count = (bench->def.quick ? 2e5 : 1e6) * bench->def.scale;
    PX_TRY(large(bench, count, "dfsph"));
    if (count <= MOST_AUTO)
        PX_TRY(large(bench, count, "auto"));
    px_report_note(bench->report, "--scale 10: 10 million particles, with dfsph alone.");
    return PX_OK;
}
