/// Who crowds, where surfels are missing, and how large their discs must be.
///
/// Points that are at least some distance d from each other, such that no more of them can be put
/// between, cover the surface by discs of radius d. Around every surfel 16 directions are looked
/// along: the nearest bisector with a neighbour, at r^2 / (2 u . e) for one that lies at e, r away,
/// is the edge of the Voronoi cell there. An edge further than d means that another surfel has room
/// on that side. (The document counts neighbours, 6.6.3, which does not see on which side they
/// are.) The furthest edge is the radius that leaves no gap.
#include "surface/coat_lanes.h"

#define CROWDED 0.5f /* distances: nearer than that one of the two goes */
#define OPEN 1.04f   /* distances: an edge further off is a gap */
#define LARGE 3.0f   /* a disc that motion made so many times as large as needed begins anew */

/* The surfel's own tangent goes with the matter, so what turns is asked along the same directions
 * again. One that has none yet gets that of Duff et al. (2017). */
PX_INLINE void axes(const float n[3], float *const *tangent, uint32_t i, float side[6])
{
    float t[3] = {tangent[0][i], tangent[1][i], tangent[2][i]};
    float off = t[0] * n[0] + t[1] * n[1] + t[2] * n[2];
    for (int k = 0; k < 3; ++k)
        t[k] -= off * n[k];
    float length = px_length3(t);
    if (length > 1e-3f) {
        for (int k = 0; k < 3; ++k)
            side[k] = t[k] / length;
        side[3] = n[1] * side[2] - n[2] * side[1];
        side[4] = n[2] * side[0] - n[0] * side[2];
        side[5] = n[0] * side[1] - n[1] * side[0];
        return;
    }
    float sign = n[2] >= 0.0f ? 1.0f : -1.0f, a = -1.0f / (sign + n[2]), b = n[0] * n[1] * a;
    side[0] = 1.0f + sign * n[0] * n[0] * a;
    side[1] = sign * b;
    side[2] = -sign * n[0];
    side[3] = b;
    side[4] = sign + n[1] * n[1] * a;
    side[5] = -n[1];
}

/* The disc of surfel i. What is not melted is as large as the motion made it: the longer half axis
 * of the ellipse that its tangents span (Eq. 5.29). Matter that was stirred while it froze would
 * make that grow without bound: a disc that is much larger than the ring wants it has no memory,
 * and neither has the rest. */
PX_INLINE void finish(const PxCoatRing *p, uint32_t i, float hot, const float side[6], float wanted)
{
    float e = 0.0f, f = 0.0f, g = 0.0f;
    for (int k = 0; k < 3; ++k) {
        float t = p->tangent[k][i], u = p->tangent[3 + k][i];
        e += t * t;
        f += t * u;
        g += u * u;
    }
    float lean = 0.5f * (e - g), longer = sqrtf(0.5f * (e + g) + sqrtf(lean * lean + f * f));
    bool forget = hot > PX_COAT_MELTED || !(longer > 0.0f) || longer > LARGE * wanted;
    float kept = longer > 0.0f && longer <= LARGE * wanted ? longer : wanted;
    float now = kept + hot * (wanted - kept);
    p->radius[i] = now;
    if (forget)
        for (int k = 0; k < 6; ++k)
            p->tangent[k][i] = now * side[k];
}

void PX_ISA_NAME(px_coat_ring_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatRing *p = user;
    const float d = p->apart, near = CROWDED * CROWDED * d * d, far = 1.0f / (OPEN * d);
    PxF8 c[2] = {px_f8_load(px_coat_ring[0]), px_f8_load(px_coat_ring[0] + 8)};
    PxF8 s[2] = {px_f8_load(px_coat_ring[1]), px_f8_load(px_coat_ring[1] + 8)};
    for (uint32_t i = begin; i < end; ++i) {
        const float *at = p->quad + 4 * (size_t)i, *n = p->normal_quad + 4 * (size_t)i;
        PxPlace8 to = {px_f8(at[0]), px_f8(at[1]), px_f8(at[2])};
        PxF8 edge[2] = {px_f8(0.99f * far), px_f8(0.99f * far)}; /* 1 / distance */
        PxF8 bend = px_f8(0.0f), bends = px_f8(0.0f);
        float *side = p->side[i];
        bool crowded = false;
        axes(n, p->tangent, i, side);
        PX_FOR_NEIGHBOURS(p->pairs, i, j)
        {
            PxF8 x, y, z, w, m[3], part;
            px_f8_load_ways(p->quad, j, &to, &x, &y, &z, &w);
            px_f8_load_quads(p->normal_quad, j, &m[0], &m[1], &m[2], &part);
            PxF8 square = x * x + y * y + z * z;
            PxF8 along = px_f8(n[0]) * m[0] + px_f8(n[1]) * m[1] + px_f8(n[2]) * m[2];
            PxI8 facing = (part == px_f8(n[3])) & (along > px_f8(0.0f)) &
                          (square < px_f8(4.4f * d * d)) & (square > px_f8(1e-6f * d * d));
            PxF8 per = px_f8(-2.0f) / px_f8_max(square, px_f8(1e-6f * d * d));
            PxF8 a = (x * px_f8(side[0]) + y * px_f8(side[1]) + z * px_f8(side[2])) * per;
            PxF8 b = (x * px_f8(side[3]) + y * px_f8(side[4]) + z * px_f8(side[5])) * per;
            /* |n_i - n_j|^2 / r^2 is the square of the curvature */
            PxI8 apart = facing & (square > px_f8(near));
            bend += px_f8_where(apart, (along - px_f8(1.0f)) * per);
            bends += px_f8_where(apart, px_f8(1.0f));
            for (unsigned left = px_f8_bits(facing); left != 0; left &= left - 1) {
                int k = __builtin_ctz(left);
                for (int h = 0; h < 2; ++h)
                    edge[h] = px_f8_max(edge[h], c[h] * px_f8(a[k]) + s[h] * px_f8(b[k]));
            }
            PxI8 close = (part == px_f8(n[3])) & (along > px_f8(0.5f)) & (square < px_f8(near));
            for (unsigned left = px_f8_bits(close); left != 0; left &= left - 1)
                crowded = crowded || p->id[j[__builtin_ctz(left)]] < p->id[i];
        }
        p->open[i] =
            (uint16_t)(px_f8_bits(edge[0] < px_f8(far)) | px_f8_bits(edge[1] < px_f8(far)) << 8);
        p->crowded[i] = crowded;
        PxF8 least = px_f8_min(edge[0], edge[1]);
        float cell = least[0];
        for (int k = 1; k < 8; ++k)
            cell = least[k] < cell ? least[k] : cell;
        /* Overlapping discs are shaded smoothly; where the surface is curved they stick out. */
        float count = px_f8_sum(bends), square = count > 0.0f ? px_f8_sum(bend) / count : 0.0f;
        float round = square > 1e-6f ? 1.0f / sqrtf(square) : 1e3f;
        float more = px_less(0.6f * round, 1.15f * d);
        finish(p, i, at[3], side, px_more(1.1f / cell, more));
    }
}
