/// Plots of the surface tension benchmark: scripts for gnuplot, which contain their data or read it
/// from ../runs; drawn if gnuplot is installed.
#include "study/tension_page.h"

#include "base/fail.h"
#include "study/gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- gnuplot ------------------------------------------------------------ */

/* Runs `gnuplot script` in the folder plots/. */
static bool draw(const PxTensionFolder *folder, const char *script)
{
    char path[PX_PATH_MAX];
    return px_path_join(path, folder->path, "plots") == PX_OK && px_gnuplot(path, script);
}

/* A script being written. */
typedef struct Script {
    FILE *out;
    char *text;
    size_t size;
    char name[64];
} Script;

static bool script_begin(Script *s, const char *name, double width, double height)
{
    *s = (Script){.text = NULL};
    snprintf(s->name, sizeof s->name, "%s", name);
    s->out = open_memstream(&s->text, &s->size);
    if (s->out == NULL)
        return false;
    fprintf(s->out,
            "# draws %s.png; run in this folder\n"
            "set terminal pngcairo size %.0f,%.0f enhanced font 'sans,10' background 'white'\n"
            "set output '%s.png'\n"
            "set encoding utf8\nset datafile separator comma\n"
            "set border 3 lc rgb '#444444'\n"
            "set tics nomirror textcolor rgb '#222222'\n",
            name, width, height, name);
    return true;
}

static PxStatus script_end(Script *s, const PxTensionFolder *folder, bool *drawn)
{
    char path[PX_PATH_MAX], file[80];
    PxStatus status = PX_OK;
    if (fclose(s->out) != 0)
        status = px_fail(PX_ERR_MEMORY, "bench: no room for a plot");
    snprintf(file, sizeof file, "%s.gp", s->name);
    if (status == PX_OK)
        status = px_path_join(path, folder->path, "plots/%s", file);
    if (status == PX_OK)
        status = px_file_write_atomic(path, s->text, s->size);
    free(s->text);
    if (status == PX_OK && *drawn)
        *drawn = draw(folder, file);
    return status;
}

/* ---- existing runs --------------------------------------------------------------- */

/* Rows of one solver and one model in a test; they are contiguous. */
typedef struct Group {
    const PxTensionRow *row;
    size_t count;
} Group;

static Group group(const PxTensionFolder *folder, int test, const char *solver, const char *model)
{
    Group g = {NULL, 0};
    for (size_t k = 0; k < folder->rows.count; ++k) {
        const PxTensionRow *row = &folder->rows.data[k];
        if (row->c.test != test || strcmp(row->c.pressure, solver) != 0 ||
            strcmp(row->c.tension, model) != 0)
            continue;
        if (g.count == 0)
            g.row = row;
        ++g.count;
    }
    return g;
}

typedef struct Present {
    size_t solver[PX_TENSION_SOLVERS], model[PX_TENSION_MODELS];
    size_t solvers, models, most; /* most: rows in a group */
} Present;

static Present present(const PxTensionFolder *folder, int test)
{
    Present p = {.solvers = 0};
    bool model[PX_TENSION_MODELS] = {false};
    for (size_t s = 0; s < PX_TENSION_SOLVERS; ++s) {
        bool any = false;
        for (size_t m = 0; m < PX_TENSION_MODELS; ++m) {
            Group g = group(folder, test, px_tension_solvers[s], px_tension_sets[m].name);
            any |= g.count > 0;
            model[m] |= g.count > 0;
            p.most = g.count > p.most ? g.count : p.most;
        }
        if (any)
            p.solver[p.solvers++] = s;
    }
    for (size_t m = 0; m < PX_TENSION_MODELS; ++m)
        if (model[m])
            p.model[p.models++] = m;
    return p;
}

/* The shade of a coefficient: the one whose published coefficient is nearest. */
static uint32_t shade(const PxTensionSet *set, double strength)
{
    int nearest = 0;
    for (int k = 1; k < PX_TENSION_STRENGTHS; ++k)
        if (fabs(set->strength[k] - strength) < fabs(set->strength[nearest] - strength))
            nearest = k;
    return set->colour[nearest];
}

/* ---- mean speed over time ----------------------------------------------- */

static PxStatus plot_speeds(const PxTensionFolder *folder, int test, bool *drawn)
{
    Present p = present(folder, test);
    if (p.solvers == 0)
        return PX_OK;
    char name[32];
    snprintf(name, sizeof name, "speed-%d", test);
    Script s;
    if (!script_begin(&s, name, 320 * (double)p.models + 60, 230 * (double)p.solvers + 70))
        return px_fail(PX_ERR_MEMORY, "bench: no room for a plot");
    fprintf(s.out,
            "set multiplot layout %zu,%zu title 'Test %d: mean speed of the particles, m/s, over "
            "time, s' font 'sans,12'\n"
            "set grid ytics lc rgb '#dddddd' lt 1\n"
            "set key top center horizontal samplen 0.8 width -1 font 'sans,8'\n"
            "set offsets 0,0,graph 0.3,0\n"
            "set yrange [0:*]\nset xrange [0:*]\n"
            "set xtics font 'sans,9'\nset ytics font 'sans,9'\n"
            "set lmargin 8\nset rmargin 1\n",
            p.solvers, p.models, test);
    for (size_t i = 0; i < p.solvers; ++i)
        for (size_t m = 0; m < p.models; ++m) {
            const PxTensionSet *set = &px_tension_sets[p.model[m]];
            Group g = group(folder, test, px_tension_solvers[p.solver[i]], set->name);
            if (g.count == 0) {
                fprintf(s.out, "set multiplot next\n");
                continue;
            }
            fprintf(s.out, "set title '%s, %s'\nplot ", px_tension_solvers[p.solver[i]], set->name);
            for (size_t k = 0; k < g.count; ++k) {
                char run[128];
                px_tension_name(&g.row[k].c, run, sizeof run);
                fprintf(s.out,
                        "%s'../runs/%s.csv' using 'time':'speed' with lines lw 1.6 lc rgb "
                        "'#%06x' title '%s = %g'",
                        k > 0 ? ", \\\n  " : "", run, (unsigned)shade(set, g.row[k].c.strength),
                        set->symbol, g.row[k].c.strength);
            }
            fputc('\n', s.out);
        }
    fprintf(s.out, "unset multiplot\n");
    return script_end(&s, folder, drawn);
}

/* ---- slices of the final state ------------------------------------- */

static PxStatus plot_slices(const PxTensionFolder *folder, int test, const char *solver,
                            bool *drawn)
{
    Present p = present(folder, test);
    size_t models = 0, most = 0;
    for (size_t m = 0; m < p.models; ++m) {
        Group g = group(folder, test, solver, px_tension_sets[p.model[m]].name);
        models += g.count > 0;
        most = g.count > most ? g.count : most;
    }
    if (models == 0)
        return PX_OK;
    char name[64];
    snprintf(name, sizeof name, "slices-%d-%s", test, solver);
    Script s;
    double width = test == 1 ? 200 : 340;
    if (!script_begin(&s, name, fmax(width * (double)most, 340), 215 * (double)models + 40))
        return px_fail(PX_ERR_MEMORY, "bench: no room for a plot");
    fprintf(s.out,
            "set multiplot layout %zu,%zu title 'Test %d, %s: the middle plane at the end' font "
            "'sans,10'\n"
            "set size ratio -1\nunset border\nunset tics\nunset key\n"
            "set lmargin 0.5\nset rmargin 0.5\nset bmargin 0.3\nset tmargin 2\n"
            "set title offset 0,-0.8 font 'sans,9'\n",
            models, most, test, solver);
    for (size_t m = 0; m < p.models; ++m) {
        const PxTensionSet *set = &px_tension_sets[p.model[m]];
        Group g = group(folder, test, solver, set->name);
        for (size_t k = 0; g.count > 0 && k < most; ++k) {
            if (k >= g.count) {
                fprintf(s.out, "set multiplot next\n");
                continue;
            }
            const PxTensionCase *c = &g.row[k].c;
            double half = 0.75 * 30 * cbrt(c->scale) * px_tension_spacing(1);
            if (test == 1) /* outline of the initial cube, at the same scale in every picture */
                fprintf(s.out, "set xrange [-%g:%g]\nset yrange [-%g:%g]\n", half, half, half,
                        half);
            char run[128];
            px_tension_name(c, run, sizeof run);
            fprintf(s.out,
                    "set title '%s, %s = %g'\n"
                    "plot '../runs/%s-slice.csv' every ::1 using 1:2 with points pt 7 ps %.2f lc "
                    "rgb '#%06x'\n",
                    set->name, set->symbol, c->strength, run, test == 1 ? 0.4 : 0.12,
                    (unsigned)shade(set, c->strength));
        }
    }
    fprintf(s.out, "unset multiplot\n");
    return script_end(&s, folder, drawn);
}

/* ---- aggregates (004 Figure 6.8) ---------------------------------------- */

typedef struct Mean {
    double mean, deviation;
} Mean;

static Mean mean_of(Group g, size_t offset)
{
    Mean m = {0, 0};
    for (size_t k = 0; k < g.count; ++k)
        m.mean += *(const double *)((const char *)&g.row[k].r + offset) / (double)g.count;
    for (size_t k = 0; k < g.count; ++k) {
        double d = *(const double *)((const char *)&g.row[k].r + offset) - m.mean;
        m.deviation += d * d / (double)g.count;
    }
    m.deviation = sqrt(m.deviation);
    return m;
}

static PxStatus write_aggregate(const PxTensionFolder *folder)
{
    char path[PX_PATH_MAX], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return px_fail(PX_ERR_MEMORY, "bench: no room for the means");
    fprintf(out, "test,tension,pressure,runs,speed,speed_deviation,tension_force,"
                 "tension_force_deviation,pressure_force,pressure_force_deviation\n");
    for (int test = 1; test <= PX_TENSION_TESTS; ++test)
        for (size_t m = 0; m < PX_TENSION_MODELS; ++m)
            for (size_t s = 0; s < PX_TENSION_SOLVERS; ++s) {
                Group g = group(folder, test, px_tension_solvers[s], px_tension_sets[m].name);
                if (g.count == 0)
                    continue;
                Mean speed = mean_of(g, offsetof(PxTensionResult, speed));
                Mean tension = mean_of(g, offsetof(PxTensionResult, tension_force));
                Mean pressure = mean_of(g, offsetof(PxTensionResult, pressure_force));
                fprintf(out, "%d,%s,%s,%zu,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", test,
                        px_tension_sets[m].name, px_tension_solvers[s], g.count, speed.mean,
                        speed.deviation, tension.mean, tension.deviation, pressure.mean,
                        pressure.deviation);
            }
    PxStatus status = fclose(out) != 0 ? px_fail(PX_ERR_MEMORY, "bench: no room for the means")
                                       : px_path_join(path, folder->path, "aggregate.csv");
    if (status == PX_OK)
        status = px_file_write_atomic(path, text, size);
    free(text);
    return status;
}

/* Bars of a quantity: place, mean, deviation, colour. */
static void write_bars(FILE *out, const PxTensionFolder *folder, const Present *p,
                       const char *block, size_t offset, double shift)
{
    fprintf(out, "$%s << EOD\n", block);
    for (size_t m = 0; m < p->models; ++m)
        for (size_t s = 0; s < p->solvers; ++s) {
            const PxTensionSet *set = &px_tension_sets[p->model[m]];
            Group g = group(folder, 1, px_tension_solvers[p->solver[s]], set->name);
            if (g.count == 0)
                continue;
            Mean mean = mean_of(g, offset);
            fprintf(out, "%g,%.6g,%.6g,%u\n", (double)(m * (p->solvers + 1) + s) + shift, mean.mean,
                    fmin(mean.deviation, 0.95 * mean.mean), /* the axis has no 0 */
                    (unsigned)set->colour[1 + s % (PX_TENSION_STRENGTHS - 1)]);
        }
    fprintf(out, "EOD\n");
}

static PxStatus plot_aggregate(const PxTensionFolder *folder, bool *drawn)
{
    Present p = present(folder, 1);
    if (p.solvers == 0)
        return PX_OK;
    Script s;
    if (!script_begin(&s, "aggregate-1", 1000, 780))
        return px_fail(PX_ERR_MEMORY, "bench: no room for a plot");
    write_bars(s.out, folder, &p, "speed", offsetof(PxTensionResult, speed), 0);
    write_bars(s.out, folder, &p, "tension", offsetof(PxTensionResult, tension_force), -0.21);
    write_bars(s.out, folder, &p, "pressure", offsetof(PxTensionResult, pressure_force), 0.21);
    fprintf(s.out, "set xtics out scale 0 rotate by -35 font 'sans,9' (");
    for (size_t m = 0; m < p.models; ++m)
        for (size_t k = 0; k < p.solvers; ++k)
            fprintf(s.out, "%s'%s' %zu", m + k > 0 ? ", " : "", px_tension_solvers[p.solver[k]],
                    m * (p.solvers + 1) + k);
    fprintf(s.out, ")\nset xrange [-0.8:%g]\n", (double)(p.models * (p.solvers + 1)) - 1.2);
    for (size_t m = 0; m < p.models; ++m)
        fprintf(s.out, "set label %zu '%s' at first %g, graph 1.04 center\n", m + 1,
                px_tension_sets[p.model[m]].name,
                (double)(m * (p.solvers + 1)) + 0.5 * (double)(p.solvers - 1));
    fprintf(s.out, "set logscale y\nset format y '10^{%%T}'\nunset key\n"
                   "set grid ytics lc rgb '#dddddd' lt 1\nset lmargin 10\nset tmargin 4\n"
                   "set style fill solid 0.9 noborder\n"
                   "set multiplot layout 2,1\n"
                   "set title 'Test 1: mean speed over particles, time and coefficients; bars: "
                   "deviation over coefficients' offset 0,1.2\n"
                   "set ylabel 'm/s'\n"
                   "plot $speed using 1:2:(0.8):4 with boxes lc rgb variable, "
                   "'' using 1:($2-$3):(0):(2*$3) with vectors nohead lw 1.4 lc rgb '#222222'\n"
                   "set title 'Test 1: mean force on a particle, by tension (full) and by pressure "
                   "(light)' offset 0,1.2\n"
                   "set ylabel 'N'\n"
                   "plot $tension using 1:2:(0.4):4 with boxes lc rgb variable, "
                   "'' using 1:($2-$3):(0):(2*$3) with vectors nohead lw 1.4 lc rgb '#222222', "
                   "$pressure using 1:2:(0.4):4 with boxes fill solid 0.45 noborder lc rgb "
                   "variable, "
                   "'' using 1:($2-$3):(0):(2*$3) with vectors nohead lw 1.4 lc rgb '#222222'\n"
                   "unset multiplot\n");
    return script_end(&s, folder, drawn);
}

PxStatus px_tension_plots(const PxTensionFolder *folder, bool *drawn)
{
    *drawn = true;
    PX_TRY(write_aggregate(folder));
    PX_TRY(plot_aggregate(folder, drawn));
    for (int test = 1; test <= PX_TENSION_TESTS; ++test) {
        PX_TRY(plot_speeds(folder, test, drawn));
        for (size_t s = 0; s < PX_TENSION_SOLVERS; ++s)
            PX_TRY(plot_slices(folder, test, px_tension_solvers[s], drawn));
    }
    return PX_OK;
}
