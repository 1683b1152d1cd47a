/// The command `phyxel render`: pictures of the frames of a run, and a film of them.
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- progress ---- */

typedef struct Show {
    bool terminal, quiet, json, any;
    double shown; /* wall-clock time of the last line, s */
} Show;

static bool show(void *user, const PxRenderProgress *p)
{
    Show *s = user;
    char left[32] = "...";
    if (p->left >= 0)
        text_seconds(p->left, left, sizeof left);
    if (s->json) {
        if (p->drawn) {
            printf("{\"event\": \"picture\", \"picture\": %u, \"pictures\": %u, \"frame\": %u, "
                   "\"wall\": %.3f, \"left\": ",
                   p->picture, p->pictures, p->frame, p->wall);
            printf(p->left >= 0 ? "%.3f}\n" : "null}\n", p->left);
            fflush(stdout);
        }
        return !signals_stop();
    }
    double every = s->terminal ? 0.1 : 10;
    bool last = p->drawn && p->picture == p->pictures;
    if (!s->quiet && (last || p->wall - s->shown >= every)) {
        if (s->terminal && p->filming)
            fprintf(stderr, "\rthe film is made\033[K");
        else if (s->terminal)
            fprintf(stderr, "\rpicture %u/%u  frame %u  %3.0f %%  left %s\033[K",
                    p->picture + (p->picture < p->pictures), p->pictures, p->frame,
                    100 * (p->picture + p->part) / p->pictures, left);
        else
            fprintf(stderr, "picture %u/%u  left %s\n", p->picture, p->pictures, left);
        s->shown = p->wall;
        s->any = true;
    }
    return !signals_stop();
}

int make_lacking(const PxRenderDef *def, bool quiet, const char *command)
{
    PxSurfaceRunDef surface = px_surface_run_def_default();
    PxFoamRunDef foam = px_foam_run_def_default();
    int status = EXIT_DONE;
    surface.dir = foam.dir = def->dir;
    surface.first = def->first;
    surface.last = def->last;
    surface.surface.threads = foam.threads = def->threads;
    surface.complete = foam.complete = true;
    if (def->show == PX_SHOW_BEST || def->show == PX_SHOW_SURFACE)
        status = make_surfaces(&surface, quiet, command);
    char folder[1024]; /* surfels are the best only where there are no surfaces */
    snprintf(folder, sizeof folder, "%s/surface", def->dir);
    surface.surfels = true;
    if (status == EXIT_DONE &&
        (def->show == PX_SHOW_SURFELS || (def->show == PX_SHOW_BEST && access(folder, F_OK) != 0)))
        status = make_surfaces(&surface, quiet, command);
    if (status == EXIT_DONE && def->show != PX_SHOW_PARTICLES)
        status = make_foam(&foam, quiet, command);
    return status;
}

int render_pictures(const PxRenderDef *def, bool quiet, bool json, const char *command)
{
    Show state = {.terminal = isatty(STDERR_FILENO) == 1, .quiet = quiet, .json = json};
    PxRenderReport report;
    char wall[32];
    signals_catch();
    PxRenderDef render = *def;
    render.stop = signals_stop_work;
    PxStatus status = px_render(&render, show, &state, &report);
    if (state.terminal && state.any)
        fputc('\n', stderr);
    int exit_status = status == PX_OK ? EXIT_DONE : report_failure(status, command);
    if (report.pictures > 0 && (!quiet || status != PX_OK))
        fprintf(stderr, "%u picture%s in %s, %u of them drawn now: %s\n", report.pictures,
                report.pictures == 1 ? "" : "s", text_safe(report.folder), report.drawn,
                text_seconds(report.wall, wall, sizeof wall));
    if (status == PX_OK && def->film != NULL && !quiet)
        fprintf(stderr, "the film is %s\n", text_safe(def->film));
    else if (status == PX_ERR_STOPPED)
        fprintf(stderr, "the same command continues\n");
    else if (status == PX_ERR_FORMAT && report.pictures > 0)
        fprintf(stderr, "--first goes on behind it\n");
    return exit_status;
}

/* ---- text options ---- */

bool read_size(const char *text, PxRenderDef *def)
{
    char end;
    if (sscanf(text, "%dx%d%c", &def->width, &def->height, &end) == 2)
        return true;
    fprintf(stderr, "phyxel: --size is '%.80s', wanted WIDTHxHEIGHT, like 1280x720\n", text);
    return false;
}

static int wrong(const char *option, const char *value, const char *wanted)
{
    fprintf(stderr, "phyxel render: %s is '%.80s', wanted %s\n", option, text_safe(value), wanted);
    return EXIT_WRONG;
}

/* Parses a given count of comma-separated numbers; *rest is the text after them. */
static bool read_numbers(const char *text, double *out, int count, const char **rest)
{
    for (int k = 0; k < count; ++k) {
        char *end;
        out[k] = strtod(text, &end);
        if (end == text || !isfinite(out[k]) || (k + 1 < count && *end != ','))
            return false;
        text = end + (k + 1 < count);
    }
    *rest = text;
    return true;
}

static bool read_camera(const char *text, PxSceneCamera *out)
{
    double from[3], to[3];
    const char *rest;
    out->fov = 40;
    if (!read_numbers(text, from, 3, &rest) || *rest != '/' ||
        !read_numbers(rest + 1, to, 3, &rest))
        return false;
    if (*rest == '/' && !read_numbers(rest + 1, &out->fov, 1, &rest))
        return false;
    out->from = (PxVec3){from[0], from[1], from[2]};
    out->to = (PxVec3){to[0], to[1], to[2]};
    return *rest == '\0';
}

static bool read_lamp(const char *text, PxLampDef *out)
{
    double at[3];
    const char *rest;
    if (!read_numbers(text, at, 3, &rest) || *rest != '/' ||
        !read_numbers(rest + 1, &out->radius, 1, &rest) || *rest != '/' ||
        !read_numbers(rest + 1, &out->power, 1, &rest))
        return false;
    out->at = (PxVec3){at[0], at[1], at[2]};
    return *rest == '\0';
}

/* Index of the text among the words, or -1. */
static int read_word(const char *text, const char *const *words)
{
    for (int k = 0; words[k] != NULL; ++k)
        if (strcmp(words[k], text) == 0)
            return k;
    return -1;
}

/* Text options of pictures, unparsed. */
typedef struct Words {
    const char *size, *quality, *show, *camera, *floor, *light, *sun, *range, *frames;
    OptionList lamps;
} Words;

static int take_words(const Words *w, PxRenderDef *def, PxLampDef lamps[OPTION_MOST])
{
    static const char *const qualities[] = {"draft", "good", "final", NULL};
    static const char *const shows[] = {"best", "surface", "surfels", "particles", NULL};
    static const char *const floors[] = {"solid", "shadow", "none", NULL};
    static const char *const lights[] = {"day", "soft", "night", "studio", NULL};
    const char *rest;
    int k;
    double two[2];
    if (w->size != NULL && !read_size(w->size, def))
        return EXIT_WRONG;
    if (w->quality != NULL) {
        if ((k = read_word(w->quality, qualities)) < 0)
            return wrong("--quality", w->quality, "draft, good or final");
        def->quality = (PxQuality)k;
    }
    if (w->show != NULL) {
        if ((k = read_word(w->show, shows)) < 0)
            return wrong("--show", w->show, "best, surface, surfels or particles");
        def->show = (PxShow)k;
    }
    if (w->floor != NULL) {
        if ((k = read_word(w->floor, floors)) < 0)
            return wrong("--floor", w->floor, "solid, shadow or none");
        def->floor = (PxFloor)k;
    }
    if (w->light != NULL) {
        if ((k = read_word(w->light, lights)) < 0)
            return wrong("--light", w->light, "studio, day, soft or night");
        def->lighting = (PxLighting)k;
    }
    if (w->camera != NULL) {
        if (!read_camera(w->camera, &def->camera))
            return wrong("--camera", w->camera, "FROM/TO or FROM/TO/FOV, like 1,1,2/0,0.3,0/40");
        def->stated_camera = true;
    }
    if (w->sun != NULL) {
        if (!read_numbers(w->sun, two, 2, &rest) || *rest != '\0')
            return wrong("--sun", w->sun, "AZIMUTH,HEIGHT in degrees, like -55,48");
        def->sun_azimuth = two[0];
        def->sun_height = two[1];
    }
    if (w->range != NULL) {
        if (!read_numbers(w->range, two, 2, &rest) || *rest != '\0')
            return wrong("--range", w->range, "LOW,HIGH, like 0,2.5");
        def->range_low = two[0];
        def->range_high = two[1];
    }
    for (size_t l = 0; l < w->lamps.count; ++l)
        if (!read_lamp(w->lamps.item[l], &lamps[l]))
            return wrong("--lamp", w->lamps.item[l], "X,Y,Z/RADIUS/POWER, like 0,2,0/0.3/1");
    def->lamp = lamps;
    def->lamps = w->lamps.count;
    return EXIT_DONE;
}

/* Does the path name something that only pictures show? */
static bool is_look(const char *path)
{
    static const char *const tops[] = {"camera", "picture", "lights"};
    for (size_t k = 0; k < sizeof tops / sizeof *tops; ++k) {
        size_t length = strlen(tops[k]);
        if (strncmp(path, tops[k], length) == 0 && strchr(".[=", path[length]) != NULL)
            return true;
    }
    const char *look = strstr(path, ".look"), *equals = strchr(path, '=');
    return look != NULL && look < equals && strchr(".=", look[5]) != NULL;
}

/* Applies --set; false after a message. */
static bool set_looks(PxScene *scene, const OptionList *sets)
{
    for (size_t k = 0; k < sets->count; ++k) {
        char path[256];
        const char *set = sets->item[k], *equals = strchr(set, '=');
        if (equals == NULL || !is_look(set) || equals - set >= (long)sizeof path) {
            fprintf(stderr,
                    "phyxel render: --set is '%.80s', wanted PATH=VALUE with a path in camera, "
                    "picture or lights, or materials.NAME.look, bodies.NAME.look\n",
                    text_safe(set));
            return false;
        }
        memcpy(path, set, (size_t)(equals - set));
        path[equals - set] = '\0';
        if (scene == NULL || px_scene_set(scene, path, equals + 1) != PX_OK) {
            fprintf(stderr, "phyxel render: --set %.80s: ", text_safe(set));
            const PxComplaint *c = scene != NULL ? px_scene_complaint(scene, 0) : NULL;
            fprintf(stderr, "%s\n",
                    scene == NULL ? "there is no scene"
                    : c != NULL   ? text_safe(c->text)
                                  : px_error_message());
            return false;
        }
    }
    return true;
}

int command_render(int argc, char **argv)
{
    PxRenderDef def = px_render_def_default();
    PxLampDef lamps[OPTION_MOST];
    Words words = {.size = NULL};
    int first = -1, last = -1, every = 1, frame = -1;
    bool quiet = false, json = false;
    OptionList sets = {.count = 0};
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &def.out, "DIR", "folder of the pictures (DIR/pictures)", 0},
        {"film", 0, OPTION_TEXT, &def.film, "FILE", "also make a film: .mp4, .webm, .gif or .webp",
         0},
        {"fps", 0, OPTION_NUMBER, &def.fps, "N", "pictures per second of the film (the scene's)",
         0},
        {"size", 0, OPTION_TEXT, &words.size, "WxH", "pixels (1280x720)", 0},
        {"quality", 0, OPTION_TEXT, &words.quality, "WORD", "draft, good (default) or final", 0},
        {"samples", 0, OPTION_COUNT, &def.samples, "N",
         "samples per pixel (by quality: 8, 64, 512)", 65536},
        {"grain", 0, OPTION_FLAG, &def.grain, NULL, "do not denoise", 0},
        {"frames", 'n', OPTION_TEXT, &words.frames, "A-B", "only these frames: 7, 3-9, 3-", 0},
        {"frame", 0, OPTION_COUNT, &frame, "N", "only this frame", 0},
        {"first", 0, OPTION_COUNT, &first, "N", "first frame", 0},
        {"last", 0, OPTION_COUNT, &last, "N", "last frame", 0},
        {"every", 0, OPTION_COUNT, &every, "N", "only every Nth frame", 0},
        {"show", 0, OPTION_TEXT, &words.show, "WORD",
         "surface, surfels, particles or best (default)", 0},
        {"colour", 0, OPTION_TEXT, &def.colour, "COLUMN",
         "speed, temperature, ...; of cloth bend, strain_weft, ...", 0},
        {"range", 0, OPTION_TEXT, &words.range, "LOW,HIGH",
         "range of --colour (that of all frames)", 0},
        {"xray", 0, OPTION_FLAG, &def.xray, NULL, "draw an x-ray picture", 0},
        {"camera", 0, OPTION_TEXT, &words.camera, "FROM/TO/FOV",
         "such as 1,1,2/0,0.3,0/40 (the scene's)", 0},
        {"turntable", 0, OPTION_COUNT, &def.turntable, "N",
         "N pictures from all sides of the last frame", 100000},
        {"aperture", 0, OPTION_NUMBER, &def.aperture, "M",
         "diameter of the lens, m: depth of field (0)", 0},
        {"shutter", 0, OPTION_NUMBER, &def.shutter, "PART",
         "motion blur: open part of the frame time (0)", 0},
        {"caustics", 0, OPTION_FLAG, &def.caustics, NULL,
         "light that water and glass focus; for stills", 0},
        {"light", 0, OPTION_TEXT, &words.light, "WORD", "studio (default), day, soft or night", 0},
        {"sun", 0, OPTION_TEXT, &words.sun, "A,H",
         "azimuth from behind the camera, height, degrees", 0},
        {"lamp", 0, OPTION_LIST, &words.lamps, "X,Y,Z/R/P",
         "a spherical lamp: position, radius, power", 0},
        {"floor", 0, OPTION_TEXT, &words.floor, "WORD",
         "solid (default), shadow (transparent) or none", 0},
        {"exposure", 0, OPTION_SIGNED, &def.exposure, "STOPS", "brighter (> 0) or darker (< 0)", 0},
        {"set", 's', OPTION_LIST, &sets, "PATH=VALUE",
         "change the camera, picture, lights or a look of the scene", 0},
        {"again", 0, OPTION_FLAG, &def.again, NULL, "draw again what is up to date, too", 0},
        {"threads", 'j', OPTION_COUNT, &def.threads, "N", "number of threads (all cores)", 256},
        {"json", 0, OPTION_FLAG, &json, NULL, "progress as JSON lines on stdout", 0},
        {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "no progress", 0},
    };
    const Command command = {"render",
                             "DIR [options]",
                             "draw pictures and a film of a run",
                             "DIR is a result folder of 'phyxel run'. Pictures that are up to "
                             "date (same frame, same\noptions) are kept, so the same command "
                             "continues after Ctrl-C.",
                             options,
                             sizeof options / sizeof *options};
    OptionResult read = options_read(&command, argc, argv, &def.dir, 1, 1, NULL);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    int status = take_words(&words, &def, lamps);
    if (status != EXIT_DONE || !is_folder(def.dir, "render"))
        return EXIT_WRONG;
    if (words.frames != NULL && (frame >= 0 || first >= 0 || last >= 0)) {
        fprintf(stderr, "phyxel render: either --frames or --frame, --first and --last\n");
        return EXIT_WRONG;
    }
    if (words.frames != NULL && !read_frames(words.frames, &def.first, &def.last))
        return wrong("--frames", words.frames, "7, 3-9, 3- or -9");
    if (frame >= 0)
        first = last = frame;
    if (first >= 0)
        def.first = (uint32_t)first;
    if (last >= 0)
        def.last = (uint32_t)last;
    def.every = (uint32_t)every;
    PxScene *scene = NULL;
    if (px_run_scene(def.dir, &scene) != PX_OK) {
        fprintf(stderr, "phyxel render: without walls and camera: %s\n", px_error_message());
        px_scene_free(scene);
        scene = NULL;
    }
    if (!set_looks(scene, &sets)) {
        px_scene_free(scene);
        return EXIT_WRONG;
    }
    def.scene = scene;
    status = make_lacking(&def, quiet || json, "render");
    if (status == EXIT_DONE)
        status = render_pictures(&def, quiet, json, "render");
    px_scene_free(scene);
    return status;
}
