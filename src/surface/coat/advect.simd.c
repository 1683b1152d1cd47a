/// Displacement gradients at the particles, and advection of points by them.
#include "base/mat3.h"
#include "surface/coat/lanes.h"

/* Pseudo-inverse of a moment matrix: 0 along directions in which it is (nearly) singular, that
 * is, in which there are hardly any neighbours. */
static PxMat3 pseudo_inverse(PxMat3 a)
{
    PxMat3 inverse, turn;
    PxVec3 value;
    double third = px_mat3_trace(a) / 3;
    if (px_mat3_determinant(a) > 1e-2 * third * third * third && px_mat3_inverse(a, &inverse))
        return inverse;
    if (!(third > 1e-6) || !px_mat3_eigen(a, &value, &turn))
        return px_mat3_scale(px_mat3_identity(), 0);
    double least = 0.02 * value.x;
    PxVec3 over =
        px_vec(1 / value.x, value.y > least ? 1 / value.y : 0, value.z > least ? 1 / value.z : 0);
    return px_mat3_multiply(px_mat3_multiply(turn, px_mat3_diagonal(over)),
                            px_mat3_transpose(turn));
}

/* Larger gradients would turn F = 1 + grad u inside out. */
#define MOST_GRADIENT 2.0

/* grad u = sum_j w (u_j - u_i) r^T (sum_j w r r^T)^-1 with r = x_j - x_i and w = (1 - r^2/h^2)^3
 * (000 section 2.3.4), over neighbours of the same component. */
void PX_ISA_NAME(px_coat_motion_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatMotion *d = user;
    const PxF8 per = px_f8(1.0f / (PX_COAT_H * PX_COAT_H)), zero = px_f8(0.0f), one = px_f8(1.0f);
    for (uint32_t i = begin; i < end; ++i) {
        PxPlace8 at = px_place8(d->quad, i), step = px_place8(d->step, i);
        PxF8 own = px_f8(d->quad[4 * (size_t)i + 3]), far = zero;
        PxF8 a[6] = {zero, zero, zero, zero, zero, zero}, b[9];
        for (int k = 0; k < 9; ++k)
            b[k] = zero;
        PX_FOR_NEIGHBOURS(d->pairs, i, j)
        {
            PxF8 x, y, z, component, u, v, w, none;
            px_f8_load_ways(d->quad, j, &at, &x, &y, &z, &component);
            px_f8_load_ways(d->step, j, &step, &u, &v, &w, &none);
            PxF8 t = px_f8_max(one - (x * x + y * y + z * z) * per, zero);
            t = px_f8_where(component == own, t);
            PxI8 in = t > zero;
            t = t * t * t;
            /* Padding rows are far away: keep 0 * infinity out of the sums. */
            x = px_f8_where(in, x);
            y = px_f8_where(in, y);
            z = px_f8_where(in, z);
            u = px_f8_where(in, u);
            v = px_f8_where(in, v);
            w = px_f8_where(in, w);
            far = px_f8_max(far, u * u + v * v + w * w);
            PxF8 tx = t * x, ty = t * y, tz = t * z;
            a[0] += tx * x;
            a[1] += ty * y;
            a[2] += tz * z;
            a[3] += tx * y;
            a[4] += tx * z;
            a[5] += ty * z;
            b[0] += u * tx;
            b[1] += u * ty;
            b[2] += u * tz;
            b[3] += v * tx;
            b[4] += v * ty;
            b[5] += v * tz;
            b[6] += w * tx;
            b[7] += w * ty;
            b[8] += w * tz;
        }
        double c[6];
        for (int k = 0; k < 6; ++k)
            c[k] = (double)px_f8_sum(a[k]);
        PxMat3 right = {{{c[0], c[3], c[4]}, {c[3], c[1], c[5]}, {c[4], c[5], c[2]}}}, left;
        for (int k = 0; k < 9; ++k)
            left.m[k / 3][k % 3] = (double)px_f8_sum(b[k]);
        PxMat3 g = px_mat3_multiply(left, pseudo_inverse(right));
        double size = px_mat3_norm(g);
        if (size > MOST_GRADIENT)
            g = px_mat3_scale(g, MOST_GRADIENT / size);
        float *to = d->gradient + 12 * (size_t)i;
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < 4; ++k)
                to[4 * r + k] = k < 3 ? (float)g.m[r][k] : 0.0f;
        float most = 0.0f;
        for (int k = 0; k < 8; ++k)
            most = far[k] > most ? far[k] : most;
        d->spread[i] = sqrtf(most);
    }
}

/* Weighted mean of displacement and displacement gradient (Eq. 6.21). */
typedef struct Blend {
    PxF8 g[9], u[3], weight;
} Blend;

static void blend(const PxCoatAdvect *p, uint32_t bunch, const PxF8 at[3], PxF8 own, Blend *b)
{
    const PxCoatMotion *d = p->drift;
    const PxF8 zero = px_f8(0.0f);
    PxF8 sum = zero, g[9], u[3] = {zero, zero, zero};
    for (int k = 0; k < 9; ++k)
        g[k] = zero;
    PX_COAT_FOR_NEAR(&p->lists, bunch, j)
    {
        const float *step = d->step + 4 * (size_t)*j, *gradient = d->gradient + 12 * (size_t)*j;
        PxF8 r[3];
        px_lanes_offset(d->quad, *j, at, r);
        PxF8 t = px_lanes_falloff(r);
        t = px_f8_where(px_f8(d->quad[4 * (size_t)*j + 3]) == own, t * t * t);
        sum += t;
        for (int c = 0; c < 3; ++c) {
            PxF8 x = px_f8(gradient[4 * c]), y = px_f8(gradient[4 * c + 1]),
                 z = px_f8(gradient[4 * c + 2]);
            g[3 * c] += t * x;
            g[3 * c + 1] += t * y;
            g[3 * c + 2] += t * z;
            u[c] += t * (px_f8(step[c]) + x * r[0] + y * r[1] + z * r[2]);
        }
    }
    PxF8 share = px_f8_where(sum > px_f8(1e-9f), px_f8(1.0f) / sum);
    b->weight = sum;
    for (int k = 0; k < 9; ++k)
        b->g[k] = share * g[k];
    for (int k = 0; k < 3; ++k)
        b->u[k] = share * u[k];
}

static void follow(const PxCoatAdvect *p, uint32_t bunch)
{
    uint32_t i = p->lists.begin[bunch], count = p->lists.begin[bunch + 1] - i;
    PxF8 at[3], n[3], own;
    Blend b;
    px_lanes_load(at, p->at, i);
    px_lanes_load(n, p->normal, i);
    for (uint32_t k = 0; k < 8; ++k)
        own[k] = (float)p->own[k < count ? i + k : i];
    blend(p, bunch, at, own, &b);
    for (int k = 0; k < 3; ++k)
        px_lanes_store(p->at[k] + i, at[k] + b.u[k], count); /* 0 without neighbours */
    /* Normals transform with the cofactor matrix of F = 1 + grad u, tangents with F. */
    const PxF8 one = px_f8(1.0f);
    const PxF8 f[9] = {one + b.g[0], b.g[1], b.g[2], b.g[3],      one + b.g[4],
                       b.g[5],       b.g[6], b.g[7], one + b.g[8]};
    const PxF8 m[3] = {(f[4] * f[8] - f[5] * f[7]) * n[0] + (f[5] * f[6] - f[3] * f[8]) * n[1] +
                           (f[3] * f[7] - f[4] * f[6]) * n[2],
                       (f[2] * f[7] - f[1] * f[8]) * n[0] + (f[0] * f[8] - f[2] * f[6]) * n[1] +
                           (f[1] * f[6] - f[0] * f[7]) * n[2],
                       (f[1] * f[5] - f[2] * f[4]) * n[0] + (f[2] * f[3] - f[0] * f[5]) * n[1] +
                           (f[0] * f[4] - f[1] * f[3]) * n[2]};
    PxF8 length = px_lanes_length(m);
    for (int k = 0; k < 3; ++k)
        px_lanes_store(p->normal[k] + i,
                       px_lanes_select(length > px_f8(1e-3f), m[k] / length, n[k]), count);
    for (int a = 0; p->tangent[0] != NULL && a < 6; a += 3) {
        PxF8 t[3];
        px_lanes_load(t, p->tangent + a, i);
        for (int k = 0; k < 3; ++k)
            px_lanes_store(p->tangent[a + k] + i, px_lanes_dot(f + 3 * k, t), count);
    }
}

void PX_ISA_NAME(px_coat_advect_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    for (uint32_t b = begin; b < end; ++b)
        follow(user, b);
}
