#include "fluid/pressure/implicit.h"

#include "fluid/pressure/poisson.h"

typedef struct Job {
    PxFluid *fluid;
    PxPoisson *poisson;
    float *source, *pressure, *rate;
    float *kept; /* Pa, from step to step */
    bool warm;
    float dt;
} Job;

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
        job->pressure[i] = job->warm && v < most ? job->kept[i] * v * v : 0.0f;
    }
}

/* Keeps what the solve found, and adds its acceleration. */
static void end_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxParticles *p = job->fluid->particles;
    for (uint32_t i = begin; i < end; ++i) {
        const float *a = job->poisson->quad + 4 * (size_t)i;
        float v = job->fluid->volume[i];
        job->kept[i] = job->pressure[i] / (v * v);
        p->ax[i] += a[0];
        p->ay[i] += a[1];
        p->az[i] += a[2];
    }
}

/* Velocities as they would be without more pressure, packed. */
static void predict_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxParticles *p = job->fluid->particles;
    float *quad = job->fluid->quad_velocity, dt = job->dt;
    for (uint32_t i = begin; i < end; ++i) {
        quad[4 * (size_t)i] = p->vx[i] + dt * p->ax[i];
        quad[4 * (size_t)i + 1] = p->vy[i] + dt * p->ay[i];
        quad[4 * (size_t)i + 2] = p->vz[i] + dt * p->az[i];
        quad[4 * (size_t)i + 3] = 0.0f;
    }
}

/* Nothing is compressed further, but what is thin may fill up: without that, particles that
 * close a gap meet the pressure of an impact at a free surface. */
static void divergence_source_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    float s3 = (float)(f->spacing * f->spacing * f->spacing);
    for (uint32_t i = begin; i < end; ++i) {
        float room = 1.0f - s3 / f->volume[i];
        job->source[i] = (room > 0.0f ? room : 0.0f) - job->dt * job->rate[i];
    }
}

/* Compression that is there already is undone with the speed it takes to be gone by the
 * end of the step. When a fast drop makes the step short, that speed would be without
 * bound, and so would be the next drop's: so it takes at least as long as a step at the top
 * speed of the scene. */
static void density_source_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    float s3 = (float)(f->spacing * f->spacing * f->spacing);
    double calm = f->courant * 0.5 * (double)f->kernel.h / f->top_speed;
    float part = f->dt < calm ? (float)(f->dt / calm) : 1.0f;
    for (uint32_t i = begin; i < end; ++i) {
        float over = s3 / f->volume[i] - 1.0f;
        if (over > 0.0f) /* what pressure cannot move it cannot make room for either */
            over *= f->inverse_mass[i] > 0.0f ? part : 0.0f;
        job->source[i] = -job->dt * job->rate[i] - over;
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
    PxPoissonResult r =
        PX_ISA_NAME(px_poisson_solve)(job->poisson, job->source, job->pressure, options);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, end_block, job);
    f->iterations += r.iterations;
    f->solve_error = 100 * r.error;
    f->converged = f->converged && r.converged;
}

PxStatus PX_ISA_NAME(px_implicit_solve)(PxFluid *f, PxImplicitKind kind)
{
    /* The fluids of a world share the solve; the first one's numbers rule. */
    const double *param = f->material[0].def.pressure.param;
    const uint32_t block = 4 * PX_BLOCK;
    PxPoissonOptions options = {.most = (uint32_t)param[PX_IMPLICIT_MAX_ITERATIONS],
                                .coarse = param[PX_IMPLICIT_COARSE] > 0,
                                .plain = kind.uniform};
    PxPoisson poisson;
    PX_TRY(PX_ISA_NAME(px_poisson_begin)(&poisson, f, f->dt, options.coarse, kind.uniform));
    Job job = {.fluid = f, .poisson = &poisson, .warm = kind.warm, .dt = (float)f->dt};
    job.source = PX_ARENA_ARRAY(f->scratch, float, f->count);
    job.pressure = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (job.source == NULL || job.pressure == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    float *weight = job.source; /* used up before the source is there */
    job.rate = job.pressure;    /* likewise */
    f->iterations = 0;
    f->converged = true;

    px_implicit_weights(f, weight);
    PX_TRY(px_fluid_pack_velocity(f, weight));
    PX_ISA_NAME(px_poisson_rate)(&poisson, job.rate, true);
    if (kind.divergence) {
        px_parallel_for(f->threads, f->count, block, divergence_source_block, &job);
        job.kept = f->particles->warm_divergence;
        run(&job, param[PX_IMPLICIT_MAX_DIVERGENCE], options);
    }
    px_parallel_for(f->threads, f->count, block, predict_block, &job);
    PX_ISA_NAME(px_poisson_rate)(&poisson, job.rate, false);
    px_parallel_for(f->threads, f->count, block, density_source_block, &job);
    job.kept = f->particles->warm_pressure;
    options.least = 2;
    run(&job, param[PX_IMPLICIT_MAX_ERROR], options);
    px_parallel_for(f->threads, f->count, block, report_block, &job);
    return PX_OK;
}
