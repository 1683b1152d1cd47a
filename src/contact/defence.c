#include "contact/defence.h"

#include <math.h>
#include <stdatomic.h>

typedef struct Defence {
    PxParticles *p;
    const PxWall *wall;
    size_t walls;
    const float *far;
    double touch; /* nearer than this is a hit, m */
    double gap;   /* where a particle that hit is put, m */
    double dt;
    double wall_way; /* longest way of any wall's matter in this step, m; a bound */
    _Atomic uint64_t caught, leaked;
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

/* Corrects one way against one wall; true when it had to. */
static bool correct(const Defence *def, const PxWall *wall, PxVec3 *from, PxVec3 *to, PxVec3 *v)
{
    PxVec3 a = px_wall_to_rest(wall, 0, *from), b = px_wall_to_rest(wall, 1, *to), n;
    double place = 0;
    double start = px_wall_distance(wall, a, NULL);
    if (start >= def->touch) {
        if (!meets(wall, a, b, def->touch, &place))
            return false;
    } else {
        /* It began in the wall's skin, or in the wall: out by the shortest way. */
        double end = px_wall_distance(wall, b, NULL);
        if (end >= start && end >= def->touch)
            return false;
        place = start < end ? 1 : 0;
    }
    PxVec3 hit = px_mad(a, px_sub(b, a), place);
    double d = px_wall_distance(wall, hit, &n);
    hit = px_mad(hit, n, def->gap - d);
    PxVec3 rest_of_way = px_scale(px_sub(b, a), 1 - place);
    PxVec3 slid = px_mad(rest_of_way, n, -fmin(px_dot(rest_of_way, n), 0));
    *from = px_wall_to_world(wall, 0, hit);
    *to = px_wall_to_world(wall, 1, px_add(hit, slid));
    PxVec3 normal = px_wall_turn_to_world(wall, 1, n);
    PxVec3 relative = px_sub(*v, px_wall_velocity(wall, hit));
    *v = px_mad(*v, normal, -fmin(px_dot(relative, normal), 0));
    return true;
}

static bool crosses_any(const Defence *def, PxVec3 from, PxVec3 to)
{
    for (size_t k = 0; k < def->walls; ++k) {
        const PxWall *wall = &def->wall[k];
        PxVec3 a = px_wall_to_rest(wall, 0, from), b = px_wall_to_rest(wall, 1, to);
        double place;
        if (px_wall_distance(wall, a, NULL) >= 0 && meets(wall, a, b, 0, &place))
            return true;
    }
    return false;
}

static void defend_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Defence *def = user;
    PxParticles *p = def->p;
    uint64_t caught = 0, leaked = 0;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
        double way = px_length(v) * def->dt + def->wall_way;
        /* the bound was rounded to float, hence the half per cent */
        if ((double)def->far[i] * 0.995 > way + def->gap)
            continue;
        PxVec3 to = {(double)p->x[i] + (double)p->x_low[i], (double)p->y[i] + (double)p->y_low[i],
                     (double)p->z[i] + (double)p->z_low[i]};
        PxVec3 start = px_mad(to, v, -def->dt), from = start;
        bool any = false;
        for (int round = 0; round < 8; ++round) {
            bool again = false;
            for (size_t k = 0; k < def->walls; ++k)
                again |= correct(def, &def->wall[k], &from, &to, &v);
            any |= again;
            if (!again)
                break;
        }
        if (!any)
            continue;
        ++caught;
        if (crosses_any(def, start, to)) {
            /* Walls leave no way along them: stay, if that is possible. */
            to = start;
            leaked += crosses_any(def, start, start);
        }
        p->x[i] = (float)to.x;
        p->y[i] = (float)to.y;
        p->z[i] = (float)to.z;
        p->x_low[i] = (float)(to.x - (double)p->x[i]);
        p->y_low[i] = (float)(to.y - (double)p->y[i]);
        p->z_low[i] = (float)(to.z - (double)p->z[i]);
        p->vx[i] = (float)v.x;
        p->vy[i] = (float)v.y;
        p->vz[i] = (float)v.z;
    }
    atomic_fetch_add_explicit(&def->caught, caught, memory_order_relaxed);
    atomic_fetch_add_explicit(&def->leaked, leaked, memory_order_relaxed);
}

/* No point of the wall moves further than this in the step. A plane has points
 * at any distance from its pivot: its turning is not bounded. */
static double way_of(const PxWall *wall)
{
    if (wall->keys == 0)
        return 0;
    const PxPose *a = &wall->pose[0], *b = &wall->pose[1];
    PxQuat turn = px_quat_multiply(b->turn, px_quat_conjugate(a->turn));
    double angle =
        2 * atan2(sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z), fabs(turn.w));
    double shift = px_length(px_sub(b->move, a->move));
    if (angle == 0)
        return shift;
    PxVec3 low = px_sub(wall->bounds.low, wall->pivot),
           high = px_sub(wall->bounds.high, wall->pivot);
    double arm = px_length(px_vec(fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)),
                                  fmax(fabs(low.z), fabs(high.z))));
    return shift + angle * arm; /* infinite for a turning plane: always looked at */
}

void px_defend(PxParticles *p, const PxWall *wall, size_t walls, const float *far, double spacing,
               double dt, const PxThreads *threads, PxDefenceCount *count)
{
    count->caught = count->leaked = 0;
    if (walls == 0)
        return;
    Defence def = {.p = p,
                   .wall = wall,
                   .walls = walls,
                   .far = far,
                   .touch = 0.005 * spacing,
                   .gap = 0.01 * spacing,
                   .dt = dt};
    for (size_t k = 0; k < walls; ++k)
        def.wall_way = fmax(def.wall_way, way_of(&wall[k]));
    px_parallel_for(threads, p->table.count, PX_BLOCK, defend_block, &def);
    count->caught = atomic_load(&def.caught);
    count->leaked = atomic_load(&def.leaked);
}
