/// The command `phyxel run`, with a progress bar on terminals, lines elsewhere, or JSON.
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct Show {
    bool json, quiet, terminal;
    double shown; /* wall-clock time of the last line, s */
    bool any;
    bool goes_on; /* without --resume */
    bool told;    /* what it will take */
} Show;

/* Seconds after which a run says what it will take, if it takes several times as long. */
#define LEARNED 3.0

/* What the run will take, learned from its first seconds. */
static void tell_learned(Show *s, const PxRunProgress *p)
{
    char time[32], disk[32], memory[32];
    struct rusage use;
    if (s->told || p->wall < LEARNED || p->left < 0 || p->disk < 0)
        return;
    s->told = true;
    if (p->left < LEARNED || getrusage(RUSAGE_SELF, &use) != 0)
        return;
    fprintf(stderr, "%sestimated: %s in all, %s on disk; %s of memory so far\n",
            s->terminal ? "\r\033[K" : "", text_seconds(p->wall + p->left, time, sizeof time),
            text_bytes(p->disk, disk, sizeof disk),
            text_bytes(1024.0 * (double)use.ru_maxrss, memory, sizeof memory));
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

static void show_bar(const PxRunProgress *p)
{
    char left[32], text[128], particles[32];
    double part = p->end > 0 ? p->time / p->end : 1;
    if (p->left >= 0)
        text_seconds(p->left, left, sizeof left);
    else
        snprintf(left, sizeof left, "...");
    text_count((double)p->particles, particles, sizeof particles);
    snprintf(text, sizeof text, " %3.0f %%  frame %u/%u%s%s%s  step %.2g s  left %s", 100 * part,
             p->frame, p->frames, p->particles > 0 ? "  " : "", p->particles > 0 ? particles : "",
             p->particles > 0 ? " particles" : "", p->dt, left);
    int room = terminal_width() - (int)strlen(text) - 4;
    fputs("\r[", stderr);
    for (int k = 0; k < room; ++k)
        fputc(k < part * room ? '#' : '.', stderr);
    fprintf(stderr, "]%s\033[K", text);
    fflush(stderr);
}

static bool show(void *user, const PxRunProgress *p)
{
    Show *s = user;
    signals_catch(); /* not earlier: while a world is made, a signal simply ends the program */
    if (s->json) {
        if (p->stored) {
            printf("{\"event\": \"frame\", \"frame\": %u, \"frames\": %u, \"time\": %.9g, "
                   "\"step\": %llu, \"particles\": %llu, \"wall\": %.3f, \"left\": ",
                   p->frame, p->frames, p->time, (unsigned long long)p->step,
                   (unsigned long long)p->particles, p->wall);
            printf(p->left >= 0 ? "%.3f" : "null", p->left);
            printf(p->disk >= 0 ? ", \"disk\": %.0f}\n" : ", \"disk\": null}\n", p->disk);
            fflush(stdout);
        }
        return !signals_stop();
    }
    if (s->goes_on && !s->quiet && !s->any && p->frame > 0 && p->frame < p->frames)
        fprintf(stderr, "goes on after frame %u of %u\n", p->frame, p->frames);
    if (!s->quiet)
        tell_learned(s, p);
    double every = s->terminal ? 0.1 : 5;
    bool last = p->stored && p->frame == p->frames;
    if (!s->quiet && (!s->any || last || p->wall - s->shown >= every)) {
        if (s->terminal) {
            show_bar(p);
        } else {
            char left[32];
            fprintf(stderr, "frame %u/%u  t = %.4g s  step %llu%s%s\n", p->frame, p->frames,
                    p->time, (unsigned long long)p->step, p->left >= 0 ? "  left " : "",
                    p->left >= 0 ? text_seconds(p->left, left, sizeof left) : "");
        }
        s->shown = p->wall;
        s->any = true;
    }
    return !signals_stop();
}

/* Default result folder of a scene: out/NAME, from the name of its file. */
static void default_folder(const char *scene, char *out, size_t size)
{
    const char *slash = strrchr(scene, '/'), *name = slash != NULL ? slash + 1 : scene;
    const char *dot = strrchr(name, '.');
    int length = dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name);
    snprintf(out, size, "out/%.*s", length, name);
}

/* `film` has the options of its film, or is empty. */
static void say_end(PxStatus status, const PxRunReport *report, const char *out, bool branch,
                    const char *film)
{
    char wall[32], particles[32], typed[1024];
    const char *shown = text_safe(out);
    bool cloth_only = report->stats.particles == 0 && report->stats.cloth_vertices > 0;
    if (report->damaged > 0)
        fprintf(stderr, "the newest checkpoint was damaged; went on from the one of frame %u\n",
                report->first);
    if (status == PX_OK)
        fprintf(stderr,
                "%u frame%s in %s: %s, %s %s, %llu steps in all, leaked %llu, not converged "
                "%llu\n",
                report->frames, report->frames == 1 ? "" : "s", shown,
                text_seconds(report->wall, wall, sizeof wall),
                text_count(cloth_only ? (double)report->stats.cloth_vertices
                                      : (double)report->stats.particles,
                           particles, sizeof particles),
                cloth_only ? "vertices of cloth" : "particles",
                (unsigned long long)report->stats.step, (unsigned long long)report->stats.leaked,
                (unsigned long long)report->stats.not_converged);
    if (status == PX_OK && report->stats.cloth_vertices > 0)
        fprintf(stderr, "crossings of cloth counted in all steps: %llu%s\n",
                (unsigned long long)report->stats.cloth_crossed,
                report->stats.cloth_crossed > 0 ? " (cloth_crossed in stats.csv says when)" : "");
    if (status == PX_OK && report->stats.held_back > 0)
        fprintf(stderr,
                "emitters held back %s particles, for want of room (held_back and waiting in "
                "%s/stats.csv say when)\n",
                text_count((double)report->stats.held_back, particles, sizeof particles), shown);
    if (status == PX_OK)
        return;
    if ((status == PX_ERR_NUMERIC || status == PX_ERR_ARGUMENT) &&
        report->resumable) /* deterministic: would fail again */
        fprintf(stderr,
                "%u frame%s %s safe in %s; resuming would fail likewise: change the scene\n",
                report->frames, report->frames == 1 ? "" : "s", report->frames == 1 ? "is" : "are",
                shown);
    else if (report->resumable)
        fprintf(stderr, "%u frame%s %s safe in %s; to go on: phyxel run --resume -o %s%s\n",
                report->frames, report->frames == 1 ? "" : "s", report->frames == 1 ? "is" : "are",
                shown, text_shell(out, typed, sizeof typed), film);
    else if (status == PX_ERR_EXISTS)
        fprintf(stderr,
                branch ? "--overwrite replaces it; phyxel run --resume -o %s resumes it\n"
                       : "the options are --overwrite and -o DIR\n",
                text_shell(out, typed, sizeof typed));
}

/* Prints the result as one JSON object. */
static void print_end(PxStatus status, const PxRunReport *report, const char *message)
{
    printf("{\"event\": \"%s\", \"frames\": %u, \"complete\": %s, \"leaked\": %llu, "
           "\"wall\": %.3f",
           status == PX_OK            ? "done"
           : status == PX_ERR_STOPPED ? "stopped"
                                      : "failed",
           report->frames, report->complete ? "true" : "false",
           (unsigned long long)report->stats.leaked, report->wall);
    if (status != PX_OK) {
        printf(", \"reason\": \"%s\", \"message\": ", px_status_name(status));
        json_text(stdout, message);
    }
    printf("}\n");
}

/* Opens the scene from the file, or from the run to be resumed. EXIT_DONE on success. */
static int find_scene(const char *path, const OptionList *sets, int frames, const PxRunDef *def,
                      PxScene **scene)
{
    int status = EXIT_DONE;
    char text[32];
    if (path != NULL) {
        status = scene_open(path, sets, true, stderr, scene);
    } else if (sets->count > 0) {
        fprintf(stderr, "phyxel run: --set changes a SCENE, and none was named; a run that goes on "
                        "keeps its own\n");
        return EXIT_WRONG;
    } else if (px_run_scene(def->out, scene) != PX_OK) {
        fprintf(stderr, "phyxel run: %s cannot be resumed without a SCENE: %s\n",
                text_safe(def->out), px_error_message());
        if (*scene != NULL)
            print_complaints(*scene, stderr);
        return EXIT_WRONG;
    }
    if (status == EXIT_DONE && frames >= 0) {
        snprintf(text, sizeof text, "%d", frames);
        PxStatus set = px_scene_set(*scene, "time.frames", text);
        if (set == PX_ERR_FORMAT)
            print_complaints(*scene, stderr);
        else if (set != PX_OK)
            return report_failure(set, "run");
        status = set == PX_OK ? EXIT_DONE : EXIT_WRONG;
    }
    if (status != EXIT_DONE && *scene != NULL)
        fprintf(stderr, "phyxel run: nothing was run: %zu error%s in the scene\n",
                px_scene_error_count(*scene), px_scene_error_count(*scene) == 1 ? "" : "s");
    return status;
}

/* Spacings of a preview, relative to those of the scene: the first at which the scene is still
 * good. Fluids cost as 1 / spacing^4. */
static const double coarser[] = {1.5, 1.35, 1.2, 1.1};

/* Opens the scene again, as coarse as a preview may be; its complaints were printed before. */
static int coarsen(const char *path, const OptionList *sets, int frames, const PxRunDef *def,
                   PxScene **scene)
{
    FILE *nowhere = fopen("/dev/null", "w");
    char text[32];
    snprintf(text, sizeof text, "%d", frames);
    for (size_t k = 0; nowhere != NULL && k < sizeof coarser / sizeof *coarser; ++k) {
        PxScene *coarse = NULL;
        bool good = scene_open(path, sets, false, nowhere, &coarse) == EXIT_DONE &&
                    (frames < 0 || px_scene_set(coarse, "time.frames", text) == PX_OK) &&
                    px_scene_coarsen(coarse, coarser[k]) == PX_OK &&
                    px_scene_check(coarse) == PX_OK;
        if (good) {
            px_scene_free(*scene);
            *scene = coarse;
            break;
        }
        px_scene_free(coarse);
    }
    if (nowhere != NULL)
        fclose(nowhere);
    fprintf(stderr, "preview in %s: spacing %.3g m\n", text_safe(def->out),
            px_scene_spacing(*scene));
    return EXIT_DONE;
}

/* Makes a film of the frames: surfaces, what foam lacks, then pictures and the film. */
static int make_film(const PxRenderDef *def, bool quiet, bool json)
{
    PxSurfaceRunDef surface = px_surface_run_def_default();
    surface.dir = def->dir;
    surface.surface.threads = def->threads;
    int status = make_surfaces(&surface, quiet || json, "run");
    if (status == EXIT_DONE)
        status = make_lacking(def, quiet || json, "run");
    return status == EXIT_DONE ? render_pictures(def, quiet, json, "run") : status;
}

/* Runs the scene and prints the result; returns the exit status. */
static int run_scene(const PxScene *scene, const PxRunDef *def, bool json, bool quiet,
                     const char *film, const char *command)
{
    int exit_status = EXIT_DONE;
    Show state = {.json = json,
                  .quiet = quiet,
                  .terminal = isatty(STDERR_FILENO) == 1,
                  .goes_on = def->go_on && !def->resume};
    PxRunReport report;
    PxRunDef run = *def;
    run.stop = signals_stop_work;
    PxStatus status = px_run(scene, &run, show, &state, &report);
    if (state.terminal && state.any)
        fputc('\n', stderr);
    if (json)
        print_end(status, &report, px_error_message());
    if (status != PX_OK)
        exit_status = report_failure(status, command);
    if (!quiet || status != PX_OK)
        say_end(status, &report, def->out, def->from != NULL, film);
    return exit_status;
}

int command_branch(int argc, char **argv)
{
    PxRunDef def = px_run_def_default();
    int at = -1;
    bool json = false, quiet = false;
    OptionList sets = {.count = 0};
    const Option options[] = {
        {"at", 0, OPTION_COUNT, &at, "FRAME", "the frame at which the new run begins to differ", 0},
        {"set", 's', OPTION_LIST, &sets, "PATH=VALUE", "value from that frame on; may be repeated",
         0},
        {"output", 'o', OPTION_TEXT, &def.out, "NEW", "folder of the new run", 0},
        {"threads", 'j', OPTION_COUNT, &def.threads, "N", "number of threads (all cores)", 256},
        {"overwrite", 0, OPTION_FLAG, &def.overwrite, NULL, "replace the run in NEW", 0},
        {"json", 0, OPTION_FLAG, &json, NULL, "progress as JSON lines on stdout", 0},
        {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "no progress", 0},
    };
    const Command command = {"branch",
                             "DIR --at FRAME --set PATH=VALUE -o NEW [options]",
                             "continue a run from a stored frame with other values",
                             "NEW is a run of its own: its scene is that of DIR with an event at "
                             "the time of FRAME. Frames\nup to the last checkpoint before FRAME "
                             "are shared with DIR; the others are computed.",
                             options,
                             sizeof options / sizeof *options};
    size_t words;
    OptionResult read = options_read(&command, argc, argv, &def.from, 1, 1, &words);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    if (at < 0 || sets.count == 0 || def.out == NULL || def.out[0] == '\0') {
        fprintf(stderr,
                "phyxel branch: %s is missing: phyxel branch DIR --at FRAME --set "
                "PATH=VALUE -o NEW\n",
                at < 0            ? "--at"
                : sets.count == 0 ? "--set"
                                  : "-o");
        return EXIT_WRONG;
    }
    if (!is_folder(def.from, "branch"))
        return EXIT_WRONG;
    def.from_frame = (uint32_t)at;
    PxScene *scene;
    if (px_branch_scene(def.from, def.from_frame, sets.item, sets.count, &scene) != PX_OK) {
        report_failure(PX_ERR_ARGUMENT, "branch");
        return EXIT_WRONG;
    }
    int status = run_scene(scene, &def, json, quiet, "", "branch");
    px_scene_free(scene);
    return status;
}

int command_run(int argc, char **argv)
{
    PxRunDef def = px_run_def_default();
    int frames = -1, checkpoint = (int)def.checkpoint;
    const char *size = NULL;
    bool json = false, quiet = false, film = false, preview = false;
    PxRenderDef pictures = px_render_def_default();
    pictures.samples = 0;
    OptionList sets = {.count = 0};
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &def.out, "DIR", "folder of the results (out/NAME)", 0},
        {"frames", 'n', OPTION_COUNT, &frames, "N", "number of frames (the scene's)", 0},
        {"threads", 'j', OPTION_COUNT, &def.threads, "N", "number of threads (all cores)", 256},
        {"resume", 0, OPTION_FLAG, &def.resume, NULL, "continue the run in DIR", 0},
        {"overwrite", 0, OPTION_FLAG, &def.overwrite, NULL, "replace the run in DIR", 0},
        {"set", 's', OPTION_LIST, &sets, "PATH=VALUE",
         "change a value of the scene; may be repeated", 0},
        {"checkpoint", 0, OPTION_COUNT, &checkpoint, "N",
         "a checkpoint every N frames (1); 0: when stopped", 0},
        {"film", 0, OPTION_FLAG, &film, NULL, "also draw pictures and make DIR/film.mp4", 0},
        {"preview", 0, OPTION_FLAG, &preview, NULL,
         "a quick film: coarser particles, small pictures (out/NAME-preview)", 0},
        {"size", 0, OPTION_TEXT, &size, "WxH", "size of the film (960x540; preview 480x270)", 0},
        {"samples", 0, OPTION_COUNT, &pictures.samples, "N",
         "samples per pixel of the film (16; preview 8)", 65536},
        {"json", 0, OPTION_FLAG, &json, NULL, "progress as JSON lines on stdout", 0},
        {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "no progress", 0},
    };
    const Command command = {"run",
                             "[SCENE] [-o DIR] [options]",
                             "simulate a scene and store frames",
                             "Ctrl-C stops within two seconds; the same command goes on, with "
                             "the same bits. DIR keeps\nthe scene, so --resume needs no SCENE.",
                             options,
                             sizeof options / sizeof *options};
    const char *path = NULL;
    size_t words;
    OptionResult read = options_read(&command, argc, argv, &path, 0, 1, &words);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    char folder[1024];
    if (words == 0 && !(def.resume && def.out != NULL)) {
        fprintf(stderr,
                "phyxel run: SCENE is missing: phyxel run SCENE -o DIR, or phyxel run --resume "
                "-o DIR; 'phyxel scenes' lists some\n");
        return EXIT_WRONG;
    }
    if (def.out != NULL && def.out[0] == '\0') {
        fprintf(stderr, "phyxel run: -o wants a folder, got ''\n");
        return EXIT_WRONG;
    }
    if (def.out == NULL) {
        default_folder(path, folder, sizeof folder - sizeof "-preview");
        if (preview)
            strcat(folder, "-preview");
        def.out = folder;
    }
    if (preview && path == NULL) {
        fprintf(stderr, "phyxel run: --preview wants a SCENE: phyxel run SCENE --preview\n");
        return EXIT_WRONG;
    }
    film = film || preview;
    if (size == NULL)
        size = preview ? "480x270" : "960x540";
    if (pictures.samples == 0) /* few, because noise is less visible in a film than in a still */
        pictures.samples = preview ? 8 : 16;
    def.checkpoint = (uint32_t)checkpoint;
    def.go_on = true;
    size_t room = strlen(def.out) + sizeof "/film.mp4";
    char *name = malloc(room);
    if (name == NULL)
        return EXIT_FAILED;
    snprintf(name, room, "%s/film.mp4", def.out);
    pictures.dir = def.out;
    pictures.film = name;
    pictures.threads = def.threads;

    char again[80] = "";
    if (film)
        snprintf(again, sizeof again, " --film --size %.30s --samples %d", size, pictures.samples);

    PxScene *scene = NULL;
    int exit_status = read_size(size, &pictures) ? EXIT_DONE : EXIT_WRONG;
    if (exit_status == EXIT_DONE)
        exit_status = find_scene(path, &sets, frames, &def, &scene);
    if (exit_status == EXIT_DONE && preview)
        exit_status = coarsen(path, &sets, frames, &def, &scene);
    pictures.scene = scene;
    PxStatus status = PX_OK;
    if (exit_status == EXIT_DONE && film) /* fail before the run, not after it */
        status = px_render_check(&pictures);
    if (status != PX_OK)
        exit_status = report_failure(status, "run");
    if (exit_status == EXIT_DONE)
        exit_status = run_scene(scene, &def, json, quiet, again, "run");
    if (exit_status == EXIT_DONE && film)
        exit_status = make_film(&pictures, quiet, json);
    px_scene_free(scene);
    free(name);
    return exit_status;
}
