/// Closest points of a point and a triangle, and of two edges.
#include "cloth/collide.h"

#include <math.h>

/* After Ericson, Real-Time Collision Detection (2004), 5.1.5. */
double px_cloth_point_triangle(PxVec3 p, const PxVec3 t[3], double w[3])
{
    PxVec3 ab = px_sub(t[1], t[0]), ac = px_sub(t[2], t[0]), ap = px_sub(p, t[0]);
    double d1 = px_dot(ab, ap), d2 = px_dot(ac, ap);
    PxVec3 bp = px_sub(p, t[1]), cp = px_sub(p, t[2]);
    double d3 = px_dot(ab, bp), d4 = px_dot(ac, bp), d5 = px_dot(ab, cp), d6 = px_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    w[0] = w[1] = w[2] = 0;
    if (d1 <= 0 && d2 <= 0) {
        w[0] = 1;
    } else if (d3 >= 0 && d4 <= d3) {
        w[1] = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        w[2] = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        w[1] = d1 / (d1 - d3);
        w[0] = 1 - w[1];
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        w[2] = d2 / (d2 - d6);
        w[0] = 1 - w[2];
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        w[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        w[1] = 1 - w[2];
    } else {
        double sum = 1 / (va + vb + vc);
        w[1] = vb * sum;
        w[2] = vc * sum;
        w[0] = 1 - w[1] - w[2];
    }
    PxVec3 q = px_mad(px_mad(px_scale(t[0], w[0]), t[1], w[1]), t[2], w[2]);
    return px_length(px_sub(p, q));
}

static double clamp(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* The same, 5.1.9. */
double px_cloth_edge_edge(const PxVec3 a[2], const PxVec3 b[2], double *s, double *t)
{
    PxVec3 d1 = px_sub(a[1], a[0]), d2 = px_sub(b[1], b[0]), r = px_sub(a[0], b[0]);
    double aa = px_dot(d1, d1), ee = px_dot(d2, d2), f = px_dot(d2, r), c = px_dot(d1, r);
    double bb = px_dot(d1, d2), denom = aa * ee - bb * bb;
    *s = denom > 1e-12 * aa * ee ? clamp((bb * f - c * ee) / denom) : 0;
    *t = (bb * *s + f) / ee;
    if (*t < 0) {
        *t = 0;
        *s = clamp(-c / aa);
    } else if (*t > 1) {
        *t = 1;
        *s = clamp((bb - c) / aa);
    }
    return px_length(px_sub(px_mad(a[0], d1, *s), px_mad(b[0], d2, *t)));
}

double px_cloth_pair_distance(bool edges, const PxVec3 x[4], double w[4], PxVec3 *apart)
{
    double d;
    if (edges) {
        double s, t;
        d = px_cloth_edge_edge(x, x + 2, &s, &t);
        w[0] = 1 - s;
        w[1] = s;
        w[2] = t - 1;
        w[3] = -t;
    } else {
        d = px_cloth_point_triangle(x[0], x + 1, w + 1);
        w[0] = 1;
        for (int k = 1; k < 4; ++k)
            w[k] = -w[k];
    }
    *apart = px_vec(0, 0, 0);
    for (int k = 0; k < 4; ++k)
        *apart = px_mad(*apart, x[k], w[k]);
    return d;
}

double px_cloth_pair_reach(bool edges, const PxVec3 way[4])
{
    PxVec3 mean = px_scale(px_add(px_add(way[0], way[1]), px_add(way[2], way[3])), 0.25);
    double most[2] = {0, 0};
    for (int k = 0; k < 4; ++k) {
        PxVec3 own = px_sub(way[k], mean);
        int side = edges ? k / 2 : k > 0;
        double square = px_dot(own, own);
        most[side] = square > most[side] ? square : most[side];
    }
    return sqrt(most[0]) + sqrt(most[1]);
}
