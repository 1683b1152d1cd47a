#include "contact/watch.h"

#include <stdatomic.h>
#include <string.h>

#define PASSED 2.0f /* of `when` */

/* Walls are looked for in steps at least this long, in spacings. */
#define HAIR 1e-6

#define MOST_STEPS 400

static void copy_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxWatch *w = user;
    const float *const place[3] = {w->p->x, w->p->y, w->p->z};
    const float *const low[3] = {w->p->x_low, w->p->y_low, w->p->z_low};
    size_t bytes = (end - begin) * sizeof(float);
    for (int a = 0; a < 3; ++a) {
        memcpy(w->from[a] + begin, place[a] + begin, bytes);
        memcpy(w->from_low[a] + begin, low[a] + begin, bytes);
    }
    memset(w->when + begin, 0, bytes);
}

PxStatus px_watch_begin(PxWatch *watch, const PxParticles *p, const PxWall *wall, size_t walls,
                        const float *far, double spacing, PxArena *scratch,
                        const PxThreads *threads)
{
    *watch = (PxWatch){.p = p, .wall = wall, .walls = walls, .far = far, .spacing = spacing};
    uint32_t n = p->table.count;
    if (walls == 0)
        return PX_OK;
    watch->when = PX_ARENA_ARRAY(scratch, float, n);
    bool room = watch->when != NULL;
    for (int a = 0; a < 3; ++a) {
        watch->from[a] = PX_ARENA_ARRAY(scratch, float, n);
        watch->from_low[a] = PX_ARENA_ARRAY(scratch, float, n);
        room = room && watch->from[a] != NULL && watch->from_low[a] != NULL;
    }
    if (!room)
        return px_fail(PX_ERR_MEMORY, "walls: no room to watch %u particles", n);
    px_parallel_for(threads, n, 4 * PX_BLOCK, copy_block, watch);
    return PX_OK;
}

/* Does the straight way from a, outside the wall, to b (its rest frame) end in the wall, or
 * enter it on one side and leave it on another? What dips into one side and comes out again has
 * passed nothing: a straight way is only near the true one, of a particle that turns with
 * another wall or slides along this one where it bulges. Steps of the distance miss nothing
 * (Hart 1996); beside the wall they are a HAIR long, so what is thinner may be missed. */
static bool leads_through(const PxWall *wall, PxVec3 a, PxVec3 b, double hair)
{
    PxVec3 way = px_sub(b, a), normal = px_vec(0, 0, 0), in = normal;
    double length = px_length(way), gone = 0;
    bool inside = false;
    for (int k = 0; k < MOST_STEPS; ++k) {
        double place = length > 0 ? gone / length : 0;
        double d = px_wall_distance(wall, px_mad(a, way, place), &normal);
        if (d < 0 && k == 0)
            return false;
        if (d < 0 && !inside)
            in = normal;
        if (d >= 0 && inside && px_dot(in, normal) < 0)
            return true;
        inside = d < 0;
        if (gone >= length)
            return inside;
        gone = fmin(gone + fmax(fabs(d), hair), length);
    }
    return px_wall_distance(wall, b, NULL) < 0;
}

PxVec3 px_watch_place(const PxWatch *w, uint32_t i)
{
    return px_vec((double)w->from[0][i] + (double)w->from_low[0][i],
                  (double)w->from[1][i] + (double)w->from_low[1][i],
                  (double)w->from[2][i] + (double)w->from_low[2][i]);
}

/* Looks at the straight way from where particle i was last. */
static bool passed(const PxWatch *w, uint32_t i, PxVec3 to, double when)
{
    double before = (double)w->when[i];
    PxVec3 from = px_watch_place(w, i);
    for (size_t k = 0; k < w->walls; ++k)
        if (leads_through(&w->wall[k], px_wall_to_rest(&w->wall[k], before, from),
                          px_wall_to_rest(&w->wall[k], when, to), HAIR * w->spacing))
            return true;
    return false;
}

void px_watch_turn(PxWatch *w, uint32_t i, PxVec3 to, double when)
{
    if (w->when[i] == PASSED)
        return;
    if (passed(w, i, to, when)) {
        w->when[i] = PASSED;
        return;
    }
    const double place[3] = {to.x, to.y, to.z};
    for (int a = 0; a < 3; ++a) {
        w->from[a][i] = (float)place[a];
        w->from_low[a][i] = (float)(place[a] - (double)w->from[a][i]);
    }
    w->when[i] = (float)fmax(when, 1e-30); /* 0 is the start */
}

typedef struct Leaks {
    const PxWatch *watch;
    double wall_way; /* m */
    _Atomic uint64_t count;
} Leaks;

static void leaks_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Leaks *leaks = user;
    const PxWatch *w = leaks->watch;
    uint64_t count = 0;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 to = px_particle_place(w->p, i);
        PxVec3 way = px_vec(to.x - (double)w->from[0][i], to.y - (double)w->from[1][i],
                            to.z - (double)w->from[2][i]);
        /* `far` is of the start of the step, which is where those are that never turned */
        if (w->when[i] == 0.0f && px_wall_surely((double)w->far[i], w->spacing) * 0.995 >
                                      1.001 * px_length(way) + leaks->wall_way)
            continue;
        count += w->when[i] == PASSED || passed(w, i, to, 1);
    }
    atomic_fetch_add_explicit(&leaks->count, count, memory_order_relaxed);
}

uint64_t px_watch_leaked(PxWatch *w, const PxThreads *threads)
{
    if (w->walls == 0)
        return 0;
    Leaks leaks = {.watch = w};
    for (size_t k = 0; k < w->walls; ++k)
        leaks.wall_way = fmax(leaks.wall_way, px_wall_way(&w->wall[k]));
    px_parallel_for(threads, w->p->table.count, PX_BLOCK, leaks_block, &leaks);
    return atomic_load(&leaks.count);
}
