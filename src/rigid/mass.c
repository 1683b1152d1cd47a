#include "rigid/mass.h"

#include "base/fail.h"
#include "shape/shape_inner.h"

/* Integrals over a body of density 1, in the shape's own frame about its origin. */
typedef struct Moments {
    double volume;
    PxVec3 first;  /* of x, m^4 */
    PxMat3 second; /* of x x^T, m^5 */
} Moments;

static Moments symmetric(double volume, double xx, double yy, double zz)
{
    return (Moments){volume, {0, 0, 0}, px_mat3_diagonal(px_vec(xx, yy, zz))};
}

static Moments of_box(PxVec3 half)
{
    double v = 8 * half.x * half.y * half.z;
    return symmetric(v, v * half.x * half.x / 3, v * half.y * half.y / 3, v * half.z * half.z / 3);
}

/* A cylinder with a half ball on each end; h is the length of the cylinder. With u the height
 * above the plane of a half ball of radius r, the integrals of u and u^2 over it are pi r^4 / 4 and
 * 2 pi r^5 / 15. */
static Moments of_capsule(double r, double h)
{
    double tube = M_PI * r * r * h, ball = 4.0 / 3.0 * M_PI * r * r * r, end = 0.5 * h;
    double across = tube * r * r / 4 + ball * r * r / 5;
    double along = tube * h * h / 12 + ball * (r * r / 5 + end * end) + M_PI * r * r * r * r * end;
    return symmetric(tube + ball, across, along, across);
}

/* Integrals over y of r^2, r^2 y, r^2 y^2 and r^4 along a straight piece of the profile, by Gauss's
 * rule with three points, which is exact for their degree. Pieces that go down are negative. */
static Moments of_profile(const PxProfile *profile)
{
    static const double at[3] = {-0.7745966692414834, 0, 0.7745966692414834};
    static const double weight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    double volume = 0, first = 0, along = 0, across = 0;
    for (int k = 0; k < px_profile_pieces(profile); ++k) {
        int next = (k + 1) % profile->corners;
        double dy = profile->y[next] - profile->y[k];
        for (int g = 0; g < 3; ++g) {
            double t = 0.5 + 0.5 * at[g], w = M_PI * weight[g] * dy;
            double r = profile->r[k] + t * (profile->r[next] - profile->r[k]);
            double y = profile->y[k] + t * dy;
            volume += w * r * r;
            first += w * r * r * y;
            along += w * r * r * y * y;
            across += w * r * r * r * r / 4;
        }
    }
    Moments m = symmetric(volume, across, along, across);
    m.first.y = first;
    return m;
}

/* Signed tetrahedra between the triangles and a point inside the bounds: for the corners a, b, c
 * and the volume v of one, the integral of x x^T is v / 20 (s s^T + a a^T + b b^T + c c^T) with
 * s = a + b + c. */
static Moments of_mesh(const PxMesh *mesh, PxVec3 origin)
{
    Moments m = {0};
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        PxVec3 a = px_sub(px_mesh_corner(mesh, t, 0), origin);
        PxVec3 b = px_sub(px_mesh_corner(mesh, t, 1), origin);
        PxVec3 c = px_sub(px_mesh_corner(mesh, t, 2), origin), s = px_add(a, px_add(b, c));
        double v = px_dot(a, px_cross(b, c)) / 6;
        PxMat3 sum = px_mat3_add(px_mat3_outer(s, s), px_mat3_outer(a, a));
        sum = px_mat3_add(sum, px_mat3_add(px_mat3_outer(b, b), px_mat3_outer(c, c)));
        m.volume += v;
        m.first = px_mad(m.first, s, v / 4);
        m.second = px_mat3_add(m.second, px_mat3_scale(sum, v / 20));
    }
    return m;
}

static Moments moments_of(const PxShape *shape, PxVec3 *origin)
{
    const PxPrimitive *p = &shape->primitive;
    *origin = px_vec(0, 0, 0);
    switch (shape->kind) {
    case PX_SHAPE_BOX:
        return of_box(p->half);
    case PX_SHAPE_SPHERE:
        return of_capsule(p->radius, 0);
    case PX_SHAPE_CAPSULE:
        return of_capsule(p->radius, p->height);
    case PX_SHAPE_MESH:
        *origin = px_scale(px_add(shape->own_bounds.low, shape->own_bounds.high), 0.5);
        return of_mesh(shape->exposed != NULL ? shape->exposed : shape->mesh, *origin);
    default:
        return of_profile(&p->profile);
    }
}

/* Radius of a ball about `centre` that holds the shape, in its own frame. */
static double radius_about(const PxShape *shape, PxVec3 centre)
{
    const PxBounds *b = &shape->own_bounds;
    double most = 0;
    if (shape->kind == PX_SHAPE_SPHERE)
        return px_length(centre) + shape->primitive.radius;
    if (shape->kind == PX_SHAPE_CAPSULE)
        return px_length(
                   px_vec(centre.x, fabs(centre.y) + 0.5 * shape->primitive.height, centre.z)) +
               shape->primitive.radius;
    for (uint32_t v = 0; shape->kind == PX_SHAPE_MESH && v < shape->mesh->vertex_count; ++v)
        most = fmax(most, px_length(px_sub(shape->mesh->position[v], centre)));
    if (shape->kind == PX_SHAPE_MESH)
        return most;
    PxVec3 low = px_sub(centre, b->low), high = px_sub(b->high, centre);
    return px_length(px_vec(fmax(low.x, high.x), fmax(low.y, high.y), fmax(low.z, high.z)));
}

/* Sets the principal moments and axes of an inertia tensor in the frame that `frame` turns into
 * the one in which the shape is placed. */
static PxStatus set_inertia(PxMat3 inertia, PxQuat frame, PxRigidMass *out)
{
    PxMat3 axes;
    bool good = px_mat3_eigen(inertia, &out->inertia, &axes);
    if (!good || !(out->mass > 0) || !isfinite(out->mass) || !(out->inertia.z > 0) ||
        !isfinite(out->inertia.x) || !isfinite(1 / out->mass) || !isfinite(1 / out->inertia.z))
        return px_fail(PX_ERR_ARGUMENT,
                       "its mass is %g kg and its smallest moment of inertia %g kg m^2, wanted a "
                       "closed shape with both positive and finite",
                       out->mass, out->inertia.z);
    out->axes = px_quat_multiply(frame, px_mat3_to_quat(axes));
    return PX_OK;
}

PxStatus px_rigid_mass(const PxShape *shape, double density, PxRigidMass *out)
{
    if (shape->kind == PX_SHAPE_PLANE)
        return px_fail(PX_ERR_ARGUMENT, "a plane is infinite and cannot be a rigid body");
    PxVec3 origin;
    Moments m = moments_of(shape, &origin);
    PxVec3 own = px_scale(m.first, 1 / m.volume);
    PxMat3 second = px_mat3_sub(m.second, px_mat3_scale(px_mat3_outer(own, own), m.volume));
    PxMat3 inertia = px_mat3_scale(
        px_mat3_sub(px_mat3_scale(px_mat3_identity(), px_mat3_trace(second)), second), density);
    out->mass = density * m.volume;
    PX_TRY(set_inertia(inertia, shape->turn, out));
    own = px_add(own, origin);
    out->centre = px_shape_to_world(shape, own);
    out->radius = radius_about(shape, own);
    out->thickness = px_shape_thickness(shape);
    return PX_OK;
}

/* Ballast lies in a body, or on a mast at most so many times as long as the body's radius. */
#define MOST_LEVER 20.0

/* Two masses a and b at a distance d, each with its inertia about its own centre, have an inertia
 * about their common centre that is larger by a b / (a + b) (d^2 1 - d d^T) (Huygens, Steiner). */
PxStatus px_rigid_ballast(const PxShape *shape, double mass, PxVec3 at, PxRigidMass *out)
{
    PxVec3 d = px_sub(px_shape_to_world(shape, at), out->centre);
    double sum = out->mass + mass, reduced = mass * out->mass / sum;
    if (!(mass > 0))
        return PX_OK;
    if (!(px_length(d) <= MOST_LEVER * out->radius)) /* a lever of kilometres has no other end */
        return px_fail(
            PX_ERR_ARGUMENT,
            "its ballast is %g m from its middle, wanted %g at most: %g times its radius",
            px_length(d), MOST_LEVER * out->radius, MOST_LEVER);
    PxMat3 axes = px_mat3_from_quat(out->axes);
    PxMat3 inertia = px_mat3_multiply(px_mat3_multiply(axes, px_mat3_diagonal(out->inertia)),
                                      px_mat3_transpose(axes));
    PxMat3 steiner =
        px_mat3_sub(px_mat3_scale(px_mat3_identity(), px_dot(d, d)), px_mat3_outer(d, d));
    inertia = px_mat3_add(inertia, px_mat3_scale(steiner, reduced));
    out->mass = sum;
    out->centre = px_mad(out->centre, d, mass / sum);
    out->radius = radius_about(shape, px_shape_to_own(shape, out->centre));
    return set_inertia(inertia, px_quat_identity(), out);
}

/* Nodes of the grid along each axis in which the deepest point is searched. */
#define INNER_NODES 13

PxVec3 px_rigid_inner(const PxShape *shape, PxVec3 centre)
{
    double thick = px_shape_thickness(shape);
    if (px_shape_distance(shape, centre, NULL) < -0.2 * thick)
        return centre;
    PxBounds b = px_shape_bounds(shape);
    PxVec3 best = centre, way = px_sub(b.high, b.low);
    double deepest = INFINITY;
    for (int z = 1; z < INNER_NODES; ++z)
        for (int y = 1; y < INNER_NODES; ++y)
            for (int x = 1; x < INNER_NODES; ++x) {
                PxVec3 part = px_scale(px_vec(x, y, z), 1.0 / INNER_NODES);
                PxVec3 at = px_add(b.low, px_vec(part.x * way.x, part.y * way.y, part.z * way.z));
                double d = px_shape_distance(shape, at, NULL);
                if (d < deepest) {
                    deepest = d;
                    best = at;
                }
            }
    return best;
}
