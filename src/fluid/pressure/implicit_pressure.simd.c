#include "fluid/pressure/implicit_pressure.h"

#include "fluid/pressure/poisson.h"

#include <string.h>

typedef struct Job {
    PxFluid *fluid;
    PxPoisson *poisson;
    float *kept; /* Pa, from step to step */
    bool warm, forces;
} Job;

/* How much of the last step's pressure a solve begins with.
 *
 * All of it looks best and is unstable. Take a mode of the density of which an iteration's
 * solve leaves the part p, r(n) after step n. The velocities have then changed it by
 * r(n) - r(n-1), and the pressure has changed that by r(n) - 2 r(n-1) + r(n-2): beginning
 * with the part w of that pressure, the next step leaves
 *   r(n+1) = p ((2 + w) r(n) - (1 + 2 w) r(n-1) + w r(n-2)).
 * With w = 1 it grows whenever p > 1/2. Such modes there always are: neighbours that are
 * compressed and thinned out in turn have next to no pressure gradient. They grow until the
 * solve must iterate for them alone, and drops without weight burst. With w = 1/2 none
 * grows, whatever p is (Ihmsen et al. 2014 begin with that half as well, for other reasons);
 * the smooth part that is missing comes from the coarse grid. */
#define KEPT 0.5f

/* P = p V^2 from the last step's p, where there is somebody to hold it with. Elsewhere
 * it would only push: a drop that has left the fluid with the
 * pressure of an impact has a large V, and would be shot off the next wall it nears. */
static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    float most = (float)(f->spacing * f->spacing * f->spacing / 0.9);
    for (uint32_t i = begin; i < end; ++i) {
        float v = f->volume[i];
        job->poisson->pressure[i] = job->warm && v < most ? KEPT * job->kept[i] * v * v : 0.0f;
    }
}

/* Keeps what the solve found, and adds its acceleration: from the velocities it left and
 * the ones it began with. */
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
        float v = job->fluid->volume[i];
        job->kept[i] = job->poisson->pressure[i] / (v * v);
        wall_push[i] += job->poisson->pressure[i] * per_volume;
        float forces = job->forces ? dt : 0.0f;
        p->ax[i] += (u[0] - (p->vx[i] + forces * p->ax[i])) * per_dt;
        p->ay[i] += (u[1] - (p->vy[i] + forces * p->ay[i])) * per_dt;
        p->az[i] += (u[2] - (p->vz[i] + forces * p->az[i])) * per_dt;
    }
}

static void report_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxParticles *p = job->fluid->particles;
    for (uint32_t i = begin; i < end; ++i)
        p->pressure[i] = (p->warm_pressure[i] + p->warm_divergence[i]) *
                         px_fluid_felt(job->fluid, i, job->poisson->stiff[i]);
}

static void run(Job *job, double error, PxPoissonOptions options)
{
    PxFluid *f = job->fluid;
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, begin_block, job);
    options.error = error / 100;
    PxPoissonResult r = PX_ISA_NAME(px_poisson_solve)(job->poisson, options);
    job->forces = options.forces;
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, end_block, job);
    f->iterations += r.iterations;
    f->solve_error = 100 * r.error;
    f->divergence = r.closing / f->dt;
    f->converged = f->converged && r.converged;
}

/* Compression that is there already is undone with the speed it takes to be gone by the
 * end of the step. When a fast drop makes the step short, that speed would be without
 * bound, and so would be the next drop's: so it takes at least as long as a step at the top
 * speed of the scene. */
static double part_to_undo(const PxFluid *f)
{
    double calm = f->courant * 0.5 * (double)f->kernel.h / f->top_speed;
    return f->dt < calm ? f->dt / calm : 1;
}

/* Of the top speed of the scene, what moves apart because it was crammed is not faster than
 * this. A slab of water that strikes a lid as a whole (scenes/events.json) is compressed by half
 * in places within a step; let go at once it threw 1.3 per cent of its particles off at more
 * than 1.5 times the speed of its fall. At 0.1 the slab stays on the lid best, but what
 * a tap under water crams before its plunger is 22 per cent too dense instead of 11. */
#define UNDOING 0.3

PxStatus PX_ISA_NAME(px_implicit_solve)(PxFluid *f, PxImplicitKind kind)
{
    double param[PX_IMPLICIT_PARAMS];
    px_implicit_strictest(f, kind.divergence, param);
    PxPoissonOptions options = {.most = (uint32_t)param[PX_IMPLICIT_MAX_ITERATIONS],
                                .coarse = param[PX_IMPLICIT_COARSE] > 0,
                                .plain = kind.uniform};
    PxPoisson poisson;
    float *weight = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (weight == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    px_implicit_weights(f, weight);
    PX_TRY(PX_ISA_NAME(px_poisson_begin)(&poisson, f, weight, f->dt, options.coarse, kind.uniform));
    Job job = {.fluid = f, .poisson = &poisson, .warm = kind.warm};
    f->iterations = 0;
    f->converged = true;
    job.kept = f->particles->warm_divergence;
    if (kind.divergence && 100 * f->divergence * f->dt > param[PX_IMPLICIT_MAX_DIVERGENCE]) {
        /* Nothing is compressed further, but what is thin may fill up: without that,
         * particles that close a gap meet the pressure of an impact at a free surface. What
         * is there is left to the second solve. */
        run(&job, param[PX_IMPLICIT_MAX_DIVERGENCE], options);
    } else {
        memset(job.kept, 0, f->count * sizeof *job.kept);
    }
    job.kept = f->particles->warm_pressure;
    options.forces = true;
    options.part = part_to_undo(f);
    options.most_undone = UNDOING * f->top_speed * f->dt / f->spacing;
    options.least = 2;
    run(&job, param[PX_IMPLICIT_MAX_ERROR], options);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, report_block, &job);
    return PX_OK;
}
