/// The command `phyxel export`: converts frames to formats of other programs.
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool show(void *user, uint32_t done, uint32_t total)
{
    const bool *terminal = user;
    if (*terminal)
        fprintf(stderr, "\rframe %u/%u\033[K", done, total);
    return !signals_stop();
}

static void say_formats(char *text, size_t size)
{
    size_t used = (size_t)snprintf(
        text, size,
        "The default is the skins of solids and cloth if the run has some, else the particles.\n"
        "'phyxel surface DIR' makes surfaces and surfels, 'phyxel foam DIR' foam. Files go to\n"
        "DIR/FORMAT (particles), DIR/FORMAT-skin, DIR/FORMAT-surface and so on.\n"
        "\nformats:\n");
    for (uint32_t k = 0; px_export_format(k) != NULL && used < size; ++k)
        used += (size_t)snprintf(text + used, size - used, "%s  %-4s %s", k > 0 ? "\n" : "",
                                 px_export_format(k)->name, px_export_format(k)->summary);
}

/* Validates the text options; EXIT_DONE when all are valid. */
static int check_words(PxExportDef *def, const char *frames, const char *up, const bool what[9],
                       int first, int last)
{
    if (def->format == NULL) {
        fprintf(stderr, "phyxel export: to which format? --to");
        for (uint32_t k = 0; px_export_format(k) != NULL; ++k)
            fprintf(stderr, "%s %s", k > 0 ? "," : "", px_export_format(k)->name);
        fputc('\n', stderr);
        return EXIT_WRONG;
    }
    if (what[0] + what[1] + what[2] + what[3] + what[4] + what[5] + what[6] + what[7] + what[8] >
        1) {
        fprintf(stderr, "phyxel export: one of --particles, --surface, --surfels, --skin, "
                        "--skin-surfels, --coat, --contact, --foam and --walls at a time\n");
        return EXIT_WRONG;
    }
    def->what = what[0]   ? PX_EXPORT_PARTICLES
                : what[1] ? PX_EXPORT_SURFACE
                : what[2] ? PX_EXPORT_SURFELS
                : what[3] ? PX_EXPORT_SKIN
                : what[4] ? PX_EXPORT_SKIN_SURFELS
                : what[5] ? PX_EXPORT_COAT
                : what[6] ? PX_EXPORT_CONTACT
                : what[7] ? PX_EXPORT_FOAM
                : what[8] ? PX_EXPORT_WALLS
                          : PX_EXPORT_USUAL;
    if (up != NULL && strcmp(up, "y") != 0 && strcmp(up, "z") != 0) {
        fprintf(stderr, "phyxel export: --up wants y or z, got '%.60s'\n", text_safe(up));
        return EXIT_WRONG;
    }
    if (up != NULL)
        def->up = up[0];
    if (frames != NULL && (first >= 0 || last >= 0)) {
        fprintf(stderr, "phyxel export: either --frames or --first and --last\n");
        return EXIT_WRONG;
    }
    if (frames != NULL && !read_frames(frames, &def->first, &def->last)) {
        fprintf(stderr, "phyxel export: --frames wants 7, 3-9, 3- or -9, got '%.60s'\n",
                text_safe(frames));
        return EXIT_WRONG;
    }
    if (first >= 0)
        def->first = (uint32_t)first;
    if (last >= 0)
        def->last = (uint32_t)last;
    return EXIT_DONE;
}

int command_export(int argc, char **argv)
{
    PxExportDef def = px_export_def_default();
    def.format = NULL; /* must be given */
    int first = -1, last = -1, smooth = 0;
    bool quiet = false, what[9] = {false};
    const char *frames = NULL, *up = NULL;
    char details[1024];
    say_formats(details, sizeof details);
    const Option options[] = {
        {"to", 't', OPTION_TEXT, &def.format, "FORMAT", "one of the formats above", 0},
        {"output", 'o', OPTION_TEXT, &def.out, "DIR", "folder of the files (in DIR, see above)", 0},
        {"particles", 0, OPTION_FLAG, &what[0], NULL, "particles", 0},
        {"surface", 0, OPTION_FLAG, &what[1], NULL, "surfaces in DIR/surface", 0},
        {"surfels", 0, OPTION_FLAG, &what[2], NULL, "surfels in DIR/surfels", 0},
        {"skin", 0, OPTION_FLAG, &what[3], NULL, "triangles of solids and cloth in DIR/skin", 0},
        {"skin-surfels", 0, OPTION_FLAG, &what[4], NULL,
         "surfel skins of solids in DIR/skin-surfels", 0},
        {"coat", 0, OPTION_FLAG, &what[5], NULL, "coats of materials in DIR/coat", 0},
        {"contact", 0, OPTION_FLAG, &what[6], NULL, "contact surfaces in DIR/contact", 0},
        {"foam", 0, OPTION_FLAG, &what[7], NULL, "spray, foam and bubbles in DIR/foam", 0},
        {"walls", 0, OPTION_FLAG, &what[8], NULL, "walls and rigid bodies, placed as in each frame",
         0},
        {"material", 'm', OPTION_TEXT, &def.material, "NAME", "surface of this material only", 0},
        {"columns", 0, OPTION_TEXT, &def.columns, "LIST",
         "only these columns: density,pressure (all)", 0},
        {"smooth", 0, OPTION_COUNT, &smooth, "N",
         "subdivide cloth N times, 0 to 4, each by four triangles (0)", 4},
        {"up", 0, OPTION_TEXT, &up, "AXIS", "axis that points up, y or z (the scene's)", 0},
        {"frames", 'n', OPTION_TEXT, &frames, "A-B", "only these frames: 7, 3-9, 3-", 0},
        {"first", 0, OPTION_COUNT, &first, "N", "first frame", 0},
        {"last", 0, OPTION_COUNT, &last, "N", "last frame", 0},
        {"threads", 'j', OPTION_COUNT, &def.threads, "N", "number of threads (all cores)", 256},
        {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "no progress", 0},
    };
    const Command command = {"export",
                             "DIR --to FORMAT [options]",
                             "write frames in formats of other programs",
                             details,
                             options,
                             sizeof options / sizeof *options};
    OptionResult read = options_read(&command, argc, argv, &def.dir, 1, 1, NULL);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    if (!is_folder(def.dir, "export"))
        return EXIT_WRONG;
    def.smooth = (uint32_t)smooth;
    int wrong = check_words(&def, frames, up, what, first, last);
    if (wrong != EXIT_DONE)
        return wrong;
    signals_catch();
    bool terminal = !quiet && isatty(STDERR_FILENO) == 1;
    char out[4096];
    PxScene *scene = NULL;
    if (px_run_scene(def.dir, &scene) == PX_OK) /* without it there are poses only */
        def.scene = scene;
    PxStatus status = px_export(&def, show, &terminal);
    px_scene_free(scene);
    if (terminal)
        fputc('\n', stderr);
    if (status != PX_OK) {
        int exit_status = report_failure(status, "export");
        if (status == PX_ERR_FORMAT || status == PX_ERR_NUMERIC)
            fprintf(stderr, "the frames before it are written; --first goes on behind it\n");
        return exit_status;
    }
    px_export_folder(&def, out, sizeof out);
    if (!quiet)
        fprintf(stderr, "written to %s\n", text_safe(out));
    return EXIT_DONE;
}
