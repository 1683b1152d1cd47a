/// Bench of a fluid step by stage, from 250,000 to 4 million particles.
///
/// A cube of water stands in a tank with air above it. Its lattice is perturbed at random, so that
/// neighbourhoods are as irregular as in a flow. (In a full tank the perturbed water could not
/// expand, and the solve would not converge.) A stage's time is the minimum over several steps.
#include "study/bench.h"

#include "base/random.h"
#include "phyxel/world.h"
#include "world/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Lower bound of a density pass on a 2-core machine: 8.6 ms for 1M particles with 30 neighbours
 * on two threads (29 GB/s of memory, gathers of 1.5 ns), so 0.28 ns for each pair, or 0.57 ns on
 * one thread. */
#define LIMIT_NS_A_PAIR_AND_THREAD 0.573

/* Stages shorter than this, s, had nothing to do and are not listed. */
#define NOTHING 1e-5

/* Steps before the timed ones. The first ones grow the arrays, and until the compression of the
 * perturbed lattice has gone, a solve takes two to three times as many iterations as afterwards. */
enum { WARM_UP = 12 };

enum { STAGES = 24 };

static PxStatus make_tank(uint32_t edge, int threads, PxWorld **out)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.01;
    def.threads = threads;
    PX_TRY(px_world_create(&def, out));
    PxMaterialDef water = px_material_def_default();
    PxMaterialId id;
    PX_TRY(px_world_add_material(*out, &water, &id));
    double size = edge * def.spacing;
    PxBodyDef body = px_body_def_default();
    body.name = "water";
    body.shape.size = (PxVec3){size, size, size};
    body.material = id;
    PX_TRY(px_world_add_body(*out, &body, NULL));
    body.name = "tank";
    body.material = (PxMaterialId){0, 0};
    body.wall = body.inside = true;
    body.shape.size.y = 1.5 * size;
    body.shape.at.y = 0.25 * size;
    PX_TRY(px_world_add_body(*out, &body, NULL));

    /* A bench may change the particles of the world. */
    PxTable *table = (PxTable *)px_world_particles(*out);
    PxColumn *position = px_table_find(table, "position");
    const uint64_t *particle_id = px_world_ids(*out);
    for (uint32_t c = 0; c < 3; ++c) {
        float *x = position->data[c];
        for (uint32_t i = 0; i < table->count; ++i)
            x[i] += (float)(0.2 * def.spacing * (px_random_unit(particle_id[i], 0, c) - 0.5));
    }
    return PX_OK;
}

typedef struct Timing {
    const char *name[STAGES];
    double least[STAGES];
    double iterations[STAGES]; /* of the solver of the stage in that step; 0: it has none */
    size_t stages;
    double step; /* smallest sum of all stages, s */
    double neighbours;
    double bytes;
    uint32_t particles;
} Timing;

static double iterations_of(const char *stage, const PxStats *stats)
{
    if (strcmp(stage, "pressure") == 0)
        return (double)stats->iterations;
    return strcmp(stage, "viscosity") == 0 ? (double)stats->viscosity_iterations : 0;
}

static PxStatus time_steps(PxWorld *world, int steps, Timing *t)
{
    double before[STAGES] = {0};
    PxStats stats;
    t->step = INFINITY;
    for (int k = 0; k < STAGES; ++k)
        t->least[k] = INFINITY;
    for (int step = 0; step < steps + WARM_UP; ++step) {
        PX_TRY(px_world_step(world, 1e9));
        px_world_stats(world, &stats);
        PxStage stage[STAGES];
        t->stages = px_world_stages(world, stage, STAGES);
        double sum = 0;
        for (size_t k = 0; k < t->stages; ++k) {
            double took = stage[k].seconds - before[k];
            before[k] = stage[k].seconds;
            t->name[k] = stage[k].name;
            sum += took;
            if (step >= WARM_UP && took < t->least[k]) {
                t->least[k] = took;
                t->iterations[k] = iterations_of(stage[k].name, &stats);
            }
        }
        if (step >= WARM_UP)
            t->step = fmin(t->step, sum);
    }
    t->particles = (uint32_t)stats.particles;
    t->neighbours = stats.neighbours;
    t->bytes = (double)px_world_bytes(world);
    return PX_OK;
}

static bool is_pair_stage(const char *name)
{
    return strcmp(name, "density") == 0 || strcmp(name, "pressure") == 0 ||
           strcmp(name, "viscosity") == 0 || strcmp(name, "tension") == 0;
}

static void report_stages(PxBench *bench, const Timing *t, uint32_t edge)
{
    static const PxReportColumn columns[] = {
        {"stage", "stage", "%s"},
        {"ms", "ms", "%.2f"},
        {"ns_per_particle", "ns/particle", "%.1f"},
        {"iterations", "iterations", "%.0f"},
        {"ns_per_pair", "ns/pair", "%.3f"},
        {"percent_of_limit", "% of limit", "%.0f"},
    };
    char key[64], title[160];
    snprintf(key, sizeof key, "stages_%u", t->particles);
    snprintf(title, sizeof title, "%u particles (%u^3), %.1f neighbours", t->particles, edge,
             t->neighbours);
    px_report_table(bench->report, key, title, columns, PX_COUNT(columns));
    double pairs = t->neighbours * t->particles;
    double limit = LIMIT_NS_A_PAIR_AND_THREAD / bench->threads.count;
    for (size_t k = 0; k < t->stages; ++k) {
        bool pair = is_pair_stage(t->name[k]);
        double times = fmax(t->iterations[k], 1), per_pair = 1e9 * t->least[k] / (times * pairs);
        if (t->least[k] < NOTHING)
            continue;
        px_report_row(bench->report, t->name[k], 1e3 * t->least[k],
                      1e9 * t->least[k] / t->particles,
                      t->iterations[k] > 0 ? t->iterations[k] : NAN, pair ? per_pair : NAN,
                      pair ? 100 * limit / per_pair : NAN);
    }
    px_report_row(bench->report, "step", 1e3 * t->step, 1e9 * t->step / t->particles, NAN, NAN,
                  NAN);
}

PxStatus px_bench_fluid(PxBench *bench)
{
    static const uint32_t full[] = {63, 100, 159}, quick[] = {63, 80};
    const uint32_t *edges = bench->def.quick ? quick : full;
    size_t count = bench->def.quick ? PX_COUNT(quick) : PX_COUNT(full);
    Timing t[PX_COUNT(full)];
    for (size_t k = 0; k < count; ++k) {
        PxWorld *world = NULL;
        PxStatus status = px_bench_next(bench, "fluid step, %u^3 particles", edges[k]);
        if (status == PX_OK)
            status = make_tank(edges[k], bench->threads.count, &world);
        if (status == PX_OK)
            status = time_steps(world, bench->def.quick ? 5 : 10, &t[k]);
        px_world_free(world);
        PX_TRY(status);
        report_stages(bench, &t[k], edges[k]);
    }
    static const PxReportColumn columns[] = {
        {"particles", "particles", "%.0f"},
        {"ms_per_step", "ms/step", "%.1f"},
        {"ns_per_particle", "ns/particle", "%.1f"},
        {"relative", "to the first", "%.2f"},
        {"bytes_per_particle", "bytes/particle", "%.0f"},
    };
    px_report_table(bench->report, "sizes", "cost by size", columns, PX_COUNT(columns));
    for (size_t k = 0; k < count; ++k)
        px_report_row(bench->report, (double)t[k].particles, 1e3 * t[k].step,
                      1e9 * t[k].step / t[k].particles,
                      t[k].step / t[k].particles / (t[0].step / t[0].particles),
                      t[k].bytes / t[k].particles);
    px_report_note(bench->report,
                   "\nThe limit of one pass over the pairs is %.2f ns per pair on %d thread%s.\n"
                   "Solves: ns per pair and iteration, which has two passes; the set-up is "
                   "included.\nViscosity reads twice as much per pair as density.",
                   LIMIT_NS_A_PAIR_AND_THREAD / bench->threads.count, bench->threads.count,
                   bench->threads.count == 1 ? "" : "s");
    px_report_number(bench->report, "peak_memory", px_bench_peak_memory() / 1e6, "MB");
    return PX_OK;
}
