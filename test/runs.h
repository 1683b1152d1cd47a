/// A scene that runs in milliseconds, and the comparison of result folders.
#ifndef PX_TEST_RUNS_H
#define PX_TEST_RUNS_H

#include "check.h"
#include "folder.h"

#include "phyxel/run.h"
#include "phyxel/store.h"

/// Water in a tank, a paddle on keyframes, two gauges, two events; a handful of steps a frame.
#define TINY(name, density)                                                                        \
    "{\"phyxel\": 1, \"name\": \"" name "\", \"time\": {\"frames\": 2, \"fps\": 150},\n"           \
    " \"spacing\": 0.1, \"max_step\": 0.0015, \"materials\": {\"water\": {\"density\": " density   \
    "}},\n"                                                                                        \
    " \"bodies\": [\n"                                                                             \
    "  {\"name\": \"tank\", \"shape\": {\"box\": [0.8, 0.8, 0.5], \"at\": [0.4, 0.4, 0]},\n"       \
    "   \"wall\": true, \"inside\": true},\n"                                                      \
    "  {\"name\": \"block\", \"shape\": {\"box\": [0.4, 0.4, 0.5], \"at\": [0.2, 0.2, 0]},\n"      \
    "   \"material\": \"water\"},\n"                                                               \
    "  {\"name\": \"paddle\", \"shape\": {\"box\": [0.1, 0.2, 0.4], \"at\": [0.6, 0.3, 0]},\n"     \
    "   \"wall\": true, \"keyframes\": [{\"at\": 0}, {\"at\": 0.1, \"move\": [-0.2, 0, 0]}]}],\n"  \
    " \"gauges\": [{\"name\": \"probe\", \"measures\": \"pressure\", \"at\": [0.2, 0.1, 0],\n"     \
    "   \"every\": 0.0011, \"over\": 0.0007}, {\"name\": \"load\", \"measures\": \"force\",\n"     \
    "   \"body\": \"tank\"}],\n"                                                                   \
    " \"events\": [{\"at\": 0.008, \"set\": \"gravity\", \"to\": [5, -5, 0]},\n"                   \
    "  {\"at\": 0.0091, \"set\": \"materials.water.viscosity\", \"to\": 2}]}\n"

static inline PxScene *tiny_scene(const char *text)
{
    PxScene *scene = NULL;
    CHECK_OK(px_scene_read_text("tiny.json", NULL, text, strlen(text), &scene));
    return scene;
}

static inline PxRunDef run_into(const char *out)
{
    PxRunDef def = px_run_def_default();
    def.out = out;
    def.threads = 1;
    return def;
}

/// What a result folder holds: frames with their hashes, the rows of stats.csv
/// without their last column (wall), gauges.csv, and how many frames are damaged.
typedef struct Holding {
    char frames[2048];
    char rows[1 << 16];
    char gauges[1 << 14];
    int count, damaged;
} Holding;

static inline bool holding_frame(void *user, const PxFrameInfo *frame)
{
    Holding *h = user;
    size_t used = strlen(h->frames);
    ++h->count;
    h->damaged += frame->problem != NULL;
    if (frame->problem == NULL)
        snprintf(h->frames + used, sizeof h->frames - used, "%u %llu %.17g %s\n", frame->number,
                 (unsigned long long)frame->step, frame->time, frame->hash);
    return true;
}

/// Free it with free().
static inline Holding *holding_of(const char *dir)
{
    Holding *h = calloc(1, sizeof *h);
    char path[4 * FOLDER_PATH], line[4096];
    CHECK_OK(px_info(dir, holding_frame, h));
    snprintf(path, sizeof path, "%s/stats.csv", dir);
    FILE *csv = fopen(path, "r");
    size_t used = 0;
    while (csv != NULL && fgets(line, sizeof line, csv) != NULL) {
        char *last = strrchr(line, ',');
        CHECK(last != NULL && strchr(last, '\n') != NULL);
        *last = '\0';
        used += (size_t)snprintf(h->rows + used, sizeof h->rows - used, "%s\n", line);
        CHECK(used < sizeof h->rows);
    }
    if (csv != NULL)
        fclose(csv);
    snprintf(path, sizeof path, "%s/gauges.csv", dir);
    csv = fopen(path, "r");
    if (csv != NULL) {
        used = fread(h->gauges, 1, sizeof h->gauges, csv);
        CHECK(used < sizeof h->gauges);
        fclose(csv);
    }
    return h;
}

/// The folder holds exactly what `wanted` says, none of it damaged.
static inline void check_holding(const char *dir, const Holding *wanted, const char *file, int line)
{
    Holding *h = holding_of(dir);
    bool frames = strcmp(h->frames, wanted->frames) == 0 && h->damaged == 0;
    bool rows = strcmp(h->rows, wanted->rows) == 0 && strcmp(h->gauges, wanted->gauges) == 0;
    if (!frames)
        print_message("frames:\n%s(%d damaged), wanted:\n%s", h->frames, h->damaged,
                      wanted->frames);
    free(h);
    if (!frames || !rows)
        fail_msg("%s:%d: the %s are not those wanted", file, line, frames ? "rows" : "frames");
}
/// Whether two PLY files are equal behind their headers, which hold the ids of their runs.
static inline bool same_ply(const char *a, const char *b, const char *name)
{
    static char bytes[2][1 << 22];
    const char *body[2], *dir[2] = {a, b};
    size_t size[2];
    for (int k = 0; k < 2; ++k) {
        char path[4 * FOLDER_PATH];
        snprintf(path, sizeof path, "%s/%s", dir[k], name);
        FILE *file = fopen(path, "rb");
        CHECK(file != NULL);
        size[k] = fread(bytes[k], 1, sizeof bytes[k] - 1, file);
        fclose(file);
        body[k] = strstr(bytes[k], "\nelement vertex ");
        CHECK(body[k] != NULL);
        size[k] -= (size_t)(body[k] - bytes[k]);
    }
    return size[0] == size[1] && memcmp(body[0], body[1], size[0]) == 0;
}

#define CHECK_HOLDS(dir, wanted) check_holding(dir, wanted, __FILE__, __LINE__)

#endif
