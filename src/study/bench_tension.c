/// The published benchmark of surface tension models (004 sections 6.5, 6.6).
///
/// By default it runs all of section 6.6 and more: test 1 with every solver, model and
/// coefficient, test 2 with iisph and sesph at the lowest and highest coefficient, test 3 with
/// iisph at the highest. The document has no dfsph and no csf.
#include "study/bench.h"

#include "base/machine.h"
#include "phyxel/suggest.h"
#include "study/tension_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUICK_SCALE (8.0 / 27) /* 20^3 */
#define QUICK_SECONDS 0.5

/* Time of a step for each particle on one thread, s: iisph with akinci on an AMD EPYC takes 1.7e-6
 * in test 1 and 2.4e-6 in test 2. For the first estimate only; finished runs replace it. */
#define COST 2e-6

typedef PX_LIST(PxTensionCase) Cases;

/* ---- cases -------------------------------------------------------- */

/* Takes the next word of a comma-separated list; false at its end. */
static bool next_word(const char **list, char *out, size_t size)
{
    if (**list == '\0')
        return false;
    size_t length = strcspn(*list, ",");
    snprintf(out, size, "%.*s", (int)(length < size ? length : size - 1), *list);
    *list += length + ((*list)[length] == ',');
    return true;
}

/* Is `word` in the list? `otherwise` if there is no list. */
static bool chosen(const char *list, const char *word, bool otherwise)
{
    if (list == NULL)
        return otherwise;
    char item[64];
    while (next_word(&list, item, sizeof item))
        if (strcmp(item, word) == 0)
            return true;
    return false;
}

/* Every word of the list must be one of `words`; the message lists them with their `meaning`. */
static PxStatus check_words(const char *option, const char *list, const char *const *words,
                            const char *const *meaning, size_t count)
{
    if (list == NULL)
        return PX_OK;
    char item[64], all[200] = "";
    for (size_t k = 0, at = 0; k < count && at < sizeof all; ++k)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%s%s%s%s", k > 0 ? ", " : "", words[k],
                               meaning != NULL ? " (" : "", meaning != NULL ? meaning[k] : "",
                               meaning != NULL ? ")" : "");
    size_t items = 0;
    for (; next_word(&list, item, sizeof item); ++items) {
        bool known = false;
        for (size_t k = 0; k < count; ++k)
            known |= strcmp(words[k], item) == 0;
        const char *near = known ? NULL : px_suggest(item, words, count);
        if (!known)
            return px_fail(PX_ERR_ARGUMENT, "bench tension: %s '%s', wanted some of %s%s%s%s",
                           option, item, all, near != NULL ? "; did you mean '" : "",
                           near != NULL ? near : "", near != NULL ? "'?" : "");
    }
    if (items == 0)
        return px_fail(PX_ERR_ARGUMENT, "bench tension: %s is empty, wanted some of %s", option,
                       all);
    return PX_OK;
}

static PxStatus add_case(Cases *cases, PxTensionCase c)
{
    if (!PX_LIST_RESERVE(cases, 1))
        return px_fail(PX_ERR_MEMORY, "bench tension: no room for the list of runs");
    cases->data[cases->count++] = c;
    return PX_OK;
}

/* Default coefficients of a test, of the five (004 section 6.6). */
static const char *usual_strength(const PxBenchDef *def, int test)
{
    return def->quick ? "middle" : test == 1 ? "all" : test == 2 ? "low,high" : "high";
}

static PxStatus add_strengths(Cases *cases, PxTensionCase c, const PxTensionSet *set,
                              const char *list)
{
    static const char *const words[PX_TENSION_STRENGTHS] = {"low", "", "middle", "", "high"};
    for (int k = 0; k < PX_TENSION_STRENGTHS; ++k)
        if (chosen(list, "all", false) || (words[k][0] != '\0' && chosen(list, words[k], false))) {
            c.strength = set->strength[k];
            PX_TRY(add_case(cases, c));
        }
    char item[64], *end;
    while (next_word(&list, item, sizeof item)) {
        if (chosen("low,middle,high,all", item, false))
            continue;
        c.strength = strtod(item, &end);
        if (end == item || *end != '\0' || !(c.strength >= 0 && c.strength <= 1e6))
            return px_fail(PX_ERR_ARGUMENT,
                           "bench tension: --strength '%s', wanted low, middle, high, all or a "
                           "number from 0 to 1e6",
                           item);
        PX_TRY(add_case(cases, c));
    }
    return PX_OK;
}

static PxStatus choose(const PxBenchDef *def, Cases *cases)
{
    static const char *const tests[PX_TENSION_TESTS] = {"1", "2", "3"};
    const char *models[PX_TENSION_MODELS];
    for (size_t k = 0; k < PX_TENSION_MODELS; ++k)
        models[k] = px_tension_sets[k].name;
    PX_TRY(check_words("--test", def->tests, tests, px_tension_tests, PX_COUNT(tests)));
    PX_TRY(check_words("--pressure", def->pressure, px_tension_solvers, NULL, PX_TENSION_SOLVERS));
    PX_TRY(check_words("--tension", def->tension, models, NULL, PX_TENSION_MODELS));
    if (!(def->seconds >= 0 && def->seconds <= 1e4))
        return px_fail(PX_ERR_ARGUMENT, "bench tension: --seconds is %g, wanted 0 to 1e4",
                       def->seconds);
    for (int test = 1; test <= PX_TENSION_TESTS; ++test) {
        if (!chosen(def->tests, tests[test - 1], !def->quick || test == 1))
            continue;
        PxTensionCase c = {.test = test,
                           .scale = def->scale * (def->quick ? QUICK_SCALE : 1),
                           .seconds = def->seconds > 0 ? def->seconds
                                      : def->quick     ? QUICK_SECONDS
                                                       : px_tension_seconds(test),
                           .threads = def->threads};
        static const char *const usual[] = {NULL, "iisph,sesph", "iisph"};
        for (size_t s = 0; s < PX_TENSION_SOLVERS; ++s) {
            const char *solver = px_tension_solvers[s];
            if (!chosen(def->pressure != NULL ? def->pressure : usual[test - 1], solver, true))
                continue;
            snprintf(c.pressure, sizeof c.pressure, "%s", solver);
            for (size_t m = 0; m < PX_TENSION_MODELS; ++m) {
                if (!chosen(def->tension, models[m], true))
                    continue;
                snprintf(c.tension, sizeof c.tension, "%s", models[m]);
                PX_TRY(add_strengths(cases, c, &px_tension_sets[m],
                                     def->strength != NULL ? def->strength
                                                           : usual_strength(def, test)));
            }
        }
    }
    return PX_OK;
}

/* ---- running ------------------------------------------------------------ */

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Particles times steps of a millisecond. */
static double work_of(const PxTensionCase *c)
{
    return px_tension_particles(c) * c->seconds * 1000;
}

#define FRAME 0.1 /* s between stored frames */

typedef struct Progress {
    PxBench *bench;
    const PxTensionFolder *folder;
    uint32_t frames; /* stored of the present run */
    const PxTensionCase *c;
    size_t number, count;
    /* work of runs to come, including the present one; of finished runs */
    double work_left, work_done;
    double began, said;
    PxStatus status; /* of what was done after a step */
    char why[256];   /* and its message */
} Progress;

static void time_words(double seconds, char *out, size_t size)
{
    if (seconds < 120)
        snprintf(out, size, "%.0f s", seconds);
    else if (seconds < 7200)
        snprintf(out, size, "%.0f min", seconds / 60);
    else
        snprintf(out, size, "%.1f h", seconds / 3600);
}

static bool after_step(void *user, PxWorld *world)
{
    Progress *p = user;
    double now = clock_now(), time = px_world_time(world);
    if (time > FRAME * p->frames - 1e-6) {
        p->status = px_tension_folder_frame(p->folder, p->c, p->frames, world, &p->bench->threads);
        snprintf(p->why, sizeof p->why, "%s", px_error_message());
        if (p->status != PX_OK)
            return false;
        p->frames += 1;
    }
    if (now - p->said < 0.2)
        return true;
    p->said = now;
    double here = work_of(p->c) * time / p->c->seconds, done = p->work_done + here;
    double left = (p->work_left - here) *
                  (done > 0 ? (now - p->began) / done : COST / p->bench->threads.count);
    char name[128], words[32];
    px_tension_name(p->c, name, sizeof name);
    time_words(left, words, sizeof words);
    p->status = px_bench_next(p->bench, "run %zu of %zu, %s: t = %.3f of %g s, about %s left",
                              p->number, p->count, name, time, p->c->seconds, words);
    return p->status == PX_OK;
}

static PxStatus run_one(Progress *p, PxTensionFolder *folder)
{
    p->folder = folder;
    p->frames = 0;
    PxTensionRow row = {.c = *p->c};
    row.c.threads = p->bench->threads.count;
    char *steps, *slice;
    PxStatus status = px_tension_run(&row.c, after_step, p, &row.r, &steps, &slice);
    if (p->status != PX_OK && p->status != PX_ERR_STOPPED)
        return px_fail(p->status, "%s", p->why);
    PX_TRY(status);
    status = px_tension_folder_add(folder, &row, steps, slice);
    free(steps);
    free(slice);
    return status;
}

static PxStatus run_all(PxBench *bench, const Cases *cases, PxTensionFolder *folder)
{
    Progress p = {.bench = bench, .began = clock_now(), .status = PX_OK};
    for (size_t k = 0; k < cases->count; ++k)
        if (!px_tension_folder_has(folder, &cases->data[k])) {
            p.work_left += work_of(&cases->data[k]);
            ++p.count;
        }
    char words[32];
    time_words(p.work_left * COST / bench->threads.count, words, sizeof words);
    PX_TRY(px_bench_next(bench, "runs: %zu, complete: %zu; the others may take about %s",
                         cases->count, cases->count - p.count, words));
    for (size_t k = 0; k < cases->count; ++k) {
        if (px_tension_folder_has(folder, &cases->data[k]))
            continue;
        p.c = &cases->data[k];
        ++p.number;
        PX_TRY(run_one(&p, folder));
        p.work_left -= work_of(p.c);
        p.work_done += work_of(p.c);
    }
    return PX_OK;
}

/* ---- report ------------------------------------------------------------- */

static void report_rows(PxBench *bench, const PxTensionFolder *folder)
{
    static const PxReportColumn columns[] = {
        {"run", "run", "%s"},
        {"end", "s", "%.3g"},
        {"speed_end", "m/s at end", "%.4f"},
        {"peaks", "peaks", "%.0f"},
        {"tension_force", "F tension, N", "%.3g"},
        {"pressure_force", "F pressure, N", "%.3g"},
        {"axes", "axes", "%.3f"},
        {"reach", "reach", "%.2f"},
        {"clustered", "% clustered", "%.1f"},
        {"volume", "% volume", "%.2f"},
        {"iterations", "iterations", "%.1f"},
        {"ms_tension", "ms tension", "%.2f"},
        {"ms_pressure", "ms pressure", "%.2f"},
        {"ms_step", "ms/step", "%.2f"},
    };
    px_report_table(bench->report, "runs", "runs in the folder", columns, PX_COUNT(columns));
    for (size_t k = 0; k < folder->rows.count; ++k) {
        const PxTensionResult *r = &folder->rows.data[k].r;
        char name[128];
        px_tension_name(&folder->rows.data[k].c, name, sizeof name);
        px_report_row(bench->report, name, r->end, r->speed_end, r->peaks, r->tension_force,
                      r->pressure_force, r->axes, r->reach, r->clustered, r->volume, r->iterations,
                      r->ms_tension, r->ms_pressure, r->ms_step);
    }
}

PxStatus px_bench_tension(PxBench *bench)
{
    const char *path = bench->def.out != NULL ? bench->def.out : "bench-tension";
    Cases cases = {.count = 0};
    PxTensionFolder folder;
    PxStatus status = choose(&bench->def, &cases);
    if (status == PX_OK)
        status = px_tension_folder_open(&folder, path);
    if (status != PX_OK) {
        PX_LIST_FREE(&cases);
        return status;
    }
    status = run_all(bench, &cases, &folder);
    PX_LIST_FREE(&cases);
    /* The page shows the finished runs also when the bench was stopped. */
    if (status == PX_OK || status == PX_ERR_STOPPED) {
        char why[256] = "", machine[256], name[128];
        snprintf(why, sizeof why, "%s", px_error_message());
        px_machine_name(name, sizeof name);
        snprintf(machine, sizeof machine, "%s, %d thread%s", name, bench->threads.count,
                 bench->threads.count == 1 ? "" : "s");
        bool plotted = false;
        PxStatus written = px_tension_folder_finish(&folder, machine, &plotted);
        report_rows(bench, &folder);
        px_report_note(bench->report, "\nwritten to %s/index.md", path);
        if (!plotted)
            px_report_note(bench->report,
                           "no pictures: gnuplot is missing or failed; 'gnuplot plots/*.gp' in the "
                           "folder draws them");
        if (status == PX_ERR_STOPPED && written == PX_OK)
            written = px_fail(PX_ERR_STOPPED, "%s; complete runs are in %s and are not repeated",
                              why, path);
        status = written;
    }
    px_tension_folder_free(&folder);
    return status;
}
