/// Pressure from an equation of state (SESPH).
///
///   p = rho_0 c^2 / gamma ((rho / rho_0)^gamma - 1)        (004 Eq. 2.35; 000 Eq. 4.8)
///
/// clamped at 0, since negative pressure clumps particles. The speed of sound c follows from the
/// top speed v and the allowed compression eta: c = v / sqrt(eta), because a flow of speed v
/// compresses by about v^2 / c^2 (Monaghan 1994).
///
/// The force conserves momentum and is valid for several fluids,
///   m_i a_i = - sum_j (p_i V_i^2 + p_j V_j^2) grad W_ij     (004 Eq. 2.33 for one fluid)
/// unlike 000 Eq. 4.6, whose factor 1/2 gives half the gradient and so twice the hydrostatic
/// pressure. Walls add - p_i V_i^2 grad (wall_i) / s^3, which follows from the energy of the
/// particle alone (fluid/boundaries.c).
///
/// `damping` is Monaghan's (1992) artificial viscosity on approaching pairs; it damps the sound
/// waves of the equation of state.
#include "fluid/pressure/reported.h"
#include "fluid/pressure/pressure.h"
#include "fluid/work.h"

#include "fluid/fluid.h"

#include <math.h>

enum { GAMMA, FLUCTUATION, TOP_SPEED, DAMPING };

static const PxField fields[] = {
    {.key = "gamma",
     .kind = PX_FIELD_COUNT,
     .flags = PX_FIELD_LIVE,
     .offset = GAMMA * sizeof(double),
     .unit = "",
     .least = 1,
     .most = 7,
     .help = "Exponent of the equation of state; larger ones resist strong compression more."},
    {.key = "fluctuation",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = FLUCTUATION * sizeof(double),
     .unit = "per cent",
     .least = 0,
     .most = 10,
     .help = "Compression allowed at the top speed; smaller values make the fluid stiffer and "
             "the steps shorter."},
    {.key = "top_speed",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = TOP_SPEED * sizeof(double),
     .unit = "m/s",
     .least = 0,
     .most = 1e5,
     .help = "Largest expected speed of the flow, which sets the stiffness; 0: estimated from "
             "the scene."},
    {.key = "damping",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = DAMPING * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Artificial viscosity, Monaghan's alpha: damps sound waves."},
};

static const double defaults[] = {
    [GAMMA] = 7, [FLUCTUATION] = 1, [TOP_SPEED] = 0, [DAMPING] = 0.05};

static double sound_speed(const PxFluid *f, const PxMaterial *material)
{
    const double *param = material->def.pressure.param;
    double speed = param[TOP_SPEED] > 0 ? param[TOP_SPEED] : f->top_speed;
    return speed / sqrt(param[FLUCTUATION] / 100.0);
}

static double step_limit(const PxFluid *f, const char **why)
{
    double c = 0;
    for (uint32_t m = 0; m < f->materials; ++m)
        c = fmax(c, sound_speed(f, &f->material[m]));
    double h = 0.5 * (double)f->kernel.h;
    *why = c > f->speed_max ? "the speed of its sound" : "the speed of its particles";
    return c + f->speed_max > 0 ? f->courant * h / (c + f->speed_max) : INFINITY;
}

typedef struct Job {
    PxFluid *fluid;
    float *force;       /* p V^2 */
    float *weight;      /* V sqrt(rho_0 alpha c) */
    PxWorkMark *damped; /* gets the accelerations before pressure; may be NULL */
} Job;

static void state_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    for (uint32_t i = begin; i < end; ++i) {
        const PxMaterial *material = &f->material[p->material[i]];
        const double *param = material->def.pressure.param;
        float rho0 = (float)material->def.density;
        double c = sound_speed(f, material);
        float ratio = p->density[i] / rho0;
        if (f->solid_fraction != NULL)
            ratio -= f->own_compression[i];
        float power = ratio;
        for (int k = 1; k < (int)param[GAMMA]; ++k)
            power *= ratio;
        float stiffness = (float)(material->def.density * c * c / param[GAMMA]);
        float pressure = stiffness * (power - 1.0f);
        pressure = pressure > 0.0f ? pressure : 0.0f;
        p->pressure[i] = pressure;
        job->force[i] = pressure * f->volume[i] * f->volume[i];
        double damping = param[DAMPING];
        if (f->solid_fraction != NULL)
            damping *= (double)(1.0f - f->solid_fraction[i]); /* solids have their own */
        job->weight[i] = f->volume[i] * (float)sqrt(material->def.density * damping * c);
    }
}

static void force_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad, *quad_velocity = f->quad_velocity;
    float half = 0.5f * kernel.h;
    PxF8 soft = px_f8(0.01f * half * half), tiny = px_f8(1e-12f * kernel.h);
    PxF8 zero = px_f8(0.0f);
    float per_volume = (float)(1.0 / (f->spacing * f->spacing * f->spacing));

    for (uint32_t i = begin; i < end; ++i) {
        PxPlace8 at = px_place8(quad, i);
        PxF8 ui = px_f8(p->vx[i]), vi = px_f8(p->vy[i]), wi = px_f8(p->vz[i]);
        PxF8 force = px_f8(job->force[i]), weight = px_f8(half * job->weight[i]);
        PxF8 ax = zero, ay = zero, az = zero, stiff = zero, dx = zero, dy = zero, dz = zero;
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, force_j, u, v, w, weight_j;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &force_j);
            px_f8_load_quads(quad_velocity, j, &u, &v, &w, &weight_j);
            PxF8 r2 = x * x + y * y + z * z;
            PxF8 slope = px_kernel_slope8(&kernel, px_f8_max(px_f8_sqrt(r2), tiny));
            PxF8 approach = px_f8_min((ui - u) * x + (vi - v) * y + (wi - w) * z, zero);
            PxF8 damp = slope * weight * weight_j * approach / (r2 + soft);
            PxF8 press = slope * (force + force_j);
            stiff -= slope * r2;
            ax -= press * x;
            ay -= press * y;
            az -= press * z;
            dx += damp * x;
            dy += damp * y;
            dz += damp * z;
        }
        float scale = kernel.norm_slope / p->mass[i];
        float wall = -job->force[i] * per_volume / p->mass[i];
        f->wall_push[i] += job->force[i] * per_volume;
        p->pressure[i] *=
            px_fluid_pressure_factor(f, i, kernel.norm_slope * px_f8_sum(stiff) / 3.0f);
        p->ax[i] += scale * px_f8_sum(dx);
        p->ay[i] += scale * px_f8_sum(dy);
        p->az[i] += scale * px_f8_sum(dz);
        if (job->damped != NULL) {
            job->damped->a[0][i] = p->ax[i];
            job->damped->a[1][i] = p->ay[i];
            job->damped->a[2][i] = p->az[i];
        }
        p->ax[i] += scale * px_f8_sum(ax) + wall * f->wall_gx[i];
        p->ay[i] += scale * px_f8_sum(ay) + wall * f->wall_gy[i];
        p->az[i] += scale * px_f8_sum(az) + wall * f->wall_gz[i];
    }
}

static PxStatus solve(PxFluid *f)
{
    Job job = {.fluid = f};
    job.force = PX_ARENA_ARRAY(f->scratch, float, f->count);
    job.weight = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (job.force == NULL || job.weight == NULL)
        return px_fail(PX_ERR_MEMORY, "sesph: no room for %u particles", f->count);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, state_block, &job);
    px_fluid_pack_w(f, f->quad, job.force);
    PX_TRY(px_fluid_pack_velocity(f, job.weight));
    PX_TRY(px_work_append(f, PX_WORK_damping, &job.damped));
    px_parallel_for(f->threads, f->count, PX_BLOCK, force_block, &job);
    PX_TRY(PX_ISA_NAME(px_report_pressure)(f, job.force));
    f->iterations = 1;
    f->converged = true; /* no iteration */
    return PX_OK;
}

extern const PxPressureModel PX_ISA_NAME(px_sesph);
const PxPressureModel PX_ISA_NAME(px_sesph) = {
    .info = {"sesph", "equation of state", fields, PX_COUNT(fields), defaults},
    .step_limit = step_limit,
    .solve = solve,
};
