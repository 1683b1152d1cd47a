/// The option `phyxel info --plot`: plots gauges, forces and torques on walls, and the energy
/// balance over time with gnuplot.
#define _GNU_SOURCE
#include "commands.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* One panel of a picture: a curve for each column whose name contains `match`. */
typedef struct Panel {
    const char *match, *label;
    bool sum; /* running sum instead of values */
} Panel;

/* Written as NAME.gp and NAME.png. */
typedef struct Picture {
    const char *name;
    Panel panel[2];
} Picture;

static const Picture pictures[] = {
    {"forces",
     {{"_force_", "force on walls, N", false}, {"_torque_", "torque on walls, N m", false}}},
    {"energy", {{"kinetic", "kinetic energy, J", false}, {"work_", "work so far, J", true}}},
};

typedef struct Plot {
    FILE *script;
    const Panel *panel;
    size_t curves;
} Plot;

static void add_curve(void *user, const char *name, const char *unit, const char *meaning,
                      double value)
{
    Plot *plot = user;
    (void)unit;
    (void)meaning;
    (void)value;
    if (strstr(name, plot->panel->match) == NULL)
        return;
    fprintf(plot->script,
            "%s \\\n 'stats.csv' using \"time\":\"%s\"%s with lines title \"%s\" noenhanced",
            plot->curves++ > 0 ? "," : "plot", name, plot->panel->sum ? " smooth cumulative" : "",
            name);
}

/* Runs `gnuplot SCRIPT` in the folder. */
static bool draw(const char *dir, char *script)
{
    posix_spawn_file_actions_t actions;
    char *arguments[] = {"gnuplot", script, NULL};
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool begun = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
                 /* warnings about gauges without matter */
                 posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
                 posix_spawn_file_actions_addchdir_np(&actions, dir) == 0 &&
                 posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return begun && waitpid(child, &status, 0) == child && status == 0;
}

static int not_drawn(const char *path)
{
    fprintf(stderr,
            "phyxel info: gnuplot did not draw %s; is it installed (Debian: gnuplot-nox)?\n",
            text_safe(path));
    return EXIT_FAILED;
}

/* ---- gauges ---------------------------------------------------------------------- */

enum { MOST_UNITS = 16, MOST_TITLES = 16 };

/* Splits "NAME [UNIT]" in place; returns the unit, or NULL. */
static char *split_unit(char *name)
{
    char *open = strrchr(name, '['), *close = strrchr(name, ']');
    if (open == NULL || close == NULL || close < open || open == name)
        return NULL;
    open[-1] = *close = '\0';
    return open + 1;
}

/* The header of gauges.csv in `line`, which is cut up: a panel for each unit, a curve for each
 * column. */
static void write_panels(FILE *script, char *line)
{
    const char *unit[MOST_UNITS];
    size_t units = 0, columns = 0;
    struct {
        const char *name, *unit;
    } column[4096];
    for (char *name = strtok(line, ",\n"); name != NULL && columns < 4096;
         name = strtok(NULL, ",\n")) {
        const char *its = split_unit(name);
        if (its == NULL || strcmp(name, "time") == 0)
            continue;
        size_t k = 0;
        while (k < units && strcmp(unit[k], its) != 0)
            ++k;
        if (k == units && units < MOST_UNITS)
            unit[units++] = its;
        column[columns].name = name;
        column[columns++].unit = its;
    }
    fprintf(script,
            "# draws gauges.png; run in this folder\n"
            "set terminal pngcairo size 1000,%zu font 'sans,11' background 'white'\n"
            "set output 'gauges.png'\nset datafile separator comma\nset datafile missing NaN\n"
            "cell(name) = real(sprintf('%%.7g', column(name))) # no noise of the last digit\n"
            "set key outside right\nset grid\nset xlabel 'time, s'\nset multiplot layout %zu,1\n",
            260 * units + 40, units);
    for (size_t k = 0; k < units; ++k) {
        size_t curves = 0;
        fprintf(script, "set ylabel \"%s\" noenhanced\n", unit[k]);
        for (size_t c = 0; c < columns; ++c) {
            if (strcmp(column[c].unit, unit[k]) != 0)
                continue;
            fprintf(script,
                    "%s \\\n 'gauges.csv' using \"time [s]\":(cell(\"%s [%s]\")) with lines ",
                    curves > 0 ? "," : "plot", column[c].name, unit[k]);
            if (curves++ < MOST_TITLES)
                fprintf(script, "title \"%s\" noenhanced", column[c].name);
            else
                fprintf(script, "notitle");
        }
        fprintf(script, "\n");
    }
}

/* Draws gauges.png if the run has gauges. */
static int plot_gauges(const char *dir, bool *there)
{
    char *path = NULL, *line = NULL;
    size_t room = 0;
    int answer = EXIT_FAILED;
    FILE *in = NULL, *script = NULL;
    *there = false;
    if (asprintf(&path, "%s/gauges.csv", dir) < 0)
        return EXIT_FAILED;
    in = fopen(path, "r");
    if (in == NULL) {
        answer = EXIT_DONE;
        goto done;
    }
    *there = true;
    if (getline(&line, &room, in) < 0)
        goto done;
    free(path);
    if (asprintf(&path, "%s/gauges.gp", dir) < 0) {
        path = NULL;
        goto done;
    }
    script = fopen(path, "w");
    if (script == NULL) {
        fprintf(stderr, "phyxel info: %s cannot be written\n", text_safe(path));
        goto done;
    }
    write_panels(script, line);
    bool written = fclose(script) == 0;
    char name[] = "gauges.gp";
    if (!written || !draw(dir, name)) {
        answer = not_drawn(path);
        goto done;
    }
    printf("%s/gauges.png\n", text_safe(dir));
    answer = EXIT_DONE;
done:
    if (in != NULL)
        fclose(in);
    free(line);
    free(path);
    return answer;
}

/* ---- stats.csv ------------------------------------------------------------------- */

/* Writes the script of a picture; *curves: how many curves it has. */
static PxStatus write_script(const char *dir, const char *path, const Picture *picture,
                             size_t *curves, bool *written)
{
    Plot plot = {.script = fopen(path, "w")};
    PxStatus status = PX_OK;
    *written = false;
    *curves = 0;
    if (plot.script == NULL)
        return PX_OK;
    fprintf(plot.script,
            "# draws %s.png; run in this folder\n"
            "set terminal pngcairo size 1000,800 font 'sans,11' background 'white'\n"
            "set output '%s.png'\nset datafile separator comma\n"
            "set key outside right\nset grid\nset xlabel 'time, s'\n"
            "set multiplot layout 2,1\n",
            picture->name, picture->name);
    for (size_t k = 0; k < 2 && status == PX_OK; ++k) {
        plot.panel = &picture->panel[k];
        plot.curves = 0;
        fprintf(plot.script, "set ylabel '%s'\n", plot.panel->label);
        status = px_info_stats(dir, add_curve, &plot);
        fprintf(plot.script, "\n");
        *curves += plot.curves;
        if (plot.curves == 0)
            break;
    }
    *written = fclose(plot.script) == 0;
    return status;
}

static int plot_picture(const char *dir, const Picture *picture)
{
    size_t length = strlen(dir) + strlen(picture->name) + sizeof "/.gp", curves;
    char *path = malloc(length);
    if (path == NULL)
        return EXIT_FAILED;
    snprintf(path, length, "%s/%s.gp", dir, picture->name);
    bool written;
    int answer = EXIT_DONE;
    PxStatus status = write_script(dir, path, picture, &curves, &written);
    if (status != PX_OK) {
        answer = report_failure(status, "info");
    } else if (!written) {
        fprintf(stderr, "phyxel info: %s cannot be written\n", text_safe(path));
        answer = EXIT_FAILED;
    } else if (curves == 0) {
        remove(path); /* no walls */
    } else if (!draw(dir, path + strlen(dir) + 1)) {
        answer = not_drawn(path);
    } else {
        printf("%s/%s.png\n", text_safe(dir), picture->name);
    }
    free(path);
    return answer;
}

int plot_run(const char *dir)
{
    bool gauges;
    int answer = plot_gauges(dir, &gauges);
    for (size_t k = 0; k < sizeof pictures / sizeof *pictures && answer == EXIT_DONE; ++k)
        answer = plot_picture(dir, &pictures[k]);
    return answer;
}
