#include "shape/primitive.h"

#include "base/fail.h"

#include <stddef.h>

PxPrimitive px_primitive(const PxShapeDef *def)
{
    double scale = def->scale;
    PxPrimitive p = {.kind = def->kind};
    p.half = px_scale(def->size, 0.5 * scale);
    p.radius = def->radius * scale;
    p.height = def->height * scale;
    p.thickness = def->thickness * scale;
    p.normal = px_normalized(def->normal, px_vec(0, 1, 0));

    double top = def->radius_top * scale, y = 0.5 * p.height;
    if (def->kind == PX_SHAPE_CYLINDER || def->kind == PX_SHAPE_CONE) {
        double above = def->kind == PX_SHAPE_CYLINDER ? p.radius : top;
        p.profile = (PxProfile){4, false, {0, p.radius, above, 0}, {-y, -y, y, y}};
    }
    if (def->kind == PX_SHAPE_FUNNEL) {
        /* The thickness is measured normal to the wall, so a slanted wall is wider in the
         * horizontal direction. */
        double level = p.thickness * hypot(p.height, top - p.radius) / p.height;
        p.profile =
            (PxProfile){4, true, {p.radius, p.radius + level, top + level, top}, {-y, -y, y, y}};
    }
    return p;
}

/* ---- distance ---- */

static double box_distance(PxVec3 half, PxVec3 p, PxVec3 *normal)
{
    PxVec3 q = px_vec(fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z);
    PxVec3 sign = px_vec(copysign(1, p.x), copysign(1, p.y), copysign(1, p.z));
    if (q.x <= 0 && q.y <= 0 && q.z <= 0) {
        int axis = q.x >= q.y && q.x >= q.z ? 0 : q.y >= q.z ? 1 : 2;
        if (normal != NULL)
            *normal =
                px_vec(axis == 0 ? sign.x : 0, axis == 1 ? sign.y : 0, axis == 2 ? sign.z : 0);
        return axis == 0 ? q.x : axis == 1 ? q.y : q.z;
    }
    PxVec3 out = px_vec(fmax(q.x, 0), fmax(q.y, 0), fmax(q.z, 0));
    double distance = px_length(out);
    if (normal != NULL)
        *normal =
            px_normalized(px_vec(out.x * sign.x, out.y * sign.y, out.z * sign.z), px_vec(0, 1, 0));
    return distance;
}

static double ball_distance(double radius, PxVec3 from_centre, PxVec3 *normal)
{
    if (normal != NULL)
        *normal = px_normalized(from_centre, px_vec(0, 1, 0));
    return px_length(from_centre) - radius;
}

/* The nearest point of the surface lies in the half plane through the axis and p, in
 * which the section is a convex polygon. */
static double profile_distance(const PxProfile *profile, PxVec3 p, PxVec3 *normal)
{
    double r = hypot(p.x, p.z), best = INFINITY;
    double out_r = 0, out_y = 1; /* gradient */
    bool inside = true;
    for (int k = 0; k < px_profile_pieces(profile); ++k) {
        int next = (k + 1) % profile->corners;
        double r0 = profile->r[k], y0 = profile->y[k];
        double along_r = profile->r[next] - r0, along_y = profile->y[next] - y0;
        double length = hypot(along_r, along_y);
        if (length == 0)
            continue; /* the top of a pointed cone */
        along_r /= length;
        along_y /= length;
        double t = (r - r0) * along_r + (p.y - y0) * along_y;
        double side = (r - r0) * along_y - (p.y - y0) * along_r; /* > 0 on the right: outside */
        inside = inside && side <= 0;
        double miss = t < 0 ? -t : t > length ? t - length : 0;
        double distance = miss == 0 ? fabs(side) : hypot(side, miss);
        /* Tie at a common corner of two segments: take the one with the point on its outer
         * side. */
        if (distance < best || (distance == best && side > 0)) {
            best = distance;
            if (miss == 0 || distance == 0) {
                out_r = along_y;
                out_y = -along_r;
            } else {
                double back = t < 0 ? t : t - length;
                out_r = (side * along_y + back * along_r) / distance;
                out_y = (-side * along_r + back * along_y) / distance;
            }
        }
    }
    if (normal != NULL) {
        double x = r > 0 ? p.x / r : 1, z = r > 0 ? p.z / r : 0;
        *normal = px_vec(out_r * x, out_y, out_r * z);
    }
    return inside ? -best : best;
}

double px_primitive_distance(const PxPrimitive *primitive, PxVec3 p, PxVec3 *normal)
{
    switch (primitive->kind) {
    case PX_SHAPE_BOX:
        return box_distance(primitive->half, p, normal);
    case PX_SHAPE_SPHERE:
        return ball_distance(primitive->radius, p, normal);
    case PX_SHAPE_CAPSULE: {
        double y = 0.5 * primitive->height;
        double axis = p.y < -y ? -y : p.y > y ? y : p.y;
        if (normal == NULL || p.x != 0 || p.z != 0 || p.y != axis)
            return ball_distance(primitive->radius, px_vec(p.x, p.y - axis, p.z), normal);
        *normal = px_vec(1, 0, 0); /* on the axis: any direction normal to it */
        return -primitive->radius;
    }
    case PX_SHAPE_PLANE:
        if (normal != NULL)
            *normal = primitive->normal;
        return px_dot(primitive->normal, p);
    case PX_SHAPE_CYLINDER:
    case PX_SHAPE_CONE:
    case PX_SHAPE_FUNNEL:
        return profile_distance(&primitive->profile, p, normal);
    default:
        PX_ASSERT(false);
        return NAN;
    }
}

/* ---- bounds ---- */

/* A disc about `axis` (unit), or with `flat` false a ball. */
static PxBounds round_bounds(PxVec3 centre, PxVec3 axis, double radius, bool flat)
{
    double x = flat ? sqrt(fmax(0, 1 - axis.x * axis.x)) : 1;
    double y = flat ? sqrt(fmax(0, 1 - axis.y * axis.y)) : 1;
    double z = flat ? sqrt(fmax(0, 1 - axis.z * axis.z)) : 1;
    PxVec3 reach = px_vec(radius * x, radius * y, radius * z);
    return (PxBounds){px_sub(centre, reach), px_add(centre, reach)};
}

PxBounds px_primitive_bounds(const PxPrimitive *primitive, PxQuat turn, PxVec3 at)
{
    PxVec3 axis = px_rotate(turn, px_vec(0, 1, 0));
    PxVec3 up = px_scale(axis, 0.5 * primitive->height);
    PxBounds bounds = px_bounds_empty();
    switch (primitive->kind) {
    case PX_SHAPE_BOX:
        for (int k = 0; k < 8; ++k) {
            PxVec3 h = primitive->half;
            PxVec3 corner = px_vec(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
            px_bounds_add(&bounds, px_add(at, px_rotate(turn, corner)));
        }
        return bounds;
    case PX_SHAPE_SPHERE:
        return round_bounds(at, axis, primitive->radius, false);
    case PX_SHAPE_CAPSULE:
        return px_bounds_join(round_bounds(px_sub(at, up), axis, primitive->radius, false),
                              round_bounds(px_add(at, up), axis, primitive->radius, false));
    case PX_SHAPE_CYLINDER:
    case PX_SHAPE_CONE:
    case PX_SHAPE_FUNNEL:
        for (int k = 0; k < primitive->profile.corners; ++k)
            bounds = px_bounds_join(bounds, round_bounds(px_mad(at, axis, primitive->profile.y[k]),
                                                         axis, primitive->profile.r[k], true));
        return bounds;
    default:
        return (PxBounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
}

/* ---- size ---- */

double px_primitive_volume(const PxPrimitive *primitive)
{
    double r = primitive->radius, h = primitive->height;
    const PxProfile *profile = &primitive->profile;
    switch (primitive->kind) {
    case PX_SHAPE_BOX:
        return 8 * primitive->half.x * primitive->half.y * primitive->half.z;
    case PX_SHAPE_SPHERE:
        return 4.0 / 3.0 * M_PI * r * r * r;
    case PX_SHAPE_CAPSULE:
        return M_PI * r * r * (h + 4.0 / 3.0 * r);
    case PX_SHAPE_CYLINDER:
    case PX_SHAPE_CONE: {
        double top = profile->r[2];
        return M_PI / 3.0 * h * (r * r + r * top + top * top);
    }
    case PX_SHAPE_FUNNEL: {
        /* Pappus: area of the section times the path length of its centroid. */
        double level = profile->r[1] - profile->r[0];
        return M_PI * h * level * (profile->r[0] + profile->r[2]);
    }
    default:
        return INFINITY;
    }
}

double px_primitive_area(const PxPrimitive *primitive)
{
    double r = primitive->radius, h = primitive->height, sum = 0;
    const PxProfile *profile = &primitive->profile;
    switch (primitive->kind) {
    case PX_SHAPE_BOX: {
        PxVec3 a = primitive->half;
        return 8 * (a.x * a.y + a.y * a.z + a.z * a.x);
    }
    case PX_SHAPE_SPHERE:
        return 4 * M_PI * r * r;
    case PX_SHAPE_CAPSULE:
        return 2 * M_PI * r * (h + 2 * r);
    case PX_SHAPE_CYLINDER:
    case PX_SHAPE_CONE:
    case PX_SHAPE_FUNNEL:
        for (int k = 0; k < px_profile_pieces(profile); ++k) {
            int next = (k + 1) % profile->corners;
            sum += M_PI * (profile->r[k] + profile->r[next]) *
                   hypot(profile->r[next] - profile->r[k], profile->y[next] - profile->y[k]);
        }
        return sum;
    default:
        return INFINITY;
    }
}

double px_primitive_thickness(const PxPrimitive *primitive)
{
    PxVec3 h = primitive->half;
    switch (primitive->kind) {
    case PX_SHAPE_BOX:
        return 2 * fmin(h.x, fmin(h.y, h.z));
    case PX_SHAPE_SPHERE:
    case PX_SHAPE_CAPSULE:
        return 2 * primitive->radius;
    case PX_SHAPE_CYLINDER:
    case PX_SHAPE_CONE:
        return fmin(primitive->height, primitive->profile.r[1] + primitive->profile.r[2]);
    case PX_SHAPE_FUNNEL:
        return fmin(primitive->height, primitive->thickness);
    default:
        return INFINITY;
    }
}
