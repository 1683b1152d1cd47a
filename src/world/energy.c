#include "world/energy_rows.h"

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

static void total_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Total *t = user;
    const PxParticles *p = &t->world->particles;
    part->sum[0] = PX_ISA_PICK(t->world->isa, px_energy_kinetic)(p, t->magic[0], begin, end) +
                   PX_ISA_PICK(t->world->isa, px_energy_potential)(p, t->world->def.gravity,
                                                                   t->magic[1], begin, end);
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

/* Maxima of the pass: mass, |v|^2 before and after, |x|^2, shift^2, wall work, held; then |a|^2 of
 * the acceleration by gravity, after each stage that px_work_mark() recorded, and at the end. */
enum { MOST_MASS, MOST_V0, MOST_V1, MOST_X, MOST_SHIFT, MOST_WALL, MOST_HELD, MOST_A };

typedef struct Bounds {
    const PxEnergy *energy;
    const PxFluid *fluid;
} Bounds;

typedef float Four32 __attribute__((vector_size(16)));
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
    double v = 1.001 * (v0 + a * dt), before = g, bound[PX_SUM_STAGES + PX_WORK_MARKS + 1];
    double shift = 1.001 * sqrt(most.most[MOST_SHIFT]);
    double far = sqrt(most.most[MOST_X]) + (v + shift) * dt;
    bound[PX_SUM_BEFORE] = bound[PX_SUM_AFTER] = m * (0.5 * v * v + g * far);
    e->coarse = 1e-11 * (double)all * bound[PX_SUM_BEFORE];
    bound[PX_SUM_CHANGE] = m * a * dt * v;
    bound[PX_SUM_GRAVITY] = m * g * a * dt * dt;
    bound[PX_SUM_SHIFTS] = m * g * shift * dt;
    bound[PX_SUM_WALLS] = dt * most.most[MOST_WALL];
    bound[PX_SUM_HELD] = 2 * m * a * dt * v;
    for (uint32_t k = 0; k < stages; ++k) {
        double here = sqrt(most.most[MOST_A + k]);
        bound[PX_SUM_STAGES + k] = 1.001 * m * dt * v * (here + before);
        before = here;
    }
    e->pass.held = most.most[MOST_HELD] > 0;
    for (uint32_t k = 0; k < PX_SUM_STAGES + stages; ++k)
        e->pass.magic[k] = px_sum_magic(bound[k], 2 * all);
    return PX_SUM_STAGES + stages;
}

void px_energy_before(const PxEnergy *e, const PxFluid *f, uint32_t begin, uint32_t end,
                      PxPart *part)
{
    PX_ISA_PICK(f->isa, px_energy_before)(e, f, begin, end, part->sum);
}

void px_energy_after(const PxEnergy *e, const PxFluid *f, uint32_t begin, uint32_t end,
                     PxPart *part)
{
    PX_ISA_PICK(f->isa, px_energy_after)(e, f, begin, end, part->sum);
}

void px_energy_moved(PxEnergy *e, const PxPart *total)
{
    const double *sum = total->sum;
    double before = sum[PX_SUM_BEFORE] + e->elastic,
           change = sum[PX_SUM_CHANGE] + sum[PX_SUM_AFTER], stages = 0;
    if (e->known)
        px_energy_add(e, PX_WORK_emitters, before - e->start);
    else
        e->start = before;
    e->known = true;
    e->done[PX_WORK_gravity] += sum[PX_SUM_GRAVITY];
    e->done[PX_WORK_shifts] += sum[PX_SUM_SHIFTS];
    e->done[PX_WORK_emitters] += sum[PX_SUM_HELD];
    stages = sum[PX_SUM_GRAVITY] + sum[PX_SUM_SHIFTS] + sum[PX_SUM_HELD];
    for (uint32_t k = 0; k <= e->work.marks; ++k) {
        PxWorkKind kind = k < e->work.marks ? e->work.mark[k].kind : e->work.last;
        e->done[kind] += sum[PX_SUM_STAGES + k];
        stages += sum[PX_SUM_STAGES + k];
    }
    /* Of the work of pressure and drag, what moving walls give. */
    double pushed = sum[PX_SUM_WALLS] + e->work.wall_push;
    e->done[PX_WORK_pressure] -= pushed;
    e->done[PX_WORK_viscosity] -= e->work.wall_drag;
    e->done[PX_WORK_walls] += pushed + e->work.wall_drag;
    e->done[PX_WORK_rounding] += change - stages;
    e->now = before + change;
}
