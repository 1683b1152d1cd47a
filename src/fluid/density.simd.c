/// Density by summation, as number density for several fluids. From 004 Eq. 2.34 and 000 Eq. 4.5:
///
///   V_i = 1 / ( sum_j W_ij + wall_i / s^3 ),   rho_i = m_i / V_i
///
/// Summing W without the neighbours' masses (Solenthaler and Pajarola 2008, Eq. 6) keeps the jump
/// of density at interfaces and is the usual sum elsewhere. wall_i is the part of the kernel's
/// integral inside walls; at the fluid's number density it contributes wall_i / s^3.
#include "fluid/density.h"

void PX_ISA_NAME(px_density_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxFluid *f = user;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad;
    float *restrict density = f->particles->density, *restrict volume = f->volume;
    const float *restrict mass = f->particles->mass, *restrict wall = f->wall_part;
    float per_volume = (float)(1.0 / (f->spacing * f->spacing * f->spacing));

    for (uint32_t i = begin; i < end; ++i) {
        PxPlace8 at = px_place8(quad, i);
        PxF8 sum = px_f8(0.0f);
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, w;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &w);
            sum += px_kernel_value8(&kernel, px_f8_sqrt(x * x + y * y + z * z));
        }
        float number = kernel.norm * px_f8_sum(sum) + wall[i] * per_volume;
        volume[i] = 1.0f / number;
        density[i] = mass[i] * number;
    }
}
