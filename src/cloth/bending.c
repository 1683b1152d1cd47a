/// Bending of cloth: the energy of the angle between two triangles.
///
/// A hinge of rest length l between triangles of areas A1 and A2 stores
///     E = 1/2 k (theta - theta_0)^2,   k = D l^2 / (A1 + A2),
/// for small angles, D being the flexural rigidity in N m. For a surface of one constant curvature
/// this is 1/2 D kappa^2 per area, on meshes of right and of equilateral triangles, whatever their
/// size: the drape does not depend on the resolution.
///
/// Dihedral model (Bridson et al. 2003; 004 Eq. 2.96): dE/d theta = 2 k (sin(theta/2) -
/// sin(theta_0/2)). Linear model (Volino and Magnenat-Thalmann 2006; 004 Eq. 2.95): the bending
/// vector R = sum a_i x_i is 0 where the hinge is flat and has the length of the angle times
/// h2 h3 / (h2 + h3), h the heights; forces -lambda a_i (R - R_0) and their stiffness are linear.
#include "cloth/cloth.h"

#include <math.h>

void px_cloth_bending(const PxClothLaw *law, const PxClothHinge *h, const PxVec3 x[4],
                      PxClothHingeState *out)
{
    PxVec3 e = px_sub(x[1], x[0]), none = px_vec(0, 0, 0);
    PxVec3 n1 = px_cross(e, px_sub(x[2], x[0])), n2 = px_cross(px_sub(x[3], x[0]), e);
    double l = px_length(e), s1 = px_dot(n1, n1), s2 = px_dot(n2, n2);
    double d = law->bend[0] * h->weft + law->bend[1] * (1 - h->weft), k = d * h->shape;
    PxVec3 unit = px_scale(e, l > 0 ? 1 / l : 0);
    double theta = atan2(px_dot(px_cross(n2, n1), unit), px_dot(n1, n2));
    out->angle = theta;
    if (law->bending == PX_CLOTH_LINEAR) {
        double lambda = k / (h->lever * h->lever);
        PxVec3 r = none;
        for (int c = 0; c < 4; ++c)
            r = px_mad(r, x[c], h->weight[c]);
        if (h->angle != 0) {
            PxVec3 mean = px_add(px_normalized(n1, none), px_normalized(n2, none));
            r = px_mad(r, px_normalized(mean, none), -h->angle * h->lever);
        }
        out->slope[0] = r;
        out->moment = out->stiff = lambda;
        out->energy = 0.5 * lambda * px_dot(r, r);
        return;
    }
    /* A collapsed triangle has no angle. */
    double least = 1e-6 * h->length * h->length * h->lever * h->lever;
    if (!(s1 > least) || !(s2 > least)) {
        for (int c = 0; c < 4; ++c)
            out->slope[c] = none;
        out->moment = out->stiff = out->energy = 0;
        return;
    }
    PxVec3 u1 = px_scale(n1, 1 / s1), u2 = px_scale(n2, 1 / s2);
    out->slope[2] = px_scale(u1, l);
    out->slope[3] = px_scale(u2, l);
    out->slope[0] = px_mad(px_scale(u1, px_dot(px_sub(x[2], x[1]), unit)), u2,
                           px_dot(px_sub(x[3], x[1]), unit));
    out->slope[1] = px_mad(px_scale(u1, -px_dot(px_sub(x[2], x[0]), unit)), u2,
                           -px_dot(px_sub(x[3], x[0]), unit));
    double rest = sin(0.5 * h->angle);
    out->moment = 2 * k * (sin(0.5 * theta) - rest);
    out->stiff = k * cos(0.5 * theta);
    out->energy =
        4 * k * (cos(0.5 * h->angle) - cos(0.5 * theta)) - 2 * k * rest * (theta - h->angle);
}
