/// The option `phyxel info --plot`: plots forces and torques on walls over time with gnuplot.
#define _GNU_SOURCE
#include "commands.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct Plot {
    FILE *script;
    const char *kind; /* "_force_" or "_torque_" */
    size_t curves;
} Plot;

static void add_curve(void *user, const char *name, const char *unit, const char *meaning,
                      double value)
{
    Plot *plot = user;
    (void)unit;
    (void)meaning;
    (void)value;
    if (strstr(name, plot->kind) == NULL)
        return;
    fprintf(plot->script,
            "%s \\\n 'stats.csv' using \"time\":\"%s\" with lines title \"%s\" noenhanced",
            plot->curves++ > 0 ? "," : "plot", name, name);
}

static PxStatus add_panel(Plot *plot, const char *dir, const char *kind, const char *label)
{
    plot->kind = kind;
    plot->curves = 0;
    fprintf(plot->script, "set ylabel '%s'\n", label);
    PxStatus status = px_info_stats(dir, add_curve, plot);
    fprintf(plot->script, "\n");
    return status;
}

/* Runs `gnuplot forces.gp` in the folder. */
static bool draw(const char *dir)
{
    posix_spawn_file_actions_t actions;
    char *arguments[] = {"gnuplot", "forces.gp", NULL};
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool begun = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
                 posix_spawn_file_actions_addchdir_np(&actions, dir) == 0 &&
                 posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return begun && waitpid(child, &status, 0) == child && status == 0;
}

int plot_forces(const char *dir)
{
    size_t length = strlen(dir) + sizeof "/forces.gp";
    char *path = malloc(length);
    if (path == NULL)
        return EXIT_FAILED;
    snprintf(path, length, "%s/forces.gp", dir);
    Plot plot = {.script = fopen(path, "w")};
    if (plot.script == NULL) {
        fprintf(stderr, "phyxel info: %s cannot be written\n", text_safe(path));
        free(path);
        return EXIT_FAILED;
    }
    fprintf(plot.script, "# draws forces.png; run in this folder\n"
                         "set terminal pngcairo size 1000,800 font 'sans,11' background 'white'\n"
                         "set output 'forces.png'\nset datafile separator comma\n"
                         "set key outside right\nset grid\nset xlabel 'time, s'\n"
                         "set multiplot layout 2,1\n");
    PxStatus status = add_panel(&plot, dir, "_force_", "force on walls, N");
    if (status == PX_OK && plot.curves > 0)
        status = add_panel(&plot, dir, "_torque_", "torque on walls, N m");
    bool written = fclose(plot.script) == 0;
    int answer = EXIT_DONE;
    if (status != PX_OK) {
        answer = report_failure(status, "info");
    } else if (plot.curves == 0) {
        fprintf(stderr,
                "phyxel info: stats.csv of %s has no forces: the scene has no wall, or no "
                "step was taken\n",
                dir);
        answer = EXIT_WRONG;
    } else if (!written || !draw(dir)) {
        fprintf(stderr,
                "phyxel info: gnuplot did not draw %s; is it installed (Debian: gnuplot-nox)?\n",
                path);
        answer = EXIT_FAILED;
    } else {
        printf("%s/forces.png\n", text_safe(dir));
    }
    if (plot.curves == 0)
        remove(path);
    free(path);
    return answer;
}
