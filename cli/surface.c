/// The command `phyxel surface`: triangles or surfels around the particles of a run.
#include "commands.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Show {
    bool terminal, quiet, any;
    bool lacking; /* talk only if something is made */
    double shown; /* wall-clock time of the last line, s */
} Show;

static bool show(void *user, const PxSurfaceProgress *p)
{
    Show *s = user;
    bool last = p->done == p->total;
    if (!s->quiet && (!s->lacking || p->made > 0) &&
        (!s->any || last || p->wall - s->shown >= (s->terminal ? 0.1 : 5))) {
        char left[32], count[32], text[160];
        snprintf(text, sizeof text, "surface %u/%u%s%s%s%s", p->done, p->total,
                 p->made > 0 ? "  elements " : "",
                 p->made > 0 ? text_count((double)p->elements, count, sizeof count) : "",
                 p->left >= 0 && !last ? "  left " : "",
                 p->left >= 0 && !last ? text_seconds(p->left, left, sizeof left) : "");
        fprintf(stderr, s->terminal ? "\r%s\033[K" : "%s\n", text);
        s->shown = p->wall;
        s->any = true;
    }
    return !signals_stop();
}

int make_surfaces(const PxSurfaceRunDef *def, bool quiet, const char *command)
{
    Show state = {.terminal = isatty(STDERR_FILENO) == 1, .quiet = quiet, .lacking = def->complete};
    PxSurfaceReport report;
    char wall[32];
    signals_catch();
    PxSurfaceRunDef surface = *def;
    surface.surface.stop = signals_stop_work;
    PxStatus status = px_surface_run(&surface, show, &state, &report);
    if (state.terminal && state.any)
        fputc('\n', stderr);
    int exit_status = status == PX_OK ? EXIT_DONE : report_failure(status, command);
    quiet = quiet || (def->complete && report.made == 0);
    if (!quiet && !report.scene && status == PX_OK)
        fprintf(stderr, "run.json is missing or damaged: walls and names of materials are "
                        "unknown\n");
    if (!quiet && (status == PX_OK || report.made + report.kept > 0))
        fprintf(stderr, "%u made, %u were up to date, in %s: %s\n", report.made, report.kept,
                text_safe(report.out), text_seconds(report.wall, wall, sizeof wall));
    if (!quiet && report.sheets && status == PX_OK)
        fprintf(stderr, "%llu pairs of triangles of surfaces and cloth cross%s\n",
                (unsigned long long)report.crossed,
                surface.surface.sink > 0 ? ", not counting what --sink moves into the cloth" : "");
    if (status == PX_ERR_STOPPED)
        fprintf(stderr, "the same command continues\n");
    return exit_status;
}

static void say_fields(char *text, size_t size)
{
    size_t used =
        (size_t)snprintf(text, size,
                         "Lengths are in particle spacings. Surfaces that are up to date (same "
                         "frame, same options)\n"
                         "are kept, so the same command continues after Ctrl-C.\n\nfields:\n");
    for (uint32_t k = 0; px_surface_field(k) != NULL && used < size; ++k) {
        const PxSurfaceField *f = px_surface_field(k);
        used += (size_t)snprintf(text + used, size - used, "%s  %-12s %s", k > 0 ? "\n" : "",
                                 f->name, f->summary);
    }
}

int command_surface(int argc, char **argv)
{
    PxSurfaceRunDef def = px_surface_run_def_default();
    PxSurfaceDef *surface = &def.surface;
    const char *frames = NULL, *smoothing = NULL, *gap = NULL, *sink = NULL, *stretch = NULL;
    bool quiet = false;
    char details[1024];
    say_fields(details, sizeof details);
    const Option options[] = {
        {"field", 0, OPTION_TEXT, &surface->field, "NAME", "which field (anisotropic)", 0},
        {"cell", 0, OPTION_NUMBER, &surface->cell, "X",
         "edge of a grid cell (0.5); surfels: their radius", 0},
        {"radius", 0, OPTION_NUMBER, &surface->radius, "X",
         "support of a particle (by field: 2.5 or 3)", 0},
        {"iso", 0, OPTION_NUMBER, &surface->iso, "X", "distance from the outermost particles (0.5)",
         0},
        {"smoothing", 0, OPTION_TEXT, &smoothing, "X",
         "length of the mesh smoothing (by field: 0.7 or 0)", 0},
        {"gap", 0, OPTION_TEXT, &gap, "X", "gap between surface and walls (0)", 0},
        {"sink", 0, OPTION_TEXT, &sink, "X", "how far it reaches into cloth that it touches (0)",
         0},
        {"stretch", 0, OPTION_TEXT, &stretch, "X",
         "single drops are drawn out along X of their way to the next frame (0.25)", 0},
        {"no-walls", 0, OPTION_FLAG, &def.no_walls, NULL, "ignore the walls of the scene", 0},
        {"frames", 'n', OPTION_TEXT, &frames, "A-B", "only these frames: 7, 3-9, 3-", 0},
        {"material", 'm', OPTION_TEXT, &def.material, "NAME",
         "only this material, in a folder of its own", 0},
        {"columns", 0, OPTION_TEXT, &def.columns, "LIST",
         "more columns of particles for the vertices", 0},
        {"surfels", 0, OPTION_FLAG, &def.surfels, NULL, "points with a radius instead of triangles",
         0},
        {"contact", 0, OPTION_FLAG, &def.contact, NULL,
         "surfels between solids that touch, in DIR/contact", 0},
        {"measure", 0, OPTION_FLAG, &def.measure, NULL,
         "write area, volume and components to measure.csv", 0},
        {"overwrite", 0, OPTION_FLAG, &def.overwrite, NULL,
         "replace surfaces that are up to date, too", 0},
        {"threads", 'j', OPTION_COUNT, &surface->threads, "N", "number of threads (all cores)",
         256},
        {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "no progress", 0},
    };
    const Command command = {
        "surface", "DIR [options]", "make surfaces around the particles of a run",
        details,   options,         sizeof options / sizeof *options};
    OptionResult read = options_read(&command, argc, argv, &def.dir, 1, 1, NULL);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    const struct {
        const char *name, *text;
        double *target;
    } numbers[] = {{"smoothing", smoothing, &surface->smoothing},
                   {"gap", gap, &surface->gap},
                   {"sink", sink, &surface->sink},
                   {"stretch", stretch, &def.stretch}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) { /* 0 is allowed for these */
        char *end = NULL;
        double value = numbers[k].text != NULL ? strtod(numbers[k].text, &end) : 0;
        if (end != NULL && (end == numbers[k].text || *end != '\0' || !(value >= 0))) {
            fprintf(stderr, "phyxel surface: --%s wants a number from 0 on, got '%.60s'\n",
                    numbers[k].name, numbers[k].text);
            return EXIT_WRONG;
        }
        if (end != NULL)
            *numbers[k].target = value;
    }
    if (frames != NULL && !read_frames(frames, &def.first, &def.last)) {
        fprintf(stderr, "phyxel surface: --frames wants 7, 3-9, 3- or -9, got '%.60s'\n", frames);
        return EXIT_WRONG;
    }
    if (!is_folder(def.dir, "surface"))
        return EXIT_WRONG;
    return make_surfaces(&def, quiet, "surface");
}
