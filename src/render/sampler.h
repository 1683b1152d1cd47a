/// Where the samples of a pixel lie: well spread over all that is random in a path, and
/// the same whoever asks.
///
/// Each pair of numbers is a point of the Sobol sequence in two dimensions, its index
/// shuffled and its digits scrambled after Owen by hashes of the pixel and of which pair
/// it is [Owen 1995; Burley 2020, "Practical Hash-based Owen Scrambling"]. So the first
/// 2^k samples of a pixel are a stratified set in every pair, and pairs do not know of
/// each other.
#ifndef PX_RENDER_SAMPLER_H
#define PX_RENDER_SAMPLER_H

#include <stdint.h>

typedef struct PxSampler {
    uint32_t pixel;  ///< hash of the pixel and the picture
    uint32_t index;  ///< of the sample
    uint32_t number; ///< pairs taken so far
} PxSampler;

/// Every bit of the result depends on every bit of x.
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

/// A permutation in which a bit depends on those below it only: Owen's scrambling, for
/// digits in reversed order [Laine and Karras 2011, with Burley's constants].
static inline uint32_t px_scramble32(uint32_t x, uint32_t seed)
{
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    return x ^ (x * 0x8d22f6e6u);
}

/// Pascal's triangle modulo 2 times the bits of x: the second dimension of Sobol's
/// sequence, in reversed order. The matrix is a Kronecker power, so five steps do.
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

static inline PxSampler px_sampler(uint32_t x, uint32_t y, uint32_t picture, uint32_t sample)
{
    uint32_t pixel = px_hash32(x + px_hash32(y + px_hash32(picture + 0x9e3779b9u)));
    return (PxSampler){pixel, sample, 0};
}

/// The next two numbers in [0, 1).
static inline void px_sample2(PxSampler *s, float *u, float *v)
{
    uint32_t seed = px_hash32(s->pixel ^ (s->number++ * 0x9e3779b9u));
    uint32_t i = px_reverse32(px_scramble32(px_reverse32(s->index), seed));
    *u = px_unit32(px_reverse32(px_scramble32(i, seed * 0x01000193u + 1)));
    *v = px_unit32(px_reverse32(px_scramble32(px_pascal32(i), seed * 0x85ebca6bu + 2)));
}

#endif
