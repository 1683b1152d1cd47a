/// One iteration of the forces on surfels.
///
/// The forces are those of 000 Eqs. 6.22 to 6.36.
/// Along the normal: the guiding force is a Newton step onto the isosurface (6.28), the attracting
/// force is (6.29) divided by the sum of the weights, and the smoothing force is
///
///     sum_j w_ij 1/2 (n_i + n_j) . (x_j - x_i) / sum_j w_ij,   w = (1 - r^2/R^2)^3
///
/// over neighbours of the same component with normals within 45 degrees. The thesis projects onto
/// the plane through the neighbours' mean (2.44), which shrinks curved surfaces: a drop of radius
/// R_0 by about R^2 / 8 R_0 an iteration. With the mean of both normals the force vanishes on
/// spheres and planes. It damps a wave by its fourth derivative, not its second: bumps of one
/// particle spacing disappear, waves of ten spacings stay.
///
/// In the tangent plane: neighbours nearer than `apart` repel (6.31, 6.33). In the thesis all
/// within the support repel without end; this converges.
#include "surface/coat/lanes.h"

#define COS_45 0.70710678f
#define STEP 0.3f /* longest step of the guiding force, spacings */

typedef struct Neighbours {
    PxF8 smooth, normal[3], repel[3];
} Neighbours;

PX_INLINE Neighbours average_neighbours(const PxCoatRound *p, uint32_t bunch, const PxF8 at[3],
                                        const PxF8 n[3], PxF8 component)
{
    const PxF8 zero = px_f8(0.0f), one = px_f8(1.0f);
    const PxF8 per = px_f8(1.0f / (p->reach * p->reach)), apart = px_f8(p->apart);
    const PxF8 close = px_f8(p->apart * p->apart);
    PxF8 weights = zero, smooth = zero, mean[3] = {zero, zero, zero}, push[3] = {zero, zero, zero};
    PX_COAT_FOR_NEAR(&p->lists, bunch, j)
    {
        const float *its = p->normal_quad + 4 * (size_t)*j;
        PxF8 way[3], m[3] = {px_f8(its[0]), px_f8(its[1]), px_f8(its[2])};
        px_lanes_offset(p->quad, *j, at, way);
        PxF8 square = px_lanes_dot(way, way), t = one - square * per;
        PxI8 same =
            (px_f8(its[3]) == component) & (px_lanes_dot(n, m) > px_f8(COS_45)) & (t > zero);
        t = px_f8_where(same, t * t * t);
        weights += t;
        for (int k = 0; k < 3; ++k)
            mean[k] += t * m[k];
        smooth -= t * ((n[0] + m[0]) * way[0] + (n[1] + m[1]) * way[1] + (n[2] + m[2]) * way[2]);
        PxI8 pushes = same & (square < close);
        if (px_f8_bits(pushes) == 0)
            continue;
        PxF8 far = px_f8_max(px_f8_sqrt(square), px_f8(1e-6f));
        PxF8 force = px_f8_where(pushes, (apart - far) / far);
        for (int k = 0; k < 3; ++k)
            push[k] += force * way[k];
    }
    weights = px_f8_max(weights, px_f8(1e-6f)); /* at least 1: includes the surfel itself */
    Neighbours s = {.smooth = px_f8(0.5f) * smooth / weights};
    for (int k = 0; k < 3; ++k) {
        s.normal[k] = mean[k] / weights;
        s.repel[k] = push[k];
    }
    return s;
}

/* Displacements and new normals of a bunch. */
PX_INLINE void force(const PxCoatRound *p, uint32_t bunch, const PxF8 at[3], PxF8 component,
                     const PxF8 plane[4], PxF8 pull, PxF8 n[3], PxF8 move[3])
{
    const PxF8 zero = px_f8(0.0f), guide = px_f8(p->guide), smooth = px_f8(p->smooth);
    PxCoatValue v = px_coat_value(p->f, &p->near, bunch, at, component, p->attract > 0.0f);
    Neighbours s = average_neighbours(p, bunch, at, n, component);
    PxF8 slope = px_lanes_length(v.gradient), out[3], sum[3];
    PxI8 steep = slope > px_f8(0.02f);
    PxF8 step = px_f8_where(steep, px_lanes_clamp((v.value - px_f8(p->level)) / slope, STEP));
    for (int k = 0; k < 3; ++k) {
        out[k] = px_lanes_select(steep, -v.gradient[k] / slope, n[k]);
        sum[k] = guide * out[k] + smooth * s.normal[k]; /* Eq. 6.32 */
    }
    PxF8 length = px_lanes_length(sum);
    for (int k = 0; k < 3; ++k)
        n[k] = px_lanes_select(length > px_f8(1e-6f), sum[k] / length, n[k]);
    PxF8 along = guide * step * px_lanes_dot(out, n) + smooth * s.smooth; /* Eqs. 6.34, 6.35 */
    if (p->attract > 0.0f)
        along += px_f8(p->attract) * px_lanes_dot(v.attract, n);
    /* An attracting wall replaces the other normal forces by its share `pull`. Adding to them,
     * as the thesis does, would let the smoothing force wash out fine relief. */
    PxI8 pulled = pull > zero;
    PxF8 off = zero, rest = px_f8(1.0f) - pull;
    if (px_f8_bits(pulled) != 0) {
        off = pull * px_lanes_clamp(px_lanes_dot(plane, at) - plane[3], 1.0f);
        along *= rest;
        for (int k = 0; k < 3; ++k)
            sum[k] = rest * n[k] - pull * plane[k];
        length = px_lanes_length(sum);
        for (int k = 0; k < 3; ++k)
            n[k] = px_lanes_select(pulled & (length > px_f8(1e-3f)), sum[k] / length, n[k]);
    }
    PxF8 push = px_lanes_dot(s.repel, n), aside[3]; /* Eq. 6.33 */
    for (int k = 0; k < 3; ++k)
        aside[k] = px_f8(p->repel) * (s.repel[k] - push * n[k]);
    PxF8 size = px_lanes_length(aside), most = px_f8(0.25f * p->apart);
    PxF8 share = px_lanes_select(size > most, most / size, px_f8(1.0f));
    for (int k = 0; k < 3; ++k)
        move[k] = px_f8(p->alpha) * (along * n[k] + share * aside[k]); /* Eq. 6.36 */
    if (px_f8_bits(pulled) != 0)
        for (int k = 0; k < 3; ++k)
            move[k] -= px_f8_where(pulled, off * plane[k]);
    /* Guiding constraint: stay where the field is at least `least`, except where a wall
     * attracts. */
    PxF8 under = v.value + px_lanes_dot(v.gradient, move) - px_f8(p->least);
    PxF8 back = px_f8_where(steep & (under < zero), rest * px_f8_max(under / slope, px_f8(-STEP)));
    for (int k = 0; k < 3; ++k)
        move[k] += back * out[k];
}

static float relax_bunch(const PxCoatRound *p, uint32_t bunch)
{
    uint32_t i = p->lists.begin[bunch], count = p->lists.begin[bunch + 1] - i;
    const PxF8 zero = px_f8(0.0f);
    PxF8 at[3], n[3], old[3], plane[4], pull = zero, move[3] = {zero, zero, zero}, component;
    uint32_t row[8];
    for (uint32_t k = 0; k < 8; ++k)
        row[k] = k < count ? i + k : i;
    PxF8 hot;
    px_f8_load_quads(p->quad, row, &at[0], &at[1], &at[2], &hot);
    px_f8_load_quads(p->normal_quad, row, &old[0], &old[1], &old[2], &component);
    PxI8 melts = hot > zero;
    for (int k = 0; k < 3; ++k)
        n[k] = old[k];
    if (px_f8_bits(melts) != 0) {
        if (p->wall != NULL) {
            px_f8_load_quads(p->wall, row, &plane[0], &plane[1], &plane[2], &plane[3]);
            for (uint32_t k = 0; k < 8; ++k)
                pull[k] = p->pull[row[k]];
        } else {
            plane[0] = plane[1] = plane[2] = zero;
            plane[3] = px_f8(-1.0f);
        }
        force(p, bunch, at, component, plane, pull, n, move);
    }
    PxF8 to[3], way[3];
    for (int k = 0; k < 3; ++k) {
        n[k] = px_lanes_select(melts, n[k], old[k]);
        to[k] = at[k] + px_f8_where(melts, move[k]);
    }
    if (p->wall != NULL && px_f8_bits(melts) != 0) {
        PxF8 room = px_f8_min(px_lanes_dot(plane, to) - plane[3], zero);
        for (int k = 0; k < 3; ++k)
            to[k] -= px_f8_where(melts, room * plane[k]);
    }
    for (int k = 0; k < 3; ++k) {
        way[k] = (to[k] - at[k]) * hot;
        px_lanes_store(p->to[k] + i, to[k], count);
        px_lanes_store(p->normal[k] + i, n[k], count);
    }
    PxF8 far = px_lanes_dot(way, way);
    float furthest = 0.0f;
    for (int k = 0; k < 8; ++k)
        furthest = px_max(far[k], furthest);
    return furthest;
}

void PX_ISA_NAME(px_coat_round_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatRound *p = user;
    float largest = 0.0f;
    for (uint32_t b = begin; b < end; ++b)
        largest = px_max(relax_bunch(p, b), largest);
    p->largest[begin / PX_COAT_BUNCHES] = sqrtf(largest);
}
