#include "solid/fit.h"

#include <math.h>
#include <string.h>

/* Eigenvalues of the moment matrix below this fraction of the largest count as 0. Surfaces and
 * edges of lattices have ratios of 0.49 and more. */
#define LEAST_EIGENVALUE 0.03

/* Rest shapes of flowing matter may have ill-conditioned moment matrices, whose cells are so stiff
 * that they would shorten the sub-steps of the whole body. Where tr(A^-1) exceeds this over h^2 (h:
 * support), the weight of the cell falls with the square of the ratio: its stiffness contains A^-1
 * twice, so that no cell is stiffer than one at this trace. Lattices have 6 inside and 19 in a
 * corner. */
#define MOST_TRACE 40

/* Largest part of tr(A^-1) that one quadratic direction may add to tr(sum g g^T / w). */
#define MOST_ADDED 0.15

/* Quadratic directions with an s_e below this part of the largest are not corrected. */
#define LEAST_DIRECTION 1e-9

/* Elements of B whose squares are below this are rounding errors: neighbours are symmetric. */
#define SYMMETRIC 1e-8

/* The neighbours determine the Laplacian if y . S y is at most this. Lattices with supports of 1.8
 * to 3.5 spacings have 20 to 3 inside, the layer under a face included, and 46 and more in a face.
 */
#define MOST_CURVED 40

enum { LINEAR = 3, QUADRATIC = 6, ALL = LINEAR + QUADRATIC };

static void monomials(PxVec3 x, double out[ALL])
{
    static const double mixed = 1.4142135623730951;
    out[0] = x.x;
    out[1] = x.y;
    out[2] = x.z;
    out[3] = x.x * x.x;
    out[4] = x.y * x.y;
    out[5] = x.z * x.z;
    out[6] = mixed * x.x * x.y;
    out[7] = mixed * x.y * x.z;
    out[8] = mixed * x.z * x.x;
}

void px_solid_fit_begin(PxSolidFit *fit, double h, bool linear)
{
    *fit = (PxSolidFit){.h = h, .linear = linear};
}

void px_solid_fit_add(PxSolidFit *fit, PxVec3 x, double w)
{
    double q[ALL];
    x = px_scale(x, 1 / fit->h);
    monomials(x, q);
    int most = fit->linear ? LINEAR : ALL;
    for (int a = 0; a < most; ++a) {
        double wq = w * q[a];
        for (int b = a; b < most; ++b)
            fit->moment[a][b] += wq * q[b];
    }
    fit->sum = px_mad(fit->sum, x, w);
    fit->weight += w;
}

/* Pseudo-inverse of the moment matrix A (001 section 3.3: safe inversion). */
static void invert(PxSolidFit *fit)
{
    PxMat3 moment, axes;
    PxVec3 value;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            moment.m[a][b] = a < b ? fit->moment[a][b] : fit->moment[b][a];
    px_mat3_eigen(moment, &value, &axes);
    double eigen[3] = {value.x, value.y, value.z};
    int there = 0;
    for (int k = 0; k < 3; ++k)
        if (value.x > 0 && eigen[k] > LEAST_EIGENVALUE * value.x) {
            PxVec3 a = px_mat3_column(axes, k);
            fit->inverse =
                px_mat3_add(fit->inverse, px_mat3_scale(px_mat3_outer(a, a), 1 / eigen[k]));
            ++there;
        }
    fit->normal = there == 2 ? px_mat3_column(axes, 2) : px_vec(0, 0, 0);
    double trace = px_mat3_trace(fit->inverse), part = trace > MOST_TRACE ? MOST_TRACE / trace : 1;
    fit->cell_weight = there < 2 ? 0 : part * part;
    fit->spread = px_mat3_trace(moment);
    fit->lean = px_mat3_apply(fit->inverse, fit->sum);
}

/* Eigenvalues of a symmetric matrix, left on its diagonal, and vectors, the columns of v (Jacobi
 * 1846). Both triangles of `a` are filled. */
static void eigen(double a[QUADRATIC][QUADRATIC], double v[QUADRATIC][QUADRATIC])
{
    for (int p = 0; p < QUADRATIC; ++p)
        for (int q = 0; q < QUADRATIC; ++q)
            v[p][q] = p == q;
    double trace = 0;
    for (int p = 0; p < QUADRATIC; ++p)
        trace += a[p][p];
    double nothing = 1e-12 * trace;
    bool busy = true;
    for (int sweep = 0; busy && sweep < 30; ++sweep) {
        busy = false;
        for (int p = 0; p < QUADRATIC; ++p)
            for (int q = p + 1; q < QUADRATIC; ++q) {
                double apq = a[p][q];
                if (!(fabs(apq) > nothing))
                    continue;
                busy = true;
                double half = 0.5 * (a[q][q] - a[p][p]) / apq;
                double t = (half < 0 ? -1 : 1) / (fabs(half) + sqrt(half * half + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                a[p][p] -= t * apq;
                a[q][q] += t * apq;
                a[p][q] = a[q][p] = 0;
                for (int k = 0; k < QUADRATIC; ++k) {
                    if (k != p && k != q) {
                        double kp = a[k][p], kq = a[k][q];
                        a[k][p] = a[p][k] = c * kp - s * kq;
                        a[k][q] = a[q][k] = s * kp + c * kq;
                    }
                    double vp = v[k][p], vq = v[k][q];
                    v[k][p] = c * vp - s * vq;
                    v[k][q] = s * vp + c * vq;
                }
            }
    }
}

/* Fills `turn` from the eigenvectors v of S, whose eigenvalues are the diagonal of s. */
static void correct(PxSolidFit *fit, const double s[QUADRATIC][QUADRATIC],
                    const double v[QUADRATIC][QUADRATIC])
{
    double most = 0, allowed = MOST_ADDED * px_mat3_trace(fit->inverse);
    for (int e = 0; e < QUADRATIC; ++e)
        most = fmax(most, s[e][e]);
    for (int e = 0; e < QUADRATIC; ++e) {
        double bv[LINEAR] = {0}, square = 0;
        if (!(s[e][e] > LEAST_DIRECTION * most))
            continue;
        for (int a = 0; a < LINEAR; ++a) {
            for (int q = 0; q < QUADRATIC; ++q)
                bv[a] += fit->bend[a][q] * v[q][e];
            square += bv[a] * bv[a];
        }
        double added = square / s[e][e], part = added > allowed ? allowed / added : 1;
        for (int a = 0; a < LINEAR; ++a)
            for (int q = 0; q < QUADRATIC; ++q)
                fit->turn[a][q] += part * bv[a] * v[q][e] / s[e][e];
    }
    fit->corrected = true;
}

/* Solves S y = (1, 1, 1, 0, 0, 0) by Cholesky's method. False: S is singular. */
static bool solve_curved(const double s[QUADRATIC][QUADRATIC], double y[QUADRATIC])
{
    double l[QUADRATIC][QUADRATIC];
    for (int p = 0; p < QUADRATIC; ++p) {
        y[p] = p < 3;
        for (int q = 0; q <= p; ++q) {
            double left = s[p][q];
            for (int k = 0; k < q; ++k)
                left -= l[p][k] * l[q][k];
            if (q == p && !(left > LEAST_DIRECTION * s[p][p]))
                return false;
            l[p][q] = q < p ? left / l[q][q] : sqrt(left);
        }
        for (int k = 0; k < p; ++k)
            y[p] -= l[p][k] * y[k];
        y[p] /= l[p][p];
    }
    for (int p = QUADRATIC - 1; p >= 0; --p) {
        for (int k = p + 1; k < QUADRATIC; ++k)
            y[p] -= l[k][p] * y[k];
        y[p] /= l[p][p];
    }
    return true;
}

/* Fills `laplacian`. */
static void curve(PxSolidFit *fit, const double s[QUADRATIC][QUADRATIC])
{
    double y[QUADRATIC], scale = 2 / (fit->h * fit->h);
    if (!solve_curved(s, y) || !(y[0] + y[1] + y[2] < MOST_CURVED))
        return;
    fit->curved = true;
    for (int q = 0; q < QUADRATIC; ++q)
        fit->laplacian[LINEAR + q] = scale * y[q];
    for (int a = 0; a < LINEAR; ++a)
        for (int q = 0; q < QUADRATIC; ++q)
            fit->laplacian[a] -= scale * fit->bend[a][q] * y[q];
}

double px_solid_fit_laplacian(const float laplacian[9], double h, PxVec3 x, double w)
{
    double q[ALL], sum = 0;
    monomials(px_scale(x, 1 / h), q);
    for (int k = 0; k < ALL; ++k)
        sum += (double)laplacian[k] * q[k];
    return w * sum;
}

void px_solid_fit_solve(PxSolidFit *fit)
{
    double s[QUADRATIC][QUADRATIC], v[QUADRATIC][QUADRATIC], most = 0;
    invert(fit);
    if (fit->linear)
        return;
    for (int a = 0; a < LINEAR; ++a)
        for (int q = 0; q < QUADRATIC; ++q) {
            for (int b = 0; b < LINEAR; ++b)
                fit->bend[a][q] += fit->inverse.m[a][b] * fit->moment[b][LINEAR + q];
            most = fmax(most, fit->bend[a][q] * fit->bend[a][q]);
        }
    for (int p = 0; p < QUADRATIC; ++p)
        for (int q = p; q < QUADRATIC; ++q) {
            double left = fit->moment[LINEAR + p][LINEAR + q];
            for (int a = 0; a < LINEAR; ++a)
                left -= fit->moment[a][LINEAR + p] * fit->bend[a][q];
            s[p][q] = s[q][p] = left;
        }
    curve(fit, s);
    if (!(most > SYMMETRIC))
        return;
    eigen(s, v);
    correct(fit, s, v);
}

void px_solid_fit_weights(const PxSolidFit *fit, PxVec3 x, double w, float out[4])
{
    double q[ALL];
    x = px_scale(x, 1 / fit->h);
    PxVec3 g = px_mat3_apply(fit->inverse, x);
    if (fit->corrected) {
        double less[LINEAR] = {0};
        monomials(x, q);
        for (int k = 0; k < QUADRATIC; ++k) {
            double r = q[LINEAR + k] - fit->bend[0][k] * x.x - fit->bend[1][k] * x.y -
                       fit->bend[2][k] * x.z;
            for (int a = 0; a < LINEAR; ++a)
                less[a] += fit->turn[a][k] * r;
        }
        g = px_sub(g, px_vec(less[0], less[1], less[2]));
    }
    double scale = w / fit->h;
    out[0] = (float)(scale * g.x);
    out[1] = (float)(scale * g.y);
    out[2] = (float)(scale * g.z);
    out[3] = (float)(w * (1 - px_dot(x, fit->lean)));
}
