/// Cohesion within a fluid, which keeps it apart from others (000 section 4.4.2).
///
/// 000 subtracts k rho_i^2 from the pressure of a particle, for neighbours of its own fluid only
/// (Eqs. 4.15, 4.16). In our form of the pressure force that is
///
///   m_i a_i = sum_j k (rho_i^2 V_i^2 + rho_j^2 V_j^2) grad W = 2 k m_i^2 sum_j grad W
///
/// over j of the same fluid, which have equal masses: an attraction that depends on the distance
/// only. The material's parameter is the cohesive pressure at rest, P = k rho_0^2, in Pa, which is
/// comparable to rho g d; so 2 k m_i^2 = 2 P s^6 with spacing s. Inside a fluid the attractions
/// cancel; at a surface or interface the resultant points inwards.
///
/// The kernel is that of the pressure force, not the spiky one of Eq. 4.16, so that the two can
/// balance at every distance.
#include "fluid/cohesion.h"

void PX_ISA_NAME(px_cohesion_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxFluid *f = user;
    PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad;
    PxF8 tiny = px_f8(1e-12f * kernel.h);
    double volume = f->spacing * f->spacing * f->spacing;

    for (uint32_t i = begin; i < end; ++i) {
        const PxMaterialDef *def = &f->material[p->material[i]].def;
        if (!(def->cohesion > 0))
            continue;
        PxPlace8 at = px_place8(quad, i);
        PxF8 ax = px_f8(0.0f), ay = ax, az = ax, kind_i = px_f8((float)p->material[i]);
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, kind;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &kind);
            PxF8 r = px_f8_max(px_f8_sqrt(x * x + y * y + z * z), tiny);
            PxF8 c = px_f8_where(kind == kind_i, px_kernel_slope8(&kernel, r));
            ax += c * x;
            ay += c * y;
            az += c * z;
        }
        float scale =
            (float)(2 * def->cohesion * volume * volume * (double)kernel.norm_slope) / p->mass[i];
        p->ax[i] += scale * px_f8_sum(ax);
        p->ay[i] += scale * px_f8_sum(ay);
        p->az[i] += scale * px_f8_sum(az);
    }
}

void PX_ISA_NAME(px_cohesion_molten_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCohesionJob *job = user;
    const PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad;
    PxF8 tiny = px_f8(1e-12f * kernel.h), zero = px_f8(0.0f);
    double volume = f->spacing * f->spacing * f->spacing;

    for (uint32_t i = begin; i < end; ++i) {
        if (p->material[i] != job->slot)
            continue;
        PxPlace8 at = px_place8(quad, i);
        PxF8 ax = zero, ay = zero, az = zero, pull_i = px_f8(quad[4 * (size_t)i + 3]);
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, pull;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &pull);
            PxF8 r = px_f8_max(px_f8_sqrt(x * x + y * y + z * z), tiny);
            PxF8 c = px_f8_where(pull >= zero, (pull_i + pull) * px_kernel_slope8(&kernel, r));
            ax += c * x;
            ay += c * y;
            az += c * z;
        }
        float scale = (float)(volume * volume * (double)kernel.norm_slope) / p->mass[i];
        p->ax[i] += scale * px_f8_sum(ax);
        p->ay[i] += scale * px_f8_sum(ay);
        p->az[i] += scale * px_f8_sum(az);
    }
}
