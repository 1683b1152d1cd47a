/// Kernel sum of a solid particle over its own rest neighbours, predicted for the end of the step.
#include "contact/solid_fluid_pass.h"

/* Loads eight entries of a list from e on, padded with the row itself. Returns how many of them are
 * the row itself. */
static uint32_t take(const PxSolidLists *l, uint32_t i, uint32_t e, uint32_t j[8])
{
    uint32_t own = 0;
    for (uint32_t k = 0; k < 8; ++k) {
        j[k] = e + k < l->start[i + 1] ? l->other[e + k] / 16 : i;
        own += j[k] == i;
    }
    return own;
}

void PX_ISA_NAME(px_solid_fluid_own_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidFluidJob *job = user;
    PxFluid *f = job->fluid;
    const PxSolidLists *l = job->solid->lists;
    const PxKernel kernel = f->kernel;
    float cell = (float)(f->spacing * f->spacing * f->spacing), dt = (float)f->dt;
    PxF8 tiny = px_f8(1e-12f * kernel.h);
    for (uint32_t i = begin; i < end; ++i) {
        float solid = job->row[i] != PX_ELSEWHERE ? f->solid_fraction[job->row[i]] : 0.0f;
        if (!(solid > 0.0f))
            continue;
        PxPlace8 at = px_place8(job->quad, i), going = px_place8(job->velocity, i);
        PxF8 sum = px_f8(0.0f), rate = sum;
        uint32_t j[8], selves = 0;
        for (uint32_t e = l->start[i]; e < l->start[i + 1]; e += 8) {
            PxF8 x, y, z, u, v, w, unused;
            selves += take(l, i, e, j);
            px_f8_load_ways(job->quad, j, &at, &x, &y, &z, &unused);
            px_f8_load_ways(job->velocity, j, &going, &u, &v, &w, &unused);
            PxF8 r = px_f8_max(px_f8_sqrt(x * x + y * y + z * z), tiny);
            sum += px_kernel_value8(&kernel, r);
            rate += px_kernel_slope8(&kernel, r) * (u * x + v * y + w * z);
        }
        /* W(0) / norm is 1, and it counts once */
        float number = kernel.norm * (px_f8_sum(sum) + 1.0f - (float)selves);
        if (job->fill != NULL)
            number += job->fill[job->row[i]] / cell;
        float over = cell * (number + dt * kernel.norm_slope * px_f8_sum(rate)) - 1.0f;
        f->own_compression[job->row[i]] = over > 0.0f ? solid * over : 0.0f;
    }
}
