/// Walls as the fluid feels them: the part of each particle's neighbourhood
/// that lies in walls, and its gradient.
///
/// A solver that knows these two never loops over a wall again: a wall has no pressure
/// of its own, so every sum over wall matter is one of them times something of the
/// particle's.
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
    double lever; /* size of the gradient towards each face times how far that is, added up */
} Part;

/* part(d) of a half space and its derivative, by the sum over layers. */
static void half_space_sum(double h, double s, double d, double *part, double *slope)
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

/* The drag of a flat wall on a viscous fluid that sticks to it: Morris' sum over
 * the layers, whose velocities continue the profile through the wall's own
 * (Morris, Fox and Zhu 1997, section 3.5). 1/m^2, > 0; times nu it is 1/s. */
static double drag_sum(double h, double s, double d)
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
    return -2 * sum;
}

void px_wall_profile_init(PxWallProfile *t, double h, double s)
{
    /* part is 1 below -(h + s) / 2 and 0 above h / 2; drag is 0 above h */
    t->low = -0.5 * (h + s);
    t->per_metre = PX_WALL_PROFILE / (h - t->low);
    for (int k = 0; k <= PX_WALL_PROFILE; ++k) {
        double d = t->low + k / t->per_metre, part, slope;
        half_space_sum(h, s, d, &part, &slope);
        t->part[k] = part;
        t->slope[k] = slope;
        t->drag[k] = drag_sum(h, s, fmax(d, 0));
    }
    t->drag_near = drag_sum(h, s, 0.5 * s);
}

/* Place in the table: entry and the way to the next one. */
static int profile_at(const PxWallProfile *t, double d, double *between)
{
    double place = (d - t->low) * t->per_metre;
    place = place > 0 ? place : 0;
    int k = place < PX_WALL_PROFILE ? (int)place : PX_WALL_PROFILE - 1;
    *between = fmin(place - k, 1);
    return k;
}

static void half_space(const PxWallProfile *t, double d, double *part, double *slope)
{
    double u;
    int k = profile_at(t, d, &u);
    *part = t->part[k] + u * (t->part[k + 1] - t->part[k]);
    *slope = t->slope[k] + u * (t->slope[k + 1] - t->slope[k]);
}

static double wall_drag(const PxWallProfile *t, double d)
{
    double u;
    int k = profile_at(t, d, &u);
    return t->drag[k] + u * (t->drag[k + 1] - t->drag[k]);
}

static Part part_of_box(double value, const double gradient[3], const double at[3],
                        const double edge[3])
{
    Part part = {value, {gradient[0], gradient[1], gradient[2]}, 0};
    for (int a = 0; a < 3; ++a)
        part.lever += fabs(gradient[a] * (fabs(at[a]) - edge[a]));
    return part;
}

/* Part of the kernel around `u` (box frame) that lies in a box. */
static Part solid_box(const PxWallProfile *t, const double at[3], const double edge[3])
{
    double value[3], slope[3];
    for (int a = 0; a < 3; ++a) {
        half_space(t, fabs(at[a]) - edge[a], &value[a], &slope[a]);
        slope[a] = at[a] < 0 ? -slope[a] : slope[a];
    }
    double gradient[3] = {slope[0] * value[1] * value[2], value[0] * slope[1] * value[2],
                          value[0] * value[1] * slope[2]};
    return part_of_box(value[0] * value[1] * value[2], gradient, at, edge);
}

/* The same outside of a hollow box. */
static Part hollow_box(const PxWallProfile *t, const double at[3], const double edge[3])
{
    double clear[3], slope[3];
    for (int a = 0; a < 3; ++a) {
        double low, low_slope, high, high_slope;
        half_space(t, edge[a] - at[a], &high, &high_slope);
        half_space(t, edge[a] + at[a], &low, &low_slope);
        clear[a] = fmax(1 - high - low, 0);
        slope[a] = high_slope - low_slope;
    }
    double gradient[3] = {-slope[0] * clear[1] * clear[2], -clear[0] * slope[1] * clear[2],
                          -clear[0] * clear[1] * slope[2]};
    return part_of_box(1 - clear[0] * clear[1] * clear[2], gradient, at, edge);
}

/* Part that a wall takes around a point of its rest frame. */
static Part wall_part(const PxWall *wall, const PxWallProfile *t, PxVec3 rest, double distance,
                      PxVec3 normal)
{
    Part part;
    if (wall->def.kind == PX_SHAPE_BOX) {
        PxVec3 u = px_rotate(px_quat_conjugate(wall->def.rotation), px_sub(rest, wall->def.at));
        PxVec3 half = px_scale(wall->def.size, 0.5 * wall->def.scale);
        const double at[3] = {u.x, u.y, u.z}, edge[3] = {half.x, half.y, half.z};
        part = wall->inside ? hollow_box(t, at, edge) : solid_box(t, at, edge);
        part.gradient = px_rotate(wall->def.rotation, part.gradient);
        return part;
    }
    double slope;
    half_space(t, distance, &part.value, &slope);
    part.gradient = px_scale(normal, slope);
    part.lever = fabs(slope * distance);
    return part;
}

/* A lower bound of the distance to a wall, cheap: most particles are far from most
 * walls, and need no more. Boxes and planes are looked at in their own frame as it is at
 * the beginning of the step, others through the box around them. */
typedef struct Glance {
    double row[3][3], shift[3]; /* u = row x + shift: from world to the box's frame */
    double half[3];
    bool box, plane, hollow;
} Glance;

static Glance glance_at(const PxWall *wall)
{
    Glance g = {.plane = wall->def.kind == PX_SHAPE_PLANE};
    PxVec3 middle = wall->def.at, half = {0, 0, 0};
    PxQuat turn = wall->def.rotation;
    if (wall->def.kind == PX_SHAPE_BOX) {
        g.box = true;
        half = px_scale(wall->def.size, 0.5 * wall->def.scale);
    } else if (!g.plane) {
        middle = px_scale(px_add(wall->bounds.low, wall->bounds.high), 0.5);
        half = px_scale(px_sub(wall->bounds.high, wall->bounds.low), 0.5);
        turn = px_quat_identity();
    }
    g.hollow = wall->inside;
    g.half[0] = half.x;
    g.half[1] = half.y;
    g.half[2] = half.z;
    const PxVec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; ++k) {
        PxVec3 rest = g.plane ? px_normalized(px_rotate(turn, wall->def.normal), axis[1])
                              : px_rotate(turn, axis[k]);
        PxVec3 world = px_wall_turn_to_world(wall, 0, rest);
        g.row[k][0] = world.x;
        g.row[k][1] = world.y;
        g.row[k][2] = world.z;
        g.shift[k] = -px_dot(world, px_wall_to_world(wall, 0, middle));
    }
    return g;
}

static double glance_distance(const Glance *g, PxVec3 x)
{
    double u[3];
    for (int k = 0; k < (g->plane ? 1 : 3); ++k)
        u[k] = g->row[k][0] * x.x + g->row[k][1] * x.y + g->row[k][2] * x.z + g->shift[k];
    if (g->plane)
        return g->hollow ? -u[0] : u[0];
    double over[3], most;
    for (int k = 0; k < 3; ++k)
        over[k] = fabs(u[k]) - g->half[k];
    most = fmax(over[0], fmax(over[1], over[2]));
    if (g->hollow) /* of any other hollow shape the inside is not known: ask */
        return g->box ? -most : 0;
    if (most <= 0)
        return g->box ? most : 0;
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += over[k] > 0 ? over[k] * over[k] : 0;
    return sqrt(sum);
}

enum { GLANCES = 64 }; /* more walls than this are asked without one */

typedef struct Job {
    PxFluid *fluid;
    Glance glance[GLANCES];
} Job;

static void walls_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxFluid *f = job->fluid;
    PxParticles *p = f->particles;
    double h = (double)f->kernel.h;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 x = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
        double clear = 1, clear_flux = 0, lever = 0, nearest = INFINITY;
        PxVec3 clear_gradient = {0, 0, 0}, wall_velocity = {0, 0, 0};
        double drag = 0, sticky = 1;
        for (size_t k = 0; k < f->walls; ++k) {
            const PxWall *wall = &f->wall[k];
            double distance = k < GLANCES ? glance_distance(&job->glance[k], x) : 0;
            if (distance >= h) {
                nearest = fmin(nearest, distance);
                continue;
            }
            PxVec3 rest = px_wall_to_rest(wall, 0, x), normal;
            distance = px_wall_distance(wall, rest, &normal);
            nearest = fmin(nearest, distance);
            if (distance >= h)
                continue;
            Part part = wall_part(wall, f->wall_profile, rest, distance, normal);
            PxVec3 gradient = px_wall_turn_to_world(wall, 0, part.gradient);
            PxVec3 velocity = px_wall_velocity(wall, rest);
            clear_flux = clear_flux * (1 - part.value) - px_dot(velocity, gradient) * clear;
            clear_gradient =
                px_sub(px_scale(clear_gradient, 1 - part.value), px_scale(gradient, clear));
            lever = lever * (1 - part.value) + part.lever * clear;
            clear *= 1 - part.value;

            sticky *= 1 - (1 - wall->friction) * part.value;
            if (wall->friction > 0) {
                double grip = wall->friction * wall_drag(f->wall_profile, distance);
                drag += grip;
                wall_velocity = px_add(wall_velocity, px_scale(velocity, grip));
            }
        }
        f->wall_part[i] = (float)(1 - clear);
        f->wall_gx[i] = (float)-clear_gradient.x;
        f->wall_gy[i] = (float)-clear_gradient.y;
        f->wall_gz[i] = (float)-clear_gradient.z;
        f->wall_flux[i] = (float)-clear_flux;
        f->wall_far[i] = (float)nearest;
        f->wall_lever[i] = (float)lever;
        f->wall_slip[i] = (float)(1 - sticky);
        f->wall_drag[i] = (float)drag;
        f->wall_vx[i] = (float)wall_velocity.x;
        f->wall_vy[i] = (float)wall_velocity.y;
        f->wall_vz[i] = (float)wall_velocity.z;
    }
}

void px_fluid_walls(PxFluid *f)
{
    Job job = {.fluid = f};
    for (size_t k = 0; k < f->walls && k < GLANCES; ++k)
        job.glance[k] = glance_at(&f->wall[k]);
    px_parallel_for(f->threads, f->count, PX_BLOCK, walls_block, &job);
}
