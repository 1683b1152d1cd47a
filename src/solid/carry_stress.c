#include "solid/carry_stress.h"

#include <math.h>

static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

/* Symmetric matrix of the components xx, yy, zz, xy, yz, zx. */
static PxMat3 symmetric(const double e[6])
{
    return (PxMat3){{{e[0], e[3], e[5]}, {e[3], e[1], e[4]}, {e[5], e[4], e[2]}}};
}

/* Hooke's matrix of the normal components. */
static PxMat3 normal_law(const PxSolidLaw *law)
{
    const float *c = law->stiff;
    return (PxMat3){{{(double)c[0], (double)c[3], (double)c[5]},
                     {(double)c[3], (double)c[1], (double)c[4]},
                     {(double)c[5], (double)c[4], (double)c[2]}}};
}

/* Bound on the norm of the carried strain; larger ones come from nearly degenerate cells. */
#define MOST_STRAIN 0.5

void px_solid_carry(const PxSolidLaw *before, const PxSolidLaw *law, PxMat3 j,
                    const double strain[6], double out[6])
{
    PxMat3 normal = normal_law(law), inverse, turn;
    const PxSolidLaw *softer = before->stiff[6] < law->stiff[6] ? before : law;
    for (int k = 0; k < 6; ++k)
        out[k] = 0;
    /* nearly degenerate or inverted: the stress is dropped */
    if (px_mat3_determinant(j) < 0.05 || !px_mat3_inverse(normal, &inverse))
        return;
    PxVec3 pull = px_mat3_apply(normal_law(softer), px_vec(strain[0], strain[1], strain[2]));
    double stress[6] = {pull.x, pull.y, pull.z}, square = 0;
    for (int k = 3; k < 6; ++k)
        stress[k] = 2 * (double)softer->stiff[k + 3] * strain[k];
    px_mat3_polar(j, &turn, NULL);
    PxMat3 turned =
        px_mat3_multiply(px_mat3_multiply(turn, symmetric(stress)), px_mat3_transpose(turn));
    PxVec3 axial = px_mat3_apply(inverse, px_vec(turned.m[0][0], turned.m[1][1], turned.m[2][2]));
    out[0] = axial.x;
    out[1] = axial.y;
    out[2] = axial.z;
    out[3] = turned.m[0][1] / (2 * (double)law->stiff[6]);
    out[4] = turned.m[1][2] / (2 * (double)law->stiff[7]);
    out[5] = turned.m[2][0] / (2 * (double)law->stiff[8]);
    for (int k = 0; k < 6; ++k)
        square += (k < 3 ? 1 : 2) * out[k] * out[k];
    double scale = square > MOST_STRAIN * MOST_STRAIN ? MOST_STRAIN / sqrt(square) : 1;
    for (int k = 0; k < 6; ++k)
        out[k] *= scale;
}

void px_solid_green(PxMat3 j, double out[6])
{
    PxMat3 green = px_mat3_scale(
        px_mat3_sub(px_mat3_multiply(px_mat3_transpose(j), j), px_mat3_identity()), 0.5);
    for (int k = 0; k < 6; ++k)
        out[k] = green.m[at[k][0]][at[k][1]];
}
