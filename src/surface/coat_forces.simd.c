/// One round of the forces that act on surfels (000 Eqs. 6.22 to 6.36).
///
/// Along the normal: the guiding force is Newton's step onto the field's surface (6.28), the
/// attracting one is (6.29) over the sum of the weights, and the smoothing force is
///
///     sum_j w_ij 1/2 (n_i + n_j) . (x_j - x_i) / sum_j w_ij,   w = (1 - r^2/R^2)^3
///
/// over neighbours of the part whose normals are within 45 degrees. The document projects onto the
/// plane through their mean (2.44), which draws in whatever is curved: a drop of radius R_0 by
/// about R^2 / 8 R_0 every time. The mean of both normals gives nothing on spheres and planes, and
/// acts against the fourth derivative of a wave instead of the second: bumps as long as particles
/// are apart go, waves of ten spacings stay.
///
/// Along the surface: neighbours nearer than `apart` push (6.31, 6.33). The document lets all
/// within the support push for ever; this comes to rest.
#include "surface/coat_lanes.h"

#define COS_45 0.70710678f
#define STEP 0.3f /* longest way of the guiding force, spacings */

typedef struct Sheet {
    float smooth, normal[3], repel[3];
} Sheet;

PX_INLINE Sheet look_around(const PxCoatRound *p, uint32_t i)
{
    const PxF8 zero = px_f8(0.0f), one = px_f8(1.0f), half = px_f8(0.5f);
    const PxF8 per = px_f8(1.0f / (p->reach * p->reach)), apart = px_f8(p->apart);
    const float *own = p->normal_quad + 4 * (size_t)i;
    PxPlace8 at = px_place8(p->quad, i);
    PxF8 n[3] = {px_f8(own[0]), px_f8(own[1]), px_f8(own[2])}, part = px_f8(own[3]);
    PxF8 weights = zero, smooth = zero, mean[3] = {zero, zero, zero}, push[3] = {zero, zero, zero};
    PX_FOR_NEIGHBOURS(p->pairs, i, j)
    {
        PxF8 x, y, z, none, m[3], its;
        px_f8_load_ways(p->quad, j, &at, &x, &y, &z, &none);
        px_f8_load_quads(p->normal_quad, j, &m[0], &m[1], &m[2], &its);
        PxF8 square = x * x + y * y + z * z;
        PxF8 t = px_f8_max(one - square * per, zero);
        PxF8 along = n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
        PxI8 same = (its == part) & (along > px_f8(COS_45)) & (t > zero);
        t = px_f8_where(same, t * t * t);
        x = px_f8_where(same, x);
        y = px_f8_where(same, y);
        z = px_f8_where(same, z);
        weights += t;
        for (int k = 0; k < 3; ++k)
            mean[k] += t * m[k];
        smooth -= t * half * ((n[0] + m[0]) * x + (n[1] + m[1]) * y + (n[2] + m[2]) * z);
        PxF8 far = px_f8_max(px_f8_sqrt(square), px_f8(1e-6f));
        PxF8 force = px_f8_where(same, px_f8_max(apart - far, zero)) / far;
        push[0] += force * x;
        push[1] += force * y;
        push[2] += force * z;
    }
    float sum = px_f8_sum(weights); /* the surfel itself counts: at least 1 */
    Sheet s = {.smooth = px_f8_sum(smooth) / sum};
    for (int k = 0; k < 3; ++k) {
        s.normal[k] = px_f8_sum(mean[k]) / sum;
        s.repel[k] = px_f8_sum(push[k]);
    }
    return s;
}

PX_INLINE float dot3(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Where the surfel goes, and its normal there. */
static void force(const PxCoatRound *p, uint32_t i, const float at[3], float n[3], float move[3])
{
    PxCoatValue v = px_coat_value(p->f, p->near.pairs, p->near.place[i], at, p->attract > 0.0f);
    Sheet s = look_around(p, i);
    float slope = px_length3(v.gradient), out[3] = {n[0], n[1], n[2]}, step = 0.0f;
    if (slope > 0.02f) {
        for (int k = 0; k < 3; ++k)
            out[k] = -v.gradient[k] / slope;
        step = px_less(px_more((v.value - p->level) / slope, -STEP), STEP);
    }
    float sum[3]; /* Eq. 6.32 */
    for (int k = 0; k < 3; ++k)
        sum[k] = p->guide * out[k] + p->smooth * s.normal[k];
    float length = px_length3(sum);
    if (length > 1e-6f)
        for (int k = 0; k < 3; ++k)
            n[k] = sum[k] / length;
    float along = p->guide * step * dot3(out, n) + p->smooth * s.smooth; /* Eqs. 6.34, 6.35 */
    if (p->attract > 0.0f)
        along += p->attract * dot3(v.attract, n);
    /* A wall that attracts takes the place of the other forces along the normal by as much as it
     * does: the sum that the document has would leave fine relief to the smoothing. */
    float pull = p->pull != NULL ? p->pull[i] : 0.0f, off = 0.0f;
    const float *plane = NULL;
    if (pull > 0.0f) {
        plane = p->wall + 4 * (size_t)i;
        off = pull * px_less(px_more(dot3(plane, at) - plane[3], -1.0f), 1.0f);
        along *= 1.0f - pull;
        for (int k = 0; k < 3; ++k)
            sum[k] = (1.0f - pull) * n[k] - pull * plane[k];
        length = px_length3(sum);
        for (int k = 0; length > 1e-3f && k < 3; ++k)
            n[k] = sum[k] / length;
    }
    float push = dot3(s.repel, n), size;
    float aside[3]; /* Eq. 6.33 */
    for (int k = 0; k < 3; ++k)
        aside[k] = p->repel * (s.repel[k] - push * n[k]);
    size = px_length3(aside);
    float most = 0.25f * p->apart, share = size > most ? most / size : 1.0f;
    for (int k = 0; k < 3; ++k)
        move[k] = p->alpha * (along * n[k] + share * aside[k]); /* Eq. 6.36 */
    for (int k = 0; pull > 0.0f && k < 3; ++k)
        move[k] -= off * plane[k];
    /* The guiding constraint: not out to where the field is less than the least, but for relief. */
    float after = v.value + dot3(v.gradient, move);
    if (slope > 0.02f && after < p->least) {
        float back = (1.0f - pull) * px_more((after - p->least) / slope, -STEP);
        for (int k = 0; k < 3; ++k)
            move[k] += back * out[k];
    }
}

void PX_ISA_NAME(px_coat_round_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatRound *p = user;
    float largest = 0.0f;
    for (uint32_t i = begin; i < end; ++i) {
        const float *at = p->quad + 4 * (size_t)i, *own = p->normal_quad + 4 * (size_t)i;
        float n[3] = {own[0], own[1], own[2]}, move[3] = {0.0f, 0.0f, 0.0f};
        if (at[3] > 0.0f) /* melted at all */
            force(p, i, at, n, move);
        float to[3] = {at[0] + move[0], at[1] + move[1], at[2] + move[2]}, far = 0.0f;
        if (p->wall != NULL) {
            const float *w = p->wall + 4 * (size_t)i;
            float room = dot3(w, to) - w[3];
            if (room < 0.0f)
                for (int k = 0; k < 3; ++k)
                    to[k] -= room * w[k];
        }
        for (int k = 0; k < 3; ++k) {
            far += (to[k] - at[k]) * (to[k] - at[k]);
            p->to[k][i] = to[k];
            p->normal[k][i] = n[k];
        }
        far *= at[3] * at[3];
        largest = far > largest ? far : largest;
    }
    p->largest[begin / PX_COAT_BLOCK] = sqrtf(largest);
}
