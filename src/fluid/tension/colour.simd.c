/// The colour field and its gradient, including walls. See 002 Eqs. 3.16 and 3.17.
///
/// A wall contributes half the gradient of its part, which is twice as steep as that of fluid in
/// its place (matter/wall_profile.h).
#include "fluid/tension/tension.h"

void PX_ISA_NAME(px_colour_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxColourJob *job = user;
    const PxFluid *f = job->fluid;
    const PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad;
    PxF8 tiny = px_f8(1e-12f * kernel.h);

    for (uint32_t i = begin; i < end; ++i) {
        if (p->material[i] != job->slot) {
            job->colour.x[i] = job->colour.y[i] = job->colour.z[i] = job->colour.filled[i] = 0.0f;
            continue;
        }
        PxPlace8 at = px_place8(quad, i);
        PxF8 nx = px_f8(0.0f), ny = nx, nz = nx, sum = nx;
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, volume;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &volume);
            PxF8 r = px_f8_max(px_f8_sqrt(x * x + y * y + z * z), tiny);
            PxF8 c = volume * px_kernel_slope8(&kernel, r);
            sum += volume * px_kernel_value8(&kernel, r);
            nx += c * x;
            ny += c * y;
            nz += c * z;
        }
        float scale = kernel.norm_slope;
        job->colour.filled[i] = kernel.norm * px_f8_sum(sum) + f->wall_part[i];
        job->colour.x[i] = scale * px_f8_sum(nx) + 0.5f * f->wall_gx[i];
        job->colour.y[i] = scale * px_f8_sum(ny) + 0.5f * f->wall_gy[i];
        job->colour.z[i] = scale * px_f8_sum(nz) + 0.5f * f->wall_gz[i];
    }
}
