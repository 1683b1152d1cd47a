#include "study/tension_page.h"

#include "base/fail.h"
#include "phyxel/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Formats a number; a dash if there is none. */
static void cell(FILE *out, const char *format, double value)
{
    char text[32] = "-";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (isfinite(value))
        snprintf(text, sizeof text, format, value);
#pragma GCC diagnostic pop
    fprintf(out, " %s |", text);
}

static bool has(const PxTensionFolder *folder, int test, const char *solver)
{
    for (size_t k = 0; k < folder->rows.count; ++k) {
        const PxTensionCase *c = &folder->rows.data[k].c;
        if (c->test == test && (solver == NULL || strcmp(c->pressure, solver) == 0))
            return true;
    }
    return false;
}

/* Table of the results. */
static void write_results(FILE *out, const PxTensionFolder *folder, int test)
{
    static const struct {
        const char *title, *format;
        size_t offset;
    } columns[] = {
        {"particles", "%.0f", offsetof(PxTensionResult, particles)},
        {"until, s", "%.3g", offsetof(PxTensionResult, end)},
        {"speed, m/s", "%.4f", offsetof(PxTensionResult, speed)},
        {"at the end", "%.4f", offsetof(PxTensionResult, speed_end)},
        {"peaks", "%.0f", offsetof(PxTensionResult, peaks)},
        {"F tension, N", "%.3g", offsetof(PxTensionResult, tension_force)},
        {"F pressure, N", "%.3g", offsetof(PxTensionResult, pressure_force)},
        {"axes", "%.3f", offsetof(PxTensionResult, axes)},
        {"gyration", "%.3f", offsetof(PxTensionResult, gyration)},
        {"reach", "%.2f", offsetof(PxTensionResult, reach)},
        {"clustered, %", "%.2f", offsetof(PxTensionResult, clustered)},
        {"volume, %", "%.2f", offsetof(PxTensionResult, volume)},
        {"compression, %", "%.3f", offsetof(PxTensionResult, density_error)},
        {"iterations", "%.1f", offsetof(PxTensionResult, iterations)},
        {"crown, m", "%.3f", offsetof(PxTensionResult, crown)},
        {"at, s", "%.2f", offsetof(PxTensionResult, crown_time)},
        {"droplets", "%.0f", offsetof(PxTensionResult, droplets)},
        {"loose, %", "%.3f", offsetof(PxTensionResult, loose)},
        {"jet, m", "%.3f", offsetof(PxTensionResult, jet)},
        {"caught, %", "%.1f", offsetof(PxTensionResult, caught)},
    };
    fprintf(out, "| solver | tension | coefficient |");
    for (size_t k = 0; k < PX_COUNT(columns); ++k)
        fprintf(out, " %s |", columns[k].title);
    fprintf(out, "\n|---|---|--:|");
    for (size_t k = 0; k < PX_COUNT(columns); ++k)
        fprintf(out, "--:|");
    fputc('\n', out);
    for (size_t i = 0; i < folder->rows.count; ++i) {
        const PxTensionRow *row = &folder->rows.data[i];
        if (row->c.test != test)
            continue;
        char name[128];
        px_tension_name(&row->c, name, sizeof name);
        fprintf(out, "| %s | %s | [%g](runs/%s.csv) |", row->c.pressure, row->c.tension,
                row->c.strength, name);
        for (size_t k = 0; k < PX_COUNT(columns); ++k)
            cell(out, columns[k].format,
                 *(const double *)((const char *)&row->r + columns[k].offset));
        fputc('\n', out);
    }
}

/* Table of the costs, as 004 Table 6.1: per simulated second and per step. */
static void write_times(FILE *out, const PxTensionFolder *folder, int test)
{
    fprintf(out, "| solver | tension | coefficient | steps | dt, ms | tension, s/s | pressure, s/s "
                 "| all, s/s | step, ms | tension | pressure | viscosity | density | neighbours | "
                 "other |\n"
                 "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < folder->rows.count; ++i) {
        const PxTensionCase *c = &folder->rows.data[i].c;
        const PxTensionResult *r = &folder->rows.data[i].r;
        if (c->test != test)
            continue;
        double steps = r->steps / r->end * 1e-3; /* from ms per step to s per simulated second */
        fprintf(out, "| %s | %s | %g |", c->pressure, c->tension, c->strength);
        cell(out, "%.0f", r->steps);
        cell(out, "%.3g", r->dt);
        cell(out, "%.2f", r->ms_tension * steps);
        cell(out, "%.2f", r->ms_pressure * steps);
        cell(out, "%.2f", r->ms_step * steps);
        const double ms[] = {r->ms_step,    r->ms_tension,    r->ms_pressure, r->ms_viscosity,
                             r->ms_density, r->ms_neighbours, r->ms_other};
        for (size_t k = 0; k < PX_COUNT(ms); ++k)
            cell(out, "%.2f", ms[k]);
        fputc('\n', out);
    }
}

static void write_failures(FILE *out, const PxTensionFolder *folder, int test)
{
    for (size_t i = 0; i < folder->rows.count; ++i) {
        const PxTensionRow *row = &folder->rows.data[i];
        if (row->c.test == test && row->r.end < row->c.seconds)
            fprintf(out, "\n%s with %s = %g left all bounds at t = %g s of %g s.\n",
                    row->c.pressure, row->c.tension, row->c.strength, row->r.end, row->c.seconds);
    }
}

static void write_test(FILE *out, const PxTensionFolder *folder, int test, bool drawn)
{
    if (!has(folder, test, NULL))
        return;
    fprintf(out, "\n## Test %d: %s\n\n", test, px_tension_tests[test - 1]);
    if (drawn) {
        if (test == 1)
            fprintf(out, "![aggregated speeds and forces](plots/aggregate-1.png)\n\n");
        fprintf(out, "![mean speed over time](plots/speed-%d.png)\n\n", test);
        for (size_t s = 0; s < PX_TENSION_SOLVERS; ++s)
            if (has(folder, test, px_tension_solvers[s]))
                fprintf(out, "![slices with %s](plots/slices-%d-%s.png)\n\n", px_tension_solvers[s],
                        test, px_tension_solvers[s]);
    }
    write_results(out, folder, test);
    write_failures(out, folder, test);
    fprintf(out, "\nWall-clock time: s per simulated second, then ms per step.\n\n");
    write_times(out, folder, test);
}

PxStatus px_tension_page(const PxTensionFolder *folder, const char *machine, bool drawn)
{
    char path[PX_PATH_MAX], *text = NULL;
    size_t size;
    PX_TRY(px_path_join(path, folder->path, "index.md"));
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return px_fail(PX_ERR_MEMORY, "bench: no room for the page");
    fprintf(out,
            "# Surface tension benchmark\n\n"
            "phyxel %s, %s. %zu runs: results in [summary.csv](summary.csv), steps "
            "in runs/, means over coefficients in [aggregate.csv](aggregate.csv).\n",
            PX_VERSION, machine, folder->rows.count);
    if (!drawn)
        fprintf(out, "\nThere are no pictures: gnuplot was missing or failed. `gnuplot *.gp` in "
                     "plots/ draws them.\n");
    for (int test = 1; test <= PX_TENSION_TESTS; ++test)
        write_test(out, folder, test, drawn);
    fprintf(out,
            "\n## Columns\n\n"
            "- speed: mean over particles and time; at the end: over the last tenth of the time\n"
            "- peaks: maxima of the mean speed over time, higher than their surroundings by 5 %% "
            "of the "
            "largest\n"
            "- F: mean size of the force on a particle\n"
            "- axes: shortest over longest, from the second moments; 1 for a ball, and for a cube\n"
            "- gyration: radius of gyration over that of a ball of this volume; 1.04 for a cube\n"
            "- reach: longest over shortest distance from the centre to the surface, in 200 "
            "directions; 1.58 for the cube at the start\n"
            "- clustered: share of particles with another one nearer than half a spacing\n"
            "- volume: at the end, over that at rest density\n"
            "- compression: mean over particles and time\n"
            "- iterations: of the pressure solve, per step\n"
            "- crown: greatest height of the liquid that hangs together (at 1.5 spacings) over the "
            "pool's level, after the drop has gone under; at: when; the slice shows it\n"
            "- droplets: pieces besides the largest, in test 2 at that time, in test 3 at most; "
            "loose: particles in them\n"
            "- jet: twice the rms distance from the jet's centre below the rim of the glass\n"
            "- caught: particles in the glass at the end\n");
    PxStatus status = fclose(out) != 0 ? px_fail(PX_ERR_MEMORY, "bench: no room for the page")
                                       : px_file_write_atomic(path, text, size);
    free(text);
    return status;
}
