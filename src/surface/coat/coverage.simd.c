/// Coverage of the surface: crowded surfels, gaps, and the disc radii that leave no hole.
///
/// Points at least a distance d apart, so many that no further one fits, cover the surface with
/// discs of radius d (Poisson disk set). The Voronoi cell of each surfel is sampled in 16
/// directions u of its tangent plane: a neighbour at e, a distance r away, puts the cell's edge at
/// r^2 / (2 u . e). An edge further away than d means that another surfel fits there. (The thesis
/// counts neighbours, 6.6.3, which does not tell the side where they are missing.) The furthest
/// edge is the radius that leaves no hole.
#include "surface/coat/lanes.h"

/* Nearer than this (in distances between surfels) the younger one is deleted. */
#define CROWDED 0.5f
#define OPEN 1.04f /* an edge further away (in distances) is a gap */
#define LARGE 3.0f /* discs larger than this many times the radius needed are reset */

/* Tangent frame. The tangent is advected with the matter, so a rotating surface keeps its
 * directions. Without a tangent yet: the frame of Duff et al. (2017). */
PX_INLINE void axes(const PxF8 n[3], const PxF8 tangent[3], PxF8 side[6])
{
    const PxF8 one = px_f8(1.0f);
    PxF8 off = px_lanes_dot(tangent, n), t[3];
    for (int k = 0; k < 3; ++k)
        t[k] = tangent[k] - off * n[k];
    PxF8 length = px_lanes_length(t);
    PxI8 known = length > px_f8(1e-3f);
    PxF8 sign = px_lanes_select(n[2] >= px_f8(0.0f), one, -one);
    PxF8 a = -one / (sign + n[2]), b = n[0] * n[1] * a;
    const PxF8 any[6] = {one + sign * n[0] * n[0] * a, sign * b, -sign * n[0], b,
                         sign + n[1] * n[1] * a,       -n[1]};
    for (int k = 0; k < 3; ++k)
        side[k] = px_lanes_select(known, t[k] / length, any[k]);
    const PxF8 across[3] = {n[1] * side[2] - n[2] * side[1], n[2] * side[0] - n[0] * side[2],
                            n[0] * side[1] - n[1] * side[0]};
    for (int k = 0; k < 3; ++k)
        side[3 + k] = px_lanes_select(known, across[k], any[3 + k]);
}

/* Radii and tangents of a bunch. A disc of solid matter has the size that its deformation gave
 * it: the longer half axis of the ellipse spanned by its tangents (Eq. 5.29). Tangents of molten
 * matter are reset every time. So are discs much larger than the coverage needs, which matter
 * that was stirred while it froze would otherwise accumulate. */
PX_INLINE void finish(const PxCoatCoverage *p, uint32_t i, uint32_t count, const PxF8 tangent[6],
                      const PxF8 side[6], PxF8 hot, PxF8 wanted)
{
    PxF8 e = px_lanes_dot(tangent, tangent), f = px_lanes_dot(tangent, tangent + 3);
    PxF8 g = px_lanes_dot(tangent + 3, tangent + 3), lean = px_f8(0.5f) * (e - g);
    PxF8 longer = px_f8_sqrt(px_f8(0.5f) * (e + g) + px_f8_sqrt(lean * lean + f * f));
    PxI8 fine = (longer > px_f8(0.0f)) & (longer <= px_f8(LARGE) * wanted);
    PxI8 forget = (hot > px_f8(PX_COAT_MELTED)) | ~fine;
    PxF8 kept = px_lanes_select(fine, longer, wanted), now = kept + hot * (wanted - kept);
    px_lanes_store(p->radius + i, now, count);
    for (int k = 0; k < 6; ++k)
        px_lanes_store(p->tangent[k] + i, px_lanes_select(forget, now * side[k], tangent[k]),
                       count);
}

/* Cosines of 22.5, 45 and 67.5 degrees. */
#define C1 0.92387953f
#define C2 0.70710678f
#define C3 0.38268343f

/* Maximum of 1 / (distance of the cell's edge) over the neighbours: `edge` in directions 0 to 7,
 * -`back` in the opposite ones. */
PX_INLINE void bisectors(PxF8 a, PxF8 b, PxF8 edge[8], PxF8 back[8])
{
    PxF8 a1 = px_f8(C1) * a, a2 = px_f8(C2) * a, a3 = px_f8(C3) * a;
    PxF8 b1 = px_f8(C1) * b, b2 = px_f8(C2) * b, b3 = px_f8(C3) * b;
    const PxF8 way[8] = {a, a1 + b3, a2 + b2, a3 + b1, b, b1 - a3, b2 - a2, b3 - a1};
    for (int k = 0; k < 8; ++k) {
        edge[k] = px_f8_max(edge[k], way[k]);
        back[k] = px_f8_min(back[k], way[k]);
    }
}

static void cover_bunch(const PxCoatCoverage *p, uint32_t bunch)
{
    const float d = p->apart, near = CROWDED * CROWDED * d * d, far = 1.0f / (OPEN * d);
    const PxF8 zero = px_f8(0.0f), least = px_f8(1e-6f * d * d);
    uint32_t i = p->lists.begin[bunch], count = p->lists.begin[bunch + 1] - i, row[8];
    PxF8 at[3], n[3], component, hot, tangent[6], side[6];
    for (uint32_t k = 0; k < 8; ++k)
        row[k] = k < count ? i + k : i;
    px_f8_load_quads(p->quad, row, &at[0], &at[1], &at[2], &hot);
    px_f8_load_quads(p->normal_quad, row, &n[0], &n[1], &n[2], &component);
    px_lanes_load(tangent, p->tangent, i);
    px_lanes_load(tangent + 3, p->tangent + 3, i);
    axes(n, tangent, side);
    PxF8 edge[8], back[8], bend = zero, bends = zero;
    for (int k = 0; k < 8; ++k) {
        edge[k] = px_f8(0.99f * far);
        back[k] = px_f8(-0.99f * far);
    }
    unsigned crowded = 0;
    PX_COAT_FOR_NEAR(&p->lists, bunch, j)
    {
        const float *its = p->normal_quad + 4 * (size_t)*j;
        PxF8 way[3], m[3] = {px_f8(its[0]), px_f8(its[1]), px_f8(its[2])};
        px_lanes_offset(p->quad, *j, at, way);
        PxF8 square = px_lanes_dot(way, way), along = px_lanes_dot(n, m);
        PxI8 own = px_f8(its[3]) == component;
        PxI8 facing = own & (along > zero) & (square < px_f8(4.4f * d * d)) & (square > least);
        if (px_f8_bits(facing) == 0)
            continue;
        PxF8 per = px_f8_where(facing, px_f8(-2.0f) / px_f8_max(square, least));
        /* |n_i - n_j|^2 / r^2 estimates the curvature squared */
        PxI8 apart = facing & (square > px_f8(near));
        bend += px_f8_where(apart, (along - px_f8(1.0f)) * per);
        bends += px_f8_where(apart, px_f8(1.0f));
        bisectors(px_lanes_dot(way, side) * per, px_lanes_dot(way, side + 3) * per, edge, back);
        unsigned close = px_f8_bits(facing & (along > px_f8(0.5f)) & (square <= px_f8(near)));
        for (; close != 0; close &= close - 1) {
            unsigned k = (unsigned)__builtin_ctz(close);
            if (k < count && p->id[*j] < p->id[i + k])
                crowded |= 1u << k;
        }
    }
    PxF8 cell = edge[0];
    for (int k = 0; k < 8; ++k)
        cell = px_f8_min(cell, px_f8_min(edge[k], -back[k]));
    for (uint32_t k = 0; k < count; ++k) {
        p->open[i + k] = 0;
        p->crowded[i + k] = crowded >> k & 1u;
    }
    for (unsigned left = px_f8_bits(cell < px_f8(far)); left != 0; left &= left - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(left);
        if (k >= count)
            break;
        for (int h = 0; h < 8; ++h)
            p->open[i + k] |= (uint16_t)((edge[h][k] < far) << h | (-back[h][k] < far) << (8 + h));
        for (int a = 0; a < 6; ++a)
            p->side[i + k][a] = side[a][k];
    }
    /* Overlap makes shading smooth, but on curved surfaces large discs stick out. */
    PxF8 square = px_f8_where(bends > zero, bend / bends);
    PxF8 round =
        px_lanes_select(square > px_f8(1e-6f), px_f8(1.0f) / px_f8_sqrt(square), px_f8(1e3f));
    PxF8 more = px_f8_min(px_f8(0.6f) * round, px_f8(1.15f * d));
    finish(p, i, count, tangent, side, hot, px_f8_max(px_f8(1.1f) / cell, more));
}

void PX_ISA_NAME(px_coat_coverage_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    for (uint32_t b = begin; b < end; ++b)
        cover_bunch(user, b);
}
