/// 3x3 matrices: decompositions, also of singular, inverted and tiny matrices.
#include "check.h"

#include "base/mat3.h"
#include "base/random.h"

#include <float.h>

/* Unless noted otherwise, a tolerance is a small multiple of the rounding unit
 * u = 1.1e-16: a decomposition is a chain of up to twenty rotations, each of
 * which rounds by about 2 u, and the errors add up like a random walk. The worst
 * of 200 000 matrices of the kinds below was 3.5e-15. */
#define TIGHT 6e-15

#define CASES 10000

static double uniform(uint64_t i, uint64_t what)
{
    return 2.0 * px_random_unit(i, 1, what) - 1.0;
}

static PxMat3 random_matrix(uint64_t i, uint64_t what)
{
    PxMat3 a;
    for (int k = 0; k < 9; ++k)
        a.m[k / 3][k % 3] = uniform(i, what * 9 + (uint64_t)k);
    return a;
}

static PxVec3 random_vector(uint64_t i, uint64_t what)
{
    return px_vec(uniform(i, 3 * what), uniform(i, 3 * what + 1), uniform(i, 3 * what + 2));
}

static PxMat3 random_rotation(uint64_t i, uint64_t what)
{
    return px_mat3_from_quat((PxQuat){uniform(i, 4 * what), uniform(i, 4 * what + 1),
                                      uniform(i, 4 * what + 2), uniform(i, 4 * what + 3)});
}

static PxMat3 negated(PxMat3 a)
{
    return px_mat3_scale(a, -1.0);
}

/* u diag(s) v^T */
static PxMat3 compose(PxMat3 u, PxVec3 s, PxMat3 v)
{
    return px_mat3_multiply(u, px_mat3_multiply(px_mat3_diagonal(s), px_mat3_transpose(v)));
}

static double most(PxMat3 a)
{
    double size = 0;
    for (int k = 0; k < 9; ++k)
        size = fmax(size, fabs(a.m[k / 3][k % 3]));
    return size;
}

static double apart(PxMat3 a, PxMat3 b)
{
    for (int k = 0; k < 9; ++k) /* fmax would hide NaN */
        if (!isfinite(a.m[k / 3][k % 3]) || !isfinite(b.m[k / 3][k % 3]))
            return INFINITY;
    return most(px_mat3_sub(a, b));
}

static bool equal(PxMat3 a, PxMat3 b)
{
    for (int k = 0; k < 9; ++k)
        if (a.m[k / 3][k % 3] != b.m[k / 3][k % 3])
            return false;
    return true;
}

/* How far a is from orthogonal. */
static double skew(PxMat3 a)
{
    return apart(px_mat3_multiply(px_mat3_transpose(a), a), px_mat3_identity());
}

static bool is_rotation(PxMat3 a)
{
    return skew(a) <= TIGHT && fabs(px_mat3_determinant(a) - 1.0) <= TIGHT;
}

/* A matrix of many unpleasant kinds, with entries of at most about one. */
static PxMat3 nasty(uint64_t i)
{
    PxMat3 u = random_rotation(i, 100), v = random_rotation(i, 101), a = random_matrix(i, 1);
    double tiny = ldexp(1.0, -(int)(px_random_bits(i, 2, 2) % 70));
    switch (i % 18) {
    case 0: /* rank 2 */
        return px_mat3_add(px_mat3_outer(random_vector(i, 1), random_vector(i, 2)),
                           px_mat3_outer(random_vector(i, 3), random_vector(i, 4)));
    case 1: /* rank 1 */
        return px_mat3_outer(random_vector(i, 1), random_vector(i, 2));
    case 2:
        return u;
    case 3: /* a reflection */
        return negated(u);
    case 4: /* two singular values equal */
        return compose(u, px_vec(2, 2, 0.5), v);
    case 5:
        return compose(u, px_vec(1, tiny, tiny), v);
    case 6: /* inverted, and by little */
        return compose(u, px_vec(1, 0.9, -tiny), v);
    case 7: /* nearly a rotation */
        return px_mat3_add(u, px_mat3_scale(a, 1e-9));
    case 8: /* nearly rank 1 */
        return px_mat3_add(px_mat3_outer(random_vector(i, 1), random_vector(i, 2)),
                           px_mat3_scale(a, tiny));
    case 9: /* -1, 0, 1: singular ones, permutations, repeated columns */
        for (int k = 0; k < 9; ++k)
            a.m[k / 3][k % 3] = (double)(px_random_bits(i, 3, (uint64_t)k) % 3) - 1.0;
        return a;
    case 10: /* columns of very different length */
        return px_mat3_multiply(a, px_mat3_diagonal(px_vec(tiny, 1, tiny * tiny)));
    case 11: /* rows likewise */
        return px_mat3_multiply(px_mat3_diagonal(px_vec(tiny * tiny, tiny, 1)), a);
    case 12: /* diagonal */
        return px_mat3_diagonal(random_vector(i, 1));
    case 13: /* shear */
        return (PxMat3){{{tiny, 1, 0}, {0, tiny, 1}, {0, 0, tiny}}};
    case 14: /* zero columns */
        return px_mat3_multiply(a, px_mat3_diagonal(px_vec((i / 18) % 2, (i / 36) % 2, 0)));
    case 15: /* columns so far apart that their squares underflow */
        return px_mat3_multiply(a, px_mat3_diagonal(px_vec(1e-200, 1, 1e-160)));
    case 16: /* symmetric */
        return px_mat3_add(a, px_mat3_transpose(a));
    default:
        return a;
    }
}

TEST(products_and_sums_agree_with_their_definitions)
{
    PxMat3 a = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}}, b = {{{2, 0, 1}, {0, 3, 0}, {1, 1, 1}}};
    CHECK(equal(px_mat3_multiply(a, b), (PxMat3){{{5, 9, 4}, {14, 21, 10}, {24, 34, 17}}}));
    CHECK(equal(px_mat3_multiply(a, px_mat3_identity()), a));
    CHECK(equal(px_mat3_transpose(a), (PxMat3){{{1, 4, 7}, {2, 5, 8}, {3, 6, 10}}}));
    CHECK(equal(px_mat3_sub(px_mat3_add(a, b), b), a));
    CHECK(px_mat3_determinant(a) == -3.0);
    CHECK(px_mat3_trace(a) == 16.0);
    CHECK(px_mat3_norm(px_mat3_diagonal(px_vec(2, 3, 6))) == 7.0);
    PxVec3 v = px_mat3_apply(a, px_vec(1, 10, 100));
    CHECK(v.x == 321 && v.y == 654 && v.z == 1087);
    PxMat3 o = px_mat3_outer(px_vec(1, 2, 3), px_vec(4, 5, 6));
    CHECK(equal(o, (PxMat3){{{4, 5, 6}, {8, 10, 12}, {12, 15, 18}}}));
    PxVec3 c = px_mat3_column(a, 2);
    CHECK(c.x == 3 && c.y == 6 && c.z == 10);
    CHECK(equal(px_mat3_from_columns(px_vec(1, 4, 7), px_vec(2, 5, 8), px_vec(3, 6, 10)), a));
}

TEST(an_inverse_undoes_its_matrix)
{
    int inverted = 0;
    for (uint64_t i = 0; i < CASES; ++i) {
        PxMat3 a = nasty(i), u, v, inverse;
        PxVec3 s;
        px_mat3_svd(a, &u, &s, &v);
        if (!px_mat3_inverse(a, &inverse)) {
            /* a refused matrix is numerically singular after scaling of rows and
             * columns; only these kinds are */
            CHECK(i % 18 == 0 || i % 18 == 1 || i % 18 == 5 || i % 18 == 6 || i % 18 == 8 ||
                  i % 18 == 9 || i % 18 == 14);
            continue;
        }
        ++inverted;
        if (s.z < 1e-13 * s.x)
            continue; /* no digits left to check */
        /* the error of a^-1 is a few u times the condition number */
        CHECK_NEAR(apart(px_mat3_multiply(a, inverse), px_mat3_identity()), 0, TIGHT * s.x / s.z);
    }
    CHECK(inverted > CASES / 2);
}

TEST(singular_matrices_have_no_inverse)
{
    const PxMat3 singular[] = {
        {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
        {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}},
        {{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}, {0.7, 0.8, 0.9}}}, /* but for rounding */
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}},
        {{{0, 1, 2}, {0, 3, 4}, {0, 5, 6}}},
        {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
        {{{1e300, 2e300, 0}, {1e-300, 2e-300, 0}, {0, 0, 1}}},
        {{{1e-310, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, /* 1e310 is no double */
    };
    for (size_t k = 0; k < sizeof singular / sizeof *singular; ++k) {
        PxMat3 out = px_mat3_diagonal(px_vec(7, 8, 9));
        if (px_mat3_inverse(singular[k], &out))
            fail_msg("matrix %zu was inverted", k);
        CHECK(equal(out, px_mat3_diagonal(px_vec(7, 8, 9))));
    }
    for (uint64_t i = 0; i < CASES; ++i) { /* products of rank 2, rounded */
        PxMat3 a = nasty(i * 18), out;
        CHECK(!px_mat3_inverse(a, &out));
    }
}

TEST(inverting_does_not_care_about_scale)
{
    PxMat3 a = {{{2, 1, 0}, {1, 3, 1}, {0, 1, 4}}}, inverse, scaled;
    CHECK(px_mat3_inverse(a, &inverse));
    const int powers[] = {-1000, -500, -300, 300, 500, 1000};
    for (size_t k = 0; k < sizeof powers / sizeof *powers; ++k) {
        CHECK(px_mat3_inverse(px_mat3_scale(a, ldexp(1, powers[k])), &scaled));
        CHECK_NEAR(apart(px_mat3_scale(scaled, ldexp(1, powers[k])), inverse), 0, TIGHT);
    }
    /* rows and columns by different factors, which changes the order of pivots */
    PxMat3 rows = px_mat3_diagonal(px_vec(0x1p-400, 0x1p300, 1));
    PxMat3 columns = px_mat3_diagonal(px_vec(0x1p200, 0x1p-450, 0x1p500));
    CHECK(px_mat3_inverse(px_mat3_multiply(rows, px_mat3_multiply(a, columns)), &scaled));
    CHECK_NEAR(apart(px_mat3_multiply(columns, px_mat3_multiply(scaled, rows)), inverse), 0, TIGHT);
    /* graded, where a product of two entries underflows though the inverse is plain */
    CHECK(px_mat3_inverse(px_mat3_diagonal(px_vec(1, 1e-170, 1e-200)), &scaled));
    CHECK_NEAR(scaled.m[1][1] / 1e170, 1, TIGHT);
    CHECK_NEAR(scaled.m[2][2] / 1e200, 1, TIGHT);
}

/* Checks a = u diag(s) v^T for one matrix. */
static void check_svd(uint64_t i, PxMat3 a)
{
    PxMat3 u, v;
    PxVec3 s;
    CHECK(px_mat3_svd(a, &u, &s, &v));
    if (!(s.x >= s.y && s.y >= s.z && s.z >= 0))
        fail_msg("case %llu: singular values %g %g %g", (unsigned long long)i, s.x, s.y, s.z);
    if (!(skew(u) <= TIGHT) || !is_rotation(v))
        fail_msg("case %llu: u is off by %g, v by %g", (unsigned long long)i, skew(u), skew(v));
    double error = apart(compose(u, s, v), a);
    if (!(error <= TIGHT * most(a)))
        fail_msg("case %llu: product is off by %g of %g", (unsigned long long)i, error, most(a));
}

TEST(singular_values_and_vectors_make_the_matrix)
{
    for (uint64_t i = 0; i < CASES; ++i) {
        PxMat3 a = nasty(i);
        check_svd(i, a);
        check_svd(i, px_mat3_scale(a, 1e150));
        check_svd(i, px_mat3_scale(a, 1e-150));
        check_svd(i, px_mat3_scale(a, 1e306));
        check_svd(i, px_mat3_scale(a, 1e-290));
    }
    check_svd(0, (PxMat3){{{0}}});
}

TEST(known_singular_values_are_found)
{
    for (uint64_t i = 0; i < CASES; ++i) {
        PxVec3 s = px_vec(fabs(uniform(i, 1)) + 1, fabs(uniform(i, 2)), 0), found;
        s.z = (i % 3) * 0.5 * s.y; /* 0, half of it, or repeated */
        PxMat3 u, v;
        px_mat3_svd(compose(random_rotation(i, 5), s, random_rotation(i, 6)), &u, &found, &v);
        CHECK_NEAR(found.x, s.x, TIGHT * s.x);
        CHECK_NEAR(found.y, s.y, TIGHT * s.x);
        CHECK_NEAR(found.z, s.z, TIGHT * s.x);
    }
}

TEST(small_singular_values_keep_their_digits)
{
    /* Columns of a rotation shrunk by 1e-20 and 1e-40: the singular values are
     * these factors, to full relative precision. A^T A would give noise. */
    for (uint64_t i = 0; i < 1000; ++i) {
        PxMat3 q = random_rotation(i, 0), r, u, v;
        PxMat3 a = px_mat3_multiply(q, px_mat3_diagonal(px_vec(1e-20, 1, 1e-40)));
        PxVec3 s;
        CHECK(px_mat3_svd(a, &u, &s, &v));
        CHECK_NEAR(s.x, 1, TIGHT);
        CHECK_NEAR(s.y / 1e-20, 1, TIGHT);
        CHECK_NEAR(s.z / 1e-40, 1, TIGHT);
        CHECK(px_mat3_polar(a, &r, NULL));
        CHECK_NEAR(apart(r, q), 0, TIGHT);
    }
}

TEST(rotations_on_both_sides_when_asked_for)
{
    for (uint64_t i = 0; i < CASES; ++i) {
        PxMat3 a = nasty(i), u, v;
        PxVec3 s;
        CHECK(px_mat3_svd_rotations(a, &u, &s, &v));
        CHECK(is_rotation(u) && is_rotation(v));
        CHECK(s.x >= s.y && s.y >= fabs(s.z));
        CHECK_NEAR(apart(compose(u, s, v), a), 0, TIGHT * most(a));
        double determinant = px_mat3_determinant(a);
        if (fabs(determinant) > 1e-14) /* the sign is sure */
            CHECK((s.z < 0) == (determinant < 0));
    }
}

TEST(the_polar_rotation_is_one_whatever_the_matrix)
{
    for (uint64_t i = 0; i < CASES; ++i) {
        PxMat3 a = nasty(i), r, s;
        CHECK(px_mat3_polar(a, &r, &s));
        if (!is_rotation(r))
            fail_msg("case %llu: skew %g, determinant %.17g", (unsigned long long)i, skew(r),
                     px_mat3_determinant(r));
        CHECK(equal(s, px_mat3_transpose(s)));
        CHECK_NEAR(apart(px_mat3_multiply(r, s), a), 0, TIGHT * most(a));
        PxVec3 value;
        PxMat3 vector;
        CHECK(px_mat3_eigen(s, &value, &vector));
        CHECK(value.y >= -TIGHT * value.x); /* at most one is negative, the smallest */
        CHECK(-value.z <= value.y + TIGHT * value.x);
    }
}

TEST(no_rotation_is_nearer_than_the_polar_one)
{
    /* The nearest rotation has the largest trace(R^T A). Turn it a little, and
     * far, about random axes. */
    for (uint64_t i = 0; i < CASES; ++i) {
        PxMat3 a = nasty(i), r;
        CHECK(px_mat3_polar(a, &r, NULL));
        double best = px_mat3_trace(px_mat3_multiply(px_mat3_transpose(r), a));
        for (uint64_t k = 0; k < 6; ++k) {
            double radians = k < 3 ? 0.01 : 3 * px_random_unit(i, 8, k);
            PxMat3 other = px_mat3_multiply(
                r, px_mat3_from_quat(px_quat_turn(random_vector(i, 20 + k), radians)));
            double trace = px_mat3_trace(px_mat3_multiply(px_mat3_transpose(other), a));
            CHECK(trace <= best + TIGHT * most(a));
        }
    }
}

TEST(the_polar_rotation_of_a_rotation_is_itself)
{
    for (uint64_t i = 0; i < CASES; ++i) {
        PxMat3 q = random_rotation(i, 3), r, s;
        CHECK(px_mat3_polar(q, &r, &s));
        CHECK_NEAR(apart(r, q), 0, TIGHT);
        CHECK_NEAR(apart(s, px_mat3_identity()), 0, TIGHT);
    }
    PxMat3 r, s;
    CHECK(px_mat3_polar(px_mat3_identity(), &r, &s));
    CHECK(equal(r, px_mat3_identity()) && equal(s, px_mat3_identity()));
}

TEST(a_stretch_has_no_rotation)
{
    for (uint64_t i = 0; i < 1000; ++i) {
        PxMat3 q = random_rotation(i, 3), r, s;
        PxMat3 a = compose(q, px_vec(1.5, 1, 0.7), q);
        CHECK(px_mat3_polar(a, &r, &s));
        CHECK_NEAR(apart(r, px_mat3_identity()), 0, TIGHT);
        CHECK_NEAR(apart(s, a), 0, TIGHT);
    }
    /* flattened to a plane, to a line along an axis, to a point: still none */
    const PxVec3 flat[] = {{1, 1, 0}, {0, 2, 1}, {0, 3, 0}, {0, 0, 1}, {0, 0, 0}};
    for (size_t k = 0; k < sizeof flat / sizeof *flat; ++k) {
        PxMat3 r, s;
        CHECK(px_mat3_polar(px_mat3_diagonal(flat[k]), &r, &s));
        CHECK_NEAR(apart(r, px_mat3_identity()), 0, TIGHT);
    }
}

TEST(an_inverted_cube_is_turned_right_side_out)
{
    /* pushed through itself along z: no turn, the smallest stretch is negative */
    PxMat3 r, s, a = px_mat3_diagonal(px_vec(1, 1, -0.3));
    CHECK(px_mat3_polar(a, &r, &s));
    CHECK_NEAR(apart(r, px_mat3_identity()), 0, TIGHT);
    CHECK_NEAR(apart(s, a), 0, TIGHT);
}

TEST(scaling_by_a_power_of_two_changes_no_digit)
{
    for (uint64_t i = 0; i < CASES; ++i) {
        if (i % 18 == 15)
            continue; /* those underflow when scaled down */
        PxMat3 a = nasty(i), u[2], v[2], r[2], vector[2];
        PxVec3 s[2], value[2];
        int power = (int)(px_random_bits(i, 9, 9) % 1400) - 700;
        PxMat3 b = px_mat3_scale(a, ldexp(1, power));
        px_mat3_svd(a, &u[0], &s[0], &v[0]);
        px_mat3_svd(b, &u[1], &s[1], &v[1]);
        CHECK(equal(u[0], u[1]) && equal(v[0], v[1]));
        CHECK(s[1].x == ldexp(s[0].x, power) && s[1].z == ldexp(s[0].z, power));
        px_mat3_polar(a, &r[0], NULL);
        px_mat3_polar(b, &r[1], NULL);
        CHECK(equal(r[0], r[1]));
        px_mat3_eigen(a, &value[0], &vector[0]);
        px_mat3_eigen(b, &value[1], &vector[1]);
        CHECK(equal(vector[0], vector[1]) && value[1].y == ldexp(value[0].y, power));
    }
}

TEST(eigenvectors_are_stretched_by_their_values)
{
    for (uint64_t i = 0; i < CASES; ++i) {
        PxMat3 a = nasty(i), vector;
        if (i % 2 == 0)
            a = px_mat3_multiply(px_mat3_transpose(a), a);
        for (int r = 1; r < 3; ++r)
            for (int c = 0; c < r; ++c)
                a.m[r][c] = a.m[c][r];
        PxVec3 value;
        CHECK(px_mat3_eigen(a, &value, &vector));
        CHECK(is_rotation(vector));
        CHECK(value.x >= value.y && value.y >= value.z);
        CHECK_NEAR(apart(compose(vector, value, vector), a), 0, TIGHT * most(a));
        CHECK_NEAR(value.x + value.y + value.z, px_mat3_trace(a), TIGHT * most(a));
    }
}

TEST(known_eigenvalues_are_found)
{
    PxVec3 value;
    PxMat3 vector;
    CHECK(px_mat3_eigen((PxMat3){{{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}}, &value, &vector));
    CHECK_NEAR(value.x, 2 + sqrt(2), TIGHT);
    CHECK_NEAR(value.y, 2, TIGHT);
    CHECK_NEAR(value.z, 2 - sqrt(2), TIGHT);
    CHECK(px_mat3_eigen((PxMat3){{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}, &value, &vector));
    CHECK_NEAR(value.x, 3, TIGHT);
    CHECK_NEAR(value.y, 0, TIGHT);
    CHECK_NEAR(value.z, 0, TIGHT);
    CHECK(px_mat3_eigen((PxMat3){{{0, 1, 0}, {1, 0, 0}, {0, 0, -5}}}, &value, &vector));
    CHECK_NEAR(value.x, 1, TIGHT);
    CHECK_NEAR(value.y, -1, TIGHT);
    CHECK_NEAR(value.z, -5, TIGHT);
    /* the lower triangle is not looked at */
    CHECK(px_mat3_eigen((PxMat3){{{1, 0, 0}, {NAN, 2, 0}, {NAN, NAN, 3}}}, &value, &vector));
    CHECK(value.x == 3 && value.y == 2 && value.z == 1);
    CHECK(px_mat3_eigen((PxMat3){{{0}}}, &value, &vector));
    CHECK(value.x == 0 && value.z == 0 && equal(vector, px_mat3_identity()));
}

TEST(quaternions_and_matrices_turn_alike)
{
    for (uint64_t i = 0; i < CASES; ++i) {
        PxQuat q = px_quat_normalized((PxQuat){uniform(i, 1), uniform(i, 2), uniform(i, 3),
                                               uniform(i, 4) * (i % 2 ? 1e-9 : 1)});
        PxMat3 r = px_mat3_from_quat(q);
        CHECK(is_rotation(r));
        PxVec3 p = random_vector(i, 7), a = px_rotate(q, p), b = px_mat3_apply(r, p);
        CHECK_NEAR(px_length(px_sub(a, b)), 0, TIGHT);
        PxQuat back = px_mat3_to_quat(r);
        CHECK(back.w >= 0);
        double sign = q.w < 0 ? -1 : 1;
        if (fabs(q.w) < 1e-15) /* half a turn: both signs are right */
            continue;
        CHECK_NEAR(back.x * sign, q.x, TIGHT);
        CHECK_NEAR(back.y * sign, q.y, TIGHT);
        CHECK_NEAR(back.z * sign, q.z, TIGHT);
        CHECK_NEAR(back.w * sign, q.w, TIGHT);
    }
}

TEST(half_turns_become_quaternions_too)
{
    const PxVec3 axis[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0.8, 0}, {0, -0.6, 0.8}};
    for (size_t k = 0; k < sizeof axis / sizeof *axis; ++k) {
        PxQuat q = {axis[k].x, axis[k].y, axis[k].z, 0};
        PxMat3 r = px_mat3_from_quat(q);
        CHECK_NEAR(apart(px_mat3_from_quat(px_mat3_to_quat(r)), r), 0, TIGHT);
    }
    PxQuat none = px_mat3_to_quat(px_mat3_identity());
    CHECK(none.x == 0 && none.y == 0 && none.z == 0 && none.w == 1);
}

TEST(a_quaternion_of_any_length_will_do)
{
    PxQuat q = {1, 2, 3, 4}, longer = {1e3, 2e3, 3e3, 4e3};
    CHECK_NEAR(apart(px_mat3_from_quat(q), px_mat3_from_quat(longer)), 0, TIGHT);
    CHECK(equal(px_mat3_from_quat((PxQuat){0, 0, 0, 0}), px_mat3_identity()));
    CHECK(equal(px_mat3_from_quat((PxQuat){NAN, 0, 0, 1}), px_mat3_identity()));
}

TEST(results_for_non_finite_matrices_are_as_documented)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 9; ++k)
        for (int b = 0; b < 3; ++b) {
            PxMat3 a = random_matrix(4, 4), u, v, r, s;
            a.m[k / 3][k % 3] = bad[b];
            PxVec3 value = {0, 0, 0};
            CHECK(!px_mat3_svd(a, &u, &value, &v));
            CHECK(equal(u, px_mat3_identity()) && equal(v, px_mat3_identity()));
            CHECK(isnan(value.x) && isnan(value.y) && isnan(value.z));
            CHECK(!px_mat3_svd_rotations(a, &u, &value, &v));
            CHECK(equal(u, px_mat3_identity()) && isnan(value.z));
            CHECK(!px_mat3_polar(a, &r, &s));
            CHECK(equal(r, px_mat3_identity()));
            for (int e = 0; e < 9; ++e)
                CHECK(isnan(s.m[e / 3][e % 3]));
            PxMat3 out = px_mat3_identity();
            CHECK(!px_mat3_inverse(a, &out));
            CHECK(equal(out, px_mat3_identity()));
            PxQuat q = px_mat3_to_quat(a);
            CHECK(q.x == 0 && q.w == 1);
            bool upper = k % 3 >= k / 3;
            CHECK(px_mat3_eigen(a, &value, &v) == !upper);
            if (upper)
                CHECK(isnan(value.x) && isnan(value.z) && equal(v, px_mat3_identity()));
        }
}

TEST(the_largest_and_smallest_doubles_do_no_harm)
{
    PxMat3 u, v, r;
    PxVec3 s;
    PxMat3 huge = {{{DBL_MAX, DBL_MAX, DBL_MAX}, {DBL_MAX, -DBL_MAX, 0}, {1, 2, 3}}};
    CHECK(px_mat3_svd(huge, &u, &s, &v));
    CHECK(skew(u) <= TIGHT && is_rotation(v) && s.z >= 0 && !isnan(s.x));
    CHECK(px_mat3_polar(huge, &r, NULL) && is_rotation(r));
    PxMat3 tiny = {{{5e-324, 0, 5e-324}, {0, 1e-323, 0}, {0, 0, 0}}};
    CHECK(px_mat3_svd(tiny, &u, &s, &v));
    CHECK(skew(u) <= TIGHT && is_rotation(v));
    CHECK(px_mat3_polar(tiny, &r, NULL) && is_rotation(r));
}

TEST_MAIN()
