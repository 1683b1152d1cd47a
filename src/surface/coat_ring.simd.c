/// Who crowds, and where surfels are missing.
///
/// Points that are at least some distance from each other, such that no more of them can be put
/// between, cover the surface by discs of that distance as radius. So a circle of this radius is
/// laid around every surfel, and each of 16 places on it must be within reach of another one. (The
/// document counts neighbours, 6.6.3, which does not see on which side they are.)
#include "surface/coat_lanes.h"

#define CROWDED 0.5f /* distances: nearer than that one of the two goes */
#define COVER 1.06f  /* radius of a disc, distances */

PX_INLINE void axes(const float n[3], float side[6])
{
    /* Duff et al. (2017): no direction is special but -z. */
    float sign = n[2] >= 0.0f ? 1.0f : -1.0f, a = -1.0f / (sign + n[2]), b = n[0] * n[1] * a;
    side[0] = 1.0f + sign * n[0] * n[0] * a;
    side[1] = sign * b;
    side[2] = -sign * n[0];
    side[3] = b;
    side[4] = sign + n[1] * n[1] * a;
    side[5] = -n[1];
}

void PX_ISA_NAME(px_coat_ring_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatRing *p = user;
    const float d = p->apart, near = CROWDED * CROWDED * d * d;
    const float slack = (COVER * COVER - 1.0f) * d * d;
    PxF8 c[2] = {px_f8_load(px_coat_ring[0]), px_f8_load(px_coat_ring[0] + 8)};
    PxF8 s[2] = {px_f8_load(px_coat_ring[1]), px_f8_load(px_coat_ring[1] + 8)};
    for (uint32_t i = begin; i < end; ++i) {
        const float *at = p->quad + 4 * (size_t)i, *n = p->normal_quad + 4 * (size_t)i;
        float *side = p->side[i];
        unsigned closed = 0;
        bool crowded = false;
        PxF8 edge[2] = {px_f8(d), px_f8(d)}; /* of the Voronoi cell, along each direction */
        float bend = 0.0f, bends = 0.0f;
        axes(n, side);
        PX_FOR_NEIGHBOURS (p->pairs, i, j) {
            PxF8 x, y, z, w, m[3], part;
            PxPlace8 to = {px_f8(at[0]), px_f8(at[1]), px_f8(at[2])};
            px_f8_load_ways(p->quad, j, &to, &x, &y, &z, &w);
            px_f8_load_quads(p->normal_quad, j, &m[0], &m[1], &m[2], &part);
            PxF8 square = x * x + y * y + z * z;
            PxF8 along = px_f8(n[0]) * m[0] + px_f8(n[1]) * m[1] + px_f8(n[2]) * m[2];
            unsigned facing = px_f8_bits((part == px_f8(n[3])) & (along > px_f8(0.0f)) &
                                         (square < px_f8(4.5f * d * d)));
            for (unsigned left = facing; left != 0; left &= left - 1) {
                int k = __builtin_ctz(left);
                if (j[k] == i)
                    continue;
                /* |d u - e|^2 < (COVER d)^2 with e from here to the neighbour */
                float e[3] = {-x[k], -y[k], -z[k]}, r = square[k];
                float a = e[0] * side[0] + e[1] * side[1] + e[2] * side[2];
                float b = e[0] * side[3] + e[1] * side[4] + e[2] * side[5];
                PxF8 need = px_f8(r - slack), a8 = px_f8(2.0f * d * a), b8 = px_f8(2.0f * d * b);
                closed |= px_f8_bits(c[0] * a8 + s[0] * b8 > need) |
                          px_f8_bits(c[1] * a8 + s[1] * b8 > need) << 8;
                for (int h = 0; h < 2; ++h) {
                    PxF8 way = c[h] * px_f8(a) + s[h] * px_f8(b);
                    PxI8 ahead = way > px_f8(1e-3f * d);
                    PxF8 to_edge = px_f8(0.5f * r) / px_f8_max(way, px_f8(1e-3f * d));
                    edge[h] = px_f8_min(edge[h], px_f8_where(ahead, to_edge) +
                                                     px_f8_where(~ahead, px_f8(d)));
                }
                /* |n_i - n_j|^2 / r^2 is the square of the curvature */
                if (r > near) {
                    bend += (2.0f - 2.0f * along[k]) / r;
                    bends += 1.0f;
                }
                crowded = crowded || (r < near && along[k] > 0.5f && p->id[j[k]] < p->id[i]);
            }
        }
        p->open[i] = (uint16_t)~closed;
        p->crowded[i] = crowded;
        float cell = 0.0f;
        for (int k = 0; k < 8; ++k)
            cell = fmaxf(cell, fmaxf(edge[0][k], edge[1][k]));
        /* Overlapping discs are shaded smoothly; where the surface is curved they stick out. */
        float least = 1.1f * cell, most = 1.15f * d;
        float flat = 0.6f / sqrtf(fmaxf(bend / fmaxf(bends, 1.0f), 1e-6f));
        p->radius[i] = fmaxf(least, fminf(most, flat));
    }
}
