/// Makes the scene of a branch: that of another run, with values set at one of its frames.
#include "phyxel/run.h"
#include "run/record.h"
#include "store/frame.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PxStatus find_frame(const char *dir, uint32_t frame)
{
    PxNumbers numbers;
    PX_TRY(px_frame_list(dir, &numbers));
    bool there = false;
    uint32_t last = 0;
    for (size_t k = 0; k < numbers.count; ++k) {
        there |= numbers.data[k] == frame;
        last = numbers.data[k];
    }
    size_t count = numbers.count;
    PX_LIST_FREE(&numbers);
    if (there)
        return PX_OK;
    if (count == 0)
        return px_fail(PX_ERR_ARGUMENT, "branch: %s holds no frames", dir);
    return px_fail(PX_ERR_ARGUMENT, "branch: %s has no frame %u; its last one is %u", dir, frame,
                   last);
}

/* Makes the event {"at": time, "set": PATH, "to": VALUE}; NULL when `set` is malformed. */
static json_t *event_of(double time, const char *set)
{
    const char *equals = strchr(set, '=');
    if (equals == NULL || equals == set)
        return NULL;
    json_t *value = json_loads(equals + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    return json_pack("{s:f, s:s%, s:o}", "at", time, "set", set, (size_t)(equals - set), "to",
                     value);
}

/* Adds to an error of the new scene which of the set values caused it. */
static PxStatus explain(const PxScene *scene, size_t first, const char *const *sets, size_t count)
{
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        size_t number;
        if (c->severity != PX_ERROR)
            continue;
        if (sscanf(c->place, "events[%zu]", &number) == 1 && number >= first &&
            number - first < count)
            return px_fail(PX_ERR_ARGUMENT, "branch: --set %.200s: %s", sets[number - first],
                           c->text);
        return px_fail(PX_ERR_ARGUMENT, "branch: the scene cannot be changed so: %s: %s", c->place,
                       c->text);
    }
    return px_fail(PX_ERR_ARGUMENT, "branch: the scene cannot be changed so");
}

PxStatus px_branch_scene(const char *dir, uint32_t frame, const char *const *sets, size_t count,
                         PxScene **out)
{
    PxScene *scene;
    PX_WANT(out);
    *out = NULL;
    if (count > 0)
        PX_WANT(sets);
    for (size_t k = 0; k < count; ++k)
        PX_WANT(sets[k]);
    PxStatus status = px_run_scene(dir, &scene);
    if (status == PX_OK)
        status = find_frame(dir, frame);
    if (status == PX_OK && frame >= px_scene_frames(scene))
        status = px_fail(PX_ERR_ARGUMENT,
                         "branch: frame %u is the last of %s: there is nothing to "
                         "come; 'phyxel run --resume --frames N -o %s' makes it "
                         "longer",
                         frame, dir, dir);
    const char *resolved = status == PX_OK ? px_scene_resolved(scene) : NULL;
    if (status == PX_OK && resolved == NULL)
        status = px_fail(PX_ERR_MEMORY, "branch: no room for the scene");
    json_t *root = resolved != NULL ? json_loads(resolved, 0, NULL) : NULL;
    json_t *events = json_object_get(root, "events");
    if (root != NULL && !json_is_array(events)) {
        json_object_set_new(root, "events", json_array());
        events = json_object_get(root, "events");
    }
    size_t first = json_array_size(events);
    for (size_t k = 0; k < count && status == PX_OK; ++k) {
        json_t *event = event_of(frame / px_scene_fps(scene), sets[k]);
        if (event == NULL || json_array_append_new(events, event) != 0)
            status = px_fail(PX_ERR_ARGUMENT,
                             "branch: --set wants PATH=VALUE with a number or [x, y, z], got "
                             "'%.100s'",
                             sets[k]);
    }
    char *text = status == PX_OK ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (status == PX_OK && text == NULL)
        status = px_fail(PX_ERR_MEMORY, "branch: no room for the scene");
    if (text != NULL) {
        status = px_scene_read_text("run.json", dir, text, strlen(text), out);
        if (status == PX_ERR_FORMAT)
            status = explain(*out, first, sets, count);
    }
    if (status != PX_OK) {
        px_scene_free(*out);
        *out = NULL;
    }
    free(text);
    px_scene_free(scene);
    return status;
}
