/// The commands `phyxel info`, which lists results, and `phyxel bench`.
#include "commands.h"
#include "study/study.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- info --------------------------------------------------------------- */

typedef struct Listing {
    bool hash, json;
    size_t frames, damaged;
    double first, last;
    uint32_t particles, number; /* of the last frame */
    double coldest, hottest, melted;
} Listing;

static bool list_frame(void *user, const PxFrameInfo *f)
{
    Listing *l = user;
    if (f->problem != NULL) {
        fprintf(stderr, "phyxel info: frame %u: %s\n", f->number, f->problem);
        if (l->json) {
            printf("%s\n  {\"frame\": %u, \"problem\": ", l->frames + l->damaged > 0 ? "," : "",
                   f->number);
            json_text(stdout, f->problem);
            printf("}");
        }
        ++l->damaged;
        return !signals_stop();
    }
    if (l->json)
        printf("%s\n  {\"frame\": %u, \"step\": %llu, \"time\": %.9g, \"particles\": %u, \"hash\": "
               "\"%s\"}",
               l->frames + l->damaged > 0 ? "," : "", f->number, (unsigned long long)f->step,
               f->time, f->particles, f->hash);
    else if (l->hash)
        printf("%06u %s\n", f->number, f->hash);
    if (l->frames == 0)
        l->first = f->time;
    l->last = f->time;
    l->number = f->number;
    l->particles = f->particles;
    l->coldest = f->coldest;
    l->hottest = f->hottest;
    l->melted = f->melted;
    ++l->frames;
    return !signals_stop();
}

static int describe_phyxel(void)
{
    printf("phyxel %s\n\nexport formats:\n", PX_VERSION);
    for (uint32_t k = 0; px_export_format(k) != NULL; ++k)
        printf("  %-8s %s\n", px_export_format(k)->name, px_export_format(k)->summary);
    printf("\nfields of surfaces:\n");
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k)
        printf("  %-12s %s\n", px_surface_field(k)->name, px_surface_field(k)->summary);
    printf("\nbenches:\n");
    for (size_t k = 0; px_bench_info(k) != NULL; ++k)
        printf("  %-12s %s\n", px_bench_info(k)->name, px_bench_info(k)->summary);
    return EXIT_DONE;
}

/* Prints a line for each kind of stored file besides the frames. */
static void describe_files(const char *dir)
{
    PxInfoFiles files;
    if (px_info_files(dir, &files) != PX_OK)
        return;
    const struct {
        uint32_t count;
        const char *what;
    } kinds[] = {
        {files.skins, "skins of solids and cloth, in skin"},
        {files.skin_surfels, "skins of solids as surfels, in skin-surfels"},
        {files.coats, "coats of what flows or melts, in coat"},
        {files.surfaces, "surfaces made by 'phyxel surface', in surface"},
        {files.surfels, "surfels made by 'phyxel surface --surfels', in surfels"},
        {files.contacts, "contact surfaces made by 'phyxel surface --contact', in contact"},
        {files.foams, "frames of foam made by 'phyxel foam', in foam"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        if (kinds[k].count > 0)
            printf("  %u %s\n", kinds[k].count, kinds[k].what);
}

static void describe_heat(const Listing *l)
{
    if (l->melted < 0 && !(l->hottest > l->coldest))
        return;
    printf("  %.4g to %.4g degrees C in the last one", l->coldest, l->hottest);
    if (l->melted >= 0)
        printf(", %.3g %% molten", 100 * l->melted);
    printf("\n");
}

/* Whether a run has lost its stats.csv; prints an error if so. */
static bool stats_missing(const char *dir)
{
    char path[4096];
    struct stat about;
    snprintf(path, sizeof path, "%s/stats.csv", dir);
    if (stat(path, &about) == 0)
        return false;
    fprintf(stderr, "phyxel info: %s: %s\n", text_safe(path), strerror(errno));
    return true;
}

static void describe_run(const char *dir, const PxScene *scene, const Listing *l)
{
    char particles[32], typed[1024];
    printf("%s: %s\n", text_safe(dir),
           scene != NULL ? px_scene_name(scene) : "(no usable run.json)");
    if (l->frames > 0)
        printf("  %zu frames from t = %g s to %g s, the last one is %u%s", l->frames, l->first,
               l->last, l->number, scene == NULL ? "" : " of ");
    if (l->frames > 0 && scene != NULL)
        printf("%u", px_scene_frames(scene));
    if (l->frames > 0)
        printf("\n  %s particles in the last one\n",
               text_count(l->particles, particles, sizeof particles));
    if (l->frames > 0)
        describe_heat(l);
    if (scene != NULL && strcmp(px_scene_pressure(scene), "none") != 0)
        printf("  pressure by %s\n", px_scene_pressure(scene));
    describe_files(dir);
    if (l->damaged > 0)
        printf("  %zu damaged, missing or of another run; only a run from the start makes them "
               "anew\n",
               l->damaged);
    if (scene != NULL && l->number < px_scene_frames(scene))
        printf("  to go on: phyxel run --resume -o %s\n", text_shell(dir, typed, sizeof typed));
}

/* ---- statistics of steps ---- */

static int list_columns(void)
{
    for (size_t k = 0; px_stats_column(k) != NULL; ++k) {
        const PxStatsColumn *c = px_stats_column(k);
        printf("%-21s %-10s %s\n", c->name, c->unit, c->meaning);
    }
    return EXIT_DONE;
}

typedef struct StatsListing {
    bool json, any;
} StatsListing;

static void list_value(void *user, const char *name, const char *unit, const char *meaning,
                       double value)
{
    StatsListing *s = user;
    if (s->json) {
        printf("%s", s->any ? ", " : "");
        json_text(stdout, name);
        printf(isfinite(value) ? ": %.17g" : ": null", value);
    } else {
        printf("%-21s %-14.9g %-10s %s\n", name, value, unit, meaning);
    }
    s->any = true;
}

static int list_stats(const char *dir, bool json)
{
    StatsListing s = {.json = json};
    printf("%s", json ? "{" : "");
    PxStatus status = px_info_stats(dir, list_value, &s);
    printf("%s", json ? "}\n" : "");
    return status == PX_OK ? EXIT_DONE : report_failure(status, "info");
}

int command_info(int argc, char **argv)
{
    Listing l = {.hash = false};
    bool stats = false, plot = false;
    const Option options[] = {
        {"hash", 0, OPTION_FLAG, &l.hash, NULL, "number and hash of each frame", 0},
        {"stats", 0, OPTION_FLAG, &stats, NULL, "last row of stats.csv; without DIR: its columns",
         0},
        {"plot", 0, OPTION_FLAG, &plot, NULL,
         "plot gauges, forces on walls, energy: DIR/gauges.png, forces.png, energy.png", 0},
        {"json", 0, OPTION_FLAG, &l.json, NULL, "print one JSON object", 0},
    };
    const Command command = {"info",
                             "[DIR] [options]",
                             "describe a result folder, or list formats, fields and benches",
                             "The hash is of a frame's contents, not of its file: equal hashes "
                             "mean equal frames,\nwhatever the number of threads and however "
                             "often the run was stopped and resumed.",
                             options,
                             sizeof options / sizeof *options};
    const char *dir;
    size_t words;
    OptionResult read = options_read(&command, argc, argv, &dir, 0, 1, &words);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    if (words == 0 && (plot || l.hash)) {
        fprintf(stderr, "phyxel info: --%s wants a DIR\n", plot ? "plot" : "hash");
        return EXIT_WRONG;
    }
    if (words == 0)
        return stats ? list_columns() : describe_phyxel();
    if (!is_folder(dir, "info"))
        return EXIT_WRONG;
    if (stats)
        return list_stats(dir, l.json);
    if (plot)
        return plot_run(dir);
    signals_catch();
    PxScene *scene = NULL;
    bool known = px_run_scene(dir, &scene) == PX_OK;
    if (l.json) {
        printf("{\"name\": ");
        json_text(stdout, known ? px_scene_name(scene) : "");
        printf(", \"frames\": [");
    }
    PxStatus status = px_info(dir, list_frame, &l);
    if (l.json)
        printf("]}\n");
    int exit_status = status != PX_OK               ? report_failure(status, "info")
                      : l.damaged > 0               ? EXIT_FAILED
                      : l.frames == 0               ? EXIT_WRONG
                      : known && stats_missing(dir) ? EXIT_FAILED
                                                    : EXIT_DONE;
    if (status == PX_OK && l.frames + l.damaged == 0)
        fprintf(stderr,
                "phyxel info: %s holds no frames; wanted a folder that 'phyxel run' has "
                "made\n",
                text_safe(dir));
    else if (status == PX_OK && !l.json && !l.hash)
        describe_run(dir, known ? scene : NULL, &l);
    px_scene_free(scene);
    return exit_status;
}

/* ---- bench -------------------------------------------------------------- */

typedef struct BenchProgress {
    bool terminal;
    time_t said; /* time of the last line, if not a terminal */
} BenchProgress;

/* Updates one line on a terminal; elsewhere prints a line every ten seconds. */
static bool bench_progress(void *user, const char *what)
{
    BenchProgress *p = user;
    time_t now = time(NULL);
    if (p->terminal)
        fprintf(stderr, "\r%s\033[K", what);
    else if (now - p->said >= 10)
        fprintf(stderr, "%s\n", what);
    if (now - p->said >= 10)
        p->said = now;
    return !signals_stop();
}

int command_bench(int argc, char **argv)
{
    PxBenchDef def = px_bench_def_default();
    bool json = false;
    const Option options[] = {
        {"quick", 0, OPTION_FLAG, &def.quick, NULL,
         "fewer and smaller cases: a minute, tension two, validate three", 0},
        {"threads", 'j', OPTION_COUNT, &def.threads, "N", "number of threads (all cores)", 256},
        {"json", 0, OPTION_FLAG, &json, NULL, "print one JSON object", 0},
        {"test", 0, OPTION_TEXT, &def.tests, "LIST",
         "tests of tension (1,2,3), of cloth (box,blender,self,fine1,fine2), of cloth-fluid "
         "(jet,leaks,slope), of contact (heap,stack,balls,ducks), cases of validate by words",
         0},
        {"write", 0, OPTION_TEXT, &def.page, "FILE", "validate: write docs/validation.md", 0},
        {"csv", 0, OPTION_TEXT, &def.csv, "FILE",
         "validate: write a table like bench/results/validate.csv", 0},
        {"from", 0, OPTION_TEXT, &def.from, "FILE",
         "validate: rows that are not measured again; with --test all others", 0},
        {"output", 'o', OPTION_TEXT, &def.out, "DIR",
         "tension, cloth-fluid: folder for tables and plots", 0},
        {"pressure", 0, OPTION_TEXT, &def.pressure, "LIST", "which solvers: iisph,sesph", 0},
        {"tension", 0, OPTION_TEXT, &def.tension, "LIST", "which tension models: akinci,he", 0},
        {"strength", 0, OPTION_TEXT, &def.strength, "LIST",
         "coefficients: low, middle, high, all, or numbers", 0},
        {"seconds", 0, OPTION_NUMBER, &def.seconds, "T", "simulated time of a run", 0},
        {"scale", 0, OPTION_NUMBER, &def.scale, "X", "factor on the number of particles (1)", 0},
    };
    const Command command = {
        "bench",
        "NAME [options]",
        "measure the engine on this machine",
        "Without NAME: lists the benches. The options from --pressure on belong to tension, which "
        "takes\n"
        "hours when nothing is selected. Ctrl-C stops it; the same command continues.",
        options,
        sizeof options / sizeof *options};
    const char *name;
    size_t words;
    OptionResult read = options_read(&command, argc, argv, &name, 0, 1, &words);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    if (words == 0) {
        for (size_t k = 0; px_bench_info(k) != NULL; ++k)
            printf("%-12s %s\n", px_bench_info(k)->name, px_bench_info(k)->summary);
        return EXIT_DONE;
    }
    signals_catch();
    signals_end_after(1); /* a measurement takes minutes, and those before it are stored */
    BenchProgress progress = {.terminal = isatty(STDERR_FILENO) == 1};
    char *text = NULL, *object = NULL;
    PxStatus status = px_bench_run(name, &def, bench_progress, &progress, &text, &object);
    if (progress.terminal)
        fputs("\r\033[K", stderr);
    if (status == PX_OK)
        fputs(json ? object : text, stdout);
    px_bench_free(text);
    px_bench_free(object);
    return status == PX_OK ? EXIT_DONE : report_failure(status, "bench");
}
