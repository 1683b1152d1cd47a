/// 3x3 matrices in double precision: arithmetic, inverse, eigenvalues, singular
/// values, polar decomposition, conversion to and from quaternions.
///
/// Operations run in a fixed order, so results are bitwise reproducible. Nothing
/// allocates; any number of threads may call at once.
#ifndef PX_BASE_MAT3_H
#define PX_BASE_MAT3_H

#include "base/vec.h"

#include <stdbool.h>

/// Row-major: m[row][column], applied to column vectors.
typedef struct PxMat3 {
    double m[3][3];
} PxMat3;

static inline PxMat3 px_mat3_diagonal(PxVec3 d)
{
    return (PxMat3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}};
}

static inline PxMat3 px_mat3_identity(void)
{
    return px_mat3_diagonal(px_vec(1, 1, 1));
}

static inline PxMat3 px_mat3_from_columns(PxVec3 a, PxVec3 b, PxVec3 c)
{
    return (PxMat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

/// Column k, 0 to 2.
static inline PxVec3 px_mat3_column(PxMat3 a, int k)
{
    return px_vec(a.m[0][k], a.m[1][k], a.m[2][k]);
}

/// a b^T
static inline PxMat3 px_mat3_outer(PxVec3 a, PxVec3 b)
{
    return (PxMat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                     {a.y * b.x, a.y * b.y, a.y * b.z},
                     {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

static inline PxMat3 px_mat3_add(PxMat3 a, PxMat3 b)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] += b.m[i][j];
    return a;
}

static inline PxMat3 px_mat3_sub(PxMat3 a, PxMat3 b)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] -= b.m[i][j];
    return a;
}

static inline PxMat3 px_mat3_scale(PxMat3 a, double s)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] *= s;
    return a;
}

static inline PxMat3 px_mat3_transpose(PxMat3 a)
{
    return (PxMat3){{{a.m[0][0], a.m[1][0], a.m[2][0]},
                     {a.m[0][1], a.m[1][1], a.m[2][1]},
                     {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}

/// a b
static inline PxMat3 px_mat3_multiply(PxMat3 a, PxMat3 b)
{
    PxMat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return c;
}

/// a v
static inline PxVec3 px_mat3_apply(PxMat3 a, PxVec3 v)
{
    return px_vec(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                  a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                  a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}

static inline double px_mat3_trace(PxMat3 a)
{
    return a.m[0][0] + a.m[1][1] + a.m[2][2];
}

static inline double px_mat3_determinant(PxMat3 a)
{
    return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
           a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
           a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}

/// Frobenius norm: root of the sum of squares.
static inline double px_mat3_norm(PxMat3 a)
{
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            sum += a.m[i][j] * a.m[i][j];
    return sqrt(sum);
}

/// *out = a^-1. False, and *out unchanged, when `a` is singular or not finite, or
/// when an entry of the inverse overflows. Singular means that elimination meets a
/// pivot below its rounding error; rows and columns are scaled first, so different
/// units do no harm.
bool px_mat3_inverse(PxMat3 a, PxMat3 *out);

/// Eigenvalues of a symmetric matrix, largest first in value->x, and their unit
/// eigenvectors as the columns of *vector, a rotation (determinant +1). Only
/// the upper triangle of `a` is read. If that is not finite: returns false, NaN
/// values and the identity for the vectors.
bool px_mat3_eigen(PxMat3 a, PxVec3 *value, PxMat3 *vector);

/// a = u diag(s) v^T with s->x >= s->y >= s->z >= 0, `v` a rotation, `u` a
/// rotation or (for det a < 0) a reflection, for any rank of `a`. For a = 0,
/// u = v = identity. If `a` is not finite: returns false, NaN in *s and
/// u = v = identity. A singular value can be three times the largest entry, so
/// entries near the largest double may overflow to infinity.
bool px_mat3_svd(PxMat3 a, PxMat3 *u, PxVec3 *s, PxMat3 *v);

/// The same with `u` and `v` always rotations: s->z has the sign of det a, and
/// s->x >= s->y >= |s->z|. For elements that may be inverted.
bool px_mat3_svd_rotations(PxMat3 a, PxMat3 *u, PxVec3 *s, PxMat3 *v);

/// Polar decomposition a = r s: `r` is the rotation nearest to `a` (determinant +1
/// even if `a` is singular or inverted), `s` is symmetric; its smallest eigenvalue
/// is negative when `a` is inverted. If the nearest rotation is not unique, one of
/// them; the identity for a = 0. `s` may be NULL. If `a` is not finite: returns
/// false, r = identity and NaN in *s.
bool px_mat3_polar(PxMat3 a, PxMat3 *r, PxMat3 *s);

/// The rotation of a quaternion, which need not be normalised; the identity for a
/// zero or non-finite one.
PxMat3 px_mat3_from_quat(PxQuat q);

/// The unit quaternion with w >= 0 of a rotation. The identity if `r` is not finite.
PxQuat px_mat3_to_quat(PxMat3 r);

#endif
