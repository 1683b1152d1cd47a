/// The commands `phyxel check` and `phyxel schema`.
#include "commands.h"

static void print_json(const PxScene *scene, const PxSceneEstimate *e)
{
    printf("{\"complaints\": [");
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        printf("%s\n  {\"severity\": \"%s\", \"file\": ", k > 0 ? "," : "",
               severity_word(c->severity));
        json_text(stdout, c->file);
        printf(", \"line\": %d, \"column\": %d, ", c->line, c->column);
        if (c->set != NULL) {
            printf("\"set\": ");
            json_text(stdout, c->set);
            printf(", ");
        }
        printf("\"place\": ");
        json_text(stdout, c->place != NULL ? c->place : "");
        printf(", \"text\": ");
        json_text(stdout, c->text);
        printf("}");
    }
    printf("],\n \"pressure\": \"%s\"", px_scene_pressure(scene));
    if (e != NULL)
        printf(",\n \"estimate\": {\"particles\": %.0f, \"memory\": %.0f, \"disk\": %.0f, "
               "\"steps\": %.0f, \"seconds\": %.3g, \"threads\": %d, \"cloth_vertices\": %.0f, "
               "\"cloth_triangles\": %.0f, \"cloth_crossings\": %.0f, "
               "\"film_seconds\": %.3g, \"film_disk\": %.0f}",
               e->particles, e->memory, e->disk, e->steps, e->seconds, e->threads,
               e->cloth_vertices, e->cloth_triangles, e->cloth_crossings, e->film_seconds,
               e->film_disk);
    printf("}\n");
}

static size_t count_of(const PxScene *scene, PxSeverity severity)
{
    size_t count = 0;
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k)
        count += px_scene_complaint(scene, k)->severity == severity;
    return count;
}

int command_check(int argc, char **argv)
{
    int threads = 0;
    bool json = false;
    OptionList sets = {.count = 0};
    const Option options[] = {
        {"threads", 'j', OPTION_COUNT, &threads, "N",
         "number of threads of the estimate (all cores)", 256},
        {"set", 's', OPTION_LIST, &sets, "PATH=VALUE",
         "change a value of the scene; may be repeated", 0},
        {"json", 0, OPTION_FLAG, &json, NULL, "print one JSON object", 0},
    };
    const Command command = {"check",
                             "SCENE [options]",
                             "list all errors in a scene; estimate particles, memory and time",
                             "Exit status 0: it can be run. 2: it has errors.",
                             options,
                             sizeof options / sizeof *options};
    const char *path;
    OptionResult read = options_read(&command, argc, argv, &path, 1, 1, NULL);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;

    PxScene *scene = NULL;
    FILE *nowhere = json ? fopen("/dev/null", "w") : NULL;
    int status = scene_open(path, &sets, true, nowhere != NULL ? nowhere : stdout, &scene);
    if (nowhere != NULL)
        fclose(nowhere);
    if (scene == NULL)
        return status;
    PxSceneEstimate e;
    bool estimated = status == EXIT_DONE && px_scene_estimate(scene, threads, &e) == PX_OK;
    size_t errors = count_of(scene, PX_ERROR), warnings = count_of(scene, PX_WARNING);
    if (json) {
        print_json(scene, estimated ? &e : NULL);
    } else if (errors > 0) {
        fprintf(stderr, "%zu error%s, %zu warning%s\n", errors, errors == 1 ? "" : "s", warnings,
                warnings == 1 ? "" : "s");
    } else {
        char a[32], b[32], c[32], d[32], f[32], g[32], h[32];
        printf("%s: good\n", path);
        if (estimated)
            printf("  pressure: %s\n", px_scene_pressure(scene));
        if (estimated && e.cloth_vertices > 0)
            printf("  cloth: %s vertices, %s triangle%s, %s crossing%s at the start\n",
                   text_count(e.cloth_vertices, a, sizeof a),
                   text_count(e.cloth_triangles, b, sizeof b), e.cloth_triangles > 1 ? "s" : "",
                   text_count(e.cloth_crossings, c, sizeof c),
                   e.cloth_crossings > 0 && e.cloth_crossings < 2 ? "" : "s");
        if (estimated && (e.particles > 0 || !(e.cloth_vertices > 0)))
            printf("  %s particles,", text_count(e.particles, a, sizeof a));
        else if (estimated)
            printf(" ");
        if (estimated)
            printf(" %s of memory, %s on disk\n"
                   "  about %s steps, %s on %d thread%s (estimated); a film: %s and %s more\n",
                   text_bytes(e.memory, b, sizeof b), text_bytes(e.disk, c, sizeof c),
                   text_count(e.steps, d, sizeof d), text_seconds(e.seconds, f, sizeof f),
                   e.threads, e.threads == 1 ? "" : "s", text_seconds(e.film_seconds, g, sizeof g),
                   text_bytes(e.film_disk, h, sizeof h));
    }
    px_scene_free(scene);
    return status;
}

int command_schema(int argc, char **argv)
{
    const Command command = {"schema",
                             "",
                             "print the JSON schema of scene files",
                             "Editors that know schemas complete keys and mark mistakes with it:\n"
                             "  phyxel schema > scene.schema.json",
                             NULL,
                             0};
    OptionResult read = options_read(&command, argc, argv, NULL, 0, 0, NULL);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    fputs(px_scene_schema(), stdout);
    return EXIT_DONE;
}
