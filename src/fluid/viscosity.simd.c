/// Explicit viscosity after Morris, Fox and Zhu (1997) (004 Eq. 2.38):
///
///   m_i a_i = sum_j 2 mu_ij V_i V_j (v_i - v_j) (x_ij . grad W) / (r^2 + 0.01 h^2)
///
/// with mu_ij = sqrt(mu_i mu_j), so that the force is the same from both sides and
/// momentum is kept. h is half the support. x_ij . grad W = r dW/dr < 0.
#include "fluid/viscosity.h"

void PX_ISA_NAME(px_viscosity_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxViscosityJob *job = user;
    PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad, *quad_velocity = f->quad_velocity;
    PxF8 soft = px_f8(0.01f * 0.25f * kernel.h * kernel.h), tiny = px_f8(1e-12f * kernel.h);

    for (uint32_t i = begin; i < end; ++i) {
        PxF8 xi = px_f8(p->x[i]), yi = px_f8(p->y[i]), zi = px_f8(p->z[i]);
        PxF8 ui = px_f8(p->vx[i]), vi = px_f8(p->vy[i]), wi = px_f8(p->vz[i]);
        PxF8 ax = px_f8(0.0f), ay = ax, az = ax;
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, unused, u, v, w, weight;
            px_f8_load_quads(quad, j, &x, &y, &z, &unused);
            px_f8_load_quads(quad_velocity, j, &u, &v, &w, &weight);
            x = xi - x;
            y = yi - y;
            z = zi - z;
            PxF8 r2 = x * x + y * y + z * z;
            PxF8 slope = px_kernel_slope8(&kernel, px_f8_max(px_f8_sqrt(r2), tiny));
            PxF8 c = weight * slope * r2 / (r2 + soft);
            ax += c * (ui - u);
            ay += c * (vi - v);
            az += c * (wi - w);
        }
        float scale = 2.0f * job->weight[i] * kernel.norm_slope / p->mass[i];
        p->ax[i] += scale * px_f8_sum(ax);
        p->ay[i] += scale * px_f8_sum(ay);
        p->az[i] += scale * px_f8_sum(az);
    }
}
