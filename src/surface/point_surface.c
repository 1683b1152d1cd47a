#include "surface/point_surface.h"

#include "base/fail.h"
#include "base/mat3.h"

#include <math.h>

/* Support in spacings. With 2 the surface follows single points, with 3 edges are rounder. */
#define SUPPORT 2.5
/* Iterations of the projection, and the part of the support at which it rests. */
#define ROUNDS 12
#define REST 1e-5
/* Neighbour whose distance counts as the spacing, times SQUARE: on a square lattice the mean
 * distance of the four nearest is 1 spacing; copies of a point, as at edges of meshes, do not
 * count. */
#define NEAREST 12u
#define COUNTED 4u

static PxVec3 triple(const float *const column[3], uint32_t i)
{
    return px_vec((double)column[0][i], (double)column[1][i], (double)column[2][i]);
}

/* Mean over a sample of points of the mean distance to the nearest others. */
static double mean_spacing(const PxPointSurface *s)
{
    double sum = 0;
    uint32_t step = s->count / 2000 + 1, counted = 0;
    for (uint32_t i = 0; i < s->count; i += step) {
        uint32_t near[NEAREST], found, used = 0;
        float squared[NEAREST];
        double distance = 0;
        found = px_kdtree_nearest(&s->tree, s->position[0][i], s->position[1][i], s->position[2][i],
                                  NEAREST, near, squared);
        for (uint32_t k = 0; k < found && used < COUNTED; ++k)
            if (squared[k] > 0.0f) {
                distance += sqrt((double)squared[k]);
                ++used;
            }
        if (used > 0) {
            sum += distance / used;
            ++counted;
        }
    }
    return counted > 0 ? sum / counted : 0;
}

PxStatus px_point_surface_make(PxPointSurface *out, const float *const position[3],
                               const float *const normal[3], uint32_t count, PxArena *scratch)
{
    *out = (PxPointSurface){.count = count};
    for (int k = 0; k < 3; ++k) {
        out->position[k] = position[k];
        out->normal[k] = normal[k];
    }
    px_kdtree_init(&out->tree, NULL);
    PX_TRY(px_kdtree_build(&out->tree, position[0], position[1], position[2], count, scratch));
    out->spacing = mean_spacing(out);
    out->support = SUPPORT * out->spacing;
    return PX_OK;
}

void px_point_surface_free(PxPointSurface *surface)
{
    px_kdtree_free(&surface->tree);
}

/* Sums of Eqs. 2.45 and 2.46 and their derivatives along the axes. */
typedef struct Sums {
    double weight;
    PxVec3 slope;             /* of the weight */
    PxVec3 place, normal;     /* weighted */
    PxMat3 place_d, normal_d; /* column k: derivative along axis k */
} Sums;

bool px_point_surface_at(const PxPointSurface *s, PxVec3 x, double *value, PxVec3 *gradient,
                         PxVec3 *plane, PxVec3 *normal)
{
    uint32_t near[PX_POINT_SURFACE_NEAR];
    double h = s->support, per = 1 / (h * h);
    uint32_t found = px_kdtree_range(&s->tree, (float)x.x, (float)x.y, (float)x.z, (float)h, near,
                                     PX_POINT_SURFACE_NEAR);
    Sums m = {0};
    found = found < PX_POINT_SURFACE_NEAR ? found : PX_POINT_SURFACE_NEAR;
    for (uint32_t k = 0; k < found; ++k) {
        PxVec3 way = px_sub(triple(s->position, near[k]), x), n = triple(s->normal, near[k]);
        double u = 1 - px_dot(way, way) * per;
        if (!(u > 0))
            continue;
        double w = u * u * u;
        PxVec3 d = px_scale(way, 6 * per * u * u); /* of w along x */
        m.weight += w;
        m.slope = px_add(m.slope, d);
        m.place = px_mad(m.place, way, w);
        m.normal = px_mad(m.normal, n, w);
        m.place_d = px_mat3_add(m.place_d, px_mat3_outer(way, d));
        m.normal_d = px_mat3_add(m.normal_d, px_mat3_outer(n, d));
    }
    double length = px_length(m.normal);
    if (!(m.weight > 0) || !(length > 1e-3 * m.weight))
        return false;
    /* `place` is relative to x: x - a = -place / weight. Its derivative along e_k, with x fixed in
     * `way`, is that of the sum at fixed offsets, (place_d - a' slope) / weight. */
    PxVec3 n = px_scale(m.normal, 1 / length), away = px_scale(m.place, -1 / m.weight);
    PxVec3 mean = px_scale(m.place, 1 / m.weight);
    PxMat3 a_d = px_mat3_scale(px_mat3_sub(m.place_d, px_mat3_outer(mean, m.slope)), 1 / m.weight);
    PxVec3 across = px_scale(px_mad(away, n, -px_dot(away, n)), 1 / length);
    *value = px_dot(n, away);
    *gradient = px_add(px_mat3_apply(px_mat3_transpose(m.normal_d), across),
                       px_sub(n, px_mat3_apply(px_mat3_transpose(a_d), n)));
    *plane = px_add(x, mean);
    *normal = n;
    return true;
}

uint32_t px_point_surface_nearest(const PxPointSurface *s, PxVec3 x)
{
    uint32_t near = UINT32_MAX;
    float squared;
    px_kdtree_nearest(&s->tree, (float)x.x, (float)x.y, (float)x.z, 1, &near, &squared);
    return s->count > 0 ? near : UINT32_MAX;
}

double px_point_surface_project(const PxPointSurface *s, PxVec3 x, PxVec3 *foot, PxVec3 *normal)
{
    uint32_t near = px_point_surface_nearest(s, x);
    if (near == UINT32_MAX)
        return INFINITY;
    PxVec3 start = triple(s->position, near), to = start, n = triple(s->normal, near);
    for (int round = 0; round < ROUNDS; ++round) {
        double value;
        PxVec3 gradient, plane, here;
        if (!px_point_surface_at(s, to, &value, &gradient, &plane, &here))
            break;
        double along = px_dot(here, gradient);
        n = here;
        if (!(along > 0.1)) /* at a sharp edge: along the normal, which is bounded */
            gradient = here, along = 1;
        PxVec3 next = px_mad(x, gradient, -px_dot(here, px_sub(x, plane)) / along);
        PxVec3 off = px_sub(next, start);
        double far = px_length(off);
        if (far > s->support) /* stays where F is defined */
            next = px_mad(start, off, s->support / far);
        double moved = px_length(px_sub(next, to));
        to = next;
        if (moved < REST * s->support)
            break;
    }
    PxVec3 way = px_sub(x, to);
    double distance = px_length(way);
    *foot = to;
    *normal = n;
    return px_dot(way, n) < 0 ? -distance : distance;
}
