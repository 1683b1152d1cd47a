#include "contact/defence.h"

#include <math.h>
#include <stdatomic.h>

typedef struct Defence {
    PxParticles *p;
    const PxWall *wall;
    size_t walls;
    const float *far;
    double spacing;
    double touch;    /* nearer than this is a hit, m */
    double gap;      /* where a particle that hit is put, m */
    double wall_way; /* longest way of any wall's matter in this step, m; a bound */
    PxWatch *watch;
    _Atomic uint64_t caught;
} Defence;

/* The first point of the straight way from a to b (the wall's rest frame) that
 * is nearer than `touch` to the wall: true, and its place in [0, 1].
 * Spheres of the distance's radius are empty of wall, so steps of that length
 * miss nothing, however thin the wall is (Hart 1996). */
static bool meets(const PxWall *wall, PxVec3 a, PxVec3 b, double touch, double *place)
{
    PxVec3 way = px_sub(b, a);
    double length = px_length(way), t = 0;
    for (int k = 0; k < 200; ++k) {
        double d = px_wall_distance(wall, px_mad(a, way, t), NULL);
        if (d < touch) {
            *place = t;
            return true;
        }
        if (!(d < length * (1 - t)))
            return false;
        t += d / length;
    }
    *place = t; /* creeping along a wall: as good as a hit */
    return true;
}

/* A particle on its way: where it is at a moment of the step (0 its beginning, 1
 * its end), where it wants to be at the end, how fast. */
typedef struct Way {
    double when;
    PxVec3 from, to, v;
} Way;

/* Does the way meet the wall? *place is where on it, 0 .. 1. */
static bool blocked(const Defence *def, const PxWall *wall, const Way *way, double *place)
{
    PxVec3 a = px_wall_to_rest(wall, way->when, way->from), b = px_wall_to_rest(wall, 1, way->to);
    double start = px_wall_distance(wall, a, NULL);
    if (start > 0) /* in the wall's skin already: nearer than half as far is a hit */
        return meets(wall, a, b, fmin(def->touch, 0.5 * start), place);
    /* It is in the wall: only a way out is free. */
    *place = 0;
    return px_wall_distance(wall, b, NULL) < def->touch;
}

/* May a particle be put from a to b at one moment, away from `wall`? In a wedge
 * another wall may be between, even if the push is a hair's breadth. */
static bool push_is_free(const Defence *def, const PxWall *wall, double when, PxVec3 a, PxVec3 b)
{
    for (size_t k = 0; k < def->walls; ++k) {
        const PxWall *other = &def->wall[k];
        if (other == wall)
            continue;
        PxVec3 from = px_wall_to_rest(other, when, a), to = px_wall_to_rest(other, when, b);
        double start = px_wall_distance(other, from, NULL), place;
        if (start > 0 && meets(other, from, to, fmin(0.5 * def->touch, 0.5 * start), &place))
            return false;
    }
    return true;
}

/* Stops the way at the wall and lets the rest of it slide along. */
static void stop_at(const Defence *def, const PxWall *wall, double place, Way *way)
{
    PxVec3 a = px_wall_to_rest(wall, way->when, way->from), b = px_wall_to_rest(wall, 1, way->to);
    PxVec3 hit = px_mad(a, px_sub(b, a), place), n;
    double d = px_wall_distance(wall, hit, &n);
    PxVec3 rest = px_scale(px_sub(b, a), 1 - place);
    PxVec3 slid = px_mad(rest, n, -fmin(px_dot(rest, n), 0));
    way->when += place * (1 - way->when);
    PxVec3 pushed = px_mad(hit, n, def->gap - d);
    if (push_is_free(def, wall, way->when, px_wall_to_world(wall, way->when, hit),
                     px_wall_to_world(wall, way->when, pushed)))
        hit = pushed;
    way->from = px_wall_to_world(wall, way->when, hit);
    way->to = px_wall_to_world(wall, 1, px_add(hit, slid));
    PxVec3 normal = px_wall_turn_to_world(wall, 1, n);
    PxVec3 relative = px_sub(way->v, px_wall_velocity(wall, hit));
    way->v = px_mad(way->v, normal, -fmin(px_dot(relative, normal), 0));
}

/* Follows the way from wall to wall, always to the one that is met first. True if
 * it met any. When walls leave no way along them, it ends riding on the last one. The watch
 * of particle i sees every leg of it but the last. */
static bool follow(const Defence *def, uint32_t i, Way *way)
{
    const PxWall *first = NULL;
    for (int round = 0; round < 12; ++round) {
        double least = 2;
        const PxWall *met = NULL;
        for (size_t k = 0; k < def->walls; ++k) {
            double place;
            if (blocked(def, &def->wall[k], way, &place) && place < least) {
                least = place;
                met = &def->wall[k];
            }
        }
        if (met == NULL)
            return first != NULL;
        first = met;
        stop_at(def, met, least, way);
        px_watch_turn(def->watch, i, way->from, way->when);
    }
    way->to = px_wall_to_world(first, 1, px_wall_to_rest(first, way->when, way->from));
    return true;
}

static void defend_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Defence *def = user;
    PxParticles *p = def->p;
    uint64_t caught = 0;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
        PxVec3 to = px_particle_place(p, i), from = px_watch_place(def->watch, i);
        double length = px_length(px_sub(to, from)) + def->wall_way;
        /* the bound was rounded to float, hence the half per cent */
        if (px_wall_surely((double)def->far[i], def->spacing) * 0.995 > length + def->gap)
            continue;
        Way way = {0, from, to, v};
        if (!follow(def, i, &way))
            continue;
        ++caught;
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
    }
    atomic_fetch_add_explicit(&def->caught, caught, memory_order_relaxed);
}

uint64_t px_defend(PxParticles *p, const PxWall *wall, size_t walls, const float *far,
                   double spacing, const PxThreads *threads, PxWatch *watch)
{
    if (walls == 0)
        return 0;
    Defence def = {.p = p,
                   .wall = wall,
                   .walls = walls,
                   .far = far,
                   .spacing = spacing,
                   .touch = 0.005 * spacing,
                   .gap = 0.01 * spacing,
                   .watch = watch};
    for (size_t k = 0; k < walls; ++k)
        def.wall_way = fmax(def.wall_way, px_wall_way(&wall[k]));
    px_parallel_for(threads, p->table.count, PX_BLOCK, defend_block, &def);
    return atomic_load(&def.caught);
}
