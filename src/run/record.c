#include "run/record.h"

#include "base/parallel.h"
#include "base/simd.h"
#include "phyxel/version.h"
#include "store/file.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define MOST_BYTES ((size_t)64 << 20)

/* The processor's name as Linux tells it, or the machine's kind. */
static void processor_name(char *out, size_t size)
{
    struct utsname name;
    snprintf(out, size, "%s", uname(&name) == 0 ? name.machine : "unknown");
    FILE *info = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (info != NULL && fgets(line, sizeof line, info) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(out, size, "%s", colon + 2);
            out[strcspn(out, "\n")] = '\0';
            break;
        }
    }
    if (info != NULL)
        fclose(info);
}

static json_t *stages(const PxWorld *world)
{
    json_t *object = json_object();
    PxStage stage[32];
    size_t count = world != NULL ? px_world_stages(world, stage, PX_COUNT(stage)) : 0;
    for (size_t k = 0; k < count && k < PX_COUNT(stage); ++k)
        json_object_set_new(object, stage[k].name, json_real(stage[k].seconds));
    return object;
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
    processor_name(processor, sizeof processor);
    json_error_t error;
    json_t *scene = json_loads(px_scene_resolved(r->scene), 0, &error);
    const char *up = px_scene_up(r->scene) == 'z' ? "z" : "y";
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:{s:s, s:s}, s:i, s:i, s:f, s:f, s:I,"
        " s:{s:s, s:i, s:s}, s:{s:I, s:f, s:I, s:I, s:I}, s:o, s:o}",
        "phyxel", PX_VERSION, "name", px_scene_name(r->scene), "status", words[r->status],
        "message", r->message != NULL ? r->message : "", "scene_hash", px_scene_hash(r->scene),
        "units", "system", "SI", "up", up, "frames", (int)r->frames, "frames_wanted",
        (int)px_scene_frames(r->scene), "time", r->stats.time, "wall_seconds", r->wall, "steps",
        (json_int_t)r->stats.step, "machine", "processor", processor, "threads", r->threads,
        "instructions", px_isa_name(px_isa_best()), "counters", "particles",
        (json_int_t)r->stats.particles, "mass", r->stats.mass, "leaked",
        (json_int_t)r->stats.leaked, "caught", (json_int_t)r->stats.caught, "not_converged",
        (json_int_t)r->stats.not_converged, "stage_seconds", stages(r->world), "scene", scene);
    char *text = root != NULL ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (text == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room to write it", path);
    PxStatus status = px_file_write_atomic(path, text, strlen(text));
    free(text);
    return status;
}

static PxStatus record_load(const char *dir, json_t **out)
{
    char path[PX_PATH_MAX];
    void *bytes;
    size_t size;
    PX_TRY(px_path_join(path, dir, "run.json"));
    PX_TRY(px_file_read(path, MOST_BYTES, &bytes, &size));
    json_error_t error;
    *out = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    px_list_free(bytes);
    if (*out == NULL)
        return px_fail(PX_ERR_FORMAT, "%s:%d: %s", path, error.line, error.text);
    return PX_OK;
}

PxStatus px_record_read(const char *dir, char hash[17])
{
    json_t *root;
    PX_TRY(record_load(dir, &root));
    const char *found = json_string_value(json_object_get(root, "scene_hash"));
    PxStatus status = PX_OK;
    if (found == NULL || strlen(found) != 16)
        status = px_fail(PX_ERR_FORMAT, "%s/run.json has no \"scene_hash\" of 16 digits", dir);
    else
        memcpy(hash, found, 17);
    json_decref(root);
    return status;
}

PxStatus px_run_scene(const char *dir, PxScene **out)
{
    *out = NULL;
    json_t *root;
    PX_TRY(record_load(dir, &root));
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
