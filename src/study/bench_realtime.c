/// Bench of real time: the cases that 001 and 002 ran interactively, a simulated second against a
/// real one, by stage.
///
/// 002's colon of 8,040 triangles with 4,096 particles of contrast fluid (its Figure 8.4), 16,384
/// particles against a distance field (the step of 14.8 ms that 002 quotes from Harada), and 001's
/// solid of 200 particles with 10,000 surfels. Without drawing.
#include "study/bench.h"

#include "base/profile.h"
#include "base/vec.h"
#include "study/colon_room.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { STAGES = 64 };

typedef struct Stages {
    PxStage stage[STAGES];
    size_t count;
} Stages;

static Stages stages_of(const PxWorld *world)
{
    Stages s;
    size_t count = px_world_stages(world, s.stage, STAGES);
    s.count = count < STAGES ? count : STAGES;
    return s;
}

/* Processor time of all threads, s: what a busy machine cannot lengthen much. */
static double processor(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0
               ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec
               : 0;
}

/* Seconds of a stage in `after` that are not in `before`. */
static double spent(const Stages *before, const PxStage *after)
{
    for (size_t k = 0; k < before->count; ++k)
        if (strcmp(before->stage[k].name, after->name) == 0)
            return after->seconds - before->stage[k].seconds;
    return after->seconds;
}

/* The dearest stages, as rows of the second table, are kept until that table begins. */
typedef struct Row {
    const char *name;
    char stage[32];
    double ms, part;
} Row;

typedef struct Rows {
    Row row[64];
    size_t count;
} Rows;

static void keep_stages(Rows *rows, const char *name, const Stages *before, const Stages *after,
                        double steps)
{
    double all = 0;
    for (size_t k = 0; k < after->count; ++k)
        all += spent(before, &after->stage[k]);
    for (size_t k = 0; k < after->count && rows->count < PX_COUNT(rows->row); ++k) {
        double own = spent(before, &after->stage[k]);
        if (own < 0.04 * all)
            continue;
        Row *row = &rows->row[rows->count++];
        *row = (Row){.name = name, .ms = 1e3 * own / steps, .part = 100 * own / all};
        strncpy(row->stage, after->stage[k].name, sizeof row->stage - 1);
    }
}

/* Simulates `warm` seconds without timing, then times `seconds` more. `wanted` is the limit of a
 * step in ms; 0: the limit is real time, a simulated second in a second. */
static PxStatus measure(PxBench *bench, Rows *rows, const char *name, PxWorld *world, double warm,
                        double seconds, double wanted)
{
    PX_TRY(px_world_advance(world, warm));
    Stages before = stages_of(world);
    PxStats s, from;
    px_world_stats(world, &from);
    double least = INFINITY, began = px_clock(), busy = processor();
    while (px_world_time(world) < warm + seconds) {
        double start = px_clock();
        PX_TRY(px_world_step(world, warm + seconds));
        least = fmin(least, px_clock() - start);
    }
    double took = px_clock() - began;
    busy = processor() - busy;
    Stages after = stages_of(world);
    px_world_stats(world, &s);
    double steps = (double)(s.step - from.step), ms = 1e3 * took / steps;
    bool good = wanted > 0 ? ms < wanted : took <= seconds;
    px_report_row(bench->report, name, (double)s.particles, 1e3 * seconds / steps, ms, 1e3 * least,
                  1e3 * busy / steps, 25 * seconds / took, seconds / took, (double)s.leaked,
                  good ? "yes" : "no");
    keep_stages(rows, name, &before, &after, steps);
    return PX_OK;
}

static PxStatus colon(PxBench *bench, Rows *rows, const char *name, uint32_t particles,
                      double spacing, PxWallSearch search, const char *pressure, double wanted)
{
    PxColonRoomDef def = {.triangles = 8040,
                          .particles = particles,
                          .spacing = spacing,
                          .walls = px_world_def_default().walls,
                          .pressure = pressure,
                          .threads = bench->threads.count};
    def.walls.search = (int)search;
    PxColonRoom room;
    PX_TRY(px_bench_next(bench, "%s", name));
    PX_TRY(px_colon_room(&room, &def));
    PxStatus status =
        measure(bench, rows, name, room.world, 0.5, bench->def.quick ? 0.25 : 1, wanted);
    px_world_free(room.world);
    return status;
}

/* 200 particles of a soft block that falls on a floor, with surfels that follow it in 60 frames. */
static PxStatus solid(PxBench *bench, Rows *rows)
{
    const char *name = "200 particles, 10,000 surfels";
    PX_TRY(px_bench_next(bench, "%s", name));
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.1;
    def.threads = bench->threads.count;
    PxWorld *world;
    PX_TRY(px_world_create(&def, &world));
    PxMaterialDef jelly = px_material_def_default();
    jelly.name = "jelly";
    jelly.young = 2e4;
    jelly.poisson = 0.4;
    PxBodyDef block = px_body_def_default(), floor = px_body_def_default();
    floor.name = "floor";
    floor.shape = px_shape_def_default(PX_SHAPE_PLANE);
    floor.wall = true;
    block.name = "block";
    block.shape.size = px_vec(0.5, 0.8, 0.5);
    block.shape.at = px_vec(0, 0.6, 0);
    block.surfels = 10000;
    block.skin = false;
    PxStatus status = px_world_add_material(world, &jelly, &block.material);
    if (status == PX_OK)
        status = px_world_add_body(world, &floor, NULL);
    if (status == PX_OK)
        status = px_world_add_body(world, &block, NULL);
    if (status == PX_OK)
        status = measure(bench, rows, name, world, 0.1, bench->def.quick ? 0.25 : 1, 0);
    px_world_free(world);
    return status;
}

PxStatus px_bench_realtime(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"case", "case", "%s"},
        {"particles", "particles", "%.0f"},
        {"dt_ms", "dt, ms", "%.2f"},
        {"step_ms", "ms a step", "%.2f"},
        {"least_ms", "least", "%.2f"},
        {"processor_ms", "processor, ms", "%.2f"},
        {"frames", "frames of 1/25 s a second", "%.1f"},
        {"speed", "s a second", "%.2f"},
        {"leaked", "leaked", "%.0f"},
        {"good", "in real time", "%s"},
    };
    static const PxReportColumn by_stage[] = {{"case", "case", "%s"},
                                              {"stage", "stage", "%s"},
                                              {"ms", "ms a step", "%.3f"},
                                              {"part", "%", "%.0f"}};
    Rows rows = {.count = 0};
    px_report_table(bench->report, "realtime", "against real time", columns, PX_COUNT(columns));
    /* flip is what "auto" takes, and dfsph while fluid runs in (scenes/colon.json) */
    PX_TRY(colon(bench, &rows, "colon", 4096, 0.004, PX_SEARCH_TABLE, "flip", 0));
    PX_TRY(
        colon(bench, &rows, "colon, distance field", 4096, 0.004, PX_SEARCH_DISTANCE, "flip", 0));
    PX_TRY(colon(bench, &rows, "colon, tree", 4096, 0.004, PX_SEARCH_TREE, "flip", 0));
    PX_TRY(colon(bench, &rows, "colon, dfsph", 4096, 0.004, PX_SEARCH_DISTANCE, "dfsph", 0));
    PX_TRY(colon(bench, &rows, "16,384, distance field", 16384, 0.004, PX_SEARCH_DISTANCE, "flip",
                 14.8));
    PX_TRY(solid(bench, &rows));
    px_report_table(bench->report, "stages", "by stage, of 4 % and more", by_stage,
                    PX_COUNT(by_stage));
    for (size_t k = 0; k < rows.count; ++k)
        px_report_row(bench->report, rows.row[k].name, rows.row[k].stage, rows.row[k].ms,
                      rows.row[k].part);
    px_report_note(bench->report,
                   "In real time: a simulated second takes at most a second, and a step of 16,384 "
                   "particles less than 14.8 ms.");
    return PX_OK;
}
