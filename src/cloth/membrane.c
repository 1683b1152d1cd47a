/// Membrane of cloth: linear triangles with orthotropic elasticity (004 section 2.2.2).
///
/// F = dx/d(u, v) has two columns in space. Strains are
///     Green:          E = (F^T F - I) / 2
///     co-rotational:  E = U - I, F = R U   (linear in the displacements that R leaves)
/// Stress is S = C E with the elasticity of 004 Eqs. 2.81 and 2.82, in which C_1212 multiplies the
/// engineering shear strain 2 E_uv, and nu_u E_v = nu_v E_u makes C symmetric.
///
/// The force of corner k is -area P grad N_k. For Green strain P = F S. For U - I the exact
/// gradient of the energy is P = 2 F T with U T + T U = S, because d(F^T F) = U dU + dU U; for
/// isotropic cloth this is the usual R S. The 2 x 2 equation has the solution
///     T = (det U  S + adj U  S  adj U) / (2 tr U det U).
#include "cloth/cloth.h"

#include <math.h>

/* Beyond the limit of strain cloth is so many times stiffer. */
#define STIFFER 20.0

PxStatus px_cloth_law(const PxMaterialDef *def, const char *what, PxClothLaw *out)
{
    const PxClothDef *d = &def->cloth;
    double nu = d->poisson, back = nu * d->warp / d->weft, whole = 1 - nu * back;
    if (!(whole > 1e-3))
        return px_fail(PX_ERR_ARGUMENT,
                       "%s: poisson %g with weft %g and warp %g N/m is no possible material: "
                       "stretched along the warp it would narrow by %g; wanted the product of both "
                       "ratios below 1",
                       what, nu, d->weft, d->warp, back);
    if (d->crease > 0 && d->bending_model == PX_CLOTH_LINEAR)
        return px_fail(
            PX_ERR_ARGUMENT,
            "%s: crease %g 1/m is not for \"bending\": \"linear\"; wanted \"dihedral\" or "
            "\"plate\"",
            what, d->crease);
    *out = (PxClothLaw){.mass = d->mass > 0 ? d->mass : def->density * d->thickness,
                        .thickness = d->thickness,
                        .c = {d->weft / whole, nu * d->warp / whole, d->warp / whole, d->shear},
                        .bend = {d->bend, d->bend_warp > 0 ? d->bend_warp : d->bend},
                        .crease = d->crease,
                        .alpha = d->damping,
                        .beta = d->stiff_damping,
                        .limit = d->limit,
                        .wet_stretch = d->wet_stretch,
                        .wet_bend = d->wet_bend,
                        .membrane = d->membrane,
                        .bending = d->bending_model,
                        .integration = d->integration,
                        .friction = def->friction,
                        .tear = {d->tear, d->tear_warp > 0 ? d->tear_warp : d->tear},
                        .pressure = d->pressure,
                        .air = d->air,
                        .wind = d->wind,
                        .step = d->step,
                        .collides = d->self_collision};
    return PX_OK;
}

/* Stress and energy density of one normal strain, stiffer beyond the limit. */
static double beyond(double strain, double limit)
{
    return strain > limit ? strain - limit : 0;
}

static void tensile(const double s[3], double out[3])
{
    /* eigenvalues of [[a, c], [c, b]] below 0 become 0 */
    double a = s[0], b = s[1], c = s[2];
    double mean = 0.5 * (a + b), half = sqrt(0.25 * (a - b) * (a - b) + c * c);
    double high = mean + half, low = mean - half;
    if (low >= 0) {
        out[0] = a;
        out[1] = b;
        out[2] = c;
        return;
    }
    if (high <= 0) {
        out[0] = out[1] = out[2] = 0;
        return;
    }
    /* high times the projection on its eigenvector, (S - low) / (high - low) */
    double scale = high / (high - low);
    out[0] = scale * (a - low);
    out[1] = scale * (b - low);
    out[2] = scale * c;
}

void px_cloth_membrane(const PxClothLaw *law, const PxClothFace *face, const PxVec3 x[3],
                       PxClothFaceState *out)
{
    const double(*d)[2] = face->inverse;
    PxVec3 e1 = px_sub(x[1], x[0]), e2 = px_sub(x[2], x[0]);
    PxVec3 fu = px_mad(px_scale(e1, d[0][0]), e2, d[1][0]);
    PxVec3 fv = px_mad(px_scale(e1, d[0][1]), e2, d[1][1]);
    double uu = px_dot(fu, fu), vv = px_dot(fv, fv), uv = px_dot(fu, fv);
    out->normal = px_normalized(px_cross(e1, e2), px_vec(0, 0, 0));
    double strain[3], det = 0, trace = 0, adj[3] = {0};
    if (law->membrane == PX_CLOTH_GREEN) {
        strain[0] = 0.5 * (uu - 1);
        strain[1] = 0.5 * (vv - 1);
        strain[2] = uv;
    } else {
        det = sqrt(fmax(uu * vv - uv * uv, 1e-18));
        trace = sqrt(uu + vv + 2 * det);
        double u[3] = {(uu + det) / trace, (vv + det) / trace, uv / trace};
        strain[0] = u[0] - 1;
        strain[1] = u[1] - 1;
        strain[2] = 2 * u[2];
        adj[0] = u[1];
        adj[1] = u[0];
        adj[2] = -u[2];
    }
    const double *c = law->c;
    double more[2] = {beyond(strain[0], law->limit), beyond(strain[1], law->limit)};
    double s[3] = {c[0] * (strain[0] + STIFFER * more[0]) + c[1] * strain[1],
                   c[2] * (strain[1] + STIFFER * more[1]) + c[1] * strain[0], c[3] * strain[2]};
    out->c[0] = c[0] * (more[0] > 0 ? 1 + STIFFER : 1);
    out->c[1] = c[1];
    out->c[2] = c[2] * (more[1] > 0 ? 1 + STIFFER : 1);
    out->c[3] = c[3];
    out->stretch = 0.5 * face->area *
                   (c[0] * (strain[0] * strain[0] + STIFFER * more[0] * more[0]) +
                    c[2] * (strain[1] * strain[1] + STIFFER * more[1] * more[1]) +
                    2 * c[1] * strain[0] * strain[1] + c[3] * strain[2] * strain[2]);
    out->energy = out->stretch;
    out->f[0] = fu;
    out->f[1] = fv;
    out->spin = law->membrane != PX_CLOTH_GREEN ? fmax(s[0] + s[1], 0) / trace : 0;
    if (law->membrane != PX_CLOTH_GREEN) {
        /* adj S adj, of symmetric matrices (uu, vv, uv) */
        double m[2][2] = {{adj[0] * s[0] + adj[2] * s[2], adj[0] * s[2] + adj[2] * s[1]},
                          {adj[2] * s[0] + adj[1] * s[2], adj[2] * s[2] + adj[1] * s[1]}};
        double t[3] = {m[0][0] * adj[0] + m[0][1] * adj[2], m[1][0] * adj[2] + m[1][1] * adj[1],
                       m[0][0] * adj[2] + m[0][1] * adj[1]};
        for (int k = 0; k < 3; ++k)
            s[k] = (det * s[k] + t[k]) / (trace * det);
        out->f[0] = px_scale(px_mad(px_scale(fu, adj[0]), fv, adj[2]), 1 / det);
        out->f[1] = px_scale(px_mad(px_scale(fu, adj[2]), fv, adj[1]), 1 / det);
    }
    out->force[0] = px_mad(px_scale(fu, s[0]), fv, s[2]);
    out->force[1] = px_mad(px_scale(fu, s[2]), fv, s[1]);
    tensile(s, out->taut);
    for (int k = 0; k < 3; ++k)
        out->strain[k] = strain[k];
}

void px_cloth_stress_rate(const PxClothLaw *law, const PxClothFaceState *st, const PxVec3 change[2],
                          PxVec3 out[2])
{
    const double *c = st->c, *taut = st->taut;
    PxVec3 fu = change[0], fv = change[1];
    double uu = px_dot(st->f[0], fu), vv = px_dot(st->f[1], fv);
    double uv = c[3] * (px_dot(st->f[0], fv) + px_dot(st->f[1], fu));
    double su = c[0] * uu + c[1] * vv, sv = c[1] * uu + c[2] * vv;
    double turn = st->spin * (px_dot(st->f[0], fv) - px_dot(st->f[1], fu));
    PxVec3 pu = px_mad(px_scale(st->f[0], su), st->f[1], uv - turn);
    PxVec3 pv = px_mad(px_scale(st->f[1], sv), st->f[0], uv + turn);
    PxVec3 tu = px_mad(px_scale(fu, taut[0]), fv, taut[2]);
    PxVec3 tv = px_mad(px_scale(fu, taut[2]), fv, taut[1]);
    if (law->membrane != PX_CLOTH_GREEN) {
        tu = px_scale(st->normal, px_dot(st->normal, tu));
        tv = px_scale(st->normal, px_dot(st->normal, tv));
    }
    out[0] = px_add(pu, tu);
    out[1] = px_add(pv, tv);
}
