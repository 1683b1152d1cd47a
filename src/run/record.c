#include "run/record.h"

#include "base/machine.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "phyxel/version.h"
#include "store/file.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *stages(const PxWorld *world, const PxProfile *profile)
{
    json_t *object = json_object();
    PxStage stage[32];
    size_t count = world != NULL ? px_world_stages(world, stage, PX_COUNT(stage)) : 0;
    for (size_t k = 0; k < count && k < PX_COUNT(stage); ++k)
        json_object_set_new(object, stage[k].name, json_real(stage[k].seconds));
    for (size_t k = 0; profile != NULL && k < profile->stages; ++k)
        json_object_set_new(object, profile->stage[k].name, json_real(profile->stage[k].seconds));
    return object;
}

/* Every column of stats.csv, after the last step. */
static json_t *counters(const PxStats *stats)
{
    json_t *object = json_object();
    const PxStatsColumn *column;
    for (size_t k = 0; (column = px_stats_column(k)) != NULL; ++k) {
        double value = px_stats_value(stats, column);
        json_object_set_new(object, column->name,
                            column->whole ? json_integer((json_int_t)value) : json_real(value));
    }
    return object;
}

/* Replaces non-ASCII bytes if the message is not UTF-8, as paths in it need not be. */
static json_t *message_text(const char *message)
{
    json_t *text = json_string(message);
    if (text != NULL)
        return text;
    char plain[1024];
    snprintf(plain, sizeof plain, "%s", message);
    for (char *c = plain; *c != '\0'; ++c)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    return json_string(plain);
}

/* The runs that frames are shared with. */
static json_t *shared_runs(const PxRunId *id)
{
    json_t *list = json_array();
    for (size_t k = 0; k < id->shared.count; ++k)
        json_array_append_new(list, json_pack("{s:s, s:i}", "run", id->shared.data[k].run, "last",
                                              (int)id->shared.data[k].last));
    return list;
}

/* Adds the origin of a branch: from the record, or else from the old run.json of the same scene. */
static void add_branch(json_t *root, const char *dir, const PxRecord *r)
{
    json_t *old;
    if (r->from != NULL) {
        json_object_set_new(
            root, "branch",
            json_pack("{s:o, s:i}", "from", message_text(r->from), "frame", (int)r->from_frame));
    } else if (px_run_json_read(dir, &old) == PX_OK) {
        const char *hash = json_string_value(json_object_get(old, "scene_hash"));
        json_t *branch = json_object_get(old, "branch");
        if (branch != NULL && hash != NULL && strcmp(hash, px_scene_hash(r->scene)) == 0)
            json_object_set(root, "branch", branch);
        json_decref(old);
    }
}

PxStatus px_record_write(const char *dir, const PxRecord *r)
{
    static const char *const words[] = {
        [PX_RUN_RUNNING] = "running",
        [PX_RUN_DONE] = "done",
        [PX_RUN_STOPPED] = "stopped",
        [PX_RUN_FAILED] = "failed",
    };
    char processor[128], path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, dir, "run.json"));
    px_machine_name(processor, sizeof processor);
    json_error_t error;
    json_t *scene = json_loads(px_scene_resolved(r->scene), 0, &error);
    if (scene == NULL) /* the path of a mesh may not be UTF-8 */
        return px_fail(PX_ERR_ARGUMENT, "%s: the scene cannot be kept there: %s", path, error.text);
    const char *up = px_scene_up(r->scene) == 'z' ? "z" : "y";
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:o, s:s, s:s, s:o, s:{s:s, s:s}, s:s, s:i, s:i, s:f, s:f, s:I,"
        " s:{s:s, s:i, s:s}, s:o, s:o, s:o}",
        "phyxel", PX_VERSION, "name", px_scene_name(r->scene), "status", words[r->status],
        "message", message_text(r->message != NULL ? r->message : ""), "scene_hash",
        px_scene_hash(r->scene), "run", r->id->run, "shared", shared_runs(r->id), "units", "system",
        "SI", "up", up, "pressure", px_scene_pressure(r->scene), "frames", (int)r->frames,
        "frames_wanted", (int)px_scene_frames(r->scene), "time", r->stats.time, "wall_seconds",
        r->wall, "steps", (json_int_t)r->stats.step, "machine", "processor", processor, "threads",
        r->threads, "instructions", px_isa_name(px_isa_best()), "counters", counters(&r->stats),
        "stage_seconds", stages(r->world, r->profile), "scene", scene);
    if (root != NULL)
        add_branch(root, dir, r);
    char *text = root != NULL ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (text == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room to write it", path);
    PxStatus status = px_file_write_checked(path, text, strlen(text), r->check);
    free(text);
    return status;
}

/* The first place at which two scenes differ, and the two values. */
typedef struct Difference {
    char place[256];
    const json_t *here[2]; /* NULL where the key is missing */
} Difference;

enum { DEEPEST = 16 }; /* resolved scenes are never deeper; a foreign file may be */

/* Differences that do not matter: the number of frames, and what affects pictures only. */
static bool is_ignored(const char *place, const char *key)
{
    return strcmp(place, "time.frames") == 0 || strcmp(place, "camera") == 0 ||
           strcmp(place, "picture") == 0 || strcmp(place, "lights") == 0 ||
           strcmp(key, "look") == 0;
}

static bool differ(const json_t *a, const json_t *b, size_t used, int depth, Difference *out)
{
    if (json_equal(a, b))
        return false;
    out->here[0] = a;
    out->here[1] = b;
    if (depth == DEEPEST || json_typeof(a) != json_typeof(b) ||
        !(json_is_object(a) || json_is_array(a)))
        return true;
    const char *key;
    json_t *value;
    for (int side = 0; side < 2; ++side)
        json_object_foreach((json_t *)(side == 0 ? a : b), key, value)
        {
            const json_t *other = json_object_get(side == 0 ? b : a, key);
            snprintf(out->place + used, sizeof out->place - used, "%s%s", used > 0 ? "." : "", key);
            if (is_ignored(out->place, key))
                continue;
            if (other == NULL) {
                out->here[side] = value;
                out->here[1 - side] = NULL;
                return true;
            }
            if (side == 0 && differ(value, other, strlen(out->place), depth + 1, out))
                return true;
        }
    for (size_t k = 0; k < json_array_size(a) && k < json_array_size(b); ++k) {
        snprintf(out->place + used, sizeof out->place - used, "[%zu]", k);
        if (differ(json_array_get(a, k), json_array_get(b, k), strlen(out->place), depth + 1, out))
            return true;
    }
    out->place[used] = '\0';
    out->here[0] = a;
    out->here[1] = b;
    return json_is_array(a); /* arrays differ in length; objects only in ignored keys */
}

/* Abbreviates a value for a message. */
static void describe(const json_t *value, char *out, size_t size)
{
    if (json_is_array(value) && !json_is_number(json_array_get(value, 0))) {
        snprintf(out, size, "a list of %zu", json_array_size(value));
        return;
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    size_t most = size - 4;
    snprintf(out, size, "%.*s%s", (int)most, text != NULL ? text : "something",
             text != NULL && strlen(text) > most ? "..." : "");
    free(text);
}

static void describe_difference(const Difference *d, char *out, size_t size)
{
    char there[80], here[80];
    if (d->here[0] == NULL || d->here[1] == NULL) {
        snprintf(out, size, "%s is only %s", d->place, d->here[0] != NULL ? "there" : "here");
        return;
    }
    describe(d->here[0], there, sizeof there);
    describe(d->here[1], here, sizeof here);
    snprintf(out, size, "%s is %s there and %s here", d->place, there, here);
}

PxStatus px_record_compare(const char *dir, const PxScene *scene)
{
    json_t *root;
    PX_TRY(px_run_json_read(dir, &root));
    PxStatus status = PX_OK;
    const char *hash = json_string_value(json_object_get(root, "scene_hash"));
    if (hash == NULL || px_scene_hash(scene) == NULL) {
        status = hash == NULL ? px_fail(PX_ERR_FORMAT, "%s/run.json has no \"scene_hash\"", dir)
                              : px_fail(PX_ERR_MEMORY, "%s: no room to compare the scene", dir);
    } else if (strlen(hash) != strlen(px_scene_hash(scene))) {
        status = px_fail(PX_ERR_FORMAT,
                         "%s holds the run of an older phyxel, which this one cannot go on with; "
                         "choose another folder, or overwrite it",
                         dir);
    } else if (strcmp(hash, px_scene_hash(scene)) != 0) {
        char what[600] = "what its meshes hold has changed";
        Difference difference = {.place = ""};
        const json_t *theirs = json_object_get(root, "scene");
        json_t *ours = json_loads(px_scene_resolved(scene), 0, NULL);
        if (theirs != NULL && ours != NULL && differ(theirs, ours, 0, 0, &difference))
            describe_difference(&difference, what, sizeof what);
        json_decref(ours);
        status = px_fail(PX_ERR_ARGUMENT,
                         "%s holds the run of another scene: %s; run the scene it was made from, "
                         "choose another folder, or overwrite it",
                         dir, what);
    }
    json_decref(root);
    return status;
}

PxStatus px_run_scene(const char *dir, PxScene **out)
{
    PX_WANT(out);
    *out = NULL;
    PX_WANT_TEXT(dir);
    json_t *root;
    PX_TRY(px_run_json_read(dir, &root));
    json_t *scene = json_object_get(root, "scene");
    char *text = scene != NULL ? json_dumps(scene, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (text == NULL)
        return px_fail(PX_ERR_FORMAT, "%s/run.json has no \"scene\"", dir);
    char name[PX_PATH_MAX];
    PxStatus status = px_path_join(name, dir, "run.json");
    if (status == PX_OK)
        status = px_scene_read_text(name, dir, text, strlen(text), out);
    free(text);
    return status;
}
