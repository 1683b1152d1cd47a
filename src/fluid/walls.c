/// Walls as the fluid feels them: the part of each particle's neighbourhood
/// that lies in walls, and its gradient.
///
/// A solver that knows these two never loops over a wall again: with the wall's
/// pressure taken from the particle, every sum over wall matter is one of them.
///
/// A half space that begins at distance d could be filled with layers of particles
/// at depths s/2, 3s/2, ... as the fluid itself is layered; they would take
///   layers(d) = s sum_k w(d + (k + 1/2) s),     w(d) = integral of W over a plane
/// of the kernel. (The integral over the half space is worse: half a spacing from
/// the wall, where a filled body ends, it is 3.8 per cent of the density higher, and
/// a run would begin with a bang.) We take
///   part(d) = layers(2 d - s/2)
/// which is the same at half a spacing and twice as steep. Twice, because the
/// force that goes with a part of the density is the gradient of the fluid's
/// energy, p_i V_i^2 grad part / s^3, without a share of the wall's own pressure:
/// only so does the wall neither give nor take energy (with the wall's pressure
/// added, p_i + p_i, edges of a column at rest shake themselves to pieces within
/// 0.1 s), and only twice as steep does it balance the fluid's side. A body filled up
/// to half a spacing from the wall then feels rest density and no net force.
///
/// Several faces leave the product of what each leaves free: for the cubic spline
/// on a lattice that is right within 0.3 per cent of the density in an edge and 0.7
/// in a corner. A sheet thinner than a particle repels like a thick wall from both
/// sides. Shapes other than boxes are taken for flat at the scale of the kernel.
#include "fluid/fluid.h"

#include <math.h>

typedef struct Part {
    double value;
    PxVec3 gradient;
} Part;

/* part(d) of a half space and its derivative. */
static void half_space(double h, double s, double d, double *part, double *slope)
{
    *part = *slope = 0;
    double first = 2 * d; /* of the layers: 2 d - s/2 + s/2 */
    if (first <= -h - s) {
        *part = 1;
        return;
    }
    for (double depth = first; depth < h; depth += s) {
        *part += s * px_kernel_plane(h, depth);
        *slope += 2 * s * px_kernel_plane_derivative(h, depth);
    }
    if (*part > 1)
        *part = 1;
}

/* Part of the kernel around `u` (box frame) that lies in a box. */
static Part solid_box(double h, double s, const double at[3], const double edge[3])
{
    double value[3], slope[3];
    for (int a = 0; a < 3; ++a) {
        half_space(h, s, fabs(at[a]) - edge[a], &value[a], &slope[a]);
        slope[a] = at[a] < 0 ? -slope[a] : slope[a];
    }
    return (Part){value[0] * value[1] * value[2],
                  {slope[0] * value[1] * value[2], value[0] * slope[1] * value[2],
                   value[0] * value[1] * slope[2]}};
}

/* The same outside of a hollow box. */
static Part hollow_box(double h, double s, const double at[3], const double edge[3])
{
    double clear[3], slope[3];
    for (int a = 0; a < 3; ++a) {
        double low, low_slope, high, high_slope;
        half_space(h, s, edge[a] - at[a], &high, &high_slope);
        half_space(h, s, edge[a] + at[a], &low, &low_slope);
        clear[a] = fmax(1 - high - low, 0);
        slope[a] = high_slope - low_slope;
    }
    return (Part){1 - clear[0] * clear[1] * clear[2],
                  {-slope[0] * clear[1] * clear[2], -clear[0] * slope[1] * clear[2],
                   -clear[0] * clear[1] * slope[2]}};
}

/* Part that a wall takes around a point of its rest frame. */
static Part wall_part(const PxWall *wall, double h, double s, PxVec3 rest, double distance,
                      PxVec3 normal)
{
    Part part;
    if (wall->def.kind == PX_SHAPE_BOX) {
        PxVec3 u = px_rotate(px_quat_conjugate(wall->def.rotation), px_sub(rest, wall->def.at));
        PxVec3 half = px_scale(wall->def.size, 0.5 * wall->def.scale);
        const double at[3] = {u.x, u.y, u.z}, edge[3] = {half.x, half.y, half.z};
        part = wall->inside ? hollow_box(h, s, at, edge) : solid_box(h, s, at, edge);
        part.gradient = px_rotate(wall->def.rotation, part.gradient);
        return part;
    }
    double slope;
    half_space(h, s, distance, &part.value, &slope);
    part.gradient = px_scale(normal, slope);
    return part;
}

/* The drag of a flat wall on a viscous fluid that sticks to it: Morris' sum over
 * the layers, whose velocities continue the profile through the wall's own
 * (Morris, Fox and Zhu 1997, section 3.5). Times 2 mu / rho it is 1/s. */
static double wall_drag(double h, double s, double d)
{
    double soft = 0.01 * 0.25 * h * h, sum = 0;
    double away = fmax(d, 0.25 * s);
    for (double depth = 0.5 * s; d + depth < h; depth += s) {
        /* int_D^h 2 pi r (r dW/dr) / (r^2 + soft) dr by Simpson's rule */
        enum { PARTS = 8 };
        double from = fmax(d + depth, 0), width = (h - from) / PARTS, plane = 0;
        for (int k = 0; k <= PARTS; ++k) {
            double r = from + width * k;
            double value = 2 * PX_PI * r * r * px_kernel_derivative(h, r) / (r * r + soft);
            plane += value * (k == 0 || k == PARTS ? 1 : k % 2 == 1 ? 4 : 2);
        }
        sum += s * plane * width / 3 * (1 + depth / away);
    }
    return sum;
}

/* A lower bound of the distance of p to the box b. */
static double outside_bounds(const PxBounds *b, PxVec3 p)
{
    double x = fmax(fmax(b->low.x - p.x, p.x - b->high.x), 0);
    double y = fmax(fmax(b->low.y - p.y, p.y - b->high.y), 0);
    double z = fmax(fmax(b->low.z - p.z, p.z - b->high.z), 0);
    return sqrt(x * x + y * y + z * z);
}

static void walls_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxFluid *f = user;
    PxParticles *p = f->particles;
    double h = (double)f->kernel.h, s = f->spacing;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 x = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
        double clear = 1, nearest = INFINITY;
        PxVec3 clear_gradient = {0, 0, 0};
        for (size_t k = 0; k < f->walls; ++k) {
            const PxWall *wall = &f->wall[k];
            PxVec3 rest = px_wall_to_rest(wall, 0, x), normal;
            double distance = wall->inside || wall->def.kind == PX_SHAPE_PLANE
                                  ? 0
                                  : outside_bounds(&wall->bounds, rest);
            if (distance <= h)
                distance = px_wall_distance(wall, rest, &normal);
            nearest = fmin(nearest, distance);
            if (distance >= h)
                continue;
            Part part = wall_part(wall, h, s, rest, distance, normal);
            PxVec3 gradient = px_wall_turn_to_world(wall, 0, part.gradient);
            clear_gradient = px_sub(px_scale(clear_gradient, 1 - part.value),
                                    px_scale(gradient, clear));
            clear *= 1 - part.value;

            double mu = f->material[p->material[i]].def.viscosity;
            if (mu > 0 && wall->friction > 0) {
                PxVec3 velocity = px_wall_velocity(wall, rest);
                double rho = f->material[p->material[i]].def.density;
                double drag = wall->friction * 2 * mu / rho * wall_drag(h, s, distance);
                p->ax[i] += (float)(drag * ((double)p->vx[i] - velocity.x));
                p->ay[i] += (float)(drag * ((double)p->vy[i] - velocity.y));
                p->az[i] += (float)(drag * ((double)p->vz[i] - velocity.z));
            }
        }
        f->wall_part[i] = (float)(1 - clear);
        f->wall_gx[i] = (float)-clear_gradient.x;
        f->wall_gy[i] = (float)-clear_gradient.y;
        f->wall_gz[i] = (float)-clear_gradient.z;
        f->wall_far[i] = (float)nearest;
    }
}

void px_fluid_walls(PxFluid *f)
{
    px_parallel_for(f->threads, f->count, PX_BLOCK, walls_block, f);
}
