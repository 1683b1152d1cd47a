#include "cloth/solve.h"

typedef struct Vec8 {
    PxF8 x, y, z;
} Vec8;

PX_INLINE Vec8 load(const float *from, uint32_t slice)
{
    const float *at = from + 24 * (size_t)slice;
    return (Vec8){px_f8_load(at), px_f8_load(at + 8), px_f8_load(at + 16)};
}

PX_INLINE void store(float *to, uint32_t slice, Vec8 v)
{
    float *at = to + 24 * (size_t)slice;
    px_f8_store(at, v.x);
    px_f8_store(at + 8, v.y);
    px_f8_store(at + 16, v.z);
}

PX_INLINE PxF8 dot(Vec8 a, Vec8 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* a + s b */
PX_INLINE Vec8 mad(Vec8 a, Vec8 b, PxF8 s)
{
    return (Vec8){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* Symmetric matrices times vectors. */
PX_INLINE Vec8 transform(const float *m, uint32_t slice, Vec8 v)
{
    const float *at = m + 48 * (size_t)slice;
    PxF8 xx = px_f8_load(at), xy = px_f8_load(at + 8), xz = px_f8_load(at + 16);
    PxF8 yy = px_f8_load(at + 24), yz = px_f8_load(at + 32), zz = px_f8_load(at + 40);
    return (Vec8){xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z,
                  xz * v.x + yz * v.y + zz * v.z};
}

/* Removes what the hold of a row does not allow (Baraff and Witkin 1998, section 5.3). */
PX_INLINE Vec8 allow(const PxClothRows *rows, uint32_t slice, Vec8 v)
{
    const float *at = rows->hold + 32 * (size_t)slice;
    PxF8 keep = px_f8_load(at);
    Vec8 n = {px_f8_load(at + 8), px_f8_load(at + 16), px_f8_load(at + 24)};
    v = mad(v, n, -dot(v, n));
    return (Vec8){keep * v.x, keep * v.y, keep * v.z};
}

PX_INLINE Vec8 rows_of(const float *quad, const uint32_t *row)
{
    Vec8 v;
    PxF8 unused;
    px_f8_load_quads(quad, row, &v.x, &v.y, &v.z, &unused);
    return v;
}

/* The own rows of z. */
PX_INLINE Vec8 own_of(const PxClothRows *rows, uint32_t slice)
{
    uint32_t row[8];
    for (uint32_t l = 0; l < 8; ++l)
        row[l] = 8 * slice + l;
    return rows_of(rows->z, row);
}

/* A z of a slice, whose own rows of z are `own`. */
PX_INLINE Vec8 multiply(const PxClothStep *s, uint32_t slice, Vec8 own)
{
    const PxClothPattern *p = &s->system->pattern;
    Vec8 sum = transform(s->rows.own, slice, own);
    for (uint32_t e = p->first[slice]; e < p->first[slice + 1]; ++e) {
        const float *a = p->value + 72 * (size_t)e;
        Vec8 v = rows_of(s->rows.z, p->column + 8 * (size_t)e);
        PxF8 x = v.x - own.x, y = v.y - own.y, z = v.z - own.z;
        sum.x += px_f8_load(a) * x + px_f8_load(a + 8) * y + px_f8_load(a + 16) * z;
        sum.y += px_f8_load(a + 24) * x + px_f8_load(a + 32) * y + px_f8_load(a + 40) * z;
        sum.z += px_f8_load(a + 48) * x + px_f8_load(a + 56) * y + px_f8_load(a + 64) * z;
    }
    return s->rows.touched ? mad(sum, load(s->rows.more, slice), px_f8(1.0f)) : sum;
}

/* Stores residuals as groups of vertices read them. */
PX_INLINE void leave(const PxClothRows *rows, uint32_t slice, Vec8 r)
{
    px_f8_store_quads(rows->left + 32 * (size_t)slice, 4, r.x, r.y, r.z, px_f8(0.0f));
}

/* Preconditions r into z; returns their product. */
PX_INLINE PxF8 condition(const PxClothStep *s, uint32_t slice, Vec8 r)
{
    const PxClothRows *rows = &s->rows;
    Vec8 z = transform(rows->inverse, slice, r);
    if (rows->levels > 0) {
        const PxClothLevel *v = s->system->pattern.level;
        for (uint32_t k = 0; k < PX_CLOTH_SHARES; ++k) {
            size_t at = 8 * (PX_CLOTH_SHARES * (size_t)slice + k);
            z = mad(z, rows_of(rows->group[0].z, v->group + at), px_f8_load(v->part + at));
        }
    }
    z = allow(rows, slice, z);
    px_f8_store_quads(rows->z + 32 * (size_t)slice, 4, z.x, z.y, z.z, px_f8(0.0f));
    return dot(r, z);
}

PX_INLINE double *partial(const PxClothRows *rows, uint32_t begin)
{
    return rows->partial + begin / PX_CLOTH_SLICES;
}

void PX_ISA_NAME(px_cloth_scale)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothRows *rows = &((const PxClothStep *)user)->rows;
    Vec8 none = {px_f8(0.0f), px_f8(0.0f), px_f8(0.0f)};
    PxF8 sum = px_f8(0.0f);
    for (uint32_t slice = begin; slice < end; ++slice) {
        Vec8 p = allow(rows, slice, load(rows->p, slice));
        Vec8 q = allow(rows, slice, load(rows->q, slice));
        sum +=
            dot(p, transform(rows->inverse, slice, p)) + dot(q, transform(rows->inverse, slice, q));
        store(rows->p, slice, none);
        store(rows->q, slice, none);
    }
    *partial(rows, begin) = (double)px_f8_sum(sum);
}

void PX_ISA_NAME(px_cloth_start)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothRows *rows = &s->rows;
    for (uint32_t slice = begin; slice < end; ++slice) {
        Vec8 b = load(rows->b, slice);
        Vec8 r = mad(b, multiply(s, slice, own_of(rows, slice)), px_f8(-1.0f));
        r = allow(rows, slice, r);
        store(rows->r, slice, r);
        if (rows->levels > 0)
            leave(rows, slice, r);
    }
}

void PX_ISA_NAME(px_cloth_condition)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothRows *rows = &s->rows;
    PxF8 sum = px_f8(0.0f);
    for (uint32_t slice = begin; slice < end; ++slice)
        sum += condition(s, slice, load(rows->r, slice));
    *partial(rows, begin) = (double)px_f8_sum(sum);
}

void PX_ISA_NAME(px_cloth_product)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothRows *rows = &s->rows;
    PxF8 sum = px_f8(0.0f), beta = px_f8(rows->beta);
    for (uint32_t slice = begin; slice < end; ++slice) {
        Vec8 z = own_of(rows, slice);
        Vec8 az = allow(rows, slice, multiply(s, slice, z));
        Vec8 p = mad(z, load(rows->p, slice), beta), q = mad(az, load(rows->q, slice), beta);
        store(rows->p, slice, p);
        store(rows->q, slice, q);
        sum += dot(p, q);
    }
    *partial(rows, begin) = (double)px_f8_sum(sum);
}

void PX_ISA_NAME(px_cloth_advance)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    const PxClothRows *rows = &s->rows;
    PxF8 sum = px_f8(0.0f), alpha = px_f8(rows->alpha);
    for (uint32_t slice = begin; slice < end; ++slice) {
        store(rows->d, slice, mad(load(rows->d, slice), load(rows->p, slice), alpha));
        Vec8 r = mad(load(rows->r, slice), load(rows->q, slice), -alpha);
        store(rows->r, slice, r);
        if (rows->levels > 0)
            leave(rows, slice, r);
        else
            sum += condition(s, slice, r);
    }
    *partial(rows, begin) = (double)px_f8_sum(sum);
}

void PX_ISA_NAME(px_cloth_residual)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxClothStep *s = user;
    for (uint32_t slice = begin; slice < end; ++slice) {
        Vec8 a = multiply(s, slice, own_of(&s->rows, slice));
        store(s->rows.r, slice, mad(load(s->rows.b, slice), a, px_f8(-1.0f)));
    }
}
