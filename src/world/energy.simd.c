#include "world/energy_rows.h"

#include <string.h>

/* Four rows at a time. Sums of rounded terms do not depend on their order (base/sum.h). */
typedef double Four __attribute__((vector_size(32)));
typedef float Four32 __attribute__((vector_size(16)));

/* Rows beyond the end are 0. */
static inline Four four(const float *from, uint32_t rows)
{
    Four32 v = {0, 0, 0, 0};
    if (rows >= 4)
        memcpy(&v, from, sizeof v);
    else
        memcpy(&v, from, rows * sizeof *from);
    return __builtin_convertvector(v, Four);
}

static inline double four_sum(Four v)
{
    return v[0] + v[1] + v[2] + v[3];
}

static inline Four four_round(double magic, Four v)
{
    return (v + magic) - magic;
}

/* -m g . x of rows [begin, end). */
double PX_ISA_NAME(px_energy_potential)(const PxParticles *p, PxVec3 g, double magic,
                                        uint32_t begin, uint32_t end)
{
    Four sum = {0, 0, 0, 0};
    for (uint32_t i = begin; i < end; i += 4) {
        uint32_t n = end - i;
        Four high = g.x * (four(p->x + i, n) + four(p->x_low + i, n)) +
                    g.y * (four(p->y + i, n) + four(p->y_low + i, n)) +
                    g.z * (four(p->z + i, n) + four(p->z_low + i, n));
        sum += four_round(magic, -four(p->mass + i, n) * high);
    }
    return four_sum(sum);
}

double PX_ISA_NAME(px_energy_kinetic)(const PxParticles *p, double magic, uint32_t begin,
                                      uint32_t end)
{
    Four sum = {0, 0, 0, 0};
    for (uint32_t i = begin; i < end; i += 4) {
        uint32_t n = end - i;
        Four x = four(p->vx + i, n), y = four(p->vy + i, n), z = four(p->vz + i, n);
        sum += four_round(magic, 0.5 * four(p->mass + i, n) * (x * x + y * y + z * z));
    }
    return four_sum(sum);
}

/* Work done on particles that an emitter or a handle moves: that of all accelerations but
 * gravity. */
static double held_rows(const PxEnergy *e, const PxFluid *f, uint32_t begin, uint32_t end)
{
    const PxParticles *p = f->particles;
    PxVec3 g = e->work.gravity;
    double dt = (double)e->pass.dt, sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        if (f->inverse_mass[i] > 0.0f)
            continue;
        PxVec3 a = {(double)p->ax[i], (double)p->ay[i], (double)p->az[i]};
        PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
        double w = dt * (double)p->mass[i] * px_dot(px_sub(a, g), px_mad(v, a, 0.5 * dt));
        sum += px_sum_round(e->pass.magic[PX_SUM_HELD], w);
    }
    return sum;
}

/* All sums over velocities and accelerations, in one pass.
 *
 * Potential energy falls by m dt g . v1, and gravity does the work m dt g . (v0 + v1) / 2: the
 * difference is - m dt^2 g . a / 2. Velocities change as in step.c: rounded to float. */
static void velocity_rows(const PxEnergy *e, const PxFluid *f, uint32_t begin, uint32_t end,
                          double *sum)
{
    const PxParticles *p = f->particles;
    const float *const v[3] = {p->vx, p->vy, p->vz}, *const a[3] = {p->ax, p->ay, p->az};
    const double g[3] = {e->work.gravity.x, e->work.gravity.y, e->work.gravity.z};
    const double *magic = e->pass.magic, dt = (double)e->pass.dt;
    const uint32_t marks = e->work.marks;
    const Four zero = {0, 0, 0, 0};
    Four kinetic = zero, change = zero, gravity = zero, stage[PX_WORK_MARKS + 1];
    for (uint32_t k = 0; k <= marks; ++k)
        stage[k] = zero;
    for (uint32_t i = begin; i < end; i += 4) {
        uint32_t n = end - i;
        Four mass = four(p->mass + i, n), square = zero, gain = zero, along = zero;
        Four free = __builtin_convertvector(-(four(f->inverse_mass + i, n) > zero), Four);
        Four last[3], middle[3], from[3];
        for (int c = 0; c < 3; ++c) {
            Four v0 = four(v[c] + i, n);
            last[c] = four(a[c] + i, n);
            Four32 v1 = __builtin_convertvector(v0, Four32) +
                        __builtin_convertvector(last[c], Four32) * e->pass.dt;
            Four to = __builtin_convertvector(v1, Four);
            square += v0 * v0;
            gain += (to - v0) * (to + v0);
            along += g[c] * last[c];
            middle[c] = v0 + 0.5 * dt * last[c];
            from[c] = zero + g[c];
        }
        kinetic += four_round(magic[PX_SUM_BEFORE], 0.5 * mass * square);
        change += four_round(magic[PX_SUM_CHANGE], 0.5 * mass * gain);
        gravity += four_round(magic[PX_SUM_GRAVITY], -0.5 * dt * dt * mass * along);
        free *= dt * mass;
        for (uint32_t k = 0; k < marks; ++k) {
            Four work = zero;
            for (int c = 0; c < 3; ++c) {
                Four to = four(e->work.mark[k].a[c] + i, n);
                work += (to - from[c]) * middle[c];
                from[c] = to;
            }
            stage[k] += four_round(magic[PX_SUM_STAGES + k], free * work);
        }
        Four work = (last[0] - from[0]) * middle[0] + (last[1] - from[1]) * middle[1] +
                    (last[2] - from[2]) * middle[2];
        stage[marks] += four_round(magic[PX_SUM_STAGES + marks], free * work);
    }
    sum[PX_SUM_BEFORE] += four_sum(kinetic);
    sum[PX_SUM_CHANGE] += four_sum(change);
    sum[PX_SUM_GRAVITY] += four_sum(gravity);
    for (uint32_t k = 0; k <= marks; ++k)
        sum[PX_SUM_STAGES + k] += four_sum(stage[k]);
}

static double shift_rows(const PxEnergy *e, const PxFluid *f, uint32_t begin, uint32_t end)
{
    PxVec3 g = e->work.gravity;
    Four sum = {0, 0, 0, 0};
    for (uint32_t i = begin; i < end; i += 4) {
        uint32_t n = end - i;
        Four along = g.x * four(f->shift[0] + i, n) + g.y * four(f->shift[1] + i, n) +
                     g.z * four(f->shift[2] + i, n);
        Four mass = four(f->particles->mass + i, n);
        sum += four_round(e->pass.magic[PX_SUM_SHIFTS], -(double)e->pass.dt * mass * along);
    }
    return four_sum(sum);
}

void PX_ISA_NAME(px_energy_before)(const PxEnergy *e, const PxFluid *f, uint32_t begin,
                                   uint32_t end, double *sum)
{
    double walls = 0;
    double potential = PX_ISA_NAME(px_energy_potential)(f->particles, e->work.gravity,
                                                        e->pass.magic[PX_SUM_BEFORE], begin, end);
    velocity_rows(e, f, begin, end, sum);
    sum[PX_SUM_BEFORE] += potential;
    sum[PX_SUM_AFTER] -= potential; /* the quantum is the same */
    if (f->shift[0] != NULL)
        sum[PX_SUM_SHIFTS] += shift_rows(e, f, begin, end);
    if (e->pass.held)
        sum[PX_SUM_HELD] += held_rows(e, f, begin, end);
    for (uint32_t i = begin; i < end && e->pass.walls; ++i) {
        double power = (double)f->wall_push[i] * (double)f->wall_flux[i];
        walls += px_sum_round(e->pass.magic[PX_SUM_WALLS], -(double)e->pass.dt * power);
    }
    sum[PX_SUM_WALLS] += walls;
}

void PX_ISA_NAME(px_energy_after)(const PxEnergy *e, const PxFluid *f, uint32_t begin, uint32_t end,
                                  double *sum)
{
    sum[PX_SUM_AFTER] += PX_ISA_NAME(px_energy_potential)(f->particles, e->work.gravity,
                                                          e->pass.magic[PX_SUM_AFTER], begin, end);
}
