/// Divergence-free SPH (Bender and Koschier 2015), and implicit incompressible SPH
/// (Ihmsen et al. 2014), which is the same pressure equation without its first half.
///
/// First the velocities are made free of compression: dt D(v + dt a) <= 0. Then, with
/// all other forces added, the density is kept: rho + dt D(v + dt a) <= 1. Both begin with
/// the pressure of the last step, so that a fluid at rest needs few iterations.
#include "fluid/pressure/poisson.h"
#include "fluid/pressure/pressure.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_ERROR, MAX_DIVERGENCE, MOST, DAMPING };

#define MAX_ERROR_FIELD                                                                            \
    {                                                                                              \
        .key = "max_error", .kind = PX_FIELD_NUMBER, .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,      \
        .offset = MAX_ERROR * sizeof(double), .unit = "per cent", .least = 0, .most = 10,          \
        .help = "Mean compression at which a solve may stop."                                      \
    }
#define MAX_DIVERGENCE_FIELD                                                                       \
    {                                                                                              \
        .key = "max_divergence", .kind = PX_FIELD_NUMBER, .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE, \
        .offset = MAX_DIVERGENCE * sizeof(double), .unit = "per cent", .least = 0, .most = 10,     \
        .help = "Mean compression a step at which the divergence solve may stop."                  \
    }
#define MOST_FIELD                                                                                 \
    {                                                                                              \
        .key = "max_iterations", .kind = PX_FIELD_COUNT, .flags = PX_FIELD_LIVE,                   \
        .offset = MOST * sizeof(double), .unit = "", .least = 1, .most = 10000,                    \
        .help = "Iterations after which a solve gives up; counted in not_converged."               \
    }

static const PxField fields[] = {MAX_ERROR_FIELD, MAX_DIVERGENCE_FIELD, MOST_FIELD,     {.key = "damping",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = DAMPING * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Artificial viscosity (Monaghan's alpha)."},
};
static const double dfsph_defaults[] = {0.01, 0.1, 200, 0.1};

/* How far the fastest particle may go in a step. */
static double step_limit(const PxFluid *f)
{
    double h = 0.5 * (double)f->kernel.h;
    double speed = fmax(f->speed_max, (getenv("PS")?atof(getenv("PS")):.7) * f->pressure_speed);
    return speed > 0 ? f->courant * h / speed : INFINITY;
}

typedef struct Job {
    PxFluid *fluid;
    PxPoisson *poisson;
    float *source, *pressure, *warm, *rate;
    float dt;
} Job;

/* P = p V^2 from the last step's p, where there is somebody to hold it with. Elsewhere
 * it would only push: a drop that has left the fluid with the
 * pressure of an impact has a large V, and would be shot off the next wall it nears. */
static void warm_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    float most = (float)(f->spacing * f->spacing * f->spacing / 0.9);
    for (uint32_t i = begin; i < end; ++i) {
        float v = f->volume[i];
        job->pressure[i] = v < most ? job->warm[i] * v * v : 0.0f;
    }
}

/* Keeps what the solve found, and adds its acceleration. */
static void keep_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxPoisson *q = job->poisson;
    PxParticles *p = job->fluid->particles;
    for (uint32_t i = begin; i < end; ++i) {
        float v = job->fluid->volume[i];
        job->warm[i] = job->pressure[i] / (v * v);
        const float *a = q->quad + 4 * (size_t)i;
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

static void divergence_source_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    float s3 = (float)(f->spacing * f->spacing * f->spacing);
    for (uint32_t i = begin; i < end; ++i) {
        float free = 1.0f - s3 / f->volume[i];
        job->source[i] = (free > 0.0f ? free : 0.0f) - job->dt * job->rate[i];
    }
}

static void density_source_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    float s3 = (float)(f->spacing * f->spacing * f->spacing);
    /* Compression that is there already is undone with the speed it takes to be gone
     * by the end of the step. When a fast drop makes the step short, that speed would
     * be without bound, and so would be the next drop's: so it takes at least as long as
     * a step at the top speed of the scene does. */
    double calm = f->courant * 0.5 * (double)f->kernel.h / f->top_speed;
    float part = f->dt < calm ? (float)(f->dt / calm) : 1.0f;
    for (uint32_t i = begin; i < end; ++i) {
        float over = s3 / f->volume[i] - 1.0f;
        job->source[i] = -job->dt * job->rate[i] - (over > 0.0f ? part * over : over);
    }
}

static void weight_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    for (uint32_t i = begin; i < end; ++i) {
        const PxMaterialDef *def = &f->material[f->particles->material[i]].def;
        job->source[i] =
            f->volume[i] * (float)sqrt(def->density * def->pressure.param[DAMPING] * f->top_speed);
    }
}

static void total_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxParticles *p = job->fluid->particles;
    const PxFluid*f=job->fluid; float third=1.f/3, s3=(float)(f->spacing*f->spacing*f->spacing);
    for (uint32_t i = begin; i < end; ++i){
        float wall=f->wall_far[i]*sqrtf(f->wall_gx[i]*f->wall_gx[i]+f->wall_gy[i]*f->wall_gy[i]+f->wall_gz[i]*f->wall_gz[i])*third/s3;
        p->pressure[i] = (p->warm_pressure[i] + p->warm_divergence[i])*f->volume[i]*(job->poisson->stiff[i]+wall);}
}

static PxStatus solve_both(PxFluid *f, bool divergence)
{
    const double *param = f->material[0].def.pressure.param;
    const uint32_t block = 4 * PX_BLOCK;
    PxPoisson poisson;
    PX_TRY(PX_ISA_NAME(px_poisson_begin)(&poisson, f, f->dt));
    Job job = {.fluid = f, .poisson = &poisson, .dt = (float)f->dt};
    job.source = PX_ARENA_ARRAY(f->scratch, float, f->count);
    job.pressure = PX_ARENA_ARRAY(f->scratch, float, f->count);
    job.rate = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (job.source == NULL || job.pressure == NULL || job.rate == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    px_parallel_for(f->threads, f->count, block, weight_block, &job);
    PX_TRY(px_fluid_pack_velocity(f, job.source));
    const uint32_t most = (uint32_t)param[MOST];
    f->iterations = 0;
    f->converged = true;
    PX_ISA_NAME(px_poisson_rate)(&poisson, job.rate, true);
    if (divergence) {
        px_parallel_for(f->threads, f->count, block, divergence_source_block, &job);
        job.warm = f->particles->warm_divergence;
        px_parallel_for(f->threads, f->count, block, warm_block, &job);
        PxPoissonResult r = PX_ISA_NAME(px_poisson_solve)(&poisson, job.source, job.pressure,
                                                          param[MAX_DIVERGENCE] / 100, 1, most);
        px_parallel_for(f->threads, f->count, block, keep_block, &job);
        f->iterations += r.iterations;
        f->converged = f->converged && r.converged;
    }
    px_parallel_for(f->threads, f->count, block, predict_block, &job);
    PX_ISA_NAME(px_poisson_rate)(&poisson, job.rate, false);
    px_parallel_for(f->threads, f->count, block, density_source_block, &job);
    job.warm = f->particles->warm_pressure;
    px_parallel_for(f->threads, f->count, block, warm_block, &job);
    PxPoissonResult r = PX_ISA_NAME(px_poisson_solve)(&poisson, job.source, job.pressure,
                                                      param[MAX_ERROR] / 100, 2, most);
    px_parallel_for(f->threads, f->count, block, keep_block, &job);
    f->iterations += r.iterations;
    f->converged = f->converged && r.converged;
    px_parallel_for(f->threads, f->count, block, total_block, &job);
    return PX_OK;
}

static PxStatus dfsph(PxFluid *f)
{
    return solve_both(f, true);
}

static PxStatus iisph(PxFluid *f)
{
    return solve_both(f, false);
}

extern const PxPressureModel PX_ISA_NAME(px_dfsph), PX_ISA_NAME(px_iisph);
const PxPressureModel PX_ISA_NAME(px_dfsph) = {
    .info = {"dfsph", "constant density and divergence-free velocities", fields, PX_COUNT(fields),
             dfsph_defaults},
    .step_limit = step_limit,
    .solve = dfsph,
};
const PxPressureModel PX_ISA_NAME(px_iisph) = {
    .info = {"iisph", "constant density", fields, PX_COUNT(fields), dfsph_defaults},
    .step_limit = step_limit,
    .solve = iisph,
};
