/// How the stages of a step gain from threads.
///
/// A world runs with 1, 2, 4, ... threads and all cores, the same steps each time: results do not
/// depend on threads. A stage's time is its sum over the measured steps.
#include "study/bench.h"

#include "phyxel/world.h"
#include "study/peer_scenes.h"

#include <math.h>
#include <string.h>

enum { STAGES = 32, COUNTS = 16, WARM_UP = 10 };

/* Stages below this part of the step are summed up. */
#define SMALL 0.01

/* Set-ups: the first one with those words in its name. */
static const char *const words[] = {"100k, 10 Pa s", "buckling", "beam 8k, implicit"};

typedef struct Run {
    int threads;
    PxStage stage[STAGES]; /* s, all measured steps */
    size_t stages;
    double all;
} Run;

static const PxPeerScene *find(const char *part)
{
    const PxPeerScene *s;
    for (size_t k = 0; (s = px_peer_scene(k)) != NULL; ++k)
        if (strstr(s->name, part) != NULL)
            break;
    return s;
}

static PxStatus run_steps(const PxPeerScene *s, uint32_t steps, PxWorld *world, Run *run)
{
    PxStage before[STAGES];
    for (uint32_t k = 0; k < WARM_UP; ++k)
        PX_TRY(px_world_step(world, s->seconds));
    size_t had = px_world_stages(world, before, STAGES);
    for (uint32_t k = 0; k < steps; ++k)
        PX_TRY(px_world_step(world, s->seconds));
    size_t stages = px_world_stages(world, run->stage, STAGES);
    run->stages = stages < STAGES ? stages : STAGES;
    for (size_t k = 0; k < run->stages; ++k) {
        for (size_t m = 0; m < had && m < STAGES; ++m)
            if (strcmp(before[m].name, run->stage[k].name) == 0)
                run->stage[k].seconds -= before[m].seconds;
        run->all += run->stage[k].seconds;
    }
    return PX_OK;
}

static double seconds_of(const Run *run, const char *stage)
{
    for (size_t k = 0; k < run->stages; ++k)
        if (strcmp(run->stage[k].name, stage) == 0)
            return run->stage[k].seconds;
    return NAN;
}

static void report(PxBench *bench, const PxPeerScene *s, const Run *run, size_t runs,
                   uint32_t steps)
{
    double ms = 1e3 / steps;
    for (size_t r = 0; r < runs; ++r) {
        double small = 0, small_first = 0;
        for (size_t k = 0; k < run[r].stages; ++k) {
            const PxStage *stage = &run[r].stage[k];
            double first = seconds_of(&run[0], stage->name);
            if (first < SMALL * run[0].all) {
                small += stage->seconds;
                small_first += first;
                continue;
            }
            px_report_row(bench->report, s->name, stage->name, (double)run[r].threads,
                          ms * stage->seconds, 100 * stage->seconds / run[r].all,
                          first / stage->seconds);
        }
        px_report_row(bench->report, s->name, "others", (double)run[r].threads, ms * small,
                      100 * small / run[r].all, small_first / small);
        px_report_row(bench->report, s->name, "step", (double)run[r].threads, ms * run[r].all,
                      100.0, run[0].all / run[r].all);
    }
}

PxStatus px_bench_scaling(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"scene", "scene", "%s"},      {"stage", "stage", "%s"}, {"threads", "threads", "%.0f"},
        {"ms_per_step", "ms", "%.2f"}, {"share", "%", "%.0f"},   {"faster", "times", "%.2f"},
    };
    px_report_table(bench->report, "scaling", "stages by number of threads", columns,
                    PX_COUNT(columns));
    uint32_t steps = bench->def.quick ? 10 : 40;
    for (size_t k = 0; k < PX_COUNT(words); ++k) {
        const PxPeerScene *s = find(words[k]);
        Run run[COUNTS] = {{.threads = 0}};
        size_t runs = 0;
        for (int threads = 1; s != NULL && runs < COUNTS; threads *= 2) {
            run[runs].threads = threads < bench->threads.count ? threads : bench->threads.count;
            PxWorld *world = NULL;
            PxStatus status = px_bench_next(bench, "%s, %d threads", s->name, run[runs].threads);
            if (status == PX_OK)
                status = px_peer_world(s, run[runs].threads, &world);
            if (status == PX_OK)
                status = run_steps(s, steps, world, &run[runs]);
            px_world_free(world);
            PX_TRY(status);
            if (run[runs++].threads == bench->threads.count)
                break;
        }
        if (runs > 0)
            report(bench, s, run, runs, steps);
    }
    px_report_note(bench->report,
                   "times: time of one thread over that of so many. Stages below 1 per cent of a "
                   "step are in others.\nMeaningful on an idle machine only.");
    return PX_OK;
}
