#include "pick.h"

#include <math.h>

/* Particles are easier to hit than they look. */
#define GENEROUS 1.3

static PxVec3 minus(PxVec3 a, PxVec3 b)
{
    return (PxVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(PxVec3 a, PxVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static PxVec3 cross(PxVec3 a, PxVec3 b)
{
    return (PxVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Rotates by a quaternion, or back. */
static PxVec3 turn(PxQuat q, PxVec3 v, bool back)
{
    PxVec3 u = {back ? -q.x : q.x, back ? -q.y : q.y, back ? -q.z : q.z};
    PxVec3 c = cross(u, v), t = {c.x + q.w * v.x, c.y + q.w * v.y, c.z + q.w * v.z};
    PxVec3 w = cross(u, t);
    return (PxVec3){v.x + 2 * w.x, v.y + 2 * w.y, v.z + 2 * w.z};
}

static PxVec3 vertex(const PxDisplayBody *b, uint32_t k)
{
    return (PxVec3){(double)b->position[k][0], (double)b->position[k][1],
                    (double)b->position[k][2]};
}

/* Distance to a triangle [Moeller and Trumbore 1997]; INFINITY: missed. With `back` only the far
 * side counts. */
static double meet(const PxDisplayBody *b, uint32_t k, PxVec3 eye, PxVec3 ray, bool back)
{
    PxVec3 a = vertex(b, b->triangle[k][0]);
    PxVec3 e = minus(vertex(b, b->triangle[k][1]), a), f = minus(vertex(b, b->triangle[k][2]), a);
    PxVec3 p = cross(ray, f);
    double det = dot(e, p);
    if (det == 0 || (back && det > 0))
        return INFINITY;
    PxVec3 s = minus(eye, a), q = cross(s, e);
    double u = dot(s, p) / det, v = dot(ray, q) / det, t = dot(f, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && t > 0 ? t : (double)INFINITY;
}

bool pick(const PxDisplay *display, const Shot *shot, PxVec3 eye, PxVec3 ray, Pick *out)
{
    *out = (Pick){.distance = INFINITY};
    for (uint32_t i = 0; i < shot->particles; ++i) {
        const float *x = &shot->place[4 * (size_t)i];
        PxVec3 way = {(double)x[0] - eye.x, (double)x[1] - eye.y, (double)x[2] - eye.z};
        double along = dot(way, ray), r = GENEROUS * (double)x[3];
        double root = along * along - dot(way, way) + r * r;
        if (!(root >= 0) || !(along > 0))
            continue;
        double t = along - sqrt(root);
        if (t < out->distance)
            *out =
                (Pick){.distance = t, .particle = true, .index = i, .material = shot->material[i]};
    }
    for (uint32_t k = 0; k < shot->poses; ++k) {
        const PxDisplayBody *b = px_display_body(display, k);
        const ShotPose *at = &shot->pose[k];
        if (b == NULL || b->look.kind == PX_DISPLAY_HIDDEN)
            continue;
        PxVec3 from = turn(at->pose.turn, minus(minus(eye, at->pivot), at->pose.move), true);
        from = (PxVec3){from.x + at->pivot.x, from.y + at->pivot.y, from.z + at->pivot.z};
        PxVec3 way = turn(at->pose.turn, ray, true);
        for (uint32_t n = 0; n < b->triangles; ++n) {
            double t = meet(b, n, from, way, b->inside);
            if (t < out->distance)
                *out = (Pick){.distance = t, .index = k};
        }
    }
    out->at = (PxVec3){eye.x + out->distance * ray.x, eye.y + out->distance * ray.y,
                       eye.z + out->distance * ray.z};
    return isfinite(out->distance);
}
