/// The option `phyxel info --plot`: plots forces on walls and the energy balance with gnuplot.
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

/* Runs `gnuplot NAME.gp` in the folder. */
static bool draw(const char *dir, char *script)
{
    posix_spawn_file_actions_t actions;
    char *arguments[] = {"gnuplot", script, NULL};
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
        fprintf(stderr, "phyxel info: stats.csv of %s has no columns for %s.png: %s\n",
                text_safe(dir), picture->name, "the scene has no wall, or no step was taken");
    } else if (!draw(dir, path + strlen(dir) + 1)) {
        fprintf(stderr,
                "phyxel info: gnuplot did not draw %s; is it installed (Debian: gnuplot-nox)?\n",
                text_safe(path));
        answer = EXIT_FAILED;
    } else {
        printf("%s/%s.png\n", text_safe(dir), picture->name);
    }
    if (written && curves == 0)
        remove(path);
    free(path);
    return answer;
}

int plot_stats(const char *dir)
{
    int answer = EXIT_DONE;
    for (size_t k = 0; k < sizeof pictures / sizeof *pictures && answer == EXIT_DONE; ++k)
        answer = plot_picture(dir, &pictures[k]);
    return answer;
}
