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
static double potential_rows(const PxParticles *p, PxVec3 g, double magic, uint32_t begin,
                             uint32_t end)
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

static double kinetic_rows(const PxParticles *p, double magic, uint32_t begin, uint32_t end)
{
    Four sum = {0, 0, 0, 0};
    for (uint32_t i = begin; i < end; i += 4) {
        uint32_t n = end - i;
        Four x = four(p->vx + i, n), y = four(p->vy + i, n), z = four(p->vz + i, n);
        sum += four_round(magic, 0.5 * four(p->mass + i, n) * (x * x + y * y + z * z));
    }
    return four_sum(sum);
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

typedef int32_t FourInt __attribute__((vector_size(16)));

/* Largest square of vectors; rows that are not numbers are reported when they move. */
static float largest3(const float *x, const float *y, const float *z, uint32_t begin, uint32_t end)
{
    Four32 most = {0, 0, 0, 0};
    uint32_t i = begin;
    for (; i + 4 <= end; i += 4) {
        Four32 a, b, c;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        memcpy(&c, z + i, sizeof c);
        Four32 s = a * a + b * b + c * c;
        FourInt more = s > most;
        most = (Four32)(((FourInt)s & more) | ((FourInt)most & ~more));
    }
    float best = fmaxf(fmaxf(most[0], most[1]), fmaxf(most[2], most[3]));
    for (; i < end; ++i)
        best = fmaxf(best, x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
    return best;
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
        kinetic += four_round(magic[BEFORE], 0.5 * mass * square);
        change += four_round(magic[CHANGE], 0.5 * mass * gain);
        gravity += four_round(magic[GRAVITY], -0.5 * dt * dt * mass * along);
        free *= dt * mass;
        for (uint32_t k = 0; k < marks; ++k) {
            Four work = zero;
            for (int c = 0; c < 3; ++c) {
                Four to = four(e->work.mark[k].a[c] + i, n);
                work += (to - from[c]) * middle[c];
                from[c] = to;
            }
            stage[k] += four_round(magic[STAGES + k], free * work);
        }
        Four work = (last[0] - from[0]) * middle[0] + (last[1] - from[1]) * middle[1] +
                    (last[2] - from[2]) * middle[2];
        stage[marks] += four_round(magic[STAGES + marks], free * work);
    }
    sum[BEFORE] += four_sum(kinetic);
    sum[CHANGE] += four_sum(change);
    sum[GRAVITY] += four_sum(gravity);
    for (uint32_t k = 0; k <= marks; ++k)
        sum[STAGES + k] += four_sum(stage[k]);
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
        sum += four_round(e->pass.magic[SHIFTS], -(double)e->pass.dt * mass * along);
    }
    return four_sum(sum);
}

void px_energy_before(const PxEnergy *e, const PxFluid *f, uint32_t begin, uint32_t end,
                      PxPart *part)
{
    double *sum = part->sum, walls = 0;
    double potential =
        potential_rows(f->particles, e->work.gravity, e->pass.magic[BEFORE], begin, end);
    velocity_rows(e, f, begin, end, sum);
    sum[BEFORE] += potential;
    sum[AFTER] -= potential; /* the quantum is the same */
    if (f->shift[0] != NULL)
        sum[SHIFTS] += shift_rows(e, f, begin, end);
    if (e->pass.held)
        sum[HELD] += held_rows(e, f, begin, end);
    for (uint32_t i = begin; i < end && e->pass.walls; ++i) {
        double power = (double)f->wall_push[i] * (double)f->wall_flux[i];
        walls += px_sum_round(e->pass.magic[WALLS], -(double)e->pass.dt * power);
    }
    sum[WALLS] += walls;
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
