/// Explicit viscosity with the Laplacian of a special kernel, which is positive everywhere. After
/// Mueller, Charypar and Gross (2003), 000 Eqs. 4.7 and 6.13, and 002 Eq. 3.15,
///
///   m_i a_i = - sum_j mu_ij V_i V_j (v_i - v_j) 45 / (pi h^6) (h - r)
///
/// with mu_ij = (mu_i / M_i + mu_j / M_j) / 2 and h the support. The published form lacks
///
///   M_i = 1/6 sum_j V_j r^2 45 / (pi h^6) (h - r),
///
/// the second moment that scales a discrete Laplacian; its integral is 1. With a support of 2
/// spacings the sum is 0.99 in a cubic lattice but 0.94 on average over lattice layers that slide
/// past each other, as between plates, which would lower the viscosity by as much. The parts of M
/// missing at walls and free surfaces are filled in with the value of a lattice.
#include "fluid/viscosity/explicit_viscosity.h"

#include <math.h>

/* A neighbouring layer of a cubic lattice has 25.3 per cent of the moment along the layer. */
#define SHARE 1.69f

/* Floor of the moment; only particles heaped in one place have less. */
#define LEAST 0.5f

PX_INLINE PxF8 pair_weight(const PxKernel *kernel, PxF8 r2)
{
    return px_f8_min(px_f8_sqrt(r2) - px_f8(kernel->h), px_f8(0.0f));
}

PX_INLINE PxF8 pair_viscosity(PxF8 mu, PxF8 mu_j)
{
    return px_f8(0.5f) * (mu + mu_j);
}

static float factor_of(const PxFluid *f)
{
    double h = (double)f->kernel.h;
    return (float)(45.0 / (PX_PI * h * h * h * h * h * h));
}

/* Fraction of M over fraction of the density of the layers behind a wall half a spacing away, each
 * layer smeared over its plane as in matter/wall_profile.h: 2.03 at a support of 2 spacings. The
 * moment of a layer is the integral of 2 pi r (r^2 / 6) 45 / (pi h^6) (h - r) from d to h. */
static float lack_of(const PxFluid *f)
{
    double h = (double)f->kernel.h, s = f->spacing, moment = 0, density = 0;
    for (double d = s; d < h; d += s) {
        double q = d / h, q4 = q * q * q * q;
        moment += 15 * s / h * (1.0 / 20 - q4 / 4 + q4 * q / 5);
        density += s * px_kernel_plane(h, d);
    }
    return density > 0 ? (float)(moment / density) : 0.0f;
}

/* mu_i / M_i */
static void moment_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxExplicitViscosity *job = user;
    const PxFluid *f = job->fluid;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad;
    float sixth = factor_of(f) / 6.0f, missing = lack_of(f);
    float cell = (float)(f->spacing * f->spacing * f->spacing);

    for (uint32_t i = begin; i < end; ++i) {
        PxPlace8 at = px_place8(quad, i);
        PxF8 sum = px_f8(0.0f);
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, volume;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &volume);
            PxF8 r2 = x * x + y * y + z * z;
            sum -= volume * px_f8_min(r2, px_f8(kernel.h * kernel.h)) * pair_weight(&kernel, r2);
        }
        float lack = 1.0f - cell / f->volume[i] + f->wall_part[i];
        float moment = sixth * px_f8_sum(sum) + (lack > 0.0f ? missing * lack : 0.0f);
        job->mu[i] /= moment > LEAST ? moment : LEAST;
    }
}

static void block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxExplicitViscosity *job = user;
    px_viscosity_explicit(job, begin, end, pair_weight, pair_viscosity, factor_of(job->fluid));
}

static void parts_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxExplicitViscosity *job = user;
    px_viscosity_parts(job, begin, end, pair_weight, pair_viscosity, factor_of(job->fluid));
}

static PxStatus solve(PxFluid *f)
{
    PxExplicitViscosity job;
    PX_TRY(px_viscosity_explicit_begin(&job, f, NULL, SHARE));
    px_fluid_pack_w(f, f->quad, f->volume);
    px_parallel_for(f->threads, f->count, PX_BLOCK, moment_block, &job);
    px_fluid_pack_w(f, f->quad, job.mu);
    PX_TRY(px_viscosity_explicit_bound(&job, parts_block));
    px_parallel_for(f->threads, f->count, PX_BLOCK, block, &job);
    return PX_OK;
}

extern const PxViscosityModel PX_ISA_NAME(px_laplacian);
const PxViscosityModel PX_ISA_NAME(px_laplacian) = {
    .info = {"laplacian", "explicit, after Mueller", NULL, 0, NULL},
    .step_limit = px_viscosity_explicit_limit,
    .solve = solve,
};
