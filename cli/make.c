/// The command `phyxel make`: meshes for scenes.
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A command that writes a file is told which: none appears in the folder of who only tries it. */
static bool has_output(const char *what, const char *path)
{
    if (path != NULL)
        return true;
    fprintf(stderr, "phyxel make %s: give the file to write: -o FILE; see phyxel make %s --help\n",
            what, what);
    return false;
}

/* ---- colon ------------------------------------------------------------------------------- */

static void print_vector(const char *key, PxVec3 v)
{
    printf("\"%s\": [%.6g, %.6g, %.6g]", key, v.x, v.y, v.z);
}

static void print_end(const char *key, const PxColonEnd *end, const char *after)
{
    printf("  \"%s\": {", key);
    print_vector("at", end->at);
    printf(", ");
    print_vector("inward", end->inward);
    printf(", \"radius\": %.6g}%s\n", end->radius, after);
}

static int make_colon(int argc, char **argv)
{
    PxColonDef def = px_colon_def_default();
    int seed = 1, triangles = (int)def.triangles;
    const char *path = NULL;
    double variation = def.variation, folds = def.folds;
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &path, "FILE", "the mesh to write: .obj, .ply or .stl", 0},
        {"seed", 's', OPTION_COUNT, &seed, "N", "another colon for each number (1)", 0},
        {"triangles", 0, OPTION_COUNT, &triangles, "N", "about as many (40000)", 0},
        {"size", 0, OPTION_NUMBER, &def.size, "X", "factor on all lengths (1, an adult's)", 0},
        {"variation", 0, OPTION_SIGNED, &variation, "X",
         "deviation of bends and radii from the mean colon, 0 to 1 (0.7)", 0},
        {"folds", 0, OPTION_SIGNED, &folds, "X",
         "depth of folds, as a part of the radius, 0 to 0.6 (0.4)", 0},
    };
    const Command command = {
        "make colon",
        "-o FILE [options]",
        "make a colon with folds, from the rectum to the caecum",
        "Writes a closed mesh, in m, y up, the patient's left at +x, with texture coordinates.\n"
        "In a scene it is a wall with \"inside\": true. Prints its two ends as JSON: flat discs,\n"
        "in front of which an emitter and a sink belong.",
        options,
        sizeof options / sizeof *options};
    OptionResult read = options_read(&command, argc, argv, NULL, 0, 0, NULL);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    if (!has_output("colon", path))
        return EXIT_WRONG;
    def.seed = (uint64_t)seed;
    def.triangles = (uint32_t)triangles;
    def.variation = variation;
    def.folds = folds;
    PxColonEnds ends;
    PxStatus status = px_make_colon(&def, path, &ends);
    if (status != PX_OK)
        return report_failure(status, "make");
    printf("{\n  \"mesh\": ");
    json_text(stdout, path);
    printf(",\n  \"length\": %.4g, \"volume\": %.4g, \"triangles\": %u,\n", ends.length,
           ends.volume, ends.triangles);
    print_end("rectum", &ends.rectum, ",");
    print_end("caecum", &ends.caecum, "");
    printf("}\n");
    return EXIT_DONE;
}

/* ---- isosurface -------------------------------------------------------------------------- */

/* Three numbers separated by 'x': 256x256x100. */
static bool read_three(const char *text, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        char *end;
        out[k] = strtod(text, &end);
        if (end == text || *end != (k < 2 ? 'x' : '\0') || !(out[k] > 0) || !(out[k] < 1e9))
            return false;
        text = end + 1;
    }
    return true;
}

static bool read_raw(const char *text, PxVolumeDef *def, char *sizes, size_t room)
{
    const char *colon = strchr(text, ':');
    double number[3];
    if (colon == NULL || (size_t)(colon - text) >= room)
        return false;
    snprintf(sizes, room, "%.*s", (int)(colon - text), text);
    if (!read_three(sizes, number))
        return false;
    for (int k = 0; k < 3; ++k)
        def->samples[k] = (uint32_t)number[k];
    def->type = colon + 1;
    return true;
}

static int make_mesh(int argc, char **argv)
{
    PxVolumeDef def = px_volume_def_default();
    const char *path = NULL, *raw = NULL, *spacing = NULL;
    def.at = NAN;
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &path, "FILE", "the mesh to write: .obj, .ply or .stl", 0},
        {"at", 0, OPTION_SIGNED, &def.at, "VALUE", "isovalue; inside are samples above it", 0},
        {"below", 0, OPTION_FLAG, &def.below, NULL, "inside are samples below it, as in air", 0},
        {"largest", 0, OPTION_FLAG, &def.largest, NULL, "keep the largest piece only", 0},
        {"scale", 0, OPTION_NUMBER, &def.scale, "X",
         "factor from the file's lengths to m (0.001: mm)", 0},
        {"spacing", 0, OPTION_TEXT, &spacing, "AxBxC", "distances of samples, mm (as in the file)",
         0},
        {"raw", 0, OPTION_TEXT, &raw, "NxMxK:TYPE",
         "the file has raw samples, little endian, such as 512x512x300:int16", 0},
    };
    const Command command = {
        "make mesh",
        "VOLUME -o FILE [options]",
        "make the isosurface of a volume, such as a CT scan",
        "VOLUME is an NRRD file, or raw samples with --raw. The mesh is closed, also where\n"
        "the volume ends.",
        options,
        sizeof options / sizeof *options};
    const char *volume;
    size_t words;
    OptionResult read = options_read(&command, argc, argv, &volume, 1, 1, &words);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    def.path = volume;
    char sizes[64];
    if (isnan(def.at)) {
        fprintf(stderr, "phyxel make mesh: give the isovalue: --at 300\n");
        return EXIT_WRONG;
    }
    if (raw != NULL && !read_raw(raw, &def, sizes, sizeof sizes)) {
        fprintf(stderr, "phyxel make mesh: --raw '%s' is not like 512x512x300:int16\n",
                text_safe(raw));
        return EXIT_WRONG;
    }
    if (spacing != NULL && !read_three(spacing, def.spacing)) {
        fprintf(stderr, "phyxel make mesh: --spacing '%s' is not like 0.7x0.7x1\n",
                text_safe(spacing));
        return EXIT_WRONG;
    }
    if (!has_output("mesh", path))
        return EXIT_WRONG;
    for (int k = 0; k < 3; ++k)
        def.spacing[k] *= 0.001;
    PxVolumeResult result;
    PxStatus status = px_make_volume_mesh(&def, path, &result);
    if (status != PX_OK)
        return report_failure(status, "make");
    printf("{\n  \"mesh\": ");
    json_text(stdout, path);
    printf(",\n  \"samples\": [%u, %u, %u], \"from\": %.6g, \"to\": %.6g,\n", result.samples[0],
           result.samples[1], result.samples[2], result.least, result.most);
    printf("  \"triangles\": %u, \"pieces\": %u, \"volume\": %.6g,\n  ", result.triangles,
           result.pieces, result.volume);
    print_vector("low", result.low);
    printf(", ");
    print_vector("high", result.high);
    printf("\n}\n");
    return EXIT_DONE;
}

/* ---- cloth ------------------------------------------------------------------------------- */

/* One number, or two separated by 'x': 1x2. With `same` a missing second one is the first, else it
 * is 0. */
static bool read_two(const char *text, double most, bool same, double out[2])
{
    char first[32], *end = first;
    size_t length = strcspn(text, "x"); /* strtod() would take 0x1 as one number */
    bool two = text[length] == 'x';
    const char *second = text + length + 1;
    if (length == 0 || length >= sizeof first || text[strspn(text, "0123456789.eE+-x")] != '\0' ||
        (two && (*second == '\0' || strchr(second, 'x') != NULL)))
        return false;
    snprintf(first, sizeof first, "%.*s", (int)length, text);
    out[0] = strtod(first, &end);
    out[1] = same ? out[0] : 0;
    if (*end == '\0' && two)
        out[1] = strtod(second, &end);
    return *end == '\0' && out[0] > 0 && out[0] <= most &&
           (!(same || two) || (out[1] > 0 && out[1] <= most));
}

static bool read_pattern(const char *word, PxSheetPattern *out)
{
    static const char *const words[] = {"regular", "alternating", "cross", "irregular"};
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
        if (strcmp(word, words[k]) == 0) {
            *out = (PxSheetPattern)k;
            return true;
        }
    fprintf(stderr,
            "phyxel make cloth: --pattern '%s' is none of regular, alternating, cross, irregular\n",
            text_safe(word));
    return false;
}

/* Cells, of which one number is those along the longer side. */
static bool read_cells(const char *text, PxSheetDef *def)
{
    double cells[2];
    if (!read_two(text, 2000, false, cells) || cells[0] != floor(cells[0]) ||
        cells[1] != floor(cells[1])) {
        fprintf(stderr,
                "phyxel make cloth: --resolution '%s' is not like 40 or 40x20, at most 2000\n",
                text_safe(text));
        return false;
    }
    int longer = def->size[1] > def->size[0];
    if (!(cells[1] > 0)) {
        double other = round(cells[0] * def->size[1 - longer] / def->size[longer]);
        cells[longer] = cells[0];
        cells[1 - longer] = fmax(1, other);
    }
    def->cells[0] = (uint32_t)cells[0];
    def->cells[1] = (uint32_t)cells[1];
    return true;
}

static int make_cloth(int argc, char **argv)
{
    PxSheetDef def = px_sheet_def_default();
    int seed = 1, triangles = 0;
    const char *path = NULL, *size = NULL, *cells = NULL, *pattern = "alternating";
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &path, "FILE", "the mesh to write: .obj, .ply or .stl", 0},
        {"size", 0, OPTION_TEXT, &size, "AxB", "width along x and length along z, m (1x1)", 0},
        {"resolution", 0, OPTION_TEXT, &cells, "N|NxM",
         "cells along the longer side, or along x and z (40)", 0},
        {"triangles", 0, OPTION_COUNT, &triangles, "N",
         "about as many, instead of --resolution; exactly as many if irregular and even", 0},
        {"pattern", 0, OPTION_TEXT, &pattern, "WORD",
         "regular, alternating, cross or irregular (alternating)", 0},
        {"seed", 's', OPTION_COUNT, &seed, "N", "another irregular sheet for each number (1)", 0},
    };
    const Command command = {
        "make cloth",
        "-o FILE [options]",
        "make a flat sheet of triangles for cloth",
        "Writes a rectangle in the plane of x and z, with texture coordinates in m. In a scene it\n"
        "is the mesh of a body whose material is cloth. Prints its numbers as JSON.",
        options,
        sizeof options / sizeof *options};
    OptionResult read = options_read(&command, argc, argv, NULL, 0, 0, NULL);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    if (size != NULL && !read_two(size, 1e6, true, def.size)) {
        fprintf(stderr,
                "phyxel make cloth: --size '%s' is not like 1x2, in m, above 0 and at most 1e6\n",
                text_safe(size));
        return EXIT_WRONG;
    }
    if ((cells != NULL && !read_cells(cells, &def)) || !read_pattern(pattern, &def.pattern))
        return EXIT_WRONG;
    if (cells != NULL && triangles > 0) {
        fprintf(stderr, "phyxel make cloth: --resolution and --triangles exclude each other\n");
        return EXIT_WRONG;
    }
    if (!has_output("cloth", path))
        return EXIT_WRONG;
    def.triangles = (uint32_t)triangles;
    def.seed = (uint64_t)seed;
    PxSheetResult result;
    PxStatus status = px_make_sheet(&def, path, &result);
    if (status != PX_OK)
        return report_failure(status, "make");
    printf("{\n  \"mesh\": ");
    json_text(stdout, path);
    printf(",\n  \"size\": [%.6g, %.6g], \"cells\": [%u, %u], \"pattern\": \"%s\",\n", def.size[0],
           def.size[1], result.cells[0], result.cells[1], pattern);
    printf("  \"vertices\": %u, \"triangles\": %u,\n", result.vertices, result.triangles);
    printf("  \"shortest\": %.4g, \"longest\": %.4g, \"smallest_angle\": %.4g\n}\n",
           result.shortest, result.longest, result.angle);
    return EXIT_DONE;
}

/* ---- walker ------------------------------------------------------------------------------ */

/* The name of the figure with the extension of poses. */
static bool name_poses(const char *figure, char *out, size_t room)
{
    const char *dot = strrchr(figure, '.'), *folder = strrchr(figure, '/');
    size_t length =
        dot != NULL && (folder == NULL || dot > folder) ? (size_t)(dot - figure) : strlen(figure);
    if (length + sizeof ".pc2" <= room) {
        snprintf(out, room, "%.*s.pc2", (int)length, figure);
        return true;
    }
    fprintf(stderr, "phyxel make walker: the name of -o is longer than %zu characters\n",
            room - sizeof ".pc2");
    return false;
}

static int make_walker(int argc, char **argv)
{
    PxWalkerDef def = px_walker_def_default();
    int seed = 1, triangles = (int)def.triangles, around = (int)def.around,
        pleats = (int)def.pleats;
    const char *path = NULL, *poses = NULL, *skirt = NULL;
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &path, "FILE", "the figure to write: .obj or .ply", 0},
        {"poses", 0, OPTION_TEXT, &poses, "FILE", "its motion: .pc2 (beside the figure)", 0},
        {"skirt", 0, OPTION_TEXT, &skirt, "FILE", "also a skirt that fits it: .obj, .ply or .stl",
         0},
        {"seed", 's', OPTION_COUNT, &seed, "N", "another figure and gait for each number (1)", 0},
        {"triangles", 0, OPTION_COUNT, &triangles, "N", "about as many (8000)", 0},
        {"height", 0, OPTION_NUMBER, &def.height, "M", "m (chosen by the seed, 1.6 to 1.8)", 0},
        {"seconds", 0, OPTION_NUMBER, &def.seconds, "S", "length of the motion (4)", 0},
        {"fps", 0, OPTION_NUMBER, &def.fps, "N", "poses per second (60)", 0},
        {"stands", 0, OPTION_SIGNED, &def.stands, "S", "time before it starts to walk (0.3)", 0},
        {"stays", 0, OPTION_FLAG, &def.stays, NULL, "walks on the spot", 0},
        {"around", 0, OPTION_COUNT, &around, "N", "cells around the skirt (96)", 0},
        {"pleats", 0, OPTION_COUNT, &pleats, "N", "pleats of the skirt (12)", 0},
        {"skirt-length", 0, OPTION_NUMBER, &def.skirt, "X", "as a part of the height (0.27)", 0},
        {"flare", 0, OPTION_SIGNED, &def.flare, "X", "slope of the skirt outwards (0.45)", 0},
    };
    const Command command = {
        "make walker",
        "-o FILE [options]",
        "make a figure that walks, and its skirt",
        "Writes a closed mesh in its neutral pose, m, y up, and a PC2 file with its poses: it\n"
        "stands, and then walks towards +z. In a scene it is a wall whose mesh has poses. Prints\n"
        "its numbers as JSON; \"waist\" are the heights between which a handle holds the skirt.",
        options,
        sizeof options / sizeof *options};
    OptionResult read = options_read(&command, argc, argv, NULL, 0, 0, NULL);
    if (read != OPTIONS_READ)
        return read == OPTIONS_HELP_SHOWN ? EXIT_DONE : EXIT_WRONG;
    def.seed = (uint64_t)seed;
    def.triangles = (uint32_t)triangles;
    def.around = (uint32_t)around;
    def.pleats = (uint32_t)pleats;
    if (!has_output("walker", path))
        return EXIT_WRONG;
    char beside[4096];
    if (poses == NULL) {
        if (!name_poses(path, beside, sizeof beside))
            return EXIT_WRONG;
        poses = beside;
    }
    PxWalkerResult result;
    PxStatus status = px_make_walker(&def, path, poses, skirt, &result);
    if (status != PX_OK)
        return report_failure(status, "make");
    printf("{\n  \"mesh\": ");
    json_text(stdout, path);
    printf(", \"poses\": ");
    json_text(stdout, poses);
    printf(",\n  \"height\": %.4g, \"speed\": %.4g, \"vertices\": %u, \"triangles\": %u, "
           "\"frames\": %u, \"fps\": %g",
           result.height, result.speed, result.vertices, result.triangles, result.poses, def.fps);
    if (skirt != NULL) {
        printf(",\n  \"skirt\": ");
        json_text(stdout, skirt);
        printf(", \"skirt_vertices\": %u, \"skirt_triangles\": %u, \"waist\": [%.6g, %.6g]",
               result.skirt_vertices, result.skirt_triangles, result.waist[0], result.waist[1]);
    }
    printf("\n}\n");
    return EXIT_DONE;
}

/* ------------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *summary;
    int (*call)(int argc, char **argv);
} things[] = {
    {"colon", "a colon with folds, another one for each seed", make_colon},
    {"cloth", "a flat sheet of triangles, with a choice of patterns", make_cloth},
    {"walker", "a figure that walks, and its skirt", make_walker},
    {"mesh", "the isosurface of a volume: NRRD or raw samples", make_mesh},
};

#define THINGS (sizeof things / sizeof *things)

static void help(FILE *out)
{
    fprintf(out, "phyxel make: make meshes for scenes\n\nusage: phyxel make WHAT [options]\n\n");
    for (size_t k = 0; k < THINGS; ++k)
        fprintf(out, "  %-8s %s\n", things[k].name, things[k].summary);
    fprintf(out, "\nphyxel make WHAT --help says more.\n");
}

int command_make(int argc, char **argv)
{
    if (argc < 1) {
        help(stderr);
        return EXIT_WRONG;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        help(stdout);
        return EXIT_DONE;
    }
    for (size_t k = 0; k < THINGS; ++k)
        if (strcmp(argv[0], things[k].name) == 0)
            return things[k].call(argc - 1, argv + 1);
    fprintf(stderr, "phyxel make: '%s' is unknown; see phyxel make --help\n", text_safe(argv[0]));
    return EXIT_WRONG;
}
