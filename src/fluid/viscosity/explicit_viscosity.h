/// The pass that the explicit viscosity models share; they differ in the weight of a pair.
///
///   m_i a_i = sum_j mu_ij V_i V_j c(r) (v_i - v_j) - m_i nu_i drag_i (v_i - v_wall)
///
/// with c(r) < 0 and mu_ij symmetric, so that linear momentum is conserved. The force is not
/// along x_ij, so angular momentum is not conserved: the rotation of a free blob decays, the
/// faster the more viscous it is.
#ifndef PX_FLUID_VISCOSITY_EXPLICIT_VISCOSITY_H
#define PX_FLUID_VISCOSITY_EXPLICIT_VISCOSITY_H

#include "fluid/fluid.h"
#include "fluid/viscosity/viscosity.h"

#include <math.h>

/// c(r) of 8 pairs, without its constant factor.
typedef PxF8 PxPairWeight(const PxKernel *kernel, PxF8 r2);

/// mu_ij of 8 pairs, from `mu` of particle i and `mu_j` of its neighbours.
typedef PxF8 PxPairViscosity(PxF8 mu, PxF8 mu_j);

/// Weight of Morris et al. (1997) over 2 norm_slope: (x_ij . grad W) / (r^2 + 0.01 h^2), where h
/// is the smoothing length.
PX_INLINE PxF8 px_morris_weight(const PxKernel *kernel, PxF8 r2)
{
    PxF8 soft = px_f8(0.01f * 0.25f * kernel->h * kernel->h), r = px_f8_sqrt(r2);
    return px_kernel_derivative8(kernel, r) * r / (r2 + soft);
}

/// Values per particle, in the step's scratch.
typedef struct PxExplicitViscosity {
    PxFluid *fluid;
    double (*of)(double mu);
    float *mu; ///< argument of PxPairViscosity
    float *volume;
    float *part; ///< factor of a particle's viscosity that bounds its rate; NULL: 1 for all
} PxExplicitViscosity;

/// Part of the viscosity of each particle that one step may apply. With the rate
///   R_i = 1/m_i sum_j mu_ij V_i V_j |c(r)| + nu_i drag_i
/// the step creates no energy if R_i dt <= 1 for all i: by Gershgorin's theorem no eigenvalue of
/// the pass exceeds 2 / dt then. Larger rates (particles that are crowded, or of a light fluid
/// beside a thick one) are scaled down to it, symmetrically: k_ij part_i part_j.
PX_INLINE void px_viscosity_parts(const PxExplicitViscosity *job, uint32_t begin, uint32_t end,
                                  PxPairWeight *pair_weight, PxPairViscosity *pair_viscosity,
                                  float factor)
{
    PxFluid *f = job->fluid;
    const PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad, *quad_velocity = f->quad_velocity;

    for (uint32_t i = begin; i < end; ++i) {
        PxPlace8 at = px_place8(quad, i);
        PxF8 sum = px_f8(0.0f), mu_i = px_f8(job->mu[i]);
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, mu_j, u, v, w, volume;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &mu_j);
            px_f8_load_quads(quad_velocity, j, &u, &v, &w, &volume);
            sum +=
                volume * pair_viscosity(mu_i, mu_j) * pair_weight(&kernel, x * x + y * y + z * z);
        }
        PxF8 own = job->volume[i] * pair_viscosity(mu_i, mu_i) * pair_weight(&kernel, px_f8(0.0f));
        float pairs_rate = factor * job->volume[i] / p->mass[i] * (px_f8_sum(sum) - own[0]);
        const PxMaterialDef *def = &f->material[p->material[i]].def;
        float rate =
            fabsf(pairs_rate) + (float)(px_fluid_mu(f, i) / def->density) * f->wall_drag[i];
        float most = rate * (float)f->dt;
        job->part[i] = most > 1.0f ? 1.0f / most : 1.0f;
    }
}

PX_INLINE void px_viscosity_explicit(const PxExplicitViscosity *job, uint32_t begin, uint32_t end,
                                     PxPairWeight *pair_weight, PxPairViscosity *pair_viscosity,
                                     float factor)
{
    PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad, *quad_velocity = f->quad_velocity;

    for (uint32_t i = begin; i < end; ++i) {
        PxPlace8 at = px_place8(quad, i);
        PxF8 ui = px_f8(p->vx[i]), vi = px_f8(p->vy[i]), wi = px_f8(p->vz[i]);
        PxF8 ax = px_f8(0.0f), ay = ax, az = ax, mu_i = px_f8(job->mu[i]);
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, mu_j, u, v, w, volume;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &mu_j);
            px_f8_load_quads(quad_velocity, j, &u, &v, &w, &volume);
            PxF8 c =
                volume * pair_viscosity(mu_i, mu_j) * pair_weight(&kernel, x * x + y * y + z * z);
            ax += c * (ui - u);
            ay += c * (vi - v);
            az += c * (wi - w);
        }
        float scale = factor * job->volume[i] / p->mass[i];
        const PxMaterialDef *def = &f->material[p->material[i]].def;
        float nu = (float)(px_fluid_mu(f, i) / def->density);
        if (job->part != NULL)
            nu *= job->part[i];
        p->ax[i] += scale * px_f8_sum(ax) + nu * (f->wall_vx[i] - f->wall_drag[i] * p->vx[i]);
        p->ay[i] += scale * px_f8_sum(ay) + nu * (f->wall_vy[i] - f->wall_drag[i] * p->vy[i]);
        p->az[i] += scale * px_f8_sum(az) + nu * (f->wall_vz[i] - f->wall_drag[i] * p->vz[i]);
    }
}

/// Packs the input of the pass. mu[i] is of(viscosity), or the viscosity itself if `of` is NULL;
/// `share` as for px_viscosity_volume().
PxStatus px_viscosity_explicit_begin(PxExplicitViscosity *job, PxFluid *fluid,
                                     double (*of)(double mu), float share);

/// Bounds the rates with `parts`, a block function of px_viscosity_parts() (NULL: they are known to
/// be small), and notes the drag on boundaries. Call it when `mu` is final and packed.
PxStatus px_viscosity_explicit_bound(PxExplicitViscosity *job, PxBlockFunction *parts);

/// Longest stable step, s: see PxViscosityModel.
double px_viscosity_explicit_limit(const PxMaterialDef *material, double h);

#endif
