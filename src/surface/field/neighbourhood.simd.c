/// Volume of every particle, and whether it is near the surface.
///
/// A particle is near the surface where the gradient of the colour field is large (002 Eq. 6.10;
/// 000 Eq. 4.13) or the density low.
#include "surface/field/splat.h"

/* Thresholds of the gradient, relative to a flat surface, 3/2 h^-1 (the integral of Wendland's
 * kernel over a plane through its centre). Tuned on disturbed lattices (docs/decisions.md). */
#define NEAR_GRADIENT 0.45f
#define SKIN_GRADIENT 0.25f
/* PX_AT_SURFACE also requires a low density. Below THIN_DENSITY particles are at the surface
 * whatever the gradient, which vanishes by symmetry in sheets, threads and drops. */
#define NEAR_DENSITY 0.95f
#define THIN_DENSITY 0.85f

void PX_ISA_NAME(px_neighbourhood_block)(void *user, uint32_t begin, uint32_t end, int thread);
void PX_ISA_NAME(px_neighbourhood_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxPotential *f = user;
    const PxGrid *grid = &f->particle_grid;
    const float *x = f->particle_x, *y = f->particle_y, *z = f->particle_z;
    float per_s = (float)(1.0 / f->spacing), h = f->radius, norm = px_wendland_norm(h);
    PxF8 per_h = px_f8(per_s / h), zero = px_f8(0.0f);
    float flat = 1.5f / h;
    PxI8 lane = px_lanes();
    PxGridWalk walk;
    px_grid_walk_start(&walk, grid, grid->key[begin]);
    for (uint32_t c = begin; c < end; ++c) {
        PxRange run[9];
        int runs = px_grid_walk_rows(&walk, grid->key[c], run);
        for (uint32_t i = grid->begin[c]; i < grid->begin[c + 1]; ++i) {
            PxF8 xi = px_f8(x[i]), yi = px_f8(y[i]), zi = px_f8(z[i]);
            PxF8 density = zero, gx = zero, gy = zero, gz = zero;
            for (int r = 0; r < runs; ++r)
                for (uint32_t j = run[r].begin; j < run[r].end; j += 8) {
                    PxI8 there = lane < (int32_t)(run[r].end - j);
                    PxF8 dx = (px_f8_load(x + j) - xi) * per_h;
                    PxF8 dy = (px_f8_load(y + j) - yi) * per_h;
                    PxF8 dz = (px_f8_load(z + j) - zi) * per_h;
                    PxF8 q = px_f8_sqrt(dx * dx + dy * dy + dz * dz);
                    PxF8 t = px_f8_where(there, px_f8_max(px_f8(1.0f) - q, zero)), t3 = t * t * t;
                    density += t3 * t * (px_f8(1.0f) + px_f8(4.0f) * q);
                    /* W' = -20 q (1 - q)^3 norm / h, along d / q */
                    gx += t3 * dx;
                    gy += t3 * dy;
                    gz += t3 * dz;
                }
            float sum = norm * px_f8_sum(density);
            float ux = px_f8_sum(gx), uy = px_f8_sum(gy), uz = px_f8_sum(gz);
            float slope = 20.0f * norm / h * sqrtf(ux * ux + uy * uy + uz * uz);
            f->particle_volume[i] = 1.0f / sum; /* includes the particle itself: never 0 */
            float part = slope * f->particle_volume[i] / flat;
            f->particle_location[i] =
                (part > NEAR_GRADIENT && sum < NEAR_DENSITY) || sum < THIN_DENSITY ? PX_AT_SURFACE
                : part > SKIN_GRADIENT ? PX_MAYBE_SURFACE
                                       : PX_INTERIOR;
        }
    }
}
