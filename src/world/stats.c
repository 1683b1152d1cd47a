/// What the world holds: sums over all particles, the same bits for any split.
#include "world/world_parts.h"

#include <math.h>

enum { MASS, PX, PY, PZ, LX, LY, LZ, KINETIC, POTENTIAL, SUMS };

static void add_rows(const void *user, uint32_t begin, uint32_t end, PxSum *sums)
{
    const PxWorld *world = user;
    const PxParticles *p = &world->particles;
    PxVec3 g = world->def.gravity;
    for (uint32_t i = begin; i < end; ++i) {
        double m = (double)p->mass[i];
        PxVec3 x = {(double)p->x[i] + (double)p->x_low[i], (double)p->y[i] + (double)p->y_low[i],
                    (double)p->z[i] + (double)p->z_low[i]};
        PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
        PxVec3 l = px_cross(x, v);
        px_sum_add(&sums[MASS], m);
        px_sum_add(&sums[PX], m * v.x);
        px_sum_add(&sums[PY], m * v.y);
        px_sum_add(&sums[PZ], m * v.z);
        px_sum_add(&sums[LX], m * l.x);
        px_sum_add(&sums[LY], m * l.y);
        px_sum_add(&sums[LZ], m * l.z);
        px_sum_add(&sums[KINETIC], 0.5 * m * px_dot(v, v));
        px_sum_add(&sums[POTENTIAL], -m * px_dot(g, x));
    }
}

void px_world_stats(PxWorld *world, PxStats *out)
{
    const PxParticles *p = &world->particles;
    uint32_t n = p->table.count;
    PxSum sums[SUMS];
    px_sum_rows(&world->threads, n, SUMS, add_rows, world, sums);
    px_dist_sum(&world->dist, sums, SUMS);
    double value[SUMS];
    for (int k = 0; k < SUMS; ++k)
        value[k] = px_sum_value(&sums[k]);
    double fastest = 0;
    for (uint32_t i = 0; i < n; ++i) {
        double v2 = (double)(p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i]);
        fastest = v2 > fastest ? v2 : fastest;
    }
    px_dist_max(&world->dist, &fastest, 1);
    *out = (PxStats){.step = world->state.step,
                     .time = world->state.time,
                     .dt = world->dt,
                     .particles = n,
                     .neighbours = world->neighbours,
                     .speed_max = sqrt(fastest),
                     .mass = value[MASS],
                     .kinetic = value[KINETIC],
                     .potential = value[POTENTIAL],
                     .momentum = {value[PX], value[PY], value[PZ]},
                     .angular_momentum = {value[LX], value[LY], value[LZ]},
                     .density_error = world->density_error,
                     .density_error_max = world->density_error_max,
                     .iterations = world->iterations,
                     .not_converged = world->state.not_converged,
                     .caught = world->state.caught,
                     .leaked = world->state.leaked};
}
