#include "contact/spheres.h"

#include "base/sum.h"
#include "dist/reduce.h"
#include "matter/wall.h"
#include "matter/wall_triangles.h"

#include <math.h>
#include <stdatomic.h>

enum {
    MOST_SPOTS = 12,
    SWEEPS = 24, /* a wedge of 20 degrees needs 20 for 1 per cent of the radius */
};

/* Depth, in radii, up to which spheres are left where they are, so that contacts last. */
#define SLOP 0.01

typedef struct Stop {
    PxParticles *p;
    PxWatch *watch;
    PxSpheres *spheres;
    double travel;
    PxSum work;
    _Atomic uint64_t count;
} Stop;

/* A spot of the world at the end of the step. */
typedef struct Spot {
    PxBoundary *boundary;
    PxVec3 point, normal, velocity;
    double given;  /* impulse so far along the normal, per mass, m/s */
    double wanted; /* velocity along the normal after the contact, m/s */
} Spot;

static uint32_t spots_of(PxBoundary *b, PxVec3 at, double reach, Spot *out, uint32_t most)
{
    const PxWall *wall = (const PxWall *)b; /* fluids with spheres have walls alone */
    PxWallSpot found[MOST_SPOTS];
    uint32_t count = 0;
    if (b->ops->at_least(b, 1, at) >= reach)
        return 0;
    if (wall->triangles != NULL) {
        count = px_wall_triangles_touch(wall->triangles, px_wall_to_rest(wall, 1, at), reach, found,
                                        most);
        for (uint32_t k = 0; k < count; ++k) {
            found[k].point = px_wall_to_world(wall, 1, found[k].point);
            found[k].normal = px_wall_turn_to_world(wall, 1, found[k].normal);
        }
    } else if (most > 0) {
        found[0].distance = px_boundary_near(b, 1, at, reach, &found[0].normal);
        if (found[0].distance < reach) {
            found[0].point = px_mad(at, found[0].normal, -found[0].distance);
            count = 1;
        }
    }
    for (uint32_t k = 0; k < count; ++k)
        out[k] = (Spot){
            b, found[k].point, found[k].normal, b->ops->velocity(b, 1, found[k].point), 0, 0};
    return count;
}

/* Eq. 7.3 at all spots at once: none approaches, and what approached leaves with the restitution.
 */
static PxVec3 bounce(const PxSpheres *s, Spot *spot, uint32_t count, PxVec3 v)
{
    double slow = 2 * px_length(s->gravity) * s->dt;
    for (uint32_t k = 0; k < count; ++k) {
        double along = px_dot(px_sub(v, spot[k].velocity), spot[k].normal);
        spot[k].wanted = along < -slow ? -s->restitution * along : 0;
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double most = 0;
        for (uint32_t k = 0; k < count; ++k) {
            double along = px_dot(px_sub(v, spot[k].velocity), spot[k].normal);
            double given = fmax(spot[k].given + spot[k].wanted - along, 0);
            double more = given - spot[k].given;
            spot[k].given = given;
            v = px_mad(v, spot[k].normal, more);
            most = fmax(most, fabs(more));
        }
        if (!(most > 1e-6 * slow))
            break;
    }
    return v;
}

/* The second term of Eq. 7.5, spot by spot: friction takes at most the coefficient times the normal
 * impulse of the velocity along the surface. */
static PxVec3 rub(const PxSpheres *s, const Spot *spot, uint32_t count, PxVec3 v, PxVec3 *each)
{
    for (uint32_t k = 0; k < count; ++k) {
        PxVec3 rel = px_sub(v, spot[k].velocity);
        PxVec3 slide = px_mad(rel, spot[k].normal, -px_dot(rel, spot[k].normal));
        double speed = px_length(slide);
        PxVec3 change = px_vec(0, 0, 0);
        if (speed > 0 && spot[k].given > 0)
            change = px_scale(slide, -fmin(s->friction * spot[k].given / speed, 1));
        v = px_add(v, change);
        each[k] = px_mad(change, spot[k].normal, spot[k].given);
    }
    return v;
}

/* Eq. 7.6 at all spots at once: out of every plane. */
static PxVec3 push(const PxSpheres *s, const Spot *spot, uint32_t count, PxVec3 at)
{
    double slop = SLOP * s->radius;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double most = 0;
        for (uint32_t k = 0; k < count; ++k) {
            double deep = s->radius - slop - px_dot(px_sub(at, spot[k].point), spot[k].normal);
            if (deep <= 0)
                continue;
            at = px_mad(at, spot[k].normal, deep);
            most = fmax(most, deep);
        }
        if (!(most > slop))
            break;
    }
    return at;
}

static bool stop_row(const Stop *stop, uint32_t i, PxSum *work)
{
    const PxSpheres *s = stop->spheres;
    const PxWatch *w = stop->watch;
    PxParticles *p = stop->p;
    PxVec3 at = px_particle_place(p, i), began = at;
    PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]}, before = v;
    Spot spot[MOST_SPOTS];
    PxVec3 each[MOST_SPOTS];
    uint32_t count = 0;
    for (size_t k = 0; k < w->boundaries; ++k)
        count += spots_of(w->boundary[k], at, s->radius, spot + count, MOST_SPOTS - count);
    if (count == 0)
        return false;
    v = bounce(s, spot, count, v);
    v = rub(s, spot, count, v, each);
    at = push(s, spot, count, at);
    double mass = (double)p->mass[i];
    for (uint32_t k = 0; k < count; ++k)
        if (px_dot(each[k], each[k]) > 0)
            px_boundary_take(spot[k].boundary,
                             (PxImpulse){spot[k].point, px_scale(each[k], -mass)});
    p->x[i] = (float)at.x;
    p->y[i] = (float)at.y;
    p->z[i] = (float)at.z;
    p->x_low[i] = (float)(at.x - (double)p->x[i]);
    p->y_low[i] = (float)(at.y - (double)p->y[i]);
    p->z_low[i] = (float)(at.z - (double)p->z[i]);
    p->vx[i] = (float)v.x;
    p->vy[i] = (float)v.y;
    p->vz[i] = (float)v.z;
    v = px_vec((double)p->vx[i], (double)p->vy[i], (double)p->vz[i]);
    px_sum_add(work, 0.5 * mass * px_dot(px_sub(v, before), px_add(v, before)));
    px_sum_add(work, -mass * px_dot(s->gravity, px_sub(at, began)));
    return true;
}

static void stop_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Stop *stop = user;
    const PxWatch *w = stop->watch;
    PxSum work = {0};
    uint64_t count = 0;
    float reach = px_watch_reach(w, begin, end, stop->spheres->radius, stop->travel);
    for (uint32_t i = begin; i < end; ++i)
        if (!(w->far[i] > reach) && !(stop->spheres->material[stop->p->material[i]].def.young > 0))
            count += stop_row(stop, i, &work);
    if (count > 0) {
        px_join_begin();
        px_sum_merge(&stop->work, &work);
        px_join_end();
    }
    atomic_fetch_add_explicit(&stop->count, count, memory_order_relaxed);
}

uint64_t px_spheres_stop(PxParticles *p, PxWatch *watch, const PxThreads *threads,
                         PxSpheres *spheres)
{
    spheres->work = 0;
    if (watch->boundaries == 0)
        return 0;
    Stop stop = {.p = p,
                 .watch = watch,
                 .spheres = spheres,
                 .travel = px_boundaries_travel(watch->boundary, watch->boundaries)};
    px_parallel_for(threads, p->table.count, PX_BLOCK, stop_block, &stop);
    px_reduce_join(spheres->dist, &stop.work, 1);
    spheres->work = px_sum_value(&stop.work);
    return atomic_load(&stop.count);
}
