/// A fluid step by stage, from 250,000 to 4 million particles.
///
/// A cube of water fills a tank; its lattice is shaken so that neighbourhoods are
/// as irregular as in a flow. A stage's time is the least of several steps.
#include "study/bench.h"

#include "base/random.h"
#include "phyxel/world.h"
#include "world/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a density pass can be at best on such a machine: 8.6 ms for 1M particles with
 * 30 neighbours on two threads (29 GB/s of memory, gathers of 1.5 ns), so
 * 0.28 ns a pair, or 0.57 ns on one thread. */
#define LIMIT_NS_A_PAIR_AND_THREAD 0.573

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
    PX_TRY(px_world_add_body(*out, &body, NULL));

    /* The table is the world's; a bench may shake it. */
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
    size_t stages;
    double step; /* least sum of all stages */
    double neighbours;
    double bytes;
    uint32_t particles;
} Timing;

static PxStatus time_steps(PxWorld *world, int steps, Timing *t)
{
    double before[STAGES] = {0};
    t->step = INFINITY;
    for (int k = 0; k < STAGES; ++k)
        t->least[k] = INFINITY;
    for (int step = 0; step < steps + 2; ++step) {
        PX_TRY(px_world_step(world, 1e9));
        PxStage stage[STAGES];
        t->stages = px_world_stages(world, stage, STAGES);
        double sum = 0;
        for (size_t k = 0; k < t->stages; ++k) {
            double took = stage[k].seconds - before[k];
            before[k] = stage[k].seconds;
            t->name[k] = stage[k].name;
            sum += took;
            if (step >= 2) /* the first ones grow the arrays */
                t->least[k] = fmin(t->least[k], took);
        }
        if (step >= 2)
            t->step = fmin(t->step, sum);
    }
    PxStats stats;
    px_world_stats(world, &stats);
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
        double per_pair = 1e9 * t->least[k] / pairs;
        px_report_row(bench->report, t->name[k], 1e3 * t->least[k],
                      1e9 * t->least[k] / t->particles, pair ? per_pair : NAN,
                      pair ? 100 * limit / per_pair : NAN);
    }
    px_report_row(bench->report, "step", 1e3 * t->step, 1e9 * t->step / t->particles, NAN, NAN);
}

PxStatus px_bench_fluid(PxBench *bench)
{
    static const uint32_t full[] = {63, 100, 159}, quick[] = {63, 100};
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
                   "\nThe limit is what one pass over the pairs could take: %.2f ns a pair on %d "
                   "thread%s.\nPressure and viscosity read twice as much a pair as density.",
                   LIMIT_NS_A_PAIR_AND_THREAD / bench->threads.count, bench->threads.count,
                   bench->threads.count == 1 ? "" : "s");
    px_report_number(bench->report, "peak_memory", px_bench_peak_memory() / 1e6, "MB");
    return PX_OK;
}
