#include "contact/watch.h"

#include <stdatomic.h>
#include <string.h>

#define PASSED 2.0f /* of `when` */

/* Shortest distance at which paths are tested, in spacings. */
#define HAIR 1e-6

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

PxStatus px_watch_begin(PxWatch *watch, const PxParticles *p, PxBoundary *const *boundary,
                        size_t boundaries, const float *far, double spacing, PxArena *scratch,
                        const PxThreads *threads)
{
    *watch = (PxWatch){
        .p = p, .boundary = boundary, .boundaries = boundaries, .far = far, .spacing = spacing};
    uint32_t n = p->table.count;
    if (boundaries == 0)
        return PX_OK;
    watch->when = PX_ARENA_ARRAY(scratch, float, n);
    bool room = watch->when != NULL;
    for (int a = 0; a < 3; ++a) {
        watch->from[a] = PX_ARENA_ARRAY(scratch, float, n);
        watch->from_low[a] = PX_ARENA_ARRAY(scratch, float, n);
        room = room && watch->from[a] != NULL && watch->from_low[a] != NULL;
    }
    if (!room)
        return px_fail(PX_ERR_MEMORY, "boundaries: no room to watch %u particles", n);
    px_parallel_for(threads, n, 4 * PX_BLOCK, copy_block, watch);
    return PX_OK;
}

PxVec3 px_watch_place(const PxWatch *w, uint32_t i)
{
    return px_vec((double)w->from[0][i] + (double)w->from_low[0][i],
                  (double)w->from[1][i] + (double)w->from_low[1][i],
                  (double)w->from[2][i] + (double)w->from_low[2][i]);
}

/* Tests the straight path of particle i from its last stored position. */
static bool passed(const PxWatch *w, uint32_t i, PxVec3 to, double when)
{
    const PxBoundaryPath path = {{(double)w->when[i], when}, {px_watch_place(w, i), to}};
    for (size_t k = 0; k < w->boundaries; ++k)
        if (w->boundary[k]->ops->passes(w->boundary[k], &path, HAIR * w->spacing))
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

float px_watch_reach(const PxWatch *w, uint32_t begin, uint32_t end, double gap, double travel)
{
    const PxParticles *p = w->p;
    const float *restrict x = p->x, *restrict y = p->y, *restrict z = p->z;
    const float *restrict xl = p->x_low, *restrict yl = p->y_low, *restrict zl = p->z_low;
    const float *restrict u = w->from[0], *restrict v = w->from[1], *restrict q = w->from[2];
    const float *restrict ul = w->from_low[0], *restrict vl = w->from_low[1],
                          *restrict ql = w->from_low[2];
    float most = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float dx = x[i] - u[i] + (xl[i] - ul[i]), dy = y[i] - v[i] + (yl[i] - vl[i]),
              dz = z[i] - q[i] + (zl[i] - ql[i]), d2 = dx * dx + dy * dy + dz * dz;
        most = d2 > most ? d2 : most;
    }
    /* Inverse of px_boundary_lower_bound(), rounded up as the distances were rounded to float. */
    double reach = (1.001 * sqrt((double)most) + travel + gap) / 0.995;
    double step = PX_BOUNDARY_STEP * w->spacing;
    return (float)(1.000001 * sqrt(reach * reach + 0.75 * step * step));
}

typedef struct Leaks {
    const PxWatch *watch;
    double travel;                  /* of the boundaries in this step, m; a bound */
    _Atomic uint64_t count, lowest; /* of the ids */
} Leaks;

static void leaks_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Leaks *leaks = user;
    const PxWatch *w = leaks->watch;
    uint64_t count = 0;
    float reach = px_watch_reach(w, begin, end, 0, leaks->travel);
    for (uint32_t i = begin; i < end; ++i) {
        /* `far` is the distance at the start of the step: not valid for deflected particles */
        if (w->when[i] == 0.0f && w->far[i] > reach)
            continue;
        PxVec3 to = px_particle_place(w->p, i);
        PxVec3 way = px_vec(to.x - (double)w->from[0][i], to.y - (double)w->from[1][i],
                            to.z - (double)w->from[2][i]);
        if (w->when[i] == 0.0f && px_boundary_lower_bound((double)w->far[i], w->spacing) * 0.995 >
                                      1.001 * px_length(way) + leaks->travel)
            continue;
        if (w->when[i] != PASSED && !passed(w, i, to, 1))
            continue;
        ++count;
        uint64_t lowest = atomic_load(&leaks->lowest);
        while (w->p->id[i] < lowest &&
               !atomic_compare_exchange_weak(&leaks->lowest, &lowest, w->p->id[i]))
            ;
    }
    atomic_fetch_add_explicit(&leaks->count, count, memory_order_relaxed);
}

uint64_t px_watch_leaked(PxWatch *w, const PxThreads *threads)
{
    w->leaked_id = 0;
    if (w->boundaries == 0)
        return 0;
    Leaks leaks = {.watch = w,
                   .lowest = UINT64_MAX,
                   .travel = px_boundaries_travel(w->boundary, w->boundaries)};
    px_parallel_for(threads, w->p->table.count, PX_BLOCK, leaks_block, &leaks);
    if (atomic_load(&leaks.count) > 0)
        w->leaked_id = atomic_load(&leaks.lowest);
    return atomic_load(&leaks.count);
}
