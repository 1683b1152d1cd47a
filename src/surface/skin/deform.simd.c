/// Deformation of a skin: points moved by the blended affine maps of their particles, and splitting
/// of stretched surfels. The blend is 000 Eq. 5.28.
#include "surface/skin/deform.h"

/* Weighted sum of the particles' 16 numbers: the rows of [J | a], velocity and 0. */
PX_INLINE void blend(const PxSkinDeform *s, uint32_t i, float out[16])
{
    PxF8 low = px_f8(0.0f), high = px_f8(0.0f);
    for (uint32_t k = s->start[i]; k < s->start[i + 1]; ++k) {
        const float *map = s->map + 16 * (size_t)s->link[k].particle;
        PxF8 w = px_f8(s->link[k].weight);
        low += w * px_f8_load(map);
        high += w * px_f8_load(map + 8);
    }
    px_f8_store(out, low);
    px_f8_store(out + 8, high);
}

/* The same for 8 points, transposed into vectors over the points. Points beyond the end get 0. */
PX_INLINE void blend8(const PxSkinDeform *s, uint32_t i, uint32_t end, PxF8 row[3][4], PxF8 v[4])
{
    static const uint32_t quad[8] = {0, 4, 8, 12, 16, 20, 24, 28};
    _Alignas(32) float sum[8][16];
    for (uint32_t k = 0; k < 8; ++k) {
        if (i + k < end)
            blend(s, i + k, sum[k]);
        else
            memset(sum[k], 0, sizeof sum[k]);
    }
    for (int r = 0; r < 3; ++r)
        px_f8_load_quads(sum[0] + 4 * r, quad, &row[r][0], &row[r][1], &row[r][2], &row[r][3]);
    px_f8_load_quads(sum[0] + 12, quad, &v[0], &v[1], &v[2], &v[3]);
}

PX_INLINE PxF8 dot(const PxF8 a[3], const PxF8 b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Eigenvalues of the first fundamental form [e f; f g] (Eq. 5.29): squared half axes of the
 * ellipse that the unit circle of the tangents became. */
PX_INLINE void half_axes(PxF8 e, PxF8 f, PxF8 g, PxF8 *longer, PxF8 *shorter)
{
    PxF8 half = px_f8(0.5f), mean = half * (e + g), lean = half * (e - g);
    PxF8 root = px_f8_sqrt(lean * lean + f * f);
    *longer = mean + root;
    *shorter = px_f8_max(mean - root, px_f8(0.0f));
}

/* How often the ellipse is halved along its longer and shorter axis, 4 bits each. */
static uint8_t split_levels(float longer, float shorter, float radius)
{
    float half[2] = {sqrtf(longer), sqrtf(shorter)}, limit = PX_SKIN_STRETCH * radius;
    int times[2] = {0, 0};
    while (times[0] + times[1] < PX_SKIN_DEPTH) {
        int k = half[0] >= half[1] ? 0 : 1;
        if (!(half[k] > limit && half[k] > PX_SKIN_RATIO * half[1 - k]))
            break;
        half[k] *= 0.5f;
        ++times[k];
    }
    return (uint8_t)(times[0] | times[1] << 4);
}

void PX_ISA_NAME(px_skin_deform_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSkinDeform *s = user;
    uint32_t extra = 0;
    for (uint32_t i = begin; i < end; i += 8) {
        PxF8 row[3][4], v[4], m[3], from[2][3], t[2][3];
        blend8(s, i, end, row, v);
        for (int k = 0; k < 3; ++k) {
            m[k] = px_f8_load(s->rest[k] + i);
            from[0][k] = px_f8_load(s->rest_tangent[k] + i);
            from[1][k] = px_f8_load(s->rest_tangent[3 + k] + i);
        }
        for (int k = 0; k < 3; ++k) {
            px_f8_store(s->position[k] + i, dot(row[k], m) + row[k][3] + px_f8(s->origin[k]));
            px_f8_store(s->velocity[k] + i, v[k]);
            for (int a = 0; a < 2; ++a) {
                t[a][k] = dot(row[k], from[a]);
                px_f8_store(s->tangent[3 * a + k] + i, t[a][k]);
            }
        }
        PxF8 n[3] = {t[0][1] * t[1][2] - t[0][2] * t[1][1], t[0][2] * t[1][0] - t[0][0] * t[1][2],
                     t[0][0] * t[1][1] - t[0][1] * t[1][0]};
        PxF8 per = px_f8(1.0f) / px_f8_max(px_f8_sqrt(dot(n, n)), px_f8(1e-30f));
        for (int k = 0; k < 3; ++k)
            px_f8_store(s->normal[k] + i, per * n[k]);
        PxF8 longer, shorter, size = px_f8_load(s->rest_radius + i);
        half_axes(dot(t[0], t[0]), dot(t[0], t[1]), dot(t[1], t[1]), &longer, &shorter);
        px_f8_store(s->radius + i, px_f8_sqrt(longer));
        if (!s->split)
            continue;
        PxF8 limit = px_f8(PX_SKIN_STRETCH) * size;
        unsigned far = px_f8_bits(longer > limit * limit);
        uint8_t *level = s->skin->level;
        for (uint32_t k = 0; k < 8 && i + k < end; ++k) {
            level[i + k] = far >> k & 1u ? split_levels(longer[k], shorter[k], size[k]) : 0;
            extra += (1u << ((level[i + k] & 15) + (level[i + k] >> 4))) - 1;
        }
    }
    if (s->split)
        s->skin->extra[begin / PX_BLOCK] = extra;
}

/* Principal axes of the ellipse spanned by the tangents t: d the longer, f the shorter. */
static void principal_axes(const float t[2][3], float d[3], float f[3])
{
    float e = 0, mixed = 0, g = 0;
    for (int k = 0; k < 3; ++k) {
        e += t[0][k] * t[0][k];
        mixed += t[0][k] * t[1][k];
        g += t[1][k] * t[1][k];
    }
    float lean = 0.5f * (e - g), root = sqrtf(lean * lean + mixed * mixed);
    /* The form of the eigenvector without cancellation. */
    float c = lean > 0 ? lean + root : mixed, z = lean > 0 ? mixed : root - lean;
    float length = sqrtf(c * c + z * z);
    c = length > 0 ? c / length : 1;
    z = length > 0 ? z / length : 0;
    for (int k = 0; k < 3; ++k) {
        d[k] = c * t[0][k] + z * t[1][k];
        f[k] = c * t[1][k] - z * t[0][k];
    }
}

/* Writes one part of a split surfel: a rectangle with half axes d and f about `at`, shown as the
 * disc around it. */
static void write_piece(const PxSkinDeform *s, uint32_t to, uint32_t i, const float at[3],
                        const float d[3], const float f[3])
{
    float square = 0;
    for (int k = 0; k < 3; ++k) {
        s->position[k][to] = at[k];
        s->normal[k][to] = s->normal[k][i];
        s->velocity[k][to] = s->velocity[k][i];
        s->colour[k][to] = s->colour[k][i];
        s->tangent[k][to] = d[k];
        s->tangent[3 + k][to] = f[k];
        square += d[k] * d[k] + f[k] * f[k];
    }
    for (int k = 0; k < 2; ++k)
        s->uv[k][to] = s->uv[k][i];
    s->radius[to] = sqrtf(square);
}

void PX_ISA_NAME(px_skin_split_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSkinDeform *s = user;
    uint32_t next = s->first[begin / PX_BLOCK];
    for (uint32_t i = begin; i < end; ++i) {
        uint8_t level = s->skin->level[i];
        if (level == 0)
            continue;
        uint32_t along = 1u << (level & 15), across = 1u << (level >> 4);
        float t[2][3], d[3], f[3], middle[3];
        for (int k = 0; k < 3; ++k) {
            t[0][k] = s->tangent[k][i];
            t[1][k] = s->tangent[3 + k][i];
            middle[k] = s->position[k][i];
        }
        principal_axes(t, d, f);
        float part_d = 1.0f / (float)along, part_f = 1.0f / (float)across, half[2][3];
        for (int k = 0; k < 3; ++k) {
            half[0][k] = part_d * d[k];
            half[1][k] = part_f * f[k];
        }
        for (uint32_t a = 0; a < along; ++a)
            for (uint32_t b = 0; b < across; ++b) {
                float u = (float)(2 * a + 1) * part_d - 1, v = (float)(2 * b + 1) * part_f - 1;
                float at[3];
                for (int k = 0; k < 3; ++k)
                    at[k] = middle[k] + (u * d[k] + v * f[k]);
                write_piece(s, a + b == 0 ? i : next++, i, at, half[0], half[1]);
            }
    }
}

void PX_ISA_NAME(px_skin_absorb_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSkinDeform *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        float sum[16], m[3], t[6];
        blend(s, i, sum);
        for (int k = 0; k < 3; ++k)
            m[k] = s->rest[k][i];
        for (int k = 0; k < 6; ++k)
            t[k] = s->rest_tangent[k][i];
        const double shift[3] = {s->shift.x, s->shift.y, s->shift.z};
        for (int k = 0; k < 3; ++k) {
            const float *r = sum + 4 * k;
            float at = r[0] * m[0] + r[1] * m[1] + r[2] * m[2] + r[3];
            s->rest[k][i] = (float)((double)at + shift[k]);
            for (int a = 0; a < 2; ++a)
                s->rest_tangent[3 * a + k][i] =
                    r[0] * t[3 * a] + r[1] * t[3 * a + 1] + r[2] * t[3 * a + 2];
        }
    }
}
