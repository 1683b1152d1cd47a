#include "record.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Recorder {
    PxScene *scene;
    char *out;
    int threads;
    pthread_t thread;
    atomic_bool stop;
    pthread_mutex_t lock;
    RecordStatus status; /* under the lock */
};

static bool stops(void *user)
{
    return atomic_load(&((Recorder *)user)->stop);
}

static bool progress(void *user, const PxRunProgress *p)
{
    Recorder *r = user;
    pthread_mutex_lock(&r->lock);
    r->status.frame = p->frame;
    pthread_mutex_unlock(&r->lock);
    return !stops(r);
}

static void *work(void *user)
{
    Recorder *r = user;
    PxRunDef def = px_run_def_default();
    def.out = r->out;
    def.threads = r->threads;
    def.stop = stops;
    def.stop_user = r;
    PxStatus status = px_run(r->scene, &def, progress, r, NULL);
    pthread_mutex_lock(&r->lock);
    r->status.running = false;
    if (status != PX_OK && status != PX_ERR_STOPPED)
        snprintf(r->status.message, sizeof r->status.message, "%s", px_error_message());
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

Recorder *record_start(const char *text, const char *folder, const char *out, uint32_t frames,
                       int threads)
{
    PxScene *scene = NULL;
    char count[16];
    snprintf(count, sizeof count, "%u", frames);
    PxStatus status = px_scene_read_text("scene", folder, text, strlen(text), &scene);
    if (status == PX_OK)
        status = px_scene_set(scene, "time.frames", count);
    Recorder *r = status == PX_OK ? calloc(1, sizeof *r) : NULL;
    if (r == NULL) {
        px_scene_free(scene);
        return NULL;
    }
    r->scene = scene;
    r->out = strdup(out);
    r->threads = threads;
    r->status = (RecordStatus){.running = true, .frames = frames};
    pthread_mutex_init(&r->lock, NULL);
    if (r->out == NULL || pthread_create(&r->thread, NULL, work, r) != 0) {
        pthread_mutex_destroy(&r->lock);
        free(r->out);
        free(r);
        px_scene_free(scene);
        return NULL;
    }
    return r;
}

RecordStatus record_status(Recorder *r)
{
    pthread_mutex_lock(&r->lock);
    RecordStatus s = r->status;
    pthread_mutex_unlock(&r->lock);
    return s;
}

void record_close(Recorder *r)
{
    if (r == NULL)
        return;
    atomic_store(&r->stop, true);
    pthread_join(r->thread, NULL);
    pthread_mutex_destroy(&r->lock);
    px_scene_free(r->scene);
    free(r->out);
    free(r);
}
