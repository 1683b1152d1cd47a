/// Bending of cloth: the energy of the angle between two triangles.
///
/// A hinge of rest length l between triangles of areas A1 and A2 stores
///     E = 1/2 k (theta - theta_0)^2,   k = D l^2 / (A1 + A2),
/// for small angles, D being the flexural rigidity in N m. For a surface of one constant curvature
/// this is 1/2 D kappa^2 per area, on meshes of right and of equilateral triangles, whatever their
/// size: the drape does not depend on the resolution.
///
/// Dihedral model (Bridson et al. 2003; 004 Eq. 2.96): dE/d theta = 2 k (sin(theta/2) -
/// sin(theta_0/2)). Sine and cosine of theta/2 follow from those of theta without the angle itself.
/// Linear model (Volino and Magnenat-Thalmann 2006; 004 Eq. 2.95): the bending vector R = sum a_i
/// x_i is 0 where the hinge is flat and has the length of the angle times h2 h3 / (h2 + h3), h the
/// heights; forces -lambda a_i (R - R_0) and their stiffness are linear.
#include "cloth/cloth.h"

#include <math.h>

/* Sine and cosine of half an angle between -pi and pi, from a vector in its direction. */
static void halve(double sine, double cosine, double *half_sine, double *half_cosine)
{
    double length = sqrt(sine * sine + cosine * cosine);
    double s = length > 0 ? sine / length : 0, c = length > 0 ? cosine / length : 1;
    if (c >= 0) {
        *half_cosine = sqrt(0.5 * (1 + c));
        *half_sine = 0.5 * s / *half_cosine;
    } else {
        *half_sine = copysign(sqrt(0.5 * (1 - c)), s);
        *half_cosine = 0.5 * s / *half_sine;
    }
}

/* The angle of these; of most hinges it is small, and five terms of the series of the arcsine are
 * right to 1e-13. */
static double half_angle(double sine, double cosine)
{
    double q = sine * sine;
    if (!(q < 0.0025) || cosine < 0)
        return atan2(sine, cosine);
    return sine * (1 + q * (1 / 6.0 + q * (3 / 40.0 + q * (15 / 336.0 + q * (105 / 3456.0)))));
}

double px_cloth_angle(const PxVec3 x[4])
{
    PxVec3 e = px_sub(x[1], x[0]), none = px_vec(0, 0, 0);
    PxVec3 n1 = px_cross(e, px_sub(x[2], x[0])), n2 = px_cross(px_sub(x[3], x[0]), e);
    return atan2(px_dot(px_cross(n2, n1), px_normalized(e, none)), px_dot(n1, n2));
}

/* The curvature of a hinge with the angle theta is theta l / (A1 + A2): the same for a given
 * cylinder at any size of the triangles. */
double px_cloth_yield(const PxClothHinge *h, double crease, double angle)
{
    double most = crease * h->length / h->shape;
    return !(crease > 0) || fabs(angle) <= most ? 0 : copysign(fabs(angle) - most, angle);
}

static void linear(const PxClothHinge *h, const PxVec3 x[4], double k, PxClothHingeState *out)
{
    double lambda = k / (h->lever * h->lever);
    PxVec3 r = px_vec(0, 0, 0), none = r;
    for (int c = 0; c < 4; ++c)
        r = px_mad(r, x[c], h->weight[c]);
    if (h->angle != 0) {
        PxVec3 e = px_sub(x[1], x[0]);
        PxVec3 n1 = px_cross(e, px_sub(x[2], x[0])), n2 = px_cross(px_sub(x[3], x[0]), e);
        PxVec3 mean = px_add(px_normalized(n1, none), px_normalized(n2, none));
        r = px_mad(r, px_normalized(mean, none), -h->angle * h->lever);
    }
    *out = (PxClothHingeState){.slope = {r}, .moment = lambda, .stiff = lambda};
    out->energy = 0.5 * lambda * px_dot(r, r);
}

void px_cloth_bending(const PxClothLaw *law, const PxClothHinge *h, const PxVec3 x[4],
                      PxClothHingeState *out)
{
    double d = law->bend[0] * h->weft + law->bend[1] * (1 - h->weft), k = d * h->shape;
    if (law->bending == PX_CLOTH_LINEAR) {
        linear(h, x, k, out);
        return;
    }
    PxVec3 e = px_sub(x[1], x[0]), none = px_vec(0, 0, 0);
    PxVec3 n1 = px_cross(e, px_sub(x[2], x[0])), n2 = px_cross(px_sub(x[3], x[0]), e);
    double l = px_length(e), s1 = px_dot(n1, n1), s2 = px_dot(n2, n2);
    PxVec3 unit = px_scale(e, l > 0 ? 1 / l : 0);
    /* A collapsed triangle has no angle. */
    double least = 1e-6 * h->length * h->length * h->lever * h->lever;
    if (!(s1 > least) || !(s2 > least)) {
        for (int c = 0; c < 4; ++c)
            out->slope[c] = none;
        out->angle = out->moment = out->stiff = out->energy = 0;
        return;
    }
    PxVec3 u1 = px_scale(n1, 1 / s1), u2 = px_scale(n2, 1 / s2);
    out->slope[2] = px_scale(u1, l);
    out->slope[3] = px_scale(u2, l);
    out->slope[0] = px_mad(px_scale(u1, px_dot(px_sub(x[2], x[1]), unit)), u2,
                           px_dot(px_sub(x[3], x[1]), unit));
    out->slope[1] = px_mad(px_scale(u1, -px_dot(px_sub(x[2], x[0]), unit)), u2,
                           -px_dot(px_sub(x[3], x[0]), unit));
    double sine, cosine, rest = h->half_sine;
    halve(px_dot(px_cross(n2, n1), unit), px_dot(n1, n2), &sine, &cosine);
    if (law->bending == PX_CLOTH_PLATE) { /* px_cloth_plates() sets the moment */
        out->angle = 2 * half_angle(sine, cosine) - h->angle;
        out->moment = out->energy = 0;
        out->stiff = k;
        return;
    }
    out->moment = 2 * k * (sine - rest);
    out->stiff = k * cosine;
    out->energy = 4 * k * (h->half_cosine - cosine);
    if (h->angle != 0)
        out->energy -= 2 * k * rest * (2 * atan2(sine, cosine) - h->angle);
}
