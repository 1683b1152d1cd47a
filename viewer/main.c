/// The program phyxel-view, which `phyxel view` starts: a window, or one picture without a display.
#include "film.h"
#include "over.h"
#include "snapshot.h"
#include "window.h"

#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_WRONG = 2 };

typedef struct Options {
    char *snapshot, *film, *after, *size, *camera, *colour, *arrows, *over, *show, *range;
    gboolean dark, no_walls, no_ground, play;
    int threads;
    char **sets;
    char **files;
} Options;

/* Prints to stderr with control characters as '?': paths and names may hold some, and a terminal
 * would obey them. */
static void tell(const char *format, va_list values) G_GNUC_PRINTF(1, 0);
static void tell(const char *format, va_list values)
{
    char *text = g_strdup_vprintf(format, values), *valid = g_utf8_make_valid(text, -1);
    for (const char *c = valid; *c != '\0'; c = g_utf8_next_char(c)) {
        gunichar letter = g_utf8_get_char(c);
        if (g_unichar_iscntrl(letter) && letter != '\n' && letter != '\t')
            fputc('?', stderr);
        else
            fprintf(stderr, "%.*s", (int)(g_utf8_next_char(c) - c), c);
    }
    g_free(valid);
    g_free(text);
}

static void say(const char *format, ...) G_GNUC_PRINTF(1, 2);
static int wrong(const char *format, ...) G_GNUC_PRINTF(1, 2);

static void say(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tell(format, values);
    va_end(values);
}

static int wrong(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("phyxel view: ", stderr);
    tell(format, values);
    fputc('\n', stderr);
    va_end(values);
    return EXIT_WRONG;
}

static bool read_camera(const char *text, PxSceneCamera *out)
{
    char end;
    out->fov = 40;
    int read = sscanf(text, "%lf,%lf,%lf/%lf,%lf,%lf/%lf%c", &out->from.x, &out->from.y,
                      &out->from.z, &out->to.x, &out->to.y, &out->to.z, &out->fov, &end);
    return read == 6 || read == 7;
}

/* "2", "2s" or "2.5 s" */
static bool read_time(const char *text, double *out)
{
    char *end;
    *out = g_ascii_strtod(text, &end);
    while (*end == ' ')
        ++end;
    return end != text && (*end == '\0' || strcmp(end, "s") == 0) && *out >= 0 && *out < 1e9;
}

static int read_options(const Options *o, SnapshotDef *def, int *mode)
{
    static const char *const modes[] = {"best", "particles", "xray"};
    char end;
    def->file = o->snapshot;
    def->width = 800;
    def->height = 600;
    def->draw = draw_def_default();
    def->colour = o->colour;
    def->draw.dark = o->dark;
    def->draw.walls = !o->no_walls;
    def->draw.ground = !o->no_ground;
    if (o->snapshot != NULL && !g_str_has_suffix(o->snapshot, ".png"))
        return wrong("--snapshot is '%.80s', wanted a name that ends in .png", o->snapshot);
    if (o->film != NULL && !g_str_has_suffix(o->film, ".mp4") &&
        !g_str_has_suffix(o->film, ".webm") && !g_str_has_suffix(o->film, ".gif"))
        return wrong("--film is '%.80s', wanted a name that ends in .mp4, .webm or .gif", o->film);
    if (o->after != NULL && !read_time(o->after, &def->after))
        return wrong("--after is '%.80s', wanted a time in seconds, like 2s", o->after);
    if (o->size != NULL &&
        (sscanf(o->size, "%dx%d%c", &def->width, &def->height, &end) != 2 || def->width < 16 ||
         def->height < 16 || def->width > 4096 || def->height > 4096))
        return wrong("--size is '%.80s', wanted WIDTHxHEIGHT of 16 to 4096 pixels, like 800x600",
                     o->size);
    if (o->camera != NULL && !(def->stated_camera = read_camera(o->camera, &def->camera)))
        return wrong("--camera is '%.80s', wanted X,Y,Z/X,Y,Z, perhaps with /FOV", o->camera);
    if (o->range != NULL) {
        if (sscanf(o->range, "%f,%f%c", &def->draw.low, &def->draw.high, &end) != 2 ||
            !(def->draw.low < def->draw.high))
            return wrong("--range is '%.80s', wanted LOW,HIGH", o->range);
        def->draw.own_range = true;
    }
    if (o->arrows != NULL) {
        int kind = 0;
        while (kind < ARROW_KINDS && strcmp(arrow_words[kind], o->arrows) != 0)
            ++kind;
        if (kind == ARROW_KINDS)
            return wrong("--arrows is '%.80s', wanted velocity, stress, walls or none", o->arrows);
        def->draw.arrows = (ArrowKind)kind;
    }
    *mode = 0;
    if (o->show != NULL) {
        for (*mode = 0; *mode < DRAW_MODES && strcmp(modes[*mode], o->show) != 0;)
            ++*mode;
        if (*mode == DRAW_MODES)
            return wrong("--show is '%.80s', wanted best, particles or xray", o->show);
        def->draw.mode = (DrawMode)*mode;
    }
    return EXIT_DONE;
}

static int print_failure(const PxScene *scene, PxStatus status)
{
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        say("%s:", c->file);
        if (c->line > 0)
            say("%d:%d:", c->line, c->column);
        if (c->set != NULL)
            say(" --set %s:", c->set);
        say(" %s: %s%s%s\n",
            c->severity == PX_ERROR  ? "error"
            : c->severity == PX_NOTE ? "note"
                                     : "warning",
            c->place, c->place[0] != '\0' ? ": " : "", c->text);
    }
    if (px_scene_complaint_count(scene) == 0)
        fprintf(stderr, "phyxel view: %s\n", px_error_message());
    return status == PX_ERR_FORMAT || status == PX_ERR_ARGUMENT || status == PX_ERR_IO
               ? EXIT_WRONG
               : EXIT_FAILED;
}

/* Reads the scene or the run that is named; NULL after a complaint, with the exit status. */
static PxScene *read_named(const Options *o, bool *folder, int *result)
{
    PxScene *scene = NULL;
    struct stat info;
    *folder = stat(o->files[0], &info) == 0 && S_ISDIR(info.st_mode);
    PxStatus status =
        *folder ? px_run_scene(o->files[0], &scene) : px_scene_read(o->files[0], &scene);
    *result = EXIT_DONE;
    for (char **set = o->sets; status == PX_OK && set != NULL && *set != NULL; ++set) {
        const char *value = strchr(*set, '=');
        if (value == NULL) {
            *result = wrong("--set is '%.80s', wanted PATH=VALUE", *set);
            break;
        }
        char *path = g_strndup(*set, (size_t)(value - *set));
        status = px_scene_set(scene, path, value + 1);
        g_free(path);
    }
    if (status != PX_OK)
        *result = print_failure(scene, status);
    if (*result == EXIT_DONE)
        return scene;
    px_scene_free(scene);
    return NULL;
}

static int take_snapshot(const Options *o, const SnapshotDef *def)
{
    bool folder;
    int failure;
    PxScene *scene = read_named(o, &folder, &failure);
    if (scene == NULL)
        return failure;
    Player *player = player_open(scene, folder ? o->files[0] : NULL, o->threads);
    if (player == NULL) {
        fprintf(stderr, "phyxel view: %s\n", px_error_message());
        return EXIT_FAILED;
    }
    int result = snapshot(player, def);
    player_close(player);
    return result;
}

static int make_film(const Options *o, const SnapshotDef *from)
{
    struct stat info;
    if (stat(o->files[0], &info) != 0 || !S_ISDIR(info.st_mode))
        return wrong("--film needs a folder of `phyxel run`, and '%.200s' is none", o->files[0]);
    FilmDef def = {.dir = o->files[0],
                   .file = o->film,
                   .width = from->width & ~1, /* H.264 wants even sizes */
                   .height = from->height & ~1,
                   .stated_camera = from->stated_camera,
                   .draw = from->draw,
                   .colour = from->colour,
                   .threads = o->threads};
    if (from->stated_camera) {
        bool folder;
        int failure;
        PxScene *scene = read_named(o, &folder, &failure);
        if (scene == NULL)
            return failure;
        def.camera = camera_from(&from->camera, px_scene_up(scene));
        px_scene_free(scene);
    }
    char error[1024];
    if (film_make(&def, NULL, NULL, error, sizeof error))
        return EXIT_DONE;
    wrong("%s", error);
    return EXIT_FAILED;
}

int main(int argc, char **argv)
{
    Options o = {0};
    const GOptionEntry entries[] = {
        {"snapshot", 0, 0, G_OPTION_ARG_FILENAME, &o.snapshot,
         "write one picture instead of opening a window", "FILE.png"},
        {"film", 0, 0, G_OPTION_ARG_FILENAME, &o.film,
         "draw all frames of DIR into a film instead of opening a window", "FILE.mp4"},
        {"after", 0, 0, G_OPTION_ARG_STRING, &o.after, "time of that picture, as in 2s (0)",
         "TIME"},
        {"size", 0, 0, G_OPTION_ARG_STRING, &o.size, "of the picture (800x600)", "WxH"},
        {"camera", 0, 0, G_OPTION_ARG_STRING, &o.camera, "eye and target", "X,Y,Z/X,Y,Z[/FOV]"},
        {"show", 0, 0, G_OPTION_ARG_STRING, &o.show, "best, particles or xray", "WHAT"},
        {"colour", 0, 0, G_OPTION_ARG_STRING, &o.colour, "a column as colour, such as speed",
         "COLUMN"},
        {"arrows", 0, 0, G_OPTION_ARG_STRING, &o.arrows,
         "velocity, stress (principal) or walls (forces on them)", "WHAT"},
        {"over", 0, 0, G_OPTION_ARG_FILENAME, &o.over,
         "x-rays pass through a volume of Hounsfield units too", "VOLUME.nrrd"},
        {"range", 0, 0, G_OPTION_ARG_STRING, &o.range, "of the colours", "LOW,HIGH"},
        {"dark", 0, 0, G_OPTION_ARG_NONE, &o.dark, "dark background", NULL},
        {"no-walls", 0, 0, G_OPTION_ARG_NONE, &o.no_walls, "hide the walls", NULL},
        {"no-ground", 0, 0, G_OPTION_ARG_NONE, &o.no_ground, "hide the ground", NULL},
        {"play", 0, 0, G_OPTION_ARG_NONE, &o.play, "start playing at once", NULL},
        {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.sets, "change a value of the scene",
         "PATH=VALUE"},
        {"threads", 0, 0, G_OPTION_ARG_INT, &o.threads, "of the simulation (one for every core)",
         "N"},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.files, NULL, "[SCENE|DIR]"},
        {0}};
    GError *error = NULL;
    g_set_prgname("phyxel view");
    GOptionContext *context = g_option_context_new("- watch a scene, or a stored run, in a window");
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_summary(
        context, "SCENE is simulated live; DIR, a folder of `phyxel run`, is played.");
    bool good = g_option_context_parse(context, &argc, &argv, &error);
    g_option_context_free(context);
    if (!good)
        return wrong("%s", error->message);
    size_t files = o.files != NULL ? g_strv_length(o.files) : 0;
    if (files > 1)
        return wrong("one SCENE or DIR at a time; what is '%.80s'?", o.files[1]);
    SnapshotDef def = {0};
    int mode, result = read_options(&o, &def, &mode);
    if (result != EXIT_DONE)
        return result;
    PxVolumeSamples over = {.value = NULL};
    if (o.over != NULL && !over_read(o.over, &over))
        return wrong("--over: %s", px_error_message());
    if (o.over != NULL)
        def.draw.over = &over;
    if (o.threads < 0 || o.threads > 256)
        return wrong("--threads must be 0 to 256");
    if (o.snapshot != NULL && files == 0)
        return wrong("--snapshot needs a SCENE or DIR");
    if (o.film != NULL && (files == 0 || o.snapshot != NULL))
        return wrong(files == 0 ? "--film needs a DIR"
                                : "--film and --snapshot exclude each other");
    if (o.film != NULL)
        return make_film(&o, &def);
    if (o.snapshot != NULL)
        return take_snapshot(&o, &def);
    if (!window_possible()) {
        bool folder;
        PxScene *scene = files == 1 ? read_named(&o, &folder, &result) : NULL;
        px_scene_free(scene);
        if (result != EXIT_DONE)
            return result;
        wrong("there is no display; --snapshot FILE.png --after 2s draws without one");
        return EXIT_FAILED;
    }
    WindowDef window = {.path = files == 1 ? o.files[0] : NULL,
                        .sets = (const char *const *)o.sets,
                        .threads = o.threads,
                        .play = o.play,
                        .colour = o.colour,
                        .draw = def.draw,
                        .stated_camera = def.stated_camera,
                        .camera = def.camera};
    return window_run(&window);
}
