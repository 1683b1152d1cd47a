/// The elastic law of a material from its parameters.
#include "solid/solid.h"

#include <string.h>

/* Part of the uniaxial-strain modulus (lambda + 2 mu) that the volume term of 001 Eq. 7 provides,
 * so that inverted cells recover. At a stretch t < 0 along one axis, Green's strain drives the
 * inversion with (1 - t) (1 + t) |t| / 2 times that modulus, and the volume term opposes it with
 * (1 - t) times its own: an eighth is needed at t = -1/2, somewhat more for non-uniform strain.
 * It is subtracted from Hooke's matrix, so the moduli at small strains are unchanged. */
#define VOLUME_PART 0.15
/* At large stretches Green's strain does not conserve volume, whatever Poisson's ratio. From this
 * ratio on the part of the volume term rises linearly, up to FULL_PART at 0.49. */
#define VOLUME_FROM 0.35
#define FULL_PART 0.9

/* Stiffness of the fit residual energy as a part of the shear modulus (passes.h). On a lattice the
 * energy is then mu / 2 |lap u|^2 s^2 / 25 (s: spacing), half of what the second moment of a cell
 * would give for the gradient's part in lap u, which nodal integration leaves out. An update of the
 * rest shape forgets the residual, so it is less where rest shapes follow (docs/decisions.md 18).
 */
#define RESIDUAL 1
#define RESIDUAL_FOLLOWING 0.4

static PxStatus orthotropic(const PxMaterialDef *d, double c[9])
{
    const double e[3] = {d->young_axes.x, d->young_axes.y, d->young_axes.z};
    const double g[3] = {d->shear_axes.x, d->shear_axes.y, d->shear_axes.z};
    double xy = d->poisson_axes.x, yz = d->poisson_axes.y, zx = d->poisson_axes.z;
    if (!(e[0] > 0 && e[1] > 0 && e[2] > 0 && g[0] > 0 && g[1] > 0 && g[2] > 0))
        return px_fail(PX_ERR_ARGUMENT,
                       "material '%s': young_axes and shear_axes must be three positive numbers "
                       "each, or be left out",
                       d->name);
    /* strain = compliance stress; nu_xy: contraction along y under tension along x */
    PxMat3 compliance = {{{1 / e[0], -xy / e[0], -zx / e[2]},
                          {-xy / e[0], 1 / e[1], -yz / e[1]},
                          {-zx / e[2], -yz / e[1], 1 / e[2]}}};
    PxMat3 stiffness, axes;
    PxVec3 value;
    if (!px_mat3_eigen(compliance, &value, &axes) || !(value.z > 1e-6 * value.x) ||
        !px_mat3_inverse(compliance, &stiffness))
        return px_fail(PX_ERR_ARGUMENT,
                       "material '%s': with these young_axes and poisson_axes it would give way to "
                       "some load for nothing; smaller ratios make a solid of it",
                       d->name);
    for (int k = 0; k < 3; ++k) {
        c[k] = stiffness.m[k][k];
        c[3 + k] = stiffness.m[k][(k + 1) % 3];
        c[6 + k] = g[k];
    }
    return PX_OK;
}

PxStatus px_solid_law(const PxMaterial *material, PxSolidLaw *out)
{
    const PxMaterialDef *d = &material->def;
    *out = (PxSolidLaw){.solid = d->young > 0,
                        .orthotropic =
                            d->young_axes.x > 0 || d->young_axes.y > 0 || d->young_axes.z > 0,
                        .yield = (float)d->yield,
                        .creep = (float)d->creep,
                        .limit = (float)d->plastic_limit,
                        .damping = (float)d->damping};
    if (!out->solid)
        return PX_OK;
    double nu = d->poisson, c[9] = {0};
    double lambda = d->young * nu / ((1 + nu) * (1 - 2 * nu)), mu = d->young / (2 * (1 + nu));
    double axial, shear;
    if (out->orthotropic) {
        PX_TRY(orthotropic(d, c));
        axial = fmin(c[0], fmin(c[1], c[2]));
        shear = fmin(c[6], fmin(c[7], c[8]));
    } else {
        for (int k = 0; k < 3; ++k) {
            c[k] = lambda + 2 * mu;
            c[3 + k] = lambda;
            c[6 + k] = mu;
        }
        axial = lambda + 2 * mu;
        shear = mu;
    }
    double near = fmin(fmax((nu - VOLUME_FROM) / (0.49 - VOLUME_FROM), 0), 1);
    double part = out->orthotropic ? VOLUME_PART : VOLUME_PART + near * (FULL_PART - VOLUME_PART);
    double volume = part * axial;
    for (int k = 0; k < 9; ++k)
        out->stiff[k] = (float)(k < 6 ? c[k] - volume : c[k]);
    out->volume = (float)(volume + d->volume);
    bool follows = d->absorb > 0 || d->melts.melts;
    out->residual = (float)((follows ? RESIDUAL_FOLLOWING : RESIDUAL) * shear);
    return PX_OK;
}
