/// Low-discrepancy samples: Owen-scrambled Sobol points, hashed from pixel and dimension.
///
/// Each pair of numbers is a point of the two-dimensional Sobol sequence, its index shuffled and
/// its digits scrambled by hashes of the pair's number [Owen 1995; Burley 2020, "Practical
/// Hash-based Owen Scrambling"]. So 2^k samples of a pixel are stratified in every pair, and pairs
/// are independent.
///
/// Pixels take consecutive samples of the sequence along a Morton curve, so that neighbouring
/// pixels together are stratified too: the noise becomes blue, which is less visible [Ahmed and
/// Wonka 2020].
#ifndef PX_RENDER_TRACE_SAMPLER_H
#define PX_RENDER_TRACE_SAMPLER_H

#include <stdint.h>

typedef struct PxSampler {
    uint32_t picture; ///< hash of the picture
    uint32_t index;   ///< index in the sequence of all pixels
    uint32_t number;  ///< pairs drawn so far
} PxSampler;

/// Integer hash: every bit of the result depends on every bit of x.
static inline uint32_t px_hash32(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

static inline uint32_t px_reverse32(uint32_t x)
{
    x = __builtin_bswap32(x);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    return ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
}

/// Owen scrambling for digits in reversed order: a permutation in which a bit depends on lower bits
/// only [Laine and Karras 2011, with Burley's constants].
static inline uint32_t px_scramble32(uint32_t x, uint32_t seed)
{
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    return x ^ (x * 0x8d22f6e6u);
}

/// Pascal's triangle modulo 2 times the bits of x: the second Sobol dimension in reversed order.
/// The matrix is a Kronecker power, so five steps suffice.
static inline uint32_t px_pascal32(uint32_t x)
{
    x ^= (x >> 1) & 0x55555555u;
    x ^= (x >> 2) & 0x33333333u;
    x ^= (x >> 4) & 0x0f0f0f0fu;
    x ^= (x >> 8) & 0x00ff00ffu;
    return x ^ (x >> 16);
}

static inline float px_unit32(uint32_t x)
{
    return (float)(x >> 8) * 0x1p-24f;
}

/// Spreads the lower 16 bits of x: a zero after each.
static inline uint32_t px_spread32(uint32_t x)
{
    x &= 0xffffu;
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

/// Sample `sample` of a pixel that has up to 2^bits. Where indices exceed 32 bits, distant pixels
/// share theirs.
static inline PxSampler px_sampler(uint32_t x, uint32_t y, uint32_t picture, uint32_t sample,
                                   uint32_t bits)
{
    uint32_t pixel = px_spread32(x) | px_spread32(y) << 1; /* Morton code (1966) */
    return (PxSampler){px_hash32(picture + 0x9e3779b9u), (pixel << bits) + sample, 0};
}

/// The next two numbers in [0, 1).
static inline void px_sample2(PxSampler *s, float *u, float *v)
{
    uint32_t seed = px_hash32(s->picture ^ (s->number++ * 0x9e3779b9u));
    uint32_t i = px_reverse32(px_scramble32(px_reverse32(s->index), seed));
    *u = px_unit32(px_reverse32(px_scramble32(i, seed * 0x01000193u + 1)));
    *v = px_unit32(px_reverse32(px_scramble32(px_pascal32(i), seed * 0x85ebca6bu + 2)));
}

#endif
