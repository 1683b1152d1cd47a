/// Vector loop that interpolates particle columns at points.
#include "surface/field/interpolate.h"

#include "surface/field/splat.h"

void PX_ISA_NAME(px_interpolate_block)(void *user, uint32_t begin, uint32_t end, int thread);
void PX_ISA_NAME(px_interpolate_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxInterpolation *job = user;
    const PxPotential *f = job->field;
    const float *x = f->particle_x, *y = f->particle_y, *z = f->particle_z;
    PxF8 per_r = px_f8((float)(1.0 / f->spacing) / f->gather), zero = px_f8(0.0f);
    PxI8 lane = px_lanes();
    for (uint32_t v = begin; v < end; ++v) {
        const float *at = job->place[v];
        PxF8 px = px_f8(at[0]), py = px_f8(at[1]), pz = px_f8(at[2]), weight = zero;
        PxF8 sum[PX_SURFACE_COLUMNS];
        for (uint32_t c = 0; c < job->columns; ++c)
            sum[c] = zero;
        PxRange run[9];
        int runs = px_grid_rows(&f->particle_grid, at[0], at[1], at[2], run);
        for (int r = 0; r < runs; ++r)
            for (uint32_t j = run[r].begin; j < run[r].end; j += 8) {
                PxF8 dx = (px_f8_load(x + j) - px) * per_r;
                PxF8 dy = (px_f8_load(y + j) - py) * per_r;
                PxF8 dz = (px_f8_load(z + j) - pz) * per_r;
                PxF8 cube = px_poly8(dx * dx + dy * dy + dz * dz);
                PxF8 w = px_f8_where(lane < (int32_t)(run[r].end - j), cube * cube);
                if (px_f8_bits(w > zero) == 0)
                    continue;
                weight += w;
                for (uint32_t c = 0; c < job->columns; ++c)
                    sum[c] += w * px_f8_load(job->from[c] + j);
            }
        float total = px_f8_sum(weight), per = total > 0.0f ? 1.0f / total : 0.0f;
        for (uint32_t c = 0; c < job->columns; ++c)
            job->to[c][v] = per * px_f8_sum(sum[c]);
    }
}
