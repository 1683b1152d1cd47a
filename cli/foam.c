/// The command `phyxel foam`: spray, foam and bubbles of a run.
#include "commands.h"

#include <stdio.h>
#include <unistd.h>

typedef struct Show {
    bool quiet, terminal;
    double shown;
} Show;

static bool show(void *user, const PxSurfaceProgress *p)
{
    Show *s = user;
    char left[32] = "...";
    bool last = p->done == p->total;
    if (p->left >= 0)
        text_seconds(p->left, left, sizeof left);
    if (!s->quiet && (last || p->wall - s->shown >= (s->terminal ? 0.1 : 10))) {
        fprintf(stderr,
                s->terminal ? "\rframe %u/%u  %llu particles  left %s\033[K"
                            : "frame %u/%u  %llu particles  left %s\n",
                p->done, p->total, (unsigned long long)p->elements, left);
        s->shown = p->wall;
    }
    return !signals_stop();
}

int make_foam(const PxFoamRunDef *def, bool quiet, const char *command)
{
    Show state = {.quiet = quiet, .terminal = isatty(STDERR_FILENO) == 1};
    PxSurfaceReport report;
    char wall[32];
    signals_catch();
    PxFoamRunDef foam = *def;
    foam.stop = signals_stop_work;
    PxStatus status = px_foam_run(&foam, show, &state, &report);
    quiet = quiet || (def->complete && report.made == 0);
    if (state.terminal && !quiet)
        fputc('\n', stderr);
    if (status != PX_OK)
        return report_failure(status, command);
    if (!quiet)
        fprintf(stderr, "%u frames in %s: %s\n", report.made, text_safe(report.out),
                text_seconds(report.wall, wall, sizeof wall));
    return EXIT_DONE;
}

int command_foam(int argc, char **argv)
{
    PxFoamRunDef def = px_foam_run_def_default();
    bool quiet = false;
    const Option options[] = {
        {"amount", 0, OPTION_NUMBER, &def.amount, "X", "factor on the number of particles (1)", 0},
        {"life", 0, OPTION_NUMBER, &def.life, "S", "mean lifetime of foam, s (2)", 0},
        {"speed", 0, OPTION_NUMBER, &def.speed, "V", "speed of violent flow, m/s (from the frames)",
         0},
        {"threads", 'j', OPTION_COUNT, &def.threads, "N", "number of threads (all cores)", 256},
        {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "no progress", 0},
    };
    const Command command = {"foam",
                             "DIR [options]",
                             "make spray, foam and bubbles of a run",
                             "DIR is a result folder of 'phyxel run'. The particles are stored in "
                             "DIR/foam, and pictures\nshow them.",
                             options,
                             sizeof options / sizeof *options};
    OptionResult read = options_read(&command, argc, argv, &def.dir, 1, 1, NULL);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    if (!is_folder(def.dir, "foam"))
        return EXIT_WRONG;
    return make_foam(&def, quiet, "foam");
}
