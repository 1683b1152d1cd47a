#include "matter/wall_profile.h"

#include "matter/kernel.h"

#include <math.h>

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

/* Drag of a flat no-slip wall: the sum of Morris, Fox and Zhu (1997, section 3.5) over the layers,
 * whose velocities are extrapolated linearly through that of the wall. 1/m^2, > 0; times nu it is
 * a rate, 1/s. */
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
    t->h = h;
    t->s = s;
    /* part is 1 below -(h + s) / 2 and 0 above h / 2; drag is 0 above h */
    t->low = -0.5 * (h + s);
    t->per_metre = PX_WALL_PROFILE / (h - t->low);
    double per = 1 / px_kernel_lattice(h, s); /* normalised like the fluid's kernel */
    for (int k = 0; k <= PX_WALL_PROFILE; ++k) {
        double d = t->low + k / t->per_metre, part, slope;
        half_space_sum(h, s, d, &part, &slope);
        t->part[k] = per * part;
        t->slope[k] = per * slope;
        t->drag[k] = drag_sum(h, s, fmax(d, 0));
    }
    double slope;
    px_wall_profile_part(t, 0.5 * s, &t->part_near, &slope);
    t->drag_near = drag_sum(h, s, 0.5 * s);
}
