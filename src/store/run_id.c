#include "store/run_id.h"

#include "store/file.h"

#include <jansson.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define MOST_BYTES ((size_t)64 << 20)

PxStatus px_run_json_read(const char *dir, json_t **out)
{
    char path[PX_PATH_MAX];
    void *bytes;
    size_t size;
    *out = NULL;
    PX_TRY(px_path_join(path, dir, "run.json"));
    PX_TRY(px_file_read(path, MOST_BYTES, &bytes, &size));
    json_error_t error;
    *out = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    px_list_free(bytes);
    if (*out == NULL)
        return px_fail(PX_ERR_FORMAT, "%s:%d: %s", path, error.line, error.text);
    return PX_OK;
}

void px_run_id_make(char run[PX_DIGEST_TEXT])
{
    struct {
        uint64_t random[2];
        struct timespec now;
        int64_t process;
    } seed;
    memset(&seed, 0, sizeof seed); /* padding is digested too */
    clock_gettime(CLOCK_REALTIME, &seed.now);
    seed.process = getpid();
    if (getrandom(seed.random, sizeof seed.random, GRND_NONBLOCK) < 0)
        seed.random[0] = (uint64_t)clock(); /* time and process have to do */
    uint64_t digest[2];
    px_digest(&seed, sizeof seed, digest);
    px_digest_text(digest, run);
}

/* Copies a text member of 32 digits; leaves `out` empty when there is none. */
static void read_digest(const json_t *object, const char *key, char out[PX_DIGEST_TEXT])
{
    const char *text = json_string_value(json_object_get(object, key));
    if (text != NULL && strlen(text) == PX_DIGEST_TEXT - 1)
        memcpy(out, text, PX_DIGEST_TEXT);
}

static uint32_t read_frame(const json_t *object, const char *key)
{
    json_int_t number = json_integer_value(json_object_get(object, key));
    return number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
}

static PxStatus add_shared(PxRunId *id, const char *run, uint32_t last)
{
    if (!PX_LIST_RESERVE(&id->shared, 1))
        return px_fail(PX_ERR_MEMORY, "no room for the identity of a run");
    PxSharedRun *shared = &id->shared.data[id->shared.count++];
    memcpy(shared->run, run, PX_DIGEST_TEXT);
    shared->last = last;
    return PX_OK;
}

PxStatus px_run_id_read(const char *dir, PxRunId *out)
{
    json_t *root;
    *out = (PxRunId){.frames = 0};
    PxStatus status = px_run_json_read(dir, &root);
    if (status != PX_OK)
        return status == PX_ERR_MEMORY ? status : PX_OK;
    read_digest(root, "run", out->run);
    read_digest(root, "scene_hash", out->scene);
    out->frames = read_frame(root, "frames");
    const json_t *shared = json_object_get(root, "shared");
    for (size_t k = 0; k < json_array_size(shared) && status == PX_OK; ++k) {
        const json_t *entry = json_array_get(shared, k);
        char run[PX_DIGEST_TEXT] = "";
        read_digest(entry, "run", run);
        if (run[0] != '\0')
            status = add_shared(out, run, read_frame(entry, "last"));
    }
    json_decref(root);
    if (status != PX_OK)
        px_run_id_free(out);
    return status;
}

void px_run_id_free(PxRunId *id)
{
    PX_LIST_FREE(&id->shared);
    *id = (PxRunId){.frames = 0};
}

PxStatus px_run_id_share(PxRunId *id, const PxRunId *from, uint32_t last)
{
    PX_TRY(add_shared(id, from->run, last));
    for (size_t k = 0; k < from->shared.count; ++k) {
        const PxSharedRun *older = &from->shared.data[k];
        PX_TRY(add_shared(id, older->run, older->last < last ? older->last : last));
    }
    return PX_OK;
}

PxStatus px_run_id_check(const PxRunId *id, uint32_t number, const char *run, const char *scene)
{
    if (id->run[0] == '\0')
        return PX_OK;
    for (size_t k = 0; k < id->shared.count; ++k)
        if (number <= id->shared.data[k].last && strcmp(run, id->shared.data[k].run) == 0)
            return PX_OK;
    if (strcmp(run, id->run) != 0)
        return px_fail(PX_ERR_FORMAT, "it is of another run than run.json");
    if (strcmp(scene, id->scene) != 0)
        return px_fail(PX_ERR_FORMAT, "it is of another scene than run.json");
    return PX_OK;
}
