/// Explicit viscosity after Mueller, Charypar and Gross (2003) (000 Eqs. 4.7, 6.13; 002
/// Eq. 3.15): the laplacian of a kernel made for it, which is positive everywhere,
///
///   m_i a_i = - sum_j mu_ij V_i V_j (v_i - v_j) 45 / (pi h^6) (h - r)
///
/// with mu_ij = (mu_i / M_i + mu_j / M_j) / 2 and h the support. Published without
///
///   M_i = 1/6 sum_j V_j r^2 45 / (pi h^6) (h - r),
///
/// whose integral is 1: a laplacian is as large as its second moment. With a support of 2
/// spacings the sum is 0.99 in a cubic lattice and in stirred water, but 0.94 in the mean over
/// layers of a lattice that slide past each other, as in any flow along plates, and so
/// much thinner was the fluid there. What walls and the air beyond a surface lack in it is put
/// in as it would be in a lattice: it is the fluid's own part that is to be right.
#include "fluid/viscosity/explicit_viscosity.h"

#include <math.h>

/* A layer next to a cubic lattice's plane has 25.3 per cent of the moment along it. */
#define SHARE 1.69f

/* No neighbourhood of a fluid has a smaller moment; one that has is a heap in one place. */
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

/* What the layers beyond a wall half a spacing away have of M, over what they have of the
 * density, each spread over its plane as in matter/wall_profile.h: 2.03 at a support of 2
 * spacings. The first is the integral of 2 pi r (r^2 / 6) 45 / (pi h^6) (h - r) from d to h. */
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

static PxStatus solve(PxFluid *f)
{
    PxExplicitViscosity job;
    PX_TRY(px_viscosity_explicit_begin(&job, f, NULL, SHARE));
    px_fluid_pack_w(f, f->quad, f->volume);
    px_parallel_for(f->threads, f->count, PX_BLOCK, moment_block, &job);
    px_fluid_pack_w(f, f->quad, job.mu);
    px_parallel_for(f->threads, f->count, PX_BLOCK, block, &job);
    return PX_OK;
}

extern const PxViscosityModel PX_ISA_NAME(px_laplacian);
const PxViscosityModel PX_ISA_NAME(px_laplacian) = {
    .info = {"laplacian", "explicit, after Mueller", NULL, 0, NULL},
    .step_limit = px_viscosity_explicit_limit,
    .solve = solve,
};
