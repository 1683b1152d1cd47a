/// Weights of the displacement gradient of one particle, from its rest neighbours.
///
/// The gradient is H_i = sum_j (u_j - u_i) g_ij^T with vectors g_ij that depend on the rest shape
/// alone. Moving least squares (001 Eqs. 13-15) gives g = w A^-1 X, with A = sum w X X^T: exact
/// for linear displacements. Where neighbours lie on one side, as at a surface, quadratic
/// displacements leave an error: at the face of a lattice with a support of 2 spacings the strain
/// is that of a point 0.19 spacings further inside, and curvature looks like strain across the
/// face, so that solids bend and twist too easily. Here g also cancels the quadratic terms, as far
/// as the neighbours determine them: it is the linear part of a quadratic fit.
///
/// With the quadratic monomials Q of X (the mixed ones times sqrt 2, so that axes do not matter),
///   B = A^-1 sum w X Q^T,  R = Q - B^T X,  S = sum w R R^T = sum_e s_e v_e v_e^T
///   g = w (A^-1 X - sum_e f_e (B v_e) (v_e . R) / s_e)
/// where f_e = 1 gives the quadratic fit and f_e = 0 the linear one. Both are exact for linear
/// displacements. A direction v_e that the neighbours hardly determine (s_e near 0; across a
/// surface, which has only two layers within the support) would make g and the forces large. It
/// adds c_e = |B v_e|^2 / s_e to tr(sum g g^T / w), of which tr(A^-1) is the part of the linear
/// fit; f_e limits that to a part of it (docs/decisions.md 18).
///
/// Matter whose rest shape follows its deformation keeps the linear fit: its weights change with
/// every update, the forces of its stress with them, and the more the larger the weights are.
///
/// Displacements that alternate from particle to particle have no gradient at particles. Their
/// measure is the sum of residuals of the linear fit,
///   L_i = sum_j c_ij (u_j - u_i),  c = w (1 - X . A^-1 sum w X)
/// which vanishes for linear displacements (passes.h).
///
/// The quadratic fit of any function f also gives its Laplacian at the particle,
///   lap f = sum_j l_ij (f_j - f_i),  l = 2 w y . R / h^2,  S y = (1, 1, 1, 0, 0, 0)
/// where the neighbours determine it. The quadrature of the energy needs it (quadrature.h).
#ifndef PX_SOLID_FIT_H
#define PX_SOLID_FIT_H

#include "base/mat3.h"

typedef struct PxSolidFit {
    double h;            ///< support, m; lengths below are in units of it
    double moment[9][9]; ///< sums of w times products of X and Q, upper triangle
    PxVec3 sum;          ///< sum of w X
    double weight;       ///< sum of w
    PxMat3 inverse;      ///< A^-1; pseudo-inverse where neighbours are coplanar or collinear
    PxVec3 lean;         ///< A^-1 sum w X
    double bend[3][6];   ///< B
    double turn[3][6];   ///< sum_e f_e (B v_e) v_e^T / s_e
    bool linear;         ///< leave the quadratic terms
    bool corrected;      ///< `turn` is not 0
    double laplacian[9]; ///< l over w: coefficients of the monomials X and Q, 1/m^2
    bool curved;         ///< neighbours determine the Laplacian
    PxVec3 normal;       ///< of the plane of coplanar neighbours; 0: they are not coplanar
    double spread;       ///< sum of w |X|^2
    double cell_weight;  ///< 1, less where A is ill-conditioned, 0 where its rank is below 2
} PxSolidFit;

/// Starts a fit with the support `h`, m; `linear`: f_e = 0.
void px_solid_fit_begin(PxSolidFit *fit, double h, bool linear);

/// Adds a neighbour at `x` from the particle, m, with the weight `w`.
void px_solid_fit_add(PxSolidFit *fit, PxVec3 x, double w);

/// Solves for the coefficients.
void px_solid_fit_solve(PxSolidFit *fit);

/// g_ij, 1/m, and c_ij of a neighbour that was added.
void px_solid_fit_weights(const PxSolidFit *fit, PxVec3 x, double w, float out[4]);

/// l_ij, 1/m^2, from the coefficients `laplacian` of the fit with the support `h`.
double px_solid_fit_laplacian(const float laplacian[9], double h, PxVec3 x, double w);

#endif
