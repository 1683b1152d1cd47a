#include "player.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Shots of past frames of a simulation are kept up to this size, for the frame slider. */
#define KEPT_BYTES ((size_t)256 << 20)
/* Time over which rates are averaged, s. */
#define RATE_SECONDS 1.0

typedef struct Rate {
    double wall, time; /* at its start */
    uint64_t step;
    double steps, ratio; /* the last result */
} Rate;

enum { UNDOS = 12, VALUES = 200 };

/* The state before something was done by hand. */
typedef struct Undo {
    PxSavedWorld *world;
    uint32_t frame;
    size_t hands;
} Undo;

struct Player {
    PxScene *scene;
    char *dir; /* NULL: live */
    int threads;
    PxDisplay *display;
    PxDisplay *coated; /* of the coating, for the thread; NULL: nothing leaves films */
    PxCoating *coating;
    size_t coated_index; /* of the next stored frame that the coating has not seen */
    double fps;
    const char **columns;

    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t wake;    /* of the thread */
    pthread_cond_t changed; /* of player_wait() */

    /* wishes of the window */
    bool playing, unpaced, seek, restart, recolour;
    uint32_t steps, seek_to;
    char column[SHOT_NAME];
    ArrowKind arrows;
    atomic_bool hurry; /* gives up the present step: quit or restart */
    bool quit;

    Act *act; /* queue */
    size_t acts, act_room;
    bool undo;

    /* of the thread */
    Hands *hands; /* under the lock */
    PxWorldValue value[VALUES];
    size_t values;
    Undo undos[UNDOS];
    size_t undo_count;
    PxWorld *world;
    uint32_t newest; /* frame of the world */
    uint32_t shown;
    bool fetching; /* a wish is being fulfilled that ends in a shot */
    double due;    /* wall-clock time of the next frame; 0: now */
    Rate rate;

    /* results */
    Shot *ready; /* not yet taken by the window; NULL: none */
    Shot *drawn; /* that the window has */
    Shot **kept; /* frames first .. first + count - 1 */
    size_t kept_count, kept_room, kept_bytes;
    uint32_t kept_first;
    uint32_t *number; /* of stored frames */
    size_t numbers;
    PlayerStatus status;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- in the thread ---- */

static bool hurry(void *user)
{
    return atomic_load(&((Player *)user)->hurry);
}

/* The lock is held. */
static void fail(Player *p)
{
    snprintf(p->status.message, sizeof p->status.message, "%s", px_error_message());
    p->status.failed = true;
    p->playing = false;
    p->steps = 0;
    pthread_cond_broadcast(&p->changed);
}

static void copy_surface(ShotSurface *to, const ShotSurface *from);

/* A copy: the window owns what it draws, and the slider what is kept. */
static Shot *shot_copy(const Shot *from)
{
    Shot *s = malloc(sizeof *s);
    if (s == NULL)
        return NULL;
    *s = *from;
    size_t n = from->particles;
#define COPY(member, count)                                                                        \
    if (from->member != NULL) {                                                                    \
        s->member = malloc(((count) + 1) * sizeof *s->member);                                     \
        if (s->member != NULL)                                                                     \
            memcpy(s->member, from->member, (count) * sizeof *s->member);                          \
    }
    COPY(place, 4 * n)
    COPY(material, n)
    COPY(body, n)
    COPY(covered, n)
    COPY(value, n)
    COPY(pose, (size_t)from->poses)
    COPY(film, from->films)
    bool arrows = arrows_copy(&s->arrows, &from->arrows);
    s->surface = calloc((size_t)from->surfaces + 1, sizeof *s->surface);
    if (s->surface != NULL)
        for (uint32_t k = 0; k < from->surfaces; ++k)
            copy_surface(&s->surface[k], &from->surface[k]);
    bool good = s->place != NULL && s->material != NULL && s->body != NULL && s->covered != NULL &&
                s->pose != NULL && s->surface != NULL && arrows &&
                (from->film == NULL || s->film != NULL);
    for (uint32_t k = 0; good && k < s->surfaces; ++k)
        good = s->surface[k].position != NULL && s->surface[k].normal != NULL &&
               s->surface[k].radius != NULL && s->surface[k].triangle != NULL;
    if (!good) {
        if (s->surface == NULL)
            s->surfaces = 0;
        shot_free(s);
        return NULL;
    }
    return s;
}

static void copy_surface(ShotSurface *s, const ShotSurface *from)
{
    *s = *from;
    COPY(position, 3 * (size_t)from->points)
    COPY(normal, 3 * (size_t)from->points)
    COPY(radius, (size_t)from->points)
    COPY(triangle, 3 * (size_t)from->triangles)
#undef COPY
}

/* The films that the matter of a shot leaves, and all before it. The lock is not held. */
static bool coat(Player *p, Shot *shot)
{
    if (p->coating == NULL)
        return true;
    return px_display_deform(p->coated, shot->time) == PX_OK && shot_coat(shot, p->coating);
}

/* Hands a shot to the window. The lock is held; takes the shot over. */
static void publish(Player *p, Shot *shot)
{
    shot->wall = now();
    p->shown = shot->frame;
    shot_free(p->ready);
    p->ready = shot;
    pthread_cond_broadcast(&p->changed);
}

static void forget_kept(Player *p)
{
    for (size_t k = 0; k < p->kept_count; ++k)
        shot_free(p->kept[k]);
    p->kept_count = 0;
    p->kept_bytes = 0;
}

/* Keeps a copy for the slider; drops the oldest ones when they take too much room. */
static void keep(Player *p, const Shot *shot)
{
    Shot *copy = shot_copy(shot);
    if (copy == NULL)
        return;
    if (p->kept_count > 0 && p->kept_first + p->kept_count != shot->frame)
        forget_kept(p);
    if (p->kept_count == p->kept_room) {
        size_t room = p->kept_room * 2 + 64;
        Shot **more = realloc(p->kept, room * sizeof *more);
        if (more == NULL) {
            shot_free(copy);
            return;
        }
        p->kept = more;
        p->kept_room = room;
    }
    if (p->kept_count == 0)
        p->kept_first = shot->frame;
    p->kept[p->kept_count++] = copy;
    p->kept_bytes += shot_bytes(copy);
    size_t drop = 0;
    while (p->kept_bytes > KEPT_BYTES && drop + 1 < p->kept_count) {
        p->kept_bytes -= shot_bytes(p->kept[drop]);
        shot_free(p->kept[drop++]);
    }
    memmove(p->kept, p->kept + drop, (p->kept_count - drop) * sizeof *p->kept);
    p->kept_count -= drop;
    p->kept_first += (uint32_t)drop;
}

static const char *column_of(const Player *p, char column[SHOT_NAME])
{
    snprintf(column, SHOT_NAME, "%s", p->column);
    return column[0] != '\0' ? column : NULL;
}

/* The lock is held. */
static void read_values(Player *p)
{
    size_t count = px_world_values(p->world, p->value, VALUES);
    p->values = count < VALUES ? count : VALUES;
}

/* Copies the world's state. The lock is held and is released meanwhile. */
static void shoot(Player *p, bool fresh_frame)
{
    char column[SHOT_NAME];
    const char *wanted = column_of(p, column);
    ArrowKind arrows = p->arrows;
    p->fetching = true;
    pthread_mutex_unlock(&p->lock);
    Shot *shot = shot_of_world(p->world, p->display, wanted, arrows, fresh_frame);
    if (shot != NULL && !coat(p, shot)) {
        shot_free(shot);
        shot = NULL;
    }
    pthread_mutex_lock(&p->lock);
    p->fetching = false;
    if (shot == NULL) {
        fail(p);
        return;
    }
    shot->frame = p->newest;
    p->status.time = shot->time;
    if (fresh_frame)
        keep(p, shot);
    publish(p, shot);
}

static void forget_undos(Player *p, size_t count)
{
    while (p->undo_count > count)
        px_saved_free(p->undos[--p->undo_count].world);
}

/* Saves the state before an act that begins something. The lock is held. */
static void save_undo(Player *p)
{
    Undo u = {.frame = p->newest, .hands = hands_count(p->hands)};
    if (px_world_save(p->world, &u.world) != PX_OK)
        return; /* without memory there is no undo */
    if (p->undo_count == UNDOS) {
        px_saved_free(p->undos[0].world);
        memmove(p->undos, p->undos + 1, (UNDOS - 1) * sizeof *p->undos);
        --p->undo_count;
    }
    p->undos[p->undo_count++] = u;
}

/* Does what is in the queue. The lock is held: acts are short. */
static void do_acts(Player *p)
{
    for (size_t k = 0; k < p->acts; ++k) {
        const Act *act = &p->act[k];
        bool again = act->kind == ACT_SET && k > 0 && p->act[k - 1].kind == ACT_SET &&
                     strcmp(act->path, p->act[k - 1].path) == 0;
        bool begins = act->kind != ACT_DRAG && act->kind != ACT_LEAVE && !again;
        bool same_moment = p->undo_count > 0 && act->kind == ACT_SET &&
                           p->undos[p->undo_count - 1].frame == p->newest &&
                           p->undos[p->undo_count - 1].hands + 1 == hands_count(p->hands);
        if (begins && !same_moment)
            save_undo(p);
        if (hands_act(p->hands, p->world, act, (p->newest + 1) / p->fps) != PX_OK)
            snprintf(p->status.message, sizeof p->status.message, "%s", px_error_message());
    }
    p->acts = 0;
    read_values(p);
}

static void forget_kept_after(Player *p, uint32_t frame)
{
    while (p->kept_count > 0 && p->kept_first + p->kept_count - 1 > frame) {
        p->kept_bytes -= shot_bytes(p->kept[p->kept_count - 1]);
        shot_free(p->kept[--p->kept_count]);
    }
}

static void do_undo(Player *p)
{
    if (p->undo_count == 0)
        return;
    Undo *u = &p->undos[p->undo_count - 1];
    if (px_world_restore(p->world, u->world) != PX_OK) {
        fail(p);
        return;
    }
    p->newest = u->frame;
    if (p->coating != NULL) { /* the films of that frame, if it was kept */
        bool kept = p->kept_count > 0 && p->newest >= p->kept_first &&
                    p->newest < p->kept_first + p->kept_count;
        px_coating_set(p->coating, kept ? p->kept[p->newest - p->kept_first]->film : NULL);
    }
    hands_cut(p->hands, u->hands, px_world_time(p->world));
    forget_undos(p, p->undo_count - 1);
    forget_kept_after(p, p->newest);
    p->status.failed = false;
    p->status.message[0] = '\0';
    p->rate = (Rate){0};
    read_values(p);
    shoot(p, false);
}

static void make_world(Player *p)
{
    forget_undos(p, 0); /* before the world that they belong to */
    if (p->coating != NULL)
        px_coating_set(p->coating, NULL);
    hands_cut(p->hands, 0, 0);
    p->acts = 0;
    p->fetching = true;
    pthread_mutex_unlock(&p->lock);
    px_world_free(p->world);
    p->world = NULL;
    PxStatus status = px_scene_world(p->scene, p->threads, &p->world);
    if (status == PX_OK)
        status = px_world_stop_when(p->world, hurry, p);
    pthread_mutex_lock(&p->lock);
    p->newest = 0;
    p->rate = (Rate){0};
    p->status.failed = false;
    p->status.message[0] = '\0';
    forget_kept(p);
    p->fetching = false;
    if (status == PX_OK)
        read_values(p);
    if (status == PX_OK)
        shoot(p, true);
    else
        fail(p);
}

/* The lock is held. */
static void measure(Player *p, uint64_t step, double time)
{
    Rate *r = &p->rate;
    double wall = now();
    if (r->wall == 0 || wall - r->wall > 5 * RATE_SECONDS + 10 * (time - r->time)) {
        *r = (Rate){.wall = wall, .time = time, .step = step, .steps = r->steps, .ratio = r->ratio};
    } else if (wall - r->wall >= RATE_SECONDS) {
        r->steps = (double)(step - r->step) / (wall - r->wall);
        r->ratio = (time - r->time) / (wall - r->wall);
        r->wall = wall;
        r->time = time;
        r->step = step;
    }
}

/* Simulates one frame. */
static void simulate(Player *p)
{
    double until = (p->newest + 1) / p->fps;
    PxStatus status = hands_frame(p->hands, p->world, until);
    p->status.busy = true;
    pthread_mutex_unlock(&p->lock);
    if (status == PX_OK)
        status = px_world_advance(p->world, until);
    if (status == PX_OK)
        status = px_world_take_means(p->world);
    PxStats stats;
    px_world_stats(p->world, &stats);
    pthread_mutex_lock(&p->lock);
    p->status.busy = false;
    if (status == PX_OK)
        measure(p, stats.step, stats.time);
    if (status == PX_ERR_STOPPED)
        return;
    if (status != PX_OK) {
        fail(p);
        return;
    }
    ++p->newest;
    shoot(p, true);
}

static void show_kept(Player *p, uint32_t frame)
{
    if (p->kept_count == 0)
        return;
    uint32_t last = p->kept_first + (uint32_t)p->kept_count - 1;
    frame = frame < p->kept_first ? p->kept_first : frame > last ? last : frame;
    Shot *copy = shot_copy(p->kept[frame - p->kept_first]);
    if (copy != NULL)
        publish(p, copy);
}

/* Lets all frames before that index leave their films. The lock is not held. */
static bool coat_before(Player *p, size_t index)
{
    if (p->coating == NULL)
        return true;
    if (p->coated_index > index) {
        px_coating_set(p->coating, NULL);
        p->coated_index = 0;
    }
    for (; p->coated_index < index; ++p->coated_index) {
        PxStored *frame;
        if (px_stored_read(p->dir, p->number[p->coated_index], p->threads, &frame) != PX_OK)
            return false;
        Shot *shot = shot_of_stored(frame, p->display, NULL, ARROW_NONE);
        px_stored_free(frame);
        bool good = shot != NULL && coat(p, shot);
        shot_free(shot);
        if (!good)
            return false;
    }
    return true;
}

/* Reads and shows the stored frame with that index. The lock is held. */
static void show_stored(Player *p, size_t index)
{
    char column[SHOT_NAME];
    const char *wanted = column_of(p, column);
    if (p->numbers == 0)
        return;
    index = index < p->numbers ? index : p->numbers - 1;
    uint32_t number = p->number[index];
    ArrowKind arrows = p->arrows;
    p->status.busy = p->fetching = true;
    pthread_mutex_unlock(&p->lock);
    PxStored *frame;
    Shot *shot = NULL;
    if (coat_before(p, index) && px_stored_read(p->dir, number, p->threads, &frame) == PX_OK) {
        shot = shot_of_stored(frame, p->display, wanted, arrows);
        px_stored_free(frame);
        if (shot != NULL && !coat(p, shot)) {
            shot_free(shot);
            shot = NULL;
        }
    }
    pthread_mutex_lock(&p->lock);
    p->status.busy = p->fetching = false;
    if (shot == NULL) {
        fail(p);
        p->shown = number;
        return;
    }
    shot->frame = number;
    p->status.time = shot->time;
    p->status.failed = false;
    p->status.message[0] = '\0';
    publish(p, shot);
}

/* Index of a stored frame, or of the one before. */
static size_t stored_index(const Player *p, uint32_t frame)
{
    size_t k = 0;
    while (k + 1 < p->numbers && p->number[k + 1] <= frame)
        ++k;
    return k;
}

/* Waits for a wish, or until the next frame is due. */
static void pause_thread(Player *p)
{
    if (!p->playing || p->due == 0) {
        pthread_cond_wait(&p->wake, &p->lock);
        return;
    }
    struct timespec until = {.tv_sec = (time_t)p->due,
                             .tv_nsec = (long)(1e9 * (p->due - floor(p->due)))};
    pthread_cond_timedwait(&p->wake, &p->lock, &until);
}

/* Sets when the next frame is due: at the scene's rate, or at once if that is past. */
static void pace(Player *p)
{
    double wall = now();
    p->due = p->unpaced || p->due == 0 ? wall : p->due + 1 / p->fps;
    if (!p->unpaced && p->due < wall)
        p->due = wall;
}

static void work_live(Player *p)
{
    bool end = p->newest >= px_scene_frames(p->scene);
    if (p->restart) {
        p->restart = false;
        atomic_store(&p->hurry, false);
        make_world(p);
    } else if (p->undo) {
        p->undo = false;
        if (p->world != NULL)
            do_undo(p);
    } else if (p->acts > 0 && p->world != NULL) {
        do_acts(p);
    } else if (p->seek) {
        p->seek = false;
        show_kept(p, p->seek_to);
    } else if (p->recolour) {
        p->recolour = false;
        if (p->world != NULL)
            shoot(p, false);
    } else if (p->world != NULL && p->steps > 0) {
        --p->steps;
        simulate(p);
    } else if (p->world != NULL && p->playing && !end && now() >= p->due) {
        simulate(p);
        pace(p);
    } else {
        if (end)
            p->playing = false;
        pthread_cond_broadcast(&p->changed);
        pause_thread(p);
    }
}

static void work_stored(Player *p)
{
    size_t index = stored_index(p, p->shown);
    bool end = index + 1 >= p->numbers;
    if (p->restart) {
        p->restart = false;
        show_stored(p, 0);
    } else if (p->seek) {
        p->seek = false;
        show_stored(p, stored_index(p, p->seek_to));
    } else if (p->recolour) {
        p->recolour = false;
        show_stored(p, index);
    } else if (p->steps > 0) {
        --p->steps;
        show_stored(p, index + 1);
    } else if (p->playing && !end && now() >= p->due) {
        show_stored(p, index + 1);
        pace(p);
    } else {
        if (end)
            p->playing = false;
        pthread_cond_broadcast(&p->changed);
        pause_thread(p);
    }
}

static void *work(void *user)
{
    Player *p = user;
    pthread_mutex_lock(&p->lock);
    while (!p->quit) {
        if (p->dir != NULL)
            work_stored(p);
        else
            work_live(p);
    }
    forget_undos(p, 0);
    pthread_mutex_unlock(&p->lock);
    px_world_free(p->world); /* made by this thread */
    return NULL;
}

/* ---- for the window ---- */

/* Columns that a scene's world will have. */
static const char *const usual_columns[] = {
    "speed", "pressure", "density",      "temperature", "velocity", "von_mises", "material",
    "body",  "mass",     "acceleration", "strain",      "stress",   "radius",    NULL};

static bool list_frames(Player *p)
{
    size_t count;
    if (px_stored_list(p->dir, NULL, 0, &count) != PX_OK)
        return false;
    p->number = calloc(count + 1, sizeof *p->number);
    if (p->number == NULL || px_stored_list(p->dir, p->number, count, &p->numbers) != PX_OK)
        return false;
    if (p->numbers > count)
        p->numbers = count;
    return true;
}

Player *player_open(PxScene *scene, const char *dir, int threads)
{
    Player *p = calloc(1, sizeof *p);
    if (p == NULL) {
        px_scene_free(scene);
        return NULL;
    }
    pthread_condattr_t clock;
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&p->wake, &clock);
    pthread_cond_init(&p->changed, &clock);
    pthread_condattr_destroy(&clock);
    p->scene = scene;
    p->threads = threads;
    p->fps = px_scene_fps(scene);
    p->columns = (const char **)usual_columns;
    p->restart = true;
    p->hands = hands_create();
    p->status.live = dir == NULL;
    if (dir != NULL) {
        p->dir = strdup(dir);
        if (p->dir == NULL || !list_frames(p)) {
            player_close(p);
            return NULL;
        }
    }
    bool shown = px_display_make(scene, &p->display) == PX_OK;
    if (shown && px_coating_wanted(p->display))
        shown = px_display_make(scene, &p->coated) == PX_OK &&
                px_coating_make(p->coated, &p->coating) == PX_OK;
    if (p->hands == NULL || !shown || pthread_create(&p->thread, NULL, work, p) != 0) {
        player_close(p);
        return NULL;
    }
    p->started = true;
    return p;
}

void player_close(Player *p)
{
    if (p == NULL)
        return;
    if (p->started) {
        pthread_mutex_lock(&p->lock);
        p->quit = true;
        atomic_store(&p->hurry, true);
        pthread_cond_signal(&p->wake);
        pthread_mutex_unlock(&p->lock);
        pthread_join(p->thread, NULL);
    }
    shot_free(p->ready);
    shot_free(p->drawn);
    forget_kept(p);
    free(p->kept);
    free(p->act);
    hands_free(p->hands);
    free(p->number);
    free(p->dir);
    px_coating_free(p->coating);
    px_display_free(p->coated);
    px_display_free(p->display);
    px_scene_free(p->scene);
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

const PxDisplay *player_display(const Player *p)
{
    return p->display;
}

const PxScene *player_scene(const Player *p)
{
    return p->scene;
}

const char *const *player_columns(const Player *p)
{
    return p->columns;
}

/* Begins and ends a change of the wishes. */
static void wish(Player *p)
{
    pthread_mutex_lock(&p->lock);
}

static void wished(Player *p)
{
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

void player_play(Player *p, bool playing)
{
    wish(p);
    p->playing = playing && !p->status.failed;
    p->due = 0;
    p->rate = (Rate){.steps = p->rate.steps, .ratio = p->rate.ratio};
    if (p->status.live && playing && p->kept_count > 0 && p->shown != p->newest) {
        p->seek = true; /* a simulation goes on from its newest frame */
        p->seek_to = p->newest;
    }
    if (!p->status.live && playing && p->numbers > 0 && p->shown == p->number[p->numbers - 1])
        p->restart = true; /* play again from the start */
    wished(p);
}

void player_step(Player *p)
{
    wish(p);
    p->playing = false;
    if (!p->status.failed)
        ++p->steps;
    wished(p);
}

void player_seek(Player *p, uint32_t frame)
{
    wish(p);
    p->playing = false;
    p->seek = true;
    p->seek_to = frame;
    wished(p);
}

void player_restart(Player *p)
{
    wish(p);
    p->playing = false;
    p->steps = 0;
    p->seek = false;
    p->restart = true;
    p->status.failed = false;
    p->status.message[0] = '\0';
    if (p->status.live)
        atomic_store(&p->hurry, true);
    wished(p);
}

void player_colour(Player *p, const char *column)
{
    wish(p);
    snprintf(p->column, sizeof p->column, "%s", column != NULL ? column : "");
    p->recolour = true;
    wished(p);
}

void player_arrows(Player *p, ArrowKind arrows)
{
    wish(p);
    p->arrows = arrows;
    p->recolour = true;
    wished(p);
}

void player_unpaced(Player *p, bool unpaced)
{
    wish(p);
    p->unpaced = unpaced;
    p->due = 0;
    wished(p);
}

void player_act(Player *p, const Act *act)
{
    wish(p);
    if (p->status.live && p->acts == p->act_room) {
        Act *more = realloc(p->act, (2 * p->act_room + 16) * sizeof *more);
        if (more != NULL) {
            p->act = more;
            p->act_room = 2 * p->act_room + 16;
        }
    }
    Act *last = p->acts > 0 ? &p->act[p->acts - 1] : NULL;
    if (last != NULL && last->kind == act->kind &&
        (act->kind == ACT_DRAG || (act->kind == ACT_SET && strcmp(last->path, act->path) == 0)))
        *last = *act; /* only the newest place or value counts */
    else if (p->status.live && p->acts < p->act_room)
        p->act[p->acts++] = *act;
    wished(p);
}

void player_undo(Player *p)
{
    wish(p);
    p->undo = p->status.live;
    wished(p);
}

size_t player_values(Player *p, PxWorldValue *out, size_t most)
{
    wish(p);
    size_t count = p->values;
    memcpy(out, p->value, (count < most ? count : most) * sizeof *out);
    pthread_mutex_unlock(&p->lock);
    return count;
}

size_t player_undos(Player *p)
{
    wish(p);
    size_t count = p->undo_count;
    pthread_mutex_unlock(&p->lock);
    return count;
}

char *player_scene_text(Player *p, const char *text)
{
    wish(p);
    char *out = hands_scene(p->hands, text);
    pthread_mutex_unlock(&p->lock);
    return out;
}

const Shot *player_shot(Player *p, bool *fresh)
{
    wish(p);
    bool other = p->ready != NULL;
    if (other) {
        shot_free(p->drawn);
        p->drawn = p->ready;
        p->ready = NULL;
    }
    if (fresh != NULL)
        *fresh = other;
    pthread_mutex_unlock(&p->lock);
    return p->drawn;
}

PlayerStatus player_status(Player *p)
{
    wish(p);
    PlayerStatus s = p->status;
    s.playing = p->playing || p->steps > 0;
    s.frame = p->shown;
    if (s.live) {
        s.first = p->kept_count > 0 ? p->kept_first : 0;
        s.last = p->newest;
        s.total = px_scene_frames(p->scene);
        s.steps = p->rate.steps;
        s.ratio = p->rate.ratio;
    } else if (p->numbers > 0) {
        s.first = p->number[0];
        s.last = s.total = p->number[p->numbers - 1];
    }
    pthread_mutex_unlock(&p->lock);
    return s;
}

bool player_wait(Player *p, double time)
{
    wish(p);
    pthread_cond_signal(&p->wake);
    bool first = true;
    for (;;) {
        bool idle = !p->playing && p->steps == 0 && !p->restart && !p->seek && !p->recolour &&
                    p->acts == 0 && !p->undo && !p->status.busy && !p->fetching && !first;
        bool there = p->status.time >= time - 1e-9 && (p->ready != NULL || p->drawn != NULL) &&
                     !p->recolour && !p->seek && !p->restart && !p->fetching && p->acts == 0 &&
                     !p->undo;
        if (p->status.failed || there || idle)
            break;
        pthread_cond_wait(&p->changed, &p->lock);
        first = false;
    }
    bool good = !p->status.failed;
    pthread_mutex_unlock(&p->lock);
    return good;
}
