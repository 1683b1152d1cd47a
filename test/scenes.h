/// Scenes in memory, and checks of their complaints.
#ifndef PX_TEST_SCENES_H
#define PX_TEST_SCENES_H

#include "check.h"

#include "phyxel/scene.h"

#include <stdlib.h>

/// Reads text as a scene of this folder and ignores the status.
static inline PxScene *scene_of(const char *text)
{
    PxScene *scene = NULL;
    px_scene_read_text("test.json", PX_SOURCE_DIR "/test", text, strlen(text), &scene);
    if (scene == NULL)
        fail_msg("no scene: %s", px_error_message());
    return scene;
}

static inline void print_complaints(const PxScene *scene)
{
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        print_message("  %s:%d:%d: %s: %s: %s\n", c->file, c->line, c->column,
                      c->severity == PX_ERROR ? "error" : "warning", c->place, c->text);
    }
}

/// Complaint k without notes about the scene as a whole (a test's scene often has no ground); NULL
/// after the last.
static inline const PxComplaint *complaint_at(const PxScene *scene, size_t k)
{
    for (size_t n = 0; n < px_scene_complaint_count(scene); ++n) {
        const PxComplaint *c = px_scene_complaint(scene, n);
        if (c->severity == PX_NOTE && (c->place == NULL || c->place[0] == '\0'))
            continue;
        if (k-- == 0)
            return c;
    }
    return NULL;
}

/// There must be exactly `count` complaints, as complaint_at() counts.
static inline void check_complaints(const PxScene *scene, size_t count, const char *file, int line)
{
    if (complaint_at(scene, count) == NULL &&
        (count == 0 || complaint_at(scene, count - 1) != NULL))
        return;
    print_complaints(scene);
    fail_msg("%s:%d: %zu complaints, wanted %zu", file, line, px_scene_complaint_count(scene),
             count);
}
#define CHECK_COUNT(scene, count) check_complaints(scene, count, __FILE__, __LINE__)

/// Complaint k must be there, at that place, line and column, and say `words`.
static inline void check_says(const PxScene *scene, size_t k, const char *place, int line,
                              int column, const char *words, const char *file, int at)
{
    const PxComplaint *c = complaint_at(scene, k);
    if (c != NULL && strcmp(c->place, place) == 0 && c->line == line && c->column == column &&
        strstr(c->text, words) != NULL)
        return;
    print_complaints(scene);
    fail_msg("%s:%d: complaint %zu is not '%s' at %d:%d saying '%s'", file, at, k, place, line,
             column, words);
}
#define CHECK_SAYS(scene, k, place, line, column, words)                                           \
    check_says(scene, k, place, line, column, words, __FILE__, __LINE__)

/// Reads `text`, in which exactly one thing is wrong.
#define CHECK_ONE(text, place, line, column, words)                                                \
    do {                                                                                           \
        PxScene *one_scene = scene_of(text);                                                       \
        CHECK_COUNT(one_scene, 1);                                                                 \
        CHECK_SAYS(one_scene, 0, place, line, column, words);                                      \
        px_scene_free(one_scene);                                                                  \
    } while (0)

/// A scene with water in a tank, one thing a line, for the parts that a test adds.
#define HEAD "{ \"phyxel\": 1,\n \"spacing\": 0.05,\n"
#define WATER " \"materials\": {\"water\": {\"density\": 1000}},\n"
#define BOX "{\"name\": \"block\", \"shape\": {\"box\": [1, 1, 1]}, \"material\": \"water\"}"
#define FLOOR                                                                                      \
    "{\"name\": \"floor\", \"shape\": {\"plane\": {}, \"at\": [0, -0.5, 0]}, \"wall\": true}"

#endif
