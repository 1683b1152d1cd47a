#include "world/energy.h"

#include <math.h>
#include <string.h>

/* ---- energy of all rows -------------------------------------------------- */

typedef struct Total {
    const PxWorld *world;
    double magic[2];
} Total;

/* Maxima of mass, squared speed, squared distance from the origin. */
enum { MASS, SPEED, DISTANCE };

static void largest_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const PxParticles *p = &((const Total *)user)->world->particles;
    float mass = 0, speed = 0, distance = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float v2 = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
        float x2 = p->x[i] * p->x[i] + p->y[i] * p->y[i] + p->z[i] * p->z[i];
        mass = p->mass[i] > mass ? p->mass[i] : mass;
        speed = v2 > speed ? v2 : speed;
        distance = x2 > distance ? x2 : distance;
    }
    part->most[MASS] = (double)mass;
    part->most[SPEED] = (double)speed;
    part->most[DISTANCE] = (double)distance;
}

/* -m g . x of rows [begin, end). */
static double potential_rows(const PxParticles *p, PxVec3 g, double magic, uint32_t begin,
                             uint32_t end)
{
    const float *restrict x = p->x, *restrict y = p->y, *restrict z = p->z;
    const float *restrict xl = p->x_low, *restrict yl = p->y_low, *restrict zl = p->z_low;
    const float *restrict mass = p->mass;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        double high = g.x * ((double)x[i] + (double)xl[i]) + g.y * ((double)y[i] + (double)yl[i]) +
                      g.z * ((double)z[i] + (double)zl[i]);
        sum += px_sum_round(magic, -(double)mass[i] * high);
    }
    return sum;
}

static double kinetic_rows(const PxParticles *p, double magic, uint32_t begin, uint32_t end)
{
    const float *restrict vx = p->vx, *restrict vy = p->vy, *restrict vz = p->vz;
    const float *restrict mass = p->mass;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        double x = (double)vx[i], y = (double)vy[i], z = (double)vz[i];
        sum += px_sum_round(magic, 0.5 * (double)mass[i] * (x * x + y * y + z * z));
    }
    return sum;
}

static void total_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Total *t = user;
    const PxParticles *p = &t->world->particles;
    part->sum[0] = kinetic_rows(p, t->magic[0], begin, end) +
                   potential_rows(p, t->world->def.gravity, t->magic[1], begin, end);
}

/* Kinetic, potential and elastic energy, J. Both sums have one quantum, so that they add up
 * exactly. */
static double measure(PxEnergy *e, const PxWorld *world)
{
    Total t = {.world = world};
    PxRows rows = px_world_rows(world);
    PxPart most = {.maxima = 3}, total = {.sums = 1};
    uint64_t all = px_reduce(&rows, largest_part, &t, &most);
    double m = 1.001 * most.most[MASS], g = px_length(world->def.gravity);
    double bound = m * (0.5 * most.most[SPEED] + g * sqrt(most.most[DISTANCE]));
    e->coarse = 1e-11 * (double)all * bound;
    t.magic[0] = t.magic[1] = px_sum_magic(bound, 2 * all);
    px_reduce(&rows, total_part, &t, &total);
    return total.sum[0] + world->elastic;
}

/* ---- the balance --------------------------------------------------------- */

void px_energy_begin(PxEnergy *e, PxWorld *world, PxFluid *fluid)
{
    *e = (PxEnergy){.elastic = world->elastic};
    e->work.gravity = world->def.gravity;
    fluid->work = &e->work;
    /* Emitters change velocities at once; without fluid stages nothing is measured on the way. */
    if (world->emitters.count > 0 || !world->flows || world->flow_rows == 0) {
        e->start = e->now = measure(e, world);
        e->known = true;
    }
}

void px_energy_stage(PxEnergy *e, PxWorld *world, PxWorkKind kind)
{
    double now = measure(e, world);
    px_energy_add(e, kind, now - e->now);
    e->now = now;
    e->elastic = world->elastic;
}

void px_energy_add(PxEnergy *e, PxWorkKind kind, double work)
{
    e->done[kind] += work;
    e->now += kind == PX_WORK_defence ? work : 0;
}

void px_energy_end(PxEnergy *e, PxWorld *world)
{
    double before = world->state.step > 0 ? e->start - world->state.energy : 0;
    e->done[fabs(before) > e->coarse ? PX_WORK_events : PX_WORK_rounding] += before;
    world->state.energy = e->now;
    memcpy(world->work, e->done, sizeof e->done);
}

/* ---- the pass that moves particles ---------------------------------------- */

/* Sums of the pass: energy before and after, change of kinetic energy, work of gravity beyond the
 * potential energy that it takes, of shifts, of moving walls, of what holds rows, then one per
 * mark and one for what followed the last mark. */
enum { BEFORE, AFTER, CHANGE, GRAVITY, SHIFTS, WALLS, HELD, STAGES };

/* Maxima of the pass: mass, |v|^2 before and after, |x|^2, shift^2, wall work, held; then |a|^2 of
 * gravity (a row's a may be set), of each mark, and in the end. */
enum { MOST_MASS, MOST_V0, MOST_V1, MOST_X, MOST_SHIFT, MOST_WALL, MOST_HELD, MOST_A };

typedef struct Bounds {
    const PxEnergy *energy;
    const PxFluid *fluid;
} Bounds;

static float largest3(const float *restrict x, const float *restrict y, const float *restrict z,
                      uint32_t begin, uint32_t end)
{
    float most = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float s = x[i] * x[i] + y[i] * y[i] + z[i] * z[i];
        most = s > most ? s : most;
    }
    return most;
}

/* The accelerations after stage k of the marks; the last ones are the particles' own. */
static void stage_of(const PxEnergy *e, const PxFluid *f, uint32_t k, const float *a[3])
{
    const PxParticles *p = f->particles;
    const float *const own[3] = {p->ax, p->ay, p->az};
    for (int c = 0; c < 3; ++c)
        a[c] = k < e->work.marks ? e->work.mark[k].a[c] : own[c];
}

static void bounds_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Bounds *b = user;
    const PxEnergy *e = b->energy;
    const PxFluid *f = b->fluid;
    const PxParticles *p = f->particles;
    float mass = 0, least = INFINITY, wall = 0;
    for (uint32_t i = begin; i < end; ++i) {
        mass = p->mass[i] > mass ? p->mass[i] : mass;
        least = f->inverse_mass[i] < least ? f->inverse_mass[i] : least;
    }
    for (uint32_t i = begin; i < end && e->pass.walls; ++i)
        wall = fmaxf(wall, fabsf(f->wall_push[i] * f->wall_flux[i]));
    part->most[MOST_MASS] = (double)mass;
    part->most[MOST_V0] = (double)largest3(p->vx, p->vy, p->vz, begin, end);
    part->most[MOST_X] = (double)largest3(p->x, p->y, p->z, begin, end);
    if (f->shift[0] != NULL)
        part->most[MOST_SHIFT] =
            (double)largest3(f->shift[0], f->shift[1], f->shift[2], begin, end);
    part->most[MOST_WALL] = (double)wall;
    part->most[MOST_HELD] = least > 0.0f ? 0 : 1;
    for (uint32_t k = 0; k <= e->work.marks; ++k) {
        const float *a[3];
        stage_of(e, f, k, a);
        part->most[MOST_A + k] = (double)largest3(a[0], a[1], a[2], begin, end);
    }
}

uint32_t px_energy_move(PxEnergy *e, const PxWorld *world, const PxFluid *f)
{
    uint32_t stages = e->work.marks + 1;
    Bounds job = {e, f};
    PxRows rows = px_fluid_rows(f);
    PxPart most = {.maxima = MOST_A + stages};
    e->pass.dt = (float)world->dt;
    e->pass.walls = px_boundaries_travel(f->boundary, f->boundaries) > 0;
    uint64_t all = px_reduce(&rows, bounds_part, &job, &most);
    double m = 1.001 * most.most[MOST_MASS], dt = world->dt, g = px_length(e->work.gravity);
    double a = g, v0 = sqrt(most.most[MOST_V0]);
    for (uint32_t k = 0; k < stages; ++k)
        a = fmax(a, sqrt(most.most[MOST_A + k]));
    double v = 1.001 * (v0 + a * dt), before = g, bound[STAGES + PX_WORK_MARKS + 1];
    double shift = 1.001 * sqrt(most.most[MOST_SHIFT]);
    double far = sqrt(most.most[MOST_X]) + (v + shift) * dt;
    bound[BEFORE] = bound[AFTER] = m * (0.5 * v * v + g * far);
    e->coarse = 1e-11 * (double)all * bound[BEFORE];
    bound[CHANGE] = m * a * dt * v;
    bound[GRAVITY] = m * g * a * dt * dt;
    bound[SHIFTS] = m * g * shift * dt;
    bound[WALLS] = dt * most.most[MOST_WALL];
    bound[HELD] = 2 * m * a * dt * v;
    for (uint32_t k = 0; k < stages; ++k) {
        double here = sqrt(most.most[MOST_A + k]);
        bound[STAGES + k] = 1.001 * m * dt * v * (here + before);
        before = here;
    }
    e->pass.held = most.most[MOST_HELD] > 0;
    for (uint32_t k = 0; k < STAGES + stages; ++k)
        e->pass.magic[k] = px_sum_magic(bound[k], 2 * all);
    return STAGES + stages;
}

/* Work of the accelerations `to` less `from` (or gravity) on free rows. */
static double stage_rows(const PxEnergy *e, const PxFluid *f, const float *const from[3],
                         const float *const to[3], double magic, uint32_t begin, uint32_t end)
{
    const PxParticles *p = f->particles;
    const float *restrict vx = p->vx, *restrict vy = p->vy, *restrict vz = p->vz;
    const float *restrict ax = p->ax, *restrict ay = p->ay, *restrict az = p->az;
    const float *restrict mass = p->mass, *restrict free = f->inverse_mass;
    const float *restrict tx = to[0], *restrict ty = to[1], *restrict tz = to[2];
    double dt = (double)e->pass.dt, half = 0.5 * dt, sum = 0;
    if (from[0] == NULL) {
        double gx = e->work.gravity.x, gy = e->work.gravity.y, gz = e->work.gravity.z;
        for (uint32_t i = begin; i < end; ++i) {
            double w = ((double)tx[i] - gx) * ((double)vx[i] + half * (double)ax[i]) +
                       ((double)ty[i] - gy) * ((double)vy[i] + half * (double)ay[i]) +
                       ((double)tz[i] - gz) * ((double)vz[i] + half * (double)az[i]);
            w = free[i] > 0.0f ? dt * (double)mass[i] * w : 0.0;
            sum += px_sum_round(magic, w);
        }
        return sum;
    }
    const float *restrict fx = from[0], *restrict fy = from[1], *restrict fz = from[2];
    for (uint32_t i = begin; i < end; ++i) {
        double w = ((double)tx[i] - (double)fx[i]) * ((double)vx[i] + half * (double)ax[i]) +
                   ((double)ty[i] - (double)fy[i]) * ((double)vy[i] + half * (double)ay[i]) +
                   ((double)tz[i] - (double)fz[i]) * ((double)vz[i] + half * (double)az[i]);
        w = free[i] > 0.0f ? dt * (double)mass[i] * w : 0.0;
        sum += px_sum_round(magic, w);
    }
    return sum;
}

/* Work of what holds rows: all of their acceleration but gravity. */
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
        sum += px_sum_round(e->pass.magic[HELD], w);
    }
    return sum;
}

/* Potential energy falls by m dt g . v1, and gravity does the work m dt g . (v0 + v1) / 2: the
 * difference is - m dt^2 g . a / 2. Shifts lift and lower particles. */
static void gravity_rows(const PxEnergy *e, const PxFluid *f, uint32_t begin, uint32_t end,
                         double *sum)
{
    const PxParticles *p = f->particles;
    const float *restrict ax = p->ax, *restrict ay = p->ay, *restrict az = p->az;
    const float *restrict mass = p->mass;
    double gx = e->work.gravity.x, gy = e->work.gravity.y, gz = e->work.gravity.z;
    double dt = (double)e->pass.dt, less = -0.5 * dt * dt, gravity = 0, shifts = 0;
    for (uint32_t i = begin; i < end; ++i) {
        double along = gx * (double)ax[i] + gy * (double)ay[i] + gz * (double)az[i];
        gravity += px_sum_round(e->pass.magic[GRAVITY], less * (double)mass[i] * along);
    }
    sum[GRAVITY] += gravity;
    if (f->shift[0] == NULL)
        return;
    const float *restrict sx = f->shift[0], *restrict sy = f->shift[1], *restrict sz = f->shift[2];
    for (uint32_t i = begin; i < end; ++i) {
        double along = gx * (double)sx[i] + gy * (double)sy[i] + gz * (double)sz[i];
        shifts += px_sum_round(e->pass.magic[SHIFTS], -dt * (double)mass[i] * along);
    }
    sum[SHIFTS] += shifts;
}

/* Velocities change as in step.c: rounded to float. */
static double change_rows(const PxEnergy *e, const PxFluid *f, uint32_t begin, uint32_t end)
{
    const PxParticles *p = f->particles;
    const float *restrict vx = p->vx, *restrict vy = p->vy, *restrict vz = p->vz;
    const float *restrict ax = p->ax, *restrict ay = p->ay, *restrict az = p->az;
    const float *restrict mass = p->mass;
    float dt = e->pass.dt;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float nx = vx[i] + ax[i] * dt, ny = vy[i] + ay[i] * dt, nz = vz[i] + az[i] * dt;
        double x = (double)vx[i], y = (double)vy[i], z = (double)vz[i];
        double to_x = (double)nx, to_y = (double)ny, to_z = (double)nz;
        double w = (to_x - x) * (to_x + x) + (to_y - y) * (to_y + y) + (to_z - z) * (to_z + z);
        sum += px_sum_round(e->pass.magic[CHANGE], 0.5 * (double)mass[i] * w);
    }
    return sum;
}

void px_energy_before(const PxEnergy *e, const PxFluid *f, uint32_t begin, uint32_t end,
                      PxPart *part)
{
    const PxParticles *p = f->particles;
    double *sum = part->sum;
    const float *from[3] = {NULL, NULL, NULL}, *to[3];
    sum[BEFORE] += kinetic_rows(p, e->pass.magic[BEFORE], begin, end) +
                   potential_rows(p, e->work.gravity, e->pass.magic[BEFORE], begin, end);
    sum[AFTER] -= potential_rows(p, e->work.gravity, e->pass.magic[AFTER], begin, end);
    sum[CHANGE] += change_rows(e, f, begin, end);
    gravity_rows(e, f, begin, end, sum);
    if (e->pass.held)
        sum[HELD] += held_rows(e, f, begin, end);
    double walls = 0;
    for (uint32_t i = begin; i < end && e->pass.walls; ++i)
        walls += px_sum_round(e->pass.magic[WALLS], -(double)e->pass.dt *
                                                        (double)f->wall_push[i] *
                                                        (double)f->wall_flux[i]);
    sum[WALLS] += walls;
    for (uint32_t k = 0; k <= e->work.marks; ++k) {
        stage_of(e, f, k, to);
        sum[STAGES + k] += stage_rows(e, f, from, to, e->pass.magic[STAGES + k], begin, end);
        memcpy(from, to, sizeof from);
    }
}

void px_energy_after(const PxEnergy *e, const PxFluid *f, uint32_t begin, uint32_t end,
                     PxPart *part)
{
    part->sum[AFTER] +=
        potential_rows(f->particles, e->work.gravity, e->pass.magic[AFTER], begin, end);
}

void px_energy_moved(PxEnergy *e, const PxPart *total)
{
    const double *sum = total->sum;
    double before = sum[BEFORE] + e->elastic, change = sum[CHANGE] + sum[AFTER], stages = 0;
    if (e->known)
        px_energy_add(e, PX_WORK_emitters, before - e->start);
    else
        e->start = before;
    e->known = true;
    e->done[PX_WORK_gravity] += sum[GRAVITY];
    e->done[PX_WORK_shifts] += sum[SHIFTS];
    e->done[PX_WORK_emitters] += sum[HELD];
    stages = sum[GRAVITY] + sum[SHIFTS] + sum[HELD];
    for (uint32_t k = 0; k <= e->work.marks; ++k) {
        PxWorkKind kind = k < e->work.marks ? e->work.mark[k].kind : e->work.last;
        e->done[kind] += sum[STAGES + k];
        stages += sum[STAGES + k];
    }
    /* Of the work of pressure and drag, what moving walls give. */
    e->done[PX_WORK_pressure] -= sum[WALLS];
    e->done[PX_WORK_viscosity] -= e->work.wall_drag;
    e->done[PX_WORK_walls] += sum[WALLS] + e->work.wall_drag;
    e->done[PX_WORK_rounding] += change - stages;
    e->now = before + change;
}
