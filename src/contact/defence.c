#include "contact/defence.h"

#include "base/sum.h"
#include "dist/reduce.h"

#include <math.h>
#include <stdatomic.h>

typedef struct Defence {
    PxParticles *p;
    PxWatch *watch;
    double touch;  /* nearer than this is a hit, m */
    double gap;    /* distance at which a particle that hit is put, m */
    double travel; /* of the boundaries in this step, m; a bound */
    PxVec3 gravity;
    PxSum work; /* change of energy, J */
    _Atomic uint64_t caught;
} Defence;

/* Remaining path of a particle: its position at a moment of the step, its position at the end of
 * the step, and its velocity. */
typedef struct Way {
    double when;
    PxVec3 from, to, v;
} Way;

/* Does the path meet the boundary? *at is the parameter of the path, 0 .. 1. */
static bool blocked(const Defence *def, const PxBoundary *b, const Way *way, double *at)
{
    const PxBoundaryPath path = {{way->when, 1}, {way->from, way->to}};
    double length = px_length(px_sub(way->to, way->from)) + def->travel;
    if (b->ops->at_least(b, way->when, way->from) > length + def->touch)
        return false;
    PxVec3 normal;
    double start =
        px_boundary_near(b, way->when, way->from, 1.0001 * (length + def->touch), &normal);
    if (start > length + def->touch)
        return false;
    if (start > 0) /* closer than `touch` already: a hit is when the distance halves */
        return b->ops->meets(b, &path, fmin(def->touch, 0.5 * start), at);
    /* It starts inside: only a path that leads out is free. */
    *at = 0;
    return px_boundary_distance(b, 1, way->to, NULL) < def->touch;
}

/* May a particle be displaced at a fixed moment, away from `pusher`? In a wedge another boundary
 * may be in between, even for a tiny displacement. */
static bool push_is_free(const Defence *def, const PxBoundary *pusher, double when, PxVec3 from,
                         PxVec3 to)
{
    const PxWatch *w = def->watch;
    const PxBoundaryPath path = {{when, when}, {from, to}};
    for (size_t k = 0; k < w->boundaries; ++k) {
        const PxBoundary *b = w->boundary[k];
        if (b == pusher ||
            b->ops->at_least(b, when, from) > px_length(px_sub(to, from)) + def->touch)
            continue;
        double start = px_boundary_distance(b, when, from, NULL), at;
        if (start > 0 && b->ops->meets(b, &path, fmin(0.5 * def->touch, 0.5 * start), &at))
            return false;
    }
    return true;
}

/* Stops particle i at the boundary and lets the rest of its path slide along it, in the frame of
 * the boundary at the end of the step. */
static void stop_at(const Defence *def, uint32_t i, PxBoundary *b, double at, Way *way)
{
    PxVec3 from = b->ops->carry(b, way->when, way->from, 1), path = px_sub(way->to, from);
    PxVec3 hit = px_mad(from, path, at), n;
    double d = px_boundary_distance(b, 1, hit, &n);
    PxVec3 rest = px_scale(path, 1 - at);
    PxVec3 slid = px_mad(rest, n, -fmin(px_dot(rest, n), 0));
    way->when += at * (1 - way->when);
    PxVec3 pushed = px_mad(hit, n, def->gap - d);
    if (push_is_free(def, b, way->when, b->ops->carry(b, 1, hit, way->when),
                     b->ops->carry(b, 1, pushed, way->when)))
        hit = pushed;
    way->from = b->ops->carry(b, 1, hit, way->when);
    way->to = px_add(hit, slid);
    double into = -px_dot(px_sub(way->v, b->ops->velocity(b, 1, hit)), n);
    if (!(into > 0))
        return;
    way->v = px_mad(way->v, n, into);
    double mass = (double)def->p->mass[i];
    px_boundary_take(b, (PxImpulse){way->from, px_scale(n, -mass * into)});
}

/* Follows the path from boundary to boundary, each time to the first hit. True if there was any.
 * Where boundaries block every direction, the particle moves with the last one. The watch records
 * every segment of the path but the last. */
static bool follow(const Defence *def, uint32_t i, Way *way)
{
    enum { MOST_LEGS = 12 };
    const PxWatch *w = def->watch;
    PxBoundary *last = NULL;
    for (int leg = 0; leg < MOST_LEGS; ++leg) {
        double least = 2;
        PxBoundary *met = NULL;
        for (size_t k = 0; k < w->boundaries; ++k) {
            double at;
            if (blocked(def, w->boundary[k], way, &at) && at < least) {
                least = at;
                met = w->boundary[k];
            }
        }
        if (met == NULL)
            return last != NULL;
        last = met;
        stop_at(def, i, met, least, way);
        px_watch_turn(def->watch, i, way->from, way->when);
    }
    way->to = last->ops->carry(last, way->when, way->from, 1);
    return true;
}

static void defend_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Defence *def = user;
    const PxWatch *w = def->watch;
    PxParticles *p = def->p;
    uint64_t caught = 0;
    PxSum work;
    float reach = px_watch_reach(w, begin, end, def->gap, def->travel);
    for (uint32_t i = begin; i < end; ++i) {
        if (w->far[i] > reach)
            continue;
        PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
        PxVec3 to = px_particle_place(p, i), from = px_watch_place(w, i);
        double length = px_length(px_sub(to, from)) + def->travel;
        /* the bound was rounded to float, hence the half per cent */
        if (px_boundary_lower_bound((double)w->far[i], w->spacing) * 0.995 > length + def->gap)
            continue;
        Way way = {0, from, to, v};
        if (!follow(def, i, &way))
            continue;
        if (caught++ == 0)
            work = (PxSum){0};
        double mass = (double)p->mass[i];
        px_sum_add(&work, -mass * px_dot(def->gravity, px_sub(way.to, to)));
        to = way.to;
        p->x[i] = (float)to.x;
        p->y[i] = (float)to.y;
        p->z[i] = (float)to.z;
        p->x_low[i] = (float)(to.x - (double)p->x[i]);
        p->y_low[i] = (float)(to.y - (double)p->y[i]);
        p->z_low[i] = (float)(to.z - (double)p->z[i]);
        p->vx[i] = (float)way.v.x;
        p->vy[i] = (float)way.v.y;
        p->vz[i] = (float)way.v.z;
        way.v = px_vec((double)p->vx[i], (double)p->vy[i], (double)p->vz[i]);
        px_sum_add(&work, 0.5 * mass * px_dot(px_sub(way.v, v), px_add(way.v, v)));
    }
    if (caught > 0) {
        px_join_begin();
        px_sum_merge(&def->work, &work);
        px_join_end();
    }
    atomic_fetch_add_explicit(&def->caught, caught, memory_order_relaxed);
}

uint64_t px_defend(PxParticles *p, PxWatch *watch, const PxThreads *threads, PxDefenceWork *work)
{
    if (work != NULL)
        work->work = 0;
    if (watch->boundaries == 0)
        return 0;
    Defence def = {.p = p,
                   .watch = watch,
                   .touch = 0.005 * watch->spacing,
                   .gap = 0.01 * watch->spacing,
                   .travel = px_boundaries_travel(watch->boundary, watch->boundaries)};
    if (work != NULL)
        def.gravity = work->gravity;
    px_parallel_for(threads, p->table.count, PX_BLOCK, defend_block, &def);
    if (work != NULL) {
        px_reduce_join(work->dist, &def.work, 1);
        work->work = px_sum_value(&def.work);
    }
    return atomic_load(&def.caught);
}
