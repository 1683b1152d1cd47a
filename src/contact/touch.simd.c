/// The gap of a row and its derivatives, 8 rows of the other solid at a time.
#include "contact/touch.h"

#include <math.h>

/* Pieces of one body lie between each other's rows. Where rows of the other piece are on opposite
 * sides, the mean way is much shorter than the ways, and is no gap; it may change 250 times as fast
 * as the row moves. The contact fades out between these ratios of the mean way to the mean
 * distance: without that a piece of 18 rows among others got 2600 m/s in one sub-step. */
#define ONE_SIDE 0.8
#define BETWEEN 0.5

/* Far beyond the support, with a finite square. */
#define FAR_AWAY 1e15f

/* Rows of a list relative to x, 8 of them. Differences are taken in double precision. */
PX_INLINE void load(const PxTouchPass *pass, const uint32_t *entry, uint32_t count, PxD4 x,
                    PxF8 r[3], PxF8 *modulus)
{
    static const uint32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    _Alignas(32) float to[8][4];
    for (uint32_t k = 0; k < 8; ++k)
        px_f4_store(to[k], __builtin_convertvector(
                               px_d4_load(pass->spot + 4 * (size_t)entry[k]) - x, PxF4));
    for (uint32_t k = count; k < 8; ++k)
        to[k][0] = FAR_AWAY;
    px_f8_load_quads(to[0], order, &r[0], &r[1], &r[2], modulus);
}

/* Part of a contact that stays, by the ratio of the mean way to the mean distance. */
PX_INLINE double facing_part(double ratio)
{
    double t = (ratio - BETWEEN) / (ONE_SIDE - BETWEEN);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

bool PX_ISA_NAME(px_touch_find)(const PxTouchPass *pass, uint32_t facing, PxSolidTouch *t,
                                double *excess)
{
    const PxFacings *f = pass->facings;
    const PxFacing here = f->facing[facing];
    const uint32_t *entry = f->entry + here.start;
    const float *part = f->part + here.start;
    PxD4 x = px_d4_load(pass->spot + 4 * (size_t)here.row);
    x[3] = 0;
    float *sx = pass->slopes.x + here.start, *sy = pass->slopes.y + here.start,
          *sz = pass->slopes.z + here.start, *weight = pass->slopes.weight + here.start;
    double g0 = (double)f->radius[f->solid->frame_of[here.row]] + (double)f->radius[here.frame];
    double h2 = PX_FACING_SUPPORT * PX_FACING_SUPPORT * g0 * g0;
    double most = g0;
    bool of_one_body = f->limit != NULL && f->limit[facing] < INFINITY;
    if (f->limit != NULL && (double)f->limit[facing] < g0)
        g0 = (double)f->limit[facing];
    const PxF8 zero = px_f8(0.0f), one = px_f8(1.0f), per = px_f8((float)(1 / h2));
    PxF8 sums[5] = {zero, zero, zero, zero, zero}, far = zero;
    for (uint32_t e = 0; e < here.size; e += 8) {
        PxF8 r[3], modulus;
        load(pass, entry + e, here.size - e < 8 ? here.size - e : 8, x, r, &modulus);
        PxF8 square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        PxF8 left = px_f8_max(one - square * per, zero);
        PxF8 w = left * left * left * px_f8_load(part + e);
        if (of_one_body)
            far += w * px_f8_sqrt(square);
        for (int a = 0; a < 3; ++a)
            sums[a] += w * r[a];
        sums[3] += w;
        sums[4] += w * modulus;
        px_f8_store(sx + e, r[0]);
        px_f8_store(sy + e, r[1]);
        px_f8_store(sz + e, r[2]);
        px_f8_store(weight + e, left);
    }
    double sum = (double)px_f8_sum(sums[3]);
    *excess = most; /* no row within the support, twice as far */
    if (!(sum > 0))
        return false;
    PxVec3 mean = {(double)px_f8_sum(sums[0]) / sum, (double)px_f8_sum(sums[1]) / sum,
                   (double)px_f8_sum(sums[2]) / sum};
    double g = px_length(mean), own = (double)pass->modulus[here.row],
           its = (double)px_f8_sum(sums[4]) / sum;
    *excess = g > g0 ? g - g0 : 0;
    if (!(g < g0) || !(g > 0) || !(own + its > 0))
        return false;
    PxVec3 n = px_scale(mean, -1 / g);
    /* Both sides have this energy: half of the stiffness of one layer each. */
    double spring = own * its / (own + its) * g0;
    if (of_one_body)
        spring *= facing_part(g * sum / (double)px_f8_sum(far));
    if (!(spring > 0))
        return false;
    /* dw/dx_j = -6 left^2 / h^2 r, and the gap changes by -(w n + lever dw) / sum, where lever is
     * the distance from the mean along the normal */
    PxF8 nx = px_f8((float)n.x), ny = px_f8((float)n.y), nz = px_f8((float)n.z);
    PxF8 shift = px_f8((float)px_dot(n, mean)), per_sum = px_f8((float)(1 / sum));
    PxF8 steep = px_f8((float)(6 / h2 / sum)), squares = zero, lengths = zero,
         total[3] = {zero, zero, zero};
    for (uint32_t e = 0; e < here.size; e += 8) {
        PxF8 rx = px_f8_load(sx + e), ry = px_f8_load(sy + e), rz = px_f8_load(sz + e),
             left = px_f8_load(weight + e);
        PxF8 square = left * left * px_f8_load(part + e), w = square * left * per_sum;
        pass->slopes.some[(here.start + e) / 8] = (uint8_t)px_f8_bits(square > zero);
        PxF8 lever = (nx * rx + ny * ry + nz * rz - shift) * square * steep;
        PxF8 dx = rx * lever - nx * w, dy = ry * lever - ny * w, dz = rz * lever - nz * w;
        PxF8 length = dx * dx + dy * dy + dz * dz;
        px_f8_store(sx + e, dx);
        px_f8_store(sy + e, dy);
        px_f8_store(sz + e, dz);
        px_f8_store(weight + e, w);
        total[0] += dx;
        total[1] += dy;
        total[2] += dz;
        squares += length;
        lengths += px_f8_sqrt(length);
    }
    /* what the others lose the row gains: translations do not change the gap */
    PxVec3 slope = {-(double)px_f8_sum(total[0]), -(double)px_f8_sum(total[1]),
                    -(double)px_f8_sum(total[2])};
    float heavy = 0;
    for (uint32_t e = 0; e < here.size; ++e)
        heavy = pass->per_mass[entry[e]] > heavy ? pass->per_mass[entry[e]] : heavy;
    t->gap = g;
    t->force = spring * (g0 - g) * g0 / g;
    t->stiff = spring * g0 * g0 / (g * g);
    t->energy = spring * (g0 * g0 * log(g0 / g) - g0 * (g0 - g));
    t->light = px_dot(slope, slope) * (double)pass->per_mass[here.row] +
               (double)px_f8_sum(squares) * (double)heavy;
    t->slopes = px_length(slope) + (double)px_f8_sum(lengths);
    t->slope = slope;
    t->normal = n;
    t->way = mean;
    return true;
}
