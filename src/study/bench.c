#include "study/bench.h"

#include "base/machine.h"
#include "phyxel/suggest.h"
#include "phyxel/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Each bench is one file and one line here. */
static const struct {
    PxBenchInfo info;
    PxStatus (*run)(PxBench *bench);
} benches[] = {
    {{"fluid", "a fluid step by stage: ms, ns per pair, per cent of the machine's limit",
      PX_BENCH_PLAIN},
     px_bench_fluid},
    {{"neighbours", "grid, kd-tree and hash table: build, query, bytes", PX_BENCH_PLAIN},
     px_bench_neighbours},
    {{"peer", "comparison with SPlisHSPlasH on the same set-ups", PX_BENCH_PLAIN}, px_bench_peer},
    {{"runs", "whole runs: start and steps of 5,000 particles, memory and frames of a million",
      PX_BENCH_PLAIN},
     px_bench_runs},
    {{"scaling", "stages of a step by number of threads", PX_BENCH_PLAIN}, px_bench_scaling},
    {{"solid", "elastic solids by stage: 001 Table 1, surfels, a beam, 100,000 particles",
      PX_BENCH_PLAIN},
     px_bench_solid},
    {{"melt", "coats of stirred matter by frame; freezing and melting matter by step",
      PX_BENCH_PLAIN},
     px_bench_melt},
    {{"cloth", "sheets over a box and balls: 004's, Blender's, 100,000 triangles", PX_BENCH_PARTS},
     px_bench_cloth},
    {{"cloth-fluid", "a jet on pinned cloth (004 Table 4.1), leaks, water that runs down cloth",
      PX_BENCH_PLOTS},
     px_bench_cloth_fluid},
    {{"contact", "rigid boxes: a heap of 1000 and a stack of ten; soft bodies; ducks in a tub",
      PX_BENCH_PARTS},
     px_bench_contact},
    {{"mesh-walls", "particles against triangles: grid, tree, distance field, table (002 Fig. 8.1)",
      PX_BENCH_PLAIN},
     px_bench_mesh_walls},
    {{"realtime", "contrast fluid in a colon and a solid with surfels against real time",
      PX_BENCH_PLAIN},
     px_bench_realtime},
    {{"fracture", "solids that burst, tear and break along scores (000 Figures 5.7, 5.8, 5.14)",
      PX_BENCH_PLAIN},
     px_bench_fracture},
    {{"surface", "surfaces of a million particles with each field", PX_BENCH_PLAIN},
     px_bench_surface},
    {{"render", "a clear liquid of 200,000 triangles on a ground: seconds, noise", PX_BENCH_PLAIN},
     px_bench_render},
    {{"tension", "drop, crown and glass with every solver and tension model; takes hours",
      PX_BENCH_FOLDER},
     px_bench_tension},
    {{"validate", "the physics against formulas: value, reference, error, last release",
      PX_BENCH_PAGES},
     px_bench_validate},
};

const PxBenchInfo *px_bench_info(size_t k)
{
    return k < PX_COUNT(benches) ? &benches[k].info : NULL;
}

PxBenchDef px_bench_def_default(void)
{
    return (PxBenchDef){.scale = 1};
}

PxStatus px_bench_next(PxBench *bench, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (bench->each != NULL && !bench->each(bench->user, text))
        return px_fail(PX_ERR_STOPPED, "bench: stopped before %s", text);
    return PX_OK;
}

PxStatus px_bench_choose(const PxBench *bench, const char *name, const char *const *word,
                         size_t words, bool *wanted)
{
    char all[200] = "";
    for (size_t k = 0, at = 0; k < words && at < sizeof all; ++k)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", k > 0 ? ", " : "", word[k]);
    for (size_t k = 0; k < words; ++k)
        wanted[k] = bench->def.tests == NULL;
    bool any = bench->def.tests == NULL;
    for (const char *at = bench->def.tests; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ",");
        bool known = false;
        for (size_t k = 0; k < words; ++k)
            if (strlen(word[k]) == length && strncmp(at, word[k], length) == 0)
                known = wanted[k] = any = true;
        if (!known)
            return px_fail(PX_ERR_ARGUMENT, "bench %s: --test '%.*s', wanted some of %s", name,
                           (int)(length < 40 ? length : 40), at, all);
        at += length + (at[length] == ',');
    }
    if (!any)
        return px_fail(PX_ERR_ARGUMENT, "bench %s: --test is empty, wanted some of %s", name, all);
    return PX_OK;
}

double px_bench_processor(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double px_bench_peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
}

static void machine_facts(PxBench *bench)
{
    char name[128];
    px_machine_name(name, sizeof name);
    px_report_fact(bench->report, "phyxel", PX_VERSION);
    px_report_fact(bench->report, "machine", name);
    px_report_number(bench->report, "threads", bench->threads.count, "");
    px_report_fact(bench->report, "instructions", px_isa_name(bench->isa));
}

PxStatus px_bench_run(const char *name, const PxBenchDef *def, PxBenchFunction *each, void *user,
                      char **text, char **json)
{
    *text = *json = NULL;
    const char *names[PX_COUNT(benches)];
    size_t k = 0;
    for (size_t i = 0; i < PX_COUNT(benches); ++i)
        names[i] = benches[i].info.name;
    while (k < PX_COUNT(benches) && strcmp(names[k], name) != 0)
        ++k;
    if (k == PX_COUNT(benches)) {
        const char *near = px_suggest(name, names, PX_COUNT(benches));
        char list[400] = "";
        for (size_t i = 0, at = 0; i < PX_COUNT(benches) && at < sizeof list; ++i)
            at +=
                (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "", names[i]);
        return px_fail(PX_ERR_ARGUMENT, "there is no bench '%.60s', wanted one of %s%s%s%s", name,
                       list, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                       near != NULL ? "'?" : "");
    }
    if (!(def->scale > 0 && def->scale <= 100))
        return px_fail(PX_ERR_ARGUMENT, "bench: scale is %g, wanted more than 0 and at most 100",
                       def->scale);
    PX_TRY(px_threads_check(def->threads, "bench"));
    PxBenchOptions options = benches[k].info.options;
    if (options != PX_BENCH_PAGES && (def->page != NULL || def->csv != NULL || def->from != NULL))
        return px_fail(PX_ERR_ARGUMENT, "bench '%s' has no options --write, --csv and --from",
                       name);
    bool plots = options == PX_BENCH_PLOTS;
    bool tests = plots || options == PX_BENCH_PAGES || options == PX_BENCH_PARTS;
    if (options != PX_BENCH_FOLDER &&
        ((def->out != NULL && !plots) || (def->tests != NULL && !tests) || def->pressure != NULL ||
         def->tension != NULL || def->strength != NULL || def->seconds > 0))
        return px_fail(
            PX_ERR_ARGUMENT,
            "bench '%s' has no options %s--pressure, --tension, --strength, --seconds and --scale",
            name,
            plots   ? ""
            : tests ? "--output, "
                    : "--output, --test, ");
    PxBench bench = {.def = *def,
                     .threads = {.count = def->threads > 0 ? def->threads : px_threads_available()},
                     .isa = px_isa_best(),
                     .report = px_report_create(name),
                     .each = each,
                     .user = user};
    machine_facts(&bench);
    PxStatus status = benches[k].run(&bench);
    if (status == PX_OK)
        status = px_report_finish(bench.report, text, json);
    px_report_free(bench.report);
    return status;
}

void px_bench_free(char *text)
{
    free(text);
}
