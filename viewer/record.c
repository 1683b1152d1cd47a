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
    RecordFilm *film;
    void *user;
    pthread_t thread;
    atomic_bool stop; /* the simulation */
    atomic_bool quit; /* the film too */
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

static bool filmed(void *user, uint32_t done, uint32_t all)
{
    Recorder *r = user;
    (void)all;
    pthread_mutex_lock(&r->lock);
    r->status.filmed = done;
    pthread_mutex_unlock(&r->lock);
    return !atomic_load(&r->quit);
}

/* The film of all frames that are stored. The lock is not held. */
static void make_film(Recorder *r)
{
    char error[sizeof r->status.message] = "";
    size_t count = 0;
    if (r->film == NULL || atomic_load(&r->quit) ||
        px_stored_list(r->out, NULL, 0, &count) != PX_OK || count == 0)
        return;
    pthread_mutex_lock(&r->lock);
    r->status.filming = true;
    pthread_mutex_unlock(&r->lock);
    bool good = r->film(r->user, r->out, filmed, r, error, sizeof error);
    pthread_mutex_lock(&r->lock);
    if (!good)
        snprintf(r->status.message, sizeof r->status.message, "%s",
                 error[0] != '\0' ? error : "the film was given up; the frames are kept");
    pthread_mutex_unlock(&r->lock);
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
    bool good = status == PX_OK || status == PX_ERR_STOPPED;
    pthread_mutex_lock(&r->lock);
    if (!good)
        snprintf(r->status.message, sizeof r->status.message, "%s", px_error_message());
    pthread_mutex_unlock(&r->lock);
    if (good)
        make_film(r);
    pthread_mutex_lock(&r->lock);
    r->status.running = r->status.filming = false;
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

Recorder *record_start(const char *text, const char *folder, const char *out, uint32_t frames,
                       int threads, RecordFilm *film, void *user)
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
    r->film = film;
    r->user = user;
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

void record_stop(Recorder *r)
{
    if (record_status(r).filming)
        atomic_store(&r->quit, true);
    atomic_store(&r->stop, true);
}

void record_close(Recorder *r)
{
    if (r == NULL)
        return;
    atomic_store(&r->stop, true);
    atomic_store(&r->quit, true);
    pthread_join(r->thread, NULL);
    pthread_mutex_destroy(&r->lock);
    px_scene_free(r->scene);
    free(r->out);
    free(r);
}
