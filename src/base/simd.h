/// Vectors of 8 floats: the only file with intrinsics.
///
/// A file named x.simd.c is compiled once for each instruction set, with PX_ISA
/// defined to its name (base, avx2); its exported names are PX_ISA_NAME(px_thing),
/// and plain code selects one with PX_ISA_PICK.
///
/// A vector always has 8 lanes and px_f8_sum() always adds them in the same
/// order, so a loop gives the same bits on every instruction set: AVX2, SSE2 and
/// the plain C fallback (PX_SIMD_PLAIN) used on other machines and in the tests.
#ifndef PX_BASE_SIMD_H
#define PX_BASE_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef PX_SIMD_PLAIN
#if defined(__AVX2__)
#define PX_SIMD_AVX2 1
#include <immintrin.h>
#elif defined(__SSE2__)
#define PX_SIMD_SSE2 1
#include <emmintrin.h>
#endif
#endif

#define PX_ISA_PASTE2(name, isa) name##_##isa
#define PX_ISA_PASTE(name, isa) PX_ISA_PASTE2(name, isa)
#define PX_ISA_NAME(name) PX_ISA_PASTE(name, PX_ISA)

typedef enum PxIsa { PX_ISA_BASE, PX_ISA_AVX2 } PxIsa;

/// The best instruction set that both processor and build support. The environment
/// variable PHYXEL_ISA=base forces the base one, for comparison.
PxIsa px_isa_best(void);
const char *px_isa_name(PxIsa isa);

/// Chooses between name_base and name_avx2 (plain files only).
#ifdef PX_HAVE_AVX2
#define PX_ISA_PICK(isa, name) ((isa) == PX_ISA_AVX2 ? name##_avx2 : name##_base)
#define PX_ISA_DECLARE(type, name, arguments)                                                      \
    type name##_base arguments;                                                                    \
    type name##_avx2 arguments
#else
#define PX_ISA_PICK(isa, name) ((void)(isa), name##_base)
#define PX_ISA_DECLARE(type, name, arguments) type name##_base arguments
#endif

/// + - * / work lane by lane. Vectors are never passed between files: that calling
/// convention depends on the instruction set (hence -Wno-psabi in the build).
typedef float PxF8 __attribute__((vector_size(32)));
typedef int32_t PxI8 __attribute__((vector_size(32)));

#define PX_INLINE static inline __attribute__((always_inline))

PX_INLINE PxF8 px_f8(float value)
{
    return (PxF8){value, value, value, value, value, value, value, value};
}

/// Vectors of 4, for columns of matrices and data of a single row.
typedef float PxF4 __attribute__((vector_size(16)));

PX_INLINE PxF4 px_f4(float value)
{
    return (PxF4){value, value, value, value};
}

/// Unaligned load.
PX_INLINE PxF4 px_f4_load(const float *from)
{
    PxF4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

PX_INLINE void px_f4_store(float *to, PxF4 v)
{
    memcpy(to, &v, sizeof v);
}

/// Unaligned load.
PX_INLINE PxF8 px_f8_load(const float *from)
{
    PxF8 v;
    memcpy(&v, from, sizeof v);
    return v;
}

PX_INLINE void px_f8_store(float *to, PxF8 v)
{
    memcpy(to, &v, sizeof v);
}

/// Vectors of 4 doubles.
typedef double PxD4 __attribute__((vector_size(32)));

PX_INLINE PxD4 px_d4(double value)
{
    return (PxD4){value, value, value, value};
}

/// Unaligned load.
PX_INLINE PxD4 px_d4_load(const double *from)
{
    PxD4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

PX_INLINE PxF8 px_f8_sqrt(PxF8 v)
{
#if defined(PX_SIMD_AVX2)
    return (PxF8)_mm256_sqrt_ps((__m256)v);
#elif defined(PX_SIMD_SSE2)
    __m128 half[2];
    memcpy(half, &v, sizeof v);
    half[0] = _mm_sqrt_ps(half[0]);
    half[1] = _mm_sqrt_ps(half[1]);
    memcpy(&v, half, sizeof v);
    return v;
#else
    for (int k = 0; k < 8; ++k)
        v[k] = sqrtf(v[k]);
    return v;
#endif
}

/// a where a > b, else b: returns b if either is NaN, as on x86.
PX_INLINE PxF8 px_f8_max(PxF8 a, PxF8 b)
{
#if defined(PX_SIMD_AVX2)
    return (PxF8)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(PX_SIMD_SSE2)
    __m128 x[2], y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    x[0] = _mm_max_ps(x[0], y[0]);
    x[1] = _mm_max_ps(x[1], y[1]);
    memcpy(&a, x, sizeof a);
    return a;
#else
    for (int k = 0; k < 8; ++k)
        a[k] = a[k] > b[k] ? a[k] : b[k];
    return a;
#endif
}

PX_INLINE PxF8 px_f8_min(PxF8 a, PxF8 b)
{
#if defined(PX_SIMD_AVX2)
    return (PxF8)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(PX_SIMD_SSE2)
    __m128 x[2], y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    x[0] = _mm_min_ps(x[0], y[0]);
    x[1] = _mm_min_ps(x[1], y[1]);
    memcpy(&a, x, sizeof a);
    return a;
#else
    for (int k = 0; k < 8; ++k)
        a[k] = a[k] < b[k] ? a[k] : b[k];
    return a;
#endif
}

/// Lanes of `v` where `mask` is set (a comparison result: all bits or none), else 0.
PX_INLINE PxF8 px_f8_where(PxI8 mask, PxF8 v)
{
    return (PxF8)((PxI8)v & mask);
}

/// Loads two quads into the low and the high half; unaligned.
PX_INLINE PxF8 px_f8_load_two(const float *first, const float *second)
{
#if defined(PX_SIMD_AVX2)
    return (PxF8)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(first)),
                                      _mm_loadu_ps(second), 1);
#else
    PxF8 v;
    memcpy(&v, first, 4 * sizeof(float));
    memcpy((char *)&v + 4 * sizeof(float), second, 4 * sizeof(float));
    return v;
#endif
}

/// Broadcasts element k (0 to 3, a constant) of each half to all lanes of that half.
#if defined(PX_SIMD_AVX2)
#define px_f8_spread(v, k) ((PxF8)_mm256_permute_ps((__m256)(v), 0x55 * (k)))
#else
PX_INLINE PxF8 px_f8_spread(PxF8 v, int k)
{
    return (PxF8){v[k], v[k], v[k], v[k], v[k + 4], v[k + 4], v[k + 4], v[k + 4]};
}
#endif

/// Broadcasts element k of the low half and element l of the high half to all lanes of that half;
/// both are constants. Used with the same quad in both halves.
#if defined(PX_SIMD_AVX2)
#define px_f8_spread_two(v, k, l)                                                                  \
    ((PxF8)_mm256_permutevar_ps((__m256)(v), _mm256_setr_epi32(k, k, k, k, l, l, l, l)))
#else
PX_INLINE PxF8 px_f8_spread_two(PxF8 v, int k, int l)
{
    return (PxF8){v[k], v[k], v[k], v[k], v[l + 4], v[l + 4], v[l + 4], v[l + 4]};
}
#endif

/// Sum of the two halves.
PX_INLINE PxF4 px_f8_join(PxF8 v)
{
    PxF4 half[2];
    memcpy(half, &v, sizeof v);
    return half[0] + half[1];
}

/// Sum of the lanes, in the same order on all instruction sets.
PX_INLINE float px_f8_sum(PxF8 v)
{
#if defined(PX_SIMD_AVX2) || defined(PX_SIMD_SSE2)
    __m128 half[2];
    memcpy(half, &v, sizeof v);
    __m128 four = _mm_add_ps(half[0], half[1]);
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
#else
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
#endif
}

/// Bit k is set if lane k of a comparison's result is true.
PX_INLINE unsigned px_f8_bits(PxI8 mask)
{
#if defined(PX_SIMD_AVX2)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined(PX_SIMD_SSE2)
    __m128 half[2];
    memcpy(half, &mask, sizeof mask);
    return (unsigned)_mm_movemask_ps(half[0]) | (unsigned)_mm_movemask_ps(half[1]) << 4;
#else
    unsigned bits = 0;
    for (int k = 0; k < 8; ++k)
        bits |= (unsigned)(mask[k] < 0) << k;
    return bits;
#endif
}

/// Loads four floats of each of 8 rows and transposes them into four vectors.
/// `quad` is 16-byte aligned with 4 floats per row; `row` has 8 row numbers.
///
/// Neighbours are read this way because eight 16-byte loads and a transposition
/// cost a third of four gathers.
PX_INLINE void px_f8_load_quads(const float *quad, const uint32_t *row, PxF8 *x, PxF8 *y, PxF8 *z,
                                PxF8 *w)
{
#if defined(PX_SIMD_AVX2)
#define PX_ROW(k) _mm_load_ps(quad + 4 * (size_t)row[k])
#define PX_ROWS(k) _mm256_insertf128_ps(_mm256_castps128_ps256(PX_ROW(k)), PX_ROW((k) + 4), 1)
    __m256 r0 = PX_ROWS(0), r1 = PX_ROWS(1), r2 = PX_ROWS(2), r3 = PX_ROWS(3);
    __m256 t0 = _mm256_unpacklo_ps(r0, r1), t1 = _mm256_unpackhi_ps(r0, r1);
    __m256 t2 = _mm256_unpacklo_ps(r2, r3), t3 = _mm256_unpackhi_ps(r2, r3);
    *x = (PxF8)_mm256_shuffle_ps(t0, t2, 0x44);
    *y = (PxF8)_mm256_shuffle_ps(t0, t2, 0xee);
    *z = (PxF8)_mm256_shuffle_ps(t1, t3, 0x44);
    *w = (PxF8)_mm256_shuffle_ps(t1, t3, 0xee);
#undef PX_ROWS
#undef PX_ROW
#elif defined(PX_SIMD_SSE2)
    __m128 out[4][2];
    for (int half = 0; half < 2; ++half) {
        __m128 r0 = _mm_load_ps(quad + 4 * (size_t)row[4 * half]);
        __m128 r1 = _mm_load_ps(quad + 4 * (size_t)row[4 * half + 1]);
        __m128 r2 = _mm_load_ps(quad + 4 * (size_t)row[4 * half + 2]);
        __m128 r3 = _mm_load_ps(quad + 4 * (size_t)row[4 * half + 3]);
        _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
        out[0][half] = r0;
        out[1][half] = r1;
        out[2][half] = r2;
        out[3][half] = r3;
    }
    memcpy(x, out[0], sizeof *x);
    memcpy(y, out[1], sizeof *y);
    memcpy(z, out[2], sizeof *z);
    memcpy(w, out[3], sizeof *w);
#else
    for (int k = 0; k < 8; ++k) {
        const float *q = quad + 4 * (size_t)row[k];
        (*x)[k] = q[0];
        (*y)[k] = q[1];
        (*z)[k] = q[2];
        (*w)[k] = q[3];
    }
#endif
}

/// The inverse: stores lane k of the four vectors as the quad at `to` + k `stride`. `stride` is a
/// multiple of 4, `to` is 16-byte aligned.
PX_INLINE void px_f8_store_quads(float *to, size_t stride, PxF8 x, PxF8 y, PxF8 z, PxF8 w)
{
#if defined(PX_SIMD_AVX2)
    __m256 t0 = _mm256_unpacklo_ps((__m256)x, (__m256)y),
           t1 = _mm256_unpackhi_ps((__m256)x, (__m256)y);
    __m256 t2 = _mm256_unpacklo_ps((__m256)z, (__m256)w),
           t3 = _mm256_unpackhi_ps((__m256)z, (__m256)w);
    __m256 row[4] = {_mm256_shuffle_ps(t0, t2, 0x44), _mm256_shuffle_ps(t0, t2, 0xee),
                     _mm256_shuffle_ps(t1, t3, 0x44), _mm256_shuffle_ps(t1, t3, 0xee)};
    for (size_t k = 0; k < 4; ++k) {
        _mm_store_ps(to + k * stride, _mm256_castps256_ps128(row[k]));
        _mm_store_ps(to + (k + 4) * stride, _mm256_extractf128_ps(row[k], 1));
    }
#else
    for (size_t k = 0; k < 8; ++k) {
        float *quad = to + k * stride;
        quad[0] = x[k];
        quad[1] = y[k];
        quad[2] = z[k];
        quad[3] = w[k];
    }
#endif
}

/// (a_i - a_j) . (b_i - b_j) of 8 rows j. A record holds a and b, each three floats and a 0: 8
/// floats per row, 32-byte aligned, so that a neighbour lies in one cache line. `own` is the record
/// of i. A quarter faster than two arrays of quads.
PX_INLINE PxF8 px_f8_load_dots(const float *record, const float *own, const uint32_t *row)
{
#if defined(PX_SIMD_AVX2)
    __m256 self = _mm256_load_ps(own), product[4];
    for (int k = 0; k < 4; ++k) {
        __m256 low = _mm256_sub_ps(self, _mm256_load_ps(record + 8 * (size_t)row[k]));
        __m256 high = _mm256_sub_ps(self, _mm256_load_ps(record + 8 * (size_t)row[k + 4]));
        product[k] = _mm256_mul_ps(_mm256_insertf128_ps(low, _mm256_castps256_ps128(high), 1),
                                   _mm256_permute2f128_ps(low, high, 0x31));
    }
    __m256 t0 = _mm256_unpacklo_ps(product[0], product[1]);
    __m256 t1 = _mm256_unpackhi_ps(product[0], product[1]);
    __m256 t2 = _mm256_unpacklo_ps(product[2], product[3]);
    __m256 t3 = _mm256_unpackhi_ps(product[2], product[3]);
    __m256 x = _mm256_shuffle_ps(t0, t2, 0x44), y = _mm256_shuffle_ps(t0, t2, 0xee);
    return (PxF8)_mm256_add_ps(_mm256_add_ps(x, y), _mm256_shuffle_ps(t1, t3, 0x44));
#else
    PxF8 sum;
    for (int k = 0; k < 8; ++k) {
        const float *other = record + 8 * (size_t)row[k];
        sum[k] = (own[0] - other[0]) * (own[4] - other[4]) +
                 (own[1] - other[1]) * (own[5] - other[5]) +
                 (own[2] - other[2]) * (own[6] - other[6]);
    }
    return sum;
#endif
}

#endif
