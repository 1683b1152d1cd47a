/// The set-ups on which SPlisHSPlasH 2.16 was timed, run by phyxel to their ends.
#include "study/bench.h"

#include "base/profile.h"
#include "phyxel/world.h"
#include "study/peer_scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STAGES = 32, SETUPS = 16 };

typedef struct Result {
    double steps, wall; /* s */
    double search, pressure, viscosity, elastic;
    double iterations, viscosity_iterations, solve_error, density_error;
    double bytes, particles;
    uint64_t not_converged;
} Result;

static void add_stages(const PxWorld *world, Result *r)
{
    PxStage stage[STAGES];
    size_t stages = px_world_stages(world, stage, STAGES);
    for (size_t k = 0; k < stages && k < STAGES; ++k) {
        const struct {
            const char *name;
            double *seconds;
        } of[] = {{"sort", &r->search},
                  {"neighbours", &r->search},
                  {"pressure", &r->pressure},
                  {"viscosity", &r->viscosity},
                  {"elastic", &r->elastic}};
        for (size_t m = 0; m < PX_COUNT(of); ++m)
            *of[m].seconds += strcmp(stage[k].name, of[m].name) == 0 ? stage[k].seconds : 0;
    }
}

static PxStatus measure(PxBench *bench, const PxPeerScene *s, PxWorld *world, Result *r)
{
    double began = px_clock(), shown = began;
    PxStats stats = {.step = 0};
    while (stats.time < s->seconds) {
        PX_TRY(px_world_step(world, s->seconds));
        px_world_stats(world, &stats);
        r->iterations += (double)stats.iterations;
        r->viscosity_iterations += (double)stats.viscosity_iterations;
        r->solve_error += stats.solve_error;
        r->density_error += stats.density_error;
        if (px_clock() - shown > 10) {
            shown = px_clock();
            PX_TRY(px_bench_next(bench, "%s: %.3f s of %g s", s->name, stats.time, s->seconds));
        }
    }
    r->wall = px_clock() - began;
    r->steps = (double)stats.step;
    r->particles = (double)stats.particles;
    r->not_converged = stats.not_converged;
    r->bytes = (double)px_world_bytes(world);
    add_stages(world, r);
    return PX_OK;
}

/* NAN for what is not known. */
static double known(double value)
{
    return value > 0 ? value : NAN;
}

static void report_times(PxBench *bench, const Result *result)
{
    static const PxReportColumn columns[] = {
        {"scene", "scene", "%s"},
        {"particles", "particles", "%.0f"},
        {"seconds", "simulated s", "%g"},
        {"wall", "wall s", "%.1f"},
        {"wall_per_second", "wall s/s", "%.1f"},
        {"peer_wall_per_second", "its", "%.1f"},
        {"faster", "times", "%.1f"},
        {"steps", "steps", "%.0f"},
        {"peer_steps", "its", "%.0f"},
        {"iterations", "iterations", "%.1f"},
        {"peer_iterations", "its", "%.0f"},
        {"viscosity_iterations", "viscosity", "%.1f"},
        {"peer_viscosity_iterations", "its", "%.1f"},
        {"solve_error", "left %", "%.4f"},
        {"tolerance", "tolerance", "%g"},
    };
    px_report_table(bench->report, "peer", "beside SPlisHSPlasH 2.16 on 2 threads", columns,
                    PX_COUNT(columns));
    const PxPeerScene *s;
    for (size_t k = 0; (s = px_peer_scene(k)) != NULL; ++k) {
        const Result *r = &result[k];
        if (r->steps == 0)
            continue;
        bool elastic = r->elastic > 0;
        px_report_row(bench->report, s->name, r->particles, s->seconds, r->wall,
                      r->wall / s->seconds, known(s->peer_seconds / s->seconds),
                      known(s->peer_seconds / r->wall), r->steps, known(s->peer_steps),
                      r->iterations / r->steps, known(s->peer_iterations),
                      known(r->viscosity_iterations / r->steps), known(s->peer_viscosity),
                      elastic ? NAN : r->solve_error / r->steps, known(s->tolerance));
    }
    px_report_note(bench->report,
                   "wall s/s: wall time for a simulated second. left: mean compression at the end "
                   "of the pressure solves.");
}

static void report_stages(PxBench *bench, const Result *result)
{
    static const PxReportColumn columns[] = {
        {"scene", "scene", "%s"},
        {"ms_per_step", "ms/step", "%.1f"},
        {"peer_ms_per_step", "its", "%.1f"},
        {"search_ms", "search", "%.1f"},
        {"viscosity_ms", "viscosity", "%.1f"},
        {"pressure_ms", "pressure", "%.1f"},
        {"elastic_ms", "elastic", "%.1f"},
        {"rest_ms", "rest", "%.1f"},
        {"density_error", "dense %", "%.4f"},
        {"bytes_per_particle", "bytes/particle", "%.0f"},
    };
    px_report_table(bench->report, "stages", "where a step's time goes", columns,
                    PX_COUNT(columns));
    const PxPeerScene *s;
    for (size_t k = 0; (s = px_peer_scene(k)) != NULL; ++k) {
        const Result *r = &result[k];
        if (r->steps == 0)
            continue;
        double ms = 1e3 / r->steps, rest = r->wall - r->search - r->viscosity - r->pressure;
        px_report_row(bench->report, s->name, ms * r->wall,
                      s->peer_steps > 0 ? 1e3 * s->peer_seconds / s->peer_steps : NAN,
                      ms * r->search, ms * r->viscosity, ms * r->pressure, ms * r->elastic,
                      ms * (rest - r->elastic), r->density_error / r->steps,
                      r->bytes / r->particles);
    }
    px_report_note(bench->report, "dense: mean compression of the particles.");
}

static void report_differences(PxBench *bench, const char *left_out, uint64_t not_converged)
{
    if (left_out[0] != 0)
        px_report_note(bench->report, "\nLeft out by --quick: %s.", left_out);
    px_report_note(bench->report, "\nSteps that did not converge: %llu.",
                   (unsigned long long)not_converged);
    px_report_note(
        bench->report,
        "\nWhat differs: its particles have 0.8 of the mass that spacing and density give, so its "
        "lattices start\nloose (0.8 of the rest density), ours at the rest density with 1.25 times "
        "the mass; the beams are corrected\nfor that. Its kinematic viscosity of 0.01 m^2/s is 10 "
        "Pa s. Its boundary particles stand on the faces of a\ntank, so our tanks are half a "
        "spacing smaller on each side. Its neighbour search is about a third of its\ntime. The "
        "longest step is 5 ms on both sides, 2 ms for beams. Its viscosity stops at a residual "
        "relative to\nthe velocities, ours relative to the viscous force. Its tolerance of "
        "pressure counts compression only, ours\nalso expansion caused by pressure.");
}

PxStatus px_bench_peer(PxBench *bench)
{
    Result result[SETUPS] = {{.steps = 0}};
    uint64_t not_converged = 0;
    char left_out[512] = "";
    const PxPeerScene *s;
    for (size_t k = 0; (s = px_peer_scene(k)) != NULL && k < SETUPS; ++k) {
        if (bench->def.quick && !s->quick) {
            size_t at = strlen(left_out);
            snprintf(left_out + at, sizeof left_out - at, "%s%s", at > 0 ? "; " : "", s->name);
            continue;
        }
        PxWorld *world = NULL;
        PxStatus status = px_bench_next(bench, "%s", s->name);
        if (status == PX_OK)
            status = px_peer_world(s, bench->threads.count, &world);
        if (status == PX_OK)
            status = measure(bench, s, world, &result[k]);
        px_world_free(world);
        PX_TRY(status);
        not_converged += result[k].not_converged;
    }
    report_times(bench, result);
    report_stages(bench, result);
    report_differences(bench, left_out, not_converged);
    return PX_OK;
}
