#include "fluid/pressure/implicit_pressure.h"

#include "fluid/pressure/mac.h"
#include "fluid/pressure/poisson.h"
#include "fluid/pressure/reported.h"
#include "fluid/yield.h"
#include "fluid/work.h"

#include <math.h>
#include <string.h>

typedef struct Job {
    PxFluid *fluid;
    PxPoisson *poisson;
    float *kept; /* pressure for the warm start of the next step, Pa */
    float keep;  /* fraction of it that the first guess is */
    float *all;  /* P of all solves of the step */
    bool warm, forces;
} Job;

/* Fraction w of the last step's pressure in a warm start.
 *
 * w = 1 is unstable. Let r(n) be the residual of a density mode after step n, and p the fraction of
 * it that a solve leaves. The velocities have changed the mode by r(n) - r(n-1), and the pressure
 * has changed that by r(n) - 2 r(n-1) + r(n-2). With the warm start w the next step leaves
 *   r(n+1) = p ((2 + w) r(n) - (1 + 2 w) r(n-1) + w r(n-2)).
 * With w = 1 it grows whenever p > 1/2. Such modes always exist: alternating compression of
 * neighbours has almost no pressure gradient. With w = 1/2, as in Ihmsen et al. (2014), no mode
 * grows for any p; the coarse grid supplies the missing smooth part. */
#define KEPT 0.5f

/* The volume V in P = p V^2: that of the lattice with corrected rates, which are of velocities, not
 * of the density. */
PX_INLINE float volume_of(const Job *job, uint32_t i)
{
    double s = job->fluid->spacing;
    return job->poisson->corrected != NULL ? (float)(s * s * s) : job->fluid->volume[i];
}

/* P = p V^2 from the last step's p, only for particles with enough neighbours. A drop that left
 * the fluid with the pressure of an impact has a large V and would be shot off the next wall. */
static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    float most = (float)(f->spacing * f->spacing * f->spacing / 0.9);
    for (uint32_t i = begin; i < end; ++i) {
        float v = volume_of(job, i);
        job->poisson->pressure[i] =
            job->warm && f->volume[i] < most ? job->keep * job->kept[i] * v * v : 0.0f;
    }
}

/* Stores the pressure and adds its acceleration, computed from the velocities before and after
 * the solve. */
static void end_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxParticles *p = job->fluid->particles;
    float dt = (float)job->poisson->dt, per_dt = (float)(1.0 / job->poisson->dt);
    double s = job->fluid->spacing;
    float per_volume = (float)(1.0 / (s * s * s)), *wall_push = job->fluid->wall_push;
    for (uint32_t i = begin; i < end; ++i) {
        const float *u = job->poisson->record + 8 * (size_t)i + 4;
        const PxCorrected *c = job->poisson->corrected;
        float wall = c != NULL ? c->turn[8 * (size_t)i + 6] : 1.0f;
        float v = volume_of(job, i);
        job->kept[i] = job->poisson->pressure[i] / (v * v);
        wall_push[i] += job->poisson->pressure[i] * per_volume * wall;
        float forces = job->forces ? dt : 0.0f;
        p->ax[i] += (u[0] - (p->vx[i] + forces * p->ax[i])) * per_dt;
        p->ay[i] += (u[1] - (p->vy[i] + forces * p->ay[i])) * per_dt;
        p->az[i] += (u[2] - (p->vz[i] + forces * p->az[i])) * per_dt;
    }
}

/* Stores the velocities that the solve added as the shift of this step. */
static void shift_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxFluid *f = job->fluid;
    const PxParticles *p = f->particles;
    float dt = (float)job->poisson->dt;
    for (uint32_t i = begin; i < end; ++i) {
        const float *u = job->poisson->record + 8 * (size_t)i + 4;
        f->shift[0][i] = u[0] - (p->vx[i] + dt * p->ax[i]);
        f->shift[1][i] = u[1] - (p->vy[i] + dt * p->ay[i]);
        f->shift[2][i] = u[2] - (p->vz[i] + dt * p->az[i]);
    }
}

static void report_corrected_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxParticles *p = job->fluid->particles;
    memcpy(p->pressure + begin, p->warm_pressure + begin, (end - begin) * sizeof(float));
}

static void report_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxParticles *p = job->fluid->particles;
    for (uint32_t i = begin; i < end; ++i) {
        float v = job->fluid->volume[i], all = p->warm_pressure[i] + p->warm_divergence[i];
        job->all[i] = all * v * v;
        p->pressure[i] = all * px_fluid_pressure_factor(job->fluid, i, job->poisson->stiff[i]);
    }
}

static PxStatus run(Job *job, double error, PxPoissonOptions options, PxBlockFunction *end)
{
    PxFluid *f = job->fluid;
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, begin_block, job);
    options.error = error / 100;
    PxPoissonResult r;
    PX_TRY(PX_ISA_NAME(px_poisson_solve)(job->poisson, options, &r));
    job->forces = options.forces;
    px_yield_keep(f);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, end, job);
    f->iterations += r.iterations;
    f->solve_error = 100 * r.error;
    f->divergence = r.closing / f->dt;
    f->converged = f->converged && r.converged;
    return PX_OK;
}

/* Step at the top speed of the scene, s. */
static double calm_step(const PxFluid *f)
{
    return f->courant * 0.5 * (double)f->kernel.h / f->top_speed;
}

/* Fraction of the existing compression to undo in this step. Undoing all of it within a very short
 * step, caused by one fast drop, would need unbounded velocities; so it takes at least as long as a
 * step at the top speed of the scene. */
static double part_to_undo(const PxFluid *f)
{
    double calm = calm_step(f);
    return f->dt < calm ? f->dt / calm : 1;
}

/* Time constant of the low-pass filter of the pressure, in steps at the top speed of the scene. In
 * a step as short as dt, compression is undone by a pressure that rises with 1 / dt; its part in
 * the filtered pressure does not. Shorter ones feed back: with 2, syrup of 100 Pa s at rest
 * (`dfsph`) bursts every 0.1 s. */
#define STEADY 8.0

static float filter_part(const PxFluid *f)
{
    return (float)-expm1(-f->dt / (STEADY * calm_step(f)));
}

/* What pressure does in the step, low-pass filtered for the next viscous solve
 * (viscosity/implicit_viscosity.simd.c). The accelerations of the particles are kept as they are,
 * not computed again from the pressure: in a fluid at rest they balance gravity exactly, whatever
 * the pressure model, which a gradient of the pressure by other sums would not. */
typedef struct Steady {
    const PxFluid *fluid;
    float *before[3]; /* accelerations without pressure */
    PxVec3 *taken;    /* by boundary: impulse without pressure, and its moment */
    float follows;    /* part by which the filtered values approach those of the step */
} Steady;

static void taken_by(const PxFluid *f, uint32_t k, PxVec3 out[2])
{
    out[0] = px_boundary_impulse(f->boundary[k], f->dist);
    out[1] = px_boundary_torque(f->boundary[k], f->dist);
}

static PxStatus steady_begin(Steady *s, const PxFluid *f)
{
    const PxParticles *p = f->particles;
    const float *const a[3] = {p->ax, p->ay, p->az};
    *s = (Steady){.fluid = f, .follows = filter_part(f)};
    for (int c = 0; c < 3; ++c) {
        s->before[c] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        if (s->before[c] == NULL)
            return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
        memcpy(s->before[c], a[c], f->count * sizeof(float));
    }
    return PX_OK;
}

/* The same for bodies on the grid, which take the impulses of the pressure between both calls.
 * Sums over particles would not be those of the grid. */
static PxStatus steady_bodies_begin(Steady *s)
{
    const PxFluid *f = s->fluid;
    s->taken = PX_ARENA_ARRAY(f->scratch, PxVec3, 2 * (size_t)f->boundaries + 1);
    if (s->taken == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %zu boundaries", f->boundaries);
    for (uint32_t k = 0; k < f->boundaries; ++k)
        taken_by(f, k, s->taken + 2 * (size_t)k);
    return PX_OK;
}

static void steady_bodies_end(const Steady *s)
{
    const PxFluid *f = s->fluid;
    for (uint32_t k = 0; k < f->boundaries; ++k) {
        PxBoundary *b = f->boundary[k];
        PxVec3 now[2];
        taken_by(f, k, now);
        for (int n = 0; n < 2; ++n) {
            PxVec3 force = px_scale(px_sub(now[n], s->taken[2 * k + (size_t)n]), 1 / f->dt);
            b->pressed[n] = px_mad(b->pressed[n], px_sub(force, b->pressed[n]), (double)s->follows);
        }
    }
}

/* Without a grid the pressure of the particles tells the force. */
static void forget_bodies(const PxFluid *f)
{
    for (uint32_t k = 0; k < f->boundaries; ++k)
        f->boundary[k]->pressed[0] = f->boundary[k]->pressed[1] = px_vec(0, 0, 0);
}

static void steady_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Steady *s = user;
    const PxParticles *p = s->fluid->particles;
    const float *const a[3] = {p->ax, p->ay, p->az};
    float *const steady[3] = {p->steady_x, p->steady_y, p->steady_z};
    for (int c = 0; c < 3; ++c)
        for (uint32_t i = begin; i < end; ++i)
            steady[c][i] += s->follows * (a[c][i] - s->before[c][i] - steady[c][i]);
    for (uint32_t i = begin; i < end; ++i) {
        float now = p->warm_pressure[i] + p->warm_divergence[i];
        p->steady_pressure[i] += s->follows * (now - p->steady_pressure[i]);
    }
}

static void steady_end(Steady *s)
{
    px_parallel_for(s->fluid->threads, s->fluid->count, 4 * PX_BLOCK, steady_block, s);
}

/* Largest speed at which existing compression is undone, over the top speed of the scene. Tuned on
 * scenes/events.json, where a slab of water strikes a lid (higher: particles are thrown off), and
 * on a tap under water (at 0.1 the water before its plunger is 22 per cent too dense, not 11). */
#define UNDOING 0.3

/* A solve from zero pressure must also halve the compression that it begins with. In a column at
 * rest only the layer on the floor is compressed by a step without pressure, by g dt^2 / s of its
 * density; the mean over all layers may be within the tolerance before any pressure carries the
 * weight, which is then carried in bursts (docs/decisions.md 29). A warm start has the pressure. */
#define OF_START 0.5

/* Existing compression that the solve corrects; the published iterations correct all of it. */
static void undo_compression(const PxFluid *f, PxPoissonOptions *options)
{
    options->part = options->published ? 1 : part_to_undo(f);
    options->most_undone =
        options->published ? (double)INFINITY : UNDOING * f->top_speed * f->dt / f->spacing;
}

static PxScaling scaling_of(PxImplicitKind kind, bool published)
{
    if (published)
        return kind.predicts ? PX_SCALE_LATTICE : PX_SCALE_DIAGONAL;
    return kind.predicts ? PX_SCALE_UNIFORM : PX_SCALE_BOUND;
}

static PxPoissonOptions options_of(PxImplicitKind kind, const double *param)
{
    PxPoissonOptions options = {.most = (uint32_t)param[PX_IMPLICIT_MAX_ITERATIONS],
                                .largest = param[PX_IMPLICIT_ERROR] > 0,
                                .coarse = param[PX_IMPLICIT_COARSE] > 0,
                                .relaxation = kind.predicts ? 1 : 0};
    if (param[PX_IMPLICIT_SOLVE] > 0) {
        options.published = true;
        options.coarse = false;
        options.predicts = kind.predicts;
        options.rising = kind.divergence;
        options.relaxation = kind.predicts || kind.divergence ? 1 : 0.5;
    }
    return options;
}

/* Rate at which velocities that the grid does not see are damped, times spacing over top speed, per
 * unit of `damping`. */
#define NOISE 0.1

static PxStatus make_shifts(PxFluid *f)
{
    for (int k = 0; k < 3; ++k) {
        f->shift[k] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        if (f->shift[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "pressure: no room for %u shifts", f->count);
    }
    return PX_OK;
}

/* Divergence-free velocities with the corrected operator, then the density by shifting. */
static PxStatus project(PxFluid *f, PxPoisson *plain, const float *weight, const double *param,
                        PxPoissonOptions options)
{
    PxCorrected corrected;
    PxPoisson poisson;
    PX_TRY(PX_ISA_NAME(px_corrected_begin)(&corrected, f, plain->slope, false));
    PX_TRY(PX_ISA_NAME(px_poisson_correct)(&poisson, plain, &corrected));
    PX_ISA_NAME(px_corrected_damp)(&corrected, weight);
    PX_TRY(px_work_mark(f, PX_WORK_damping));
    PX_TRY(make_shifts(f));
    Steady steady;
    PX_TRY(steady_begin(&steady, f));
    Job job = {.fluid = f,
               .poisson = &poisson,
               .kept = f->particles->warm_pressure,
               .keep = 1.0f,
               .warm = true};
    options.forces = true;
    options.least = 2;
    PX_TRY(run(&job, param[PX_IMPLICIT_MAX_DIVERGENCE], options, end_block));
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, report_corrected_block, &job);
    steady_end(&steady);
    double divergence = f->divergence;
    memset(f->particles->warm_divergence, 0, f->count * sizeof(float));
    if (f->yield != NULL)
        f->yield->frozen = true;
    undo_compression(f, &options);
    options.least = 0;
    job = (Job){.fluid = f, .poisson = plain, .kept = f->particles->warm_divergence};
    PX_TRY(run(&job, param[PX_IMPLICIT_MAX_ERROR], options, shift_block));
    memset(f->particles->warm_divergence, 0, f->count * sizeof(float)); /* no pressure: shifts */
    f->divergence = divergence;
    px_yield_end(f);
    forget_bodies(f);
    return PX_OK;
}

typedef struct Grid {
    PxFluid *fluid;
    PxMac *mac;
    float loss;      /* part of what the grid does not see that is lost in the step */
    float *after[3]; /* acceleration of the whole step */
} Grid;

/* Damps what the grid does not see; splashes lose all of it. */
static void relax_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Grid *job = user;
    PxParticles *p = job->fluid->particles;
    float *const a[3] = {p->ax, p->ay, p->az}, per = 1.0f / (float)job->fluid->dt;
    for (uint32_t i = begin; i < end; ++i) {
        float loss = 1.0f - (1.0f - job->loss) * job->mac->dense[i];
        for (int c = 0; c < 3 && job->fluid->inverse_mass[i] > 0.0f; ++c)
            a[c][i] += per * loss * job->mac->noise[c][i];
    }
}

/* Between two boundaries that face each other their gradients cancel: there is no side to leave. */
static bool is_between(const PxFluid *f, uint32_t i, float size)
{
    double part, slope;
    px_wall_profile_part(f->wall_profile, (double)f->wall_far[i], &part, &slope);
    return (double)size < 0.5 * fabs(slope);
}

/* Spray and splashes, which have no pressure on the grid, stop half a spacing off boundaries. */
static void stop_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Grid *job = user;
    const PxMac *m = job->mac;
    PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    float *const a[3] = {p->ax, p->ay, p->az}, dt = (float)f->dt, per = 1.0f / dt;
    const float *const v[3] = {p->vx, p->vy, p->vz};
    const float *const g[3] = {f->wall_gx, f->wall_gy, f->wall_gz};
    for (uint32_t i = begin; i < end; ++i) {
        float size = 0, closing = -f->wall_flux[i];
        for (int c = 0; c < 3; ++c) {
            size += g[c][i] * g[c][i];
            closing += g[c][i] * (v[c][i] + dt * a[c][i] + m->change[c][i]);
        }
        if (!(size > 0.0f && closing > 0.0f && f->inverse_mass[i] > 0.0f))
            continue;
        size = sqrtf(size);
        float room = fmaxf(f->wall_far[i] - 0.5f * (float)f->spacing, 0.0f);
        float stop = closing / size - per * room;
        if (!(stop > 0.0f) || is_between(f, i, size) || px_mac_presses(m, i))
            continue;
        for (int c = 0; c < 3; ++c) {
            a[c][i] -= per * stop * g[c][i] / size;
            m->speed[c][i] -= stop * g[c][i] / size;
        }
        f->wall_push[i] += p->mass[i] * per * stop / size;
    }
}

/* Adds the grid's change. Particles move with the grid's velocity, which the accelerations are set
 * to for the solve of the shifts. */
static void change_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Grid *job = user;
    const PxMac *m = job->mac;
    PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    float *const a[3] = {p->ax, p->ay, p->az}, per = 1.0f / (float)f->dt;
    const float *const v[3] = {p->vx, p->vy, p->vz};
    for (int c = 0; c < 3; ++c)
        for (uint32_t i = begin; i < end; ++i) {
            float moved = v[c][i] + (float)f->dt * a[c][i];
            if (f->inverse_mass[i] > 0.0f) {
                a[c][i] += per * m->change[c][i];
                if (m->tile[i] > 0)
                    moved = m->speed[c][i] + m->change[c][i] + m->noise[c][i];
            }
            job->after[c][i] = a[c][i];
            a[c][i] = (moved - v[c][i]) * per;
        }
}

/* Accelerations are those of the whole step again; the shift makes up for the difference. */
static void restore_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Grid *job = user;
    PxFluid *f = job->fluid;
    float *const a[3] = {f->particles->ax, f->particles->ay, f->particles->az};
    for (int c = 0; c < 3; ++c)
        for (uint32_t i = begin; i < end; ++i) {
            f->shift[c][i] += (float)f->dt * (a[c][i] - job->after[c][i]);
            a[c][i] = job->after[c][i];
        }
}

/* Momentum that the grid gave a row, also if it is held. */
static double gain_of(const Grid *job, uint32_t i, int c)
{
    const PxMac *m = job->mac;
    float loss = 1.0f - (1.0f - job->loss) * m->dense[i];
    return (double)job->fluid->particles->mass[i] *
           (double)(m->change[c][i] + loss * m->noise[c][i]);
}

static void gain_exact(const void *user, uint32_t begin, uint32_t end, PxSum *sum)
{
    const Grid *job = user;
    for (uint32_t i = begin; i < end; ++i)
        for (int c = 0; c < 3 && job->mac->tile[i] > 0; ++c)
            px_sum_add(&sum[c], gain_of(job, i, c));
}

/* Boundaries get the opposite of the momentum that the grid gave the rows. */
static void push_walls(const Grid *grid)
{
    PxFluid *f = grid->fluid;
    PxRows rows = px_fluid_rows(f);
    PxSum sum[3];
    double gained[3];
    if (f->boundaries == 0)
        return;
    px_reduce_exact(&rows, 3, gain_exact, grid, sum);
    for (int c = 0; c < 3; ++c)
        gained[c] = px_sum_value(&sum[c]);
    px_mac_push(grid->mac, gained);
}

/* Divergence-free velocities by a grid, then the density by shifting. */
static PxStatus project_on_grid(PxFluid *f, PxPoisson *plain, const double *param,
                                PxPoissonOptions options)
{
    if (px_dist_shared(f->dist))
        return px_fail(PX_ERR_ARGUMENT, "pressure: flip runs in one process only");
    PxCorrected corrected;
    PxMac mac;
    PxMacResult result;
    PX_TRY(make_shifts(f));
    Grid grid = {.fluid = f, .mac = &mac};
    for (int c = 0; c < 3; ++c) {
        grid.after[c] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        if (grid.after[c] == NULL)
            return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    }
    PX_TRY(PX_ISA_NAME(px_corrected_begin)(&corrected, f, plain->slope, true));
    PX_TRY(px_mac_begin(&mac, f, corrected.gradient));
    PX_TRY(px_mac_solve(&mac, param[PX_IMPLICIT_MAX_DIVERGENCE] / 100,
                        (uint32_t)param[PX_IMPLICIT_MAX_ITERATIONS], f->particles->warm_pressure,
                        &result));
    memcpy(f->particles->pressure, f->particles->warm_pressure, f->count * sizeof(float));
    grid.loss =
        (float)(1 - exp(-param[PX_IMPLICIT_DAMPING] * NOISE * f->top_speed * f->dt / f->spacing));
    px_parallel_for(f->threads, f->count, PX_BLOCK, relax_block, &grid);
    PX_TRY(px_work_mark(f, PX_WORK_damping));
    Steady steady;
    PX_TRY(steady_begin(&steady, f));
    PX_TRY(steady_bodies_begin(&steady));
    if (f->boundaries > 0)
        px_parallel_for(f->threads, f->count, PX_BLOCK, stop_block, &grid);
    px_parallel_for(f->threads, f->count, PX_BLOCK, change_block, &grid);
    push_walls(&grid);
    px_yield_keep(f);
    if (f->yield != NULL)
        f->yield->frozen = true;
    f->iterations = result.iterations;
    f->converged = result.converged;
    memset(f->particles->warm_divergence, 0, f->count * sizeof(float));
    undo_compression(f, &options);
    options.forces = true;
    Job job = {.fluid = f, .poisson = plain, .kept = f->particles->warm_divergence};
    PX_TRY(run(&job, param[PX_IMPLICIT_MAX_ERROR], options, shift_block));
    px_parallel_for(f->threads, f->count, PX_BLOCK, restore_block, &grid);
    steady_end(&steady);
    f->divergence = result.error / f->dt;
    px_yield_end(f);
    steady_bodies_end(&steady);
    return PX_OK;
}

PxStatus PX_ISA_NAME(px_implicit_solve)(PxFluid *f, PxImplicitKind kind)
{
    double param[PX_IMPLICIT_PARAMS];
    px_implicit_strictest(f, kind.divergence || kind.corrected || kind.grid, kind.otherwise, param);
    PxPoissonOptions options = options_of(kind, param);
    PxPoisson poisson;
    float *weight = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (weight == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    px_implicit_weights(f, kind.otherwise, weight);
    bool damped = !kind.corrected && !kind.grid && param[PX_IMPLICIT_DAMPING] > 0;
    PX_TRY(PX_ISA_NAME(px_poisson_begin)(&poisson, f, damped ? weight : NULL, f->dt, options.coarse,
                                         scaling_of(kind, options.published)));
    f->iterations = 0;
    f->converged = true;
    if (kind.grid)
        return project_on_grid(f, &poisson, param, options);
    if (kind.corrected)
        return project(f, &poisson, weight, param, options);
    PX_TRY(px_work_mark(f, PX_WORK_damping));
    Steady steady;
    PX_TRY(steady_begin(&steady, f));
    Job job = {.fluid = f, .poisson = &poisson, .warm = kind.warm, .keep = KEPT};
    job.kept = f->particles->warm_divergence;
    bool closing = 100 * f->divergence * f->dt > param[PX_IMPLICIT_MAX_DIVERGENCE];
    if (kind.divergence && (closing || options.published)) {
        /* Prevents further compression, but lets thin places fill up: otherwise particles that
         * close a gap at a free surface would meet the pressure of an impact. Existing compression
         * is left to the second solve. */
        PX_TRY(run(&job, param[PX_IMPLICIT_MAX_DIVERGENCE], options, end_block));
    } else {
        memset(job.kept, 0, f->count * sizeof *job.kept);
    }
    job.kept = f->particles->warm_pressure;
    options.forces = true;
    undo_compression(f, &options);
    options.least = options.predicts ? 3 : 2;
    options.of_start = kind.warm || options.published ? 0 : OF_START;
    PX_TRY(run(&job, param[PX_IMPLICIT_MAX_ERROR], options, end_block));
    job.all = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (job.all == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, report_block, &job);
    PX_TRY(PX_ISA_NAME(px_report_pressure)(f, job.all));
    steady_end(&steady);
    px_yield_end(f);
    forget_bodies(f);
    return PX_OK;
}
