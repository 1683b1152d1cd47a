/* Singular values by the one-sided Jacobi method (Hestenes 1958; Demmel and
 * Veselic 1992, SIAM J. Matrix Anal. Appl. 13, on its accuracy): rotations from
 * the right make the columns of A orthogonal,
 *
 *     A V = B = U diag(s),
 *
 * so the lengths of B's columns are the singular values. Unlike the eigenvalues
 * of A^T A this does not square the condition number of A, so small singular
 * values stay accurate, and for singular matrices only U has to be completed. U is
 * computed from B by Gram-Schmidt, longest column first, its last column by the
 * cross product: orthogonal to rounding even where B holds only rounding errors,
 * and a rotation by construction. */
#include "base/mat3.h"

#include <float.h>
#include <stddef.h>

/* Three columns need about five sweeps; the limit is a safeguard. */
#define MOST_SWEEPS 24

/* Columns are orthogonal when the square of the cosine between them is below
 * this: 2^-51 is about the rounding error of a dot product of three terms. */
#define COSINE_SQUARED 0x1p-102

/* Largest |entry|, or infinity if one is not finite. */
static double largest(const PxMat3 *a)
{
    double most = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double size = fabs(a->m[i][j]);
            if (!(size <= DBL_MAX))
                return INFINITY;
            if (size > most)
                most = size;
        }
    return most;
}

/* a 2^exponent for |exponent| up to about 2000, in two factors, as a single one might
 * overflow. */
static PxMat3 scale_by_power(PxMat3 a, int exponent)
{
    double half = ldexp(1.0, exponent / 2), rest = ldexp(1.0, exponent - exponent / 2);
    return px_mat3_scale(px_mat3_scale(a, half), rest);
}

/* |v| without overflow or underflow. */
static double safe_length(PxVec3 v)
{
    double most = fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
    if (most == 0)
        return 0;
    return most * px_length(px_vec(v.x / most, v.y / most, v.z / most));
}

static PxVec3 divide(PxVec3 v, double by)
{
    return px_vec(v.x / by, v.y / by, v.z / by);
}

/* Jacobi rotation that makes two columns orthogonal (or an off-diagonal entry vanish):
 * tan of the smaller of the two angles with tan 2 angle = 2 gamma / delta.
 * The caller ensures gamma^2 > 0, so this never divides by zero. */
static double jacobi_tangent(double delta, double gamma)
{
    double t = 2.0 * gamma / (fabs(delta) + sqrt(delta * delta + 4.0 * gamma * gamma));
    return delta < 0 ? -t : t;
}

/* (p, q) <- (c p - s q, s p + c q) */
static void turn(PxVec3 *p, PxVec3 *q, double c, double s)
{
    PxVec3 old = *p;
    *p = px_mad(px_scale(old, c), *q, -s);
    *q = px_mad(px_scale(*q, c), old, s);
}

/* (p, q) <- (q, -p): exchanges two columns and keeps the determinant. */
static void exchange(PxVec3 *p, PxVec3 *q)
{
    PxVec3 old = *p;
    *p = *q;
    *q = px_scale(old, -1.0);
}

/* Columns of U from the columns b, sorted by descending length, and those of V. */
static void complete_u(const PxVec3 b[3], const double length[3], const PxVec3 v[3], PxVec3 u[3])
{
    if (length[0] == 0) {
        for (int k = 0; k < 3; ++k)
            u[k] = v[k];
        return;
    }
    u[0] = divide(b[0], length[0]);
    bool found = false;
    if (length[1] > 0) {
        PxVec3 w = divide(b[1], length[1]);
        w = px_mad(w, u[0], -px_dot(u[0], w));
        double rest = px_length(w);
        found = rest > 0.5; /* B's columns are orthogonal unless they underflow; and then
                             * once is enough for orthogonality to rounding */
        if (found)
            u[1] = divide(w, rest);
    }
    if (!found) {
        /* Rank 1: u1 may be any direction orthogonal to u0. Those of V keep U V^T near the
         * identity; v1 or v2 is at 45 degrees or more from u0. */
        PxVec3 w1 = px_mad(v[1], u[0], -px_dot(u[0], v[1]));
        PxVec3 w2 = px_mad(v[2], u[0], -px_dot(u[0], v[2]));
        u[1] = px_dot(w1, w1) >= px_dot(w2, w2) ? w1 : px_cross(w2, u[0]);
        u[1] = px_mad(u[1], u[0], -px_dot(u[0], u[1]));
        u[1] = divide(u[1], px_length(u[1]));
    }
    u[2] = px_cross(u[0], u[1]);
}

/* U and V as columns, both rotations; s[2] takes the sign. */
static bool decompose(PxMat3 a, PxVec3 u[3], double s[3], PxVec3 v[3])
{
    v[0] = u[0] = px_vec(1, 0, 0);
    v[1] = u[1] = px_vec(0, 1, 0);
    v[2] = u[2] = px_vec(0, 0, 1);
    double most = largest(&a);
    if (most > DBL_MAX) {
        s[0] = s[1] = s[2] = NAN;
        return false;
    }
    /* Scales entries to about one, so that squares neither overflow nor underflow. */
    int exponent = 0;
    frexp(most, &exponent);
    a = scale_by_power(a, -exponent);
    PxVec3 b[3] = {px_mat3_column(a, 0), px_mat3_column(a, 1), px_mat3_column(a, 2)};

    static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    bool busy = true;
    for (int sweep = 0; busy && sweep < MOST_SWEEPS; ++sweep) {
        busy = false;
        for (int k = 0; k < 3; ++k) {
            int p = pair[k][0], q = pair[k][1];
            double alpha = px_dot(b[p], b[p]), beta = px_dot(b[q], b[q]);
            double gamma = px_dot(b[p], b[q]);
            /* true also when both sides underflow: then a column is shorter than
             * 10^-70 of another, and complete_u() sees to the rest */
            if (gamma * gamma <= COSINE_SQUARED * alpha * beta)
                continue;
            busy = true;
            double t = jacobi_tangent(beta - alpha, gamma);
            double cosine = 1.0 / sqrt(1.0 + t * t);
            turn(&b[p], &b[q], cosine, cosine * t);
            turn(&v[p], &v[q], cosine, cosine * t);
        }
    }

    double length[3] = {safe_length(b[0]), safe_length(b[1]), safe_length(b[2])};
    for (int k = 0; k < 3; ++k) { /* bubble: (0, 1), (1, 2), (0, 1) */
        int p = k == 1, q = p + 1;
        if (length[p] < length[q]) {
            double old = length[p];
            length[p] = length[q];
            length[q] = old;
            exchange(&b[p], &b[q]);
            exchange(&v[p], &v[q]);
        }
    }
    complete_u(b, length, v, u);
    if (px_dot(b[2], u[2]) < 0)
        length[2] = -length[2];
    for (int k = 0; k < 3; ++k)
        s[k] = ldexp(length[k], exponent);
    return true;
}

bool px_mat3_svd_rotations(PxMat3 a, PxMat3 *u, PxVec3 *s, PxMat3 *v)
{
    PxVec3 uc[3], vc[3];
    double sc[3];
    bool finite = decompose(a, uc, sc, vc);
    *u = px_mat3_from_columns(uc[0], uc[1], uc[2]);
    *v = px_mat3_from_columns(vc[0], vc[1], vc[2]);
    *s = px_vec(sc[0], sc[1], sc[2]);
    return finite;
}

bool px_mat3_svd(PxMat3 a, PxMat3 *u, PxVec3 *s, PxMat3 *v)
{
    bool finite = px_mat3_svd_rotations(a, u, s, v);
    if (s->z < 0) {
        s->z = -s->z;
        for (int i = 0; i < 3; ++i)
            u->m[i][2] = -u->m[i][2];
    }
    return finite;
}

bool px_mat3_polar(PxMat3 a, PxMat3 *r, PxMat3 *s)
{
    PxVec3 u[3], v[3];
    double value[3];
    bool finite = decompose(a, u, value, v);
    if (!finite) {
        *r = px_mat3_identity(); /* not U V^T, whose zeros might be negative */
    } else {
        /* R = U V^T: both are rotations, so R is one */
        PxMat3 sum = px_mat3_outer(u[0], v[0]);
        sum = px_mat3_add(sum, px_mat3_outer(u[1], v[1]));
        *r = px_mat3_add(sum, px_mat3_outer(u[2], v[2]));
    }
    if (s != NULL) {
        /* S = V diag(s) V^T, exactly symmetric as products commute */
        PxMat3 sum = {{{0}}};
        for (int k = 0; k < 3; ++k)
            sum = px_mat3_add(sum, px_mat3_scale(px_mat3_outer(v[k], v[k]), value[k]));
        *s = sum;
    }
    return finite;
}

bool px_mat3_eigen(PxMat3 a, PxVec3 *value, PxMat3 *vector)
{
    *vector = px_mat3_identity();
    for (int i = 1; i < 3; ++i)
        for (int j = 0; j < i; ++j)
            a.m[i][j] = a.m[j][i];
    double most = largest(&a);
    if (most > DBL_MAX) {
        *value = px_vec(NAN, NAN, NAN);
        return false;
    }
    int exponent = 0;
    frexp(most, &exponent);
    a = scale_by_power(a, -exponent);
    PxVec3 v[3] = {px_vec(1, 0, 0), px_vec(0, 1, 0), px_vec(0, 0, 1)};

    /* Jacobi (1846): turn in the plane (p, q) so that a_pq vanishes; r is the
     * third axis. */
    static const int axes[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
    bool busy = true;
    for (int sweep = 0; busy && sweep < MOST_SWEEPS; ++sweep) {
        busy = false;
        for (int k = 0; k < 3; ++k) {
            int p = axes[k][0], q = axes[k][1], r = axes[k][2];
            double apq = a.m[p][q], app = a.m[p][p], aqq = a.m[q][q];
            if (apq * apq <= COSINE_SQUARED / 64 * fabs(app * aqq))
                continue;
            busy = true;
            double t = jacobi_tangent(aqq - app, apq);
            double cosine = 1.0 / sqrt(1.0 + t * t), sine = cosine * t;
            double arp = a.m[r][p], arq = a.m[r][q];
            a.m[p][p] = app - t * apq;
            a.m[q][q] = aqq + t * apq;
            a.m[p][q] = a.m[q][p] = 0;
            a.m[r][p] = a.m[p][r] = cosine * arp - sine * arq;
            a.m[r][q] = a.m[q][r] = sine * arp + cosine * arq;
            turn(&v[p], &v[q], cosine, sine);
        }
    }
    double d[3] = {a.m[0][0], a.m[1][1], a.m[2][2]};
    for (int k = 0; k < 3; ++k) { /* bubble: (0, 1), (1, 2), (0, 1) */
        int p = k == 1, q = p + 1;
        if (d[p] < d[q]) {
            double old = d[p];
            d[p] = d[q];
            d[q] = old;
            exchange(&v[p], &v[q]);
        }
    }
    *value = px_vec(ldexp(d[0], exponent), ldexp(d[1], exponent), ldexp(d[2], exponent));
    *vector = px_mat3_from_columns(v[0], v[1], v[2]);
    return true;
}

/* The inverse by cofactors, unless they cancel: works for almost all matrices in
 * practice and is ten times faster than elimination. */
static bool inverse_plain(const PxMat3 *a, PxMat3 *out)
{
    PxMat3 adjugate, size;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) { /* cofactor of (i, j), cyclic indices */
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double first = a->m[i1][j1] * a->m[i2][j2], second = a->m[i1][j2] * a->m[i2][j1];
            adjugate.m[j][i] = first - second;
            size.m[j][i] = fabs(first) + fabs(second);
        }
    double determinant = 0, permanent = 0;
    for (int j = 0; j < 3; ++j) {
        determinant += a->m[0][j] * adjugate.m[j][0];
        permanent += fabs(a->m[0][j]) * size.m[j][0];
    }
    /* The rounding error of the determinant is a few ulp of the permanent of |a|: at most
     * six bits are lost here. The range excludes overflow and underflow. */
    if (!(fabs(determinant) > permanent / 64) || permanent < 0x1p-300 || permanent > 0x1p300 ||
        largest(a) > 0x1p300)
        return false;
    *out = px_mat3_scale(adjugate, 1.0 / determinant);
    return true;
}

/* The power of two that scales `size` to about one; 1 for 0. */
static double towards_one(double size)
{
    int exponent = 0;
    frexp(size, &exponent);
    if (exponent > 1000)
        exponent = 1000;
    if (exponent < -1000)
        exponent = -1000;
    return ldexp(1.0, -exponent);
}

static void swap_rows(PxMat3 *a, int i, int k)
{
    for (int j = 0; j < 3; ++j) {
        double old = a->m[i][j];
        a->m[i][j] = a->m[k][j];
        a->m[k][j] = old;
    }
}

/* Gauss-Jordan elimination with complete pivoting on [b | right]; `right` becomes the
 * inverse. With two small singular values, cofactors lose twice as many digits. */
static bool inverse_by_elimination(PxMat3 b, PxMat3 *out)
{
    /* Rows, then columns are scaled to about one by powers of two, which is exact:
     * R A C = B, A^-1 = C B^-1 R. */
    double row[3], column[3];
    for (int i = 0; i < 3; ++i) {
        row[i] = towards_one(fmax(fmax(fabs(b.m[i][0]), fabs(b.m[i][1])), fabs(b.m[i][2])));
        for (int j = 0; j < 3; ++j)
            b.m[i][j] *= row[i];
    }
    for (int j = 0; j < 3; ++j) {
        column[j] = towards_one(fmax(fmax(fabs(b.m[0][j]), fabs(b.m[1][j])), fabs(b.m[2][j])));
        for (int i = 0; i < 3; ++i)
            b.m[i][j] *= column[j];
    }

    /* size_ij bounds the rounding error of b_ij in units of half DBL_EPSILON: it grows
     * by the size of each term subtracted. */
    PxMat3 right = px_mat3_identity(), size;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            size.m[i][j] = fabs(b.m[i][j]);
    int place[3]; /* row k ends as the row of unknown place[k] */
    bool done[3] = {false, false, false};
    for (int k = 0; k < 3; ++k) {
        int pr = k, pc = 0;
        double pivot = 0;
        for (int i = k; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                if (!done[j] && fabs(b.m[i][j]) > fabs(pivot)) {
                    pivot = b.m[i][j];
                    pr = i;
                    pc = j;
                }
        /* pivot within its rounding error */
        if (!(fabs(pivot) > 2 * DBL_EPSILON * size.m[pr][pc]))
            return false;
        done[pc] = true;
        place[k] = pc;
        swap_rows(&b, k, pr);
        swap_rows(&right, k, pr);
        swap_rows(&size, k, pr);
        double doubt = size.m[k][pc] / fabs(pivot);
        for (int i = 0; i < 3; ++i) {
            if (i == k)
                continue;
            double factor = b.m[i][pc] / pivot, factor_size = size.m[i][pc] / fabs(pivot);
            for (int j = 0; j < 3; ++j) {
                right.m[i][j] -= factor * right.m[k][j];
                if (done[j])
                    continue;
                b.m[i][j] -= factor * b.m[k][j];
                size.m[i][j] += factor_size * fabs(b.m[k][j]) +
                                fabs(factor) * (size.m[k][j] + doubt * fabs(b.m[k][j]));
            }
        }
    }
    PxMat3 inverse;
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            inverse.m[place[k]][j] = right.m[k][j] / b.m[k][place[k]] * column[place[k]] * row[j];
    if (largest(&inverse) > DBL_MAX)
        return false;
    *out = inverse;
    return true;
}

bool px_mat3_inverse(PxMat3 a, PxMat3 *out)
{
    if (inverse_plain(&a, out))
        return true;
    return largest(&a) <= DBL_MAX && inverse_by_elimination(a, out);
}

PxMat3 px_mat3_from_quat(PxQuat q)
{
    q = px_quat_normalized(q);
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (PxMat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                     {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                     {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

PxQuat px_mat3_to_quat(PxMat3 r)
{
    if (largest(&r) > DBL_MAX)
        return px_quat_identity();
    /* Shepperd (1978): start from the largest component, which avoids the square root of
     * a cancelled difference. */
    double xx = r.m[0][0], yy = r.m[1][1], zz = r.m[2][2], trace = xx + yy + zz;
    PxQuat q;
    if (trace >= xx && trace >= yy && trace >= zz)
        q = (PxQuat){r.m[2][1] - r.m[1][2], r.m[0][2] - r.m[2][0], r.m[1][0] - r.m[0][1],
                     1 + trace};
    else if (xx >= yy && xx >= zz)
        q = (PxQuat){1 + xx - yy - zz, r.m[0][1] + r.m[1][0], r.m[0][2] + r.m[2][0],
                     r.m[2][1] - r.m[1][2]};
    else if (yy >= zz)
        q = (PxQuat){r.m[0][1] + r.m[1][0], 1 + yy - xx - zz, r.m[1][2] + r.m[2][1],
                     r.m[0][2] - r.m[2][0]};
    else
        q = (PxQuat){r.m[0][2] + r.m[2][0], r.m[1][2] + r.m[2][1], 1 + zz - xx - yy,
                     r.m[1][0] - r.m[0][1]};
    if (q.w < 0)
        q = (PxQuat){-q.x, -q.y, -q.z, -q.w};
    return px_quat_normalized(q);
}
