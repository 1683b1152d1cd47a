#include "thermal/flow.h"

/* Every product is symmetric in i and j, so G_ij and G_ji are bitwise equal. */
void PX_ISA_NAME(px_heat_pairs_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxHeatFlow *job = user;
    const PxFluid *f = job->fluid;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad, *value = job->value;
    PxF8 soft = px_f8(0.01f * 0.25f * kernel.h * kernel.h), tiny = px_f8(1e-12f * kernel.h);
    PxF8 zero = px_f8(0.0f), small = px_f8(1e-30f);

    for (uint32_t i = begin; i < end; ++i) {
        const float *own = value + 4 * (size_t)i;
        PxPlace8 at = px_place8(quad, i);
        PxF8 k_i = px_f8(own[2]), volume_i = px_f8(own[3]), sum = zero;
        float *pair = job->pair + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, unused, high, low, k, volume;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &unused);
            px_f8_load_quads(value, j, &high, &low, &k, &volume);
            PxF8 r2 = x * x + y * y + z * z;
            PxF8 slope = px_kernel_slope8(&kernel, px_f8_max(px_f8_sqrt(r2), tiny));
            PxF8 g = (volume_i * volume) * (k_i * k / (k_i + k + small)) *
                     (zero - slope * r2 / (r2 + soft));
            px_f8_store(pair, g);
            pair += 8;
            sum += g;
        }
        job->away[i] = (double)px_f8_sum(sum);
    }
}

void PX_ISA_NAME(px_heat_flow_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxHeatFlow *job = user;
    const PxPairs *pairs = job->fluid->pairs;
    const float *value = job->value;
    for (uint32_t i = begin; i < end; ++i) {
        const float *own = value + 4 * (size_t)i, *pair = job->pair + pairs->start[i];
        PxF8 high_i = px_f8(own[0]), low_i = px_f8(own[1]), sum = px_f8(0.0f);
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 high, low, k, volume, g = px_f8_load(pair);
            px_f8_load_quads(value, j, &high, &low, &k, &volume);
            pair += 8;
            sum += g * ((high - high_i) + (low - low_i));
        }
        job->flow[i] = (double)px_f8_sum(sum);
    }
}
