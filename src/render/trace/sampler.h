/// Where the samples of a pixel lie: well spread over all that is random in a path, and
/// the same whoever asks.
///
/// Each pair of numbers is a point of the Sobol sequence in two dimensions, its index
/// shuffled and its digits scrambled after Owen by hashes of which pair it is [Owen 1995;
/// Burley 2020, "Practical Hash-based Owen Scrambling"]. So 2^k samples of a pixel are a
/// stratified set in every pair, and pairs do not know of each other.
///
/// Pixels take their samples from the sequence one after the other along a curve that
/// fills 2 x 2 pixels, then 4 x 4 and so on, so that neighbours together are a stratified
/// set, too: where one is too bright, the next is too dark, and the eye sees less of it
/// [Ahmed and Wonka 2020].
#ifndef PX_RENDER_TRACE_SAMPLER_H
#define PX_RENDER_TRACE_SAMPLER_H

#include <stdint.h>

typedef struct PxSampler {
    uint32_t picture; ///< hash of which picture it is
    uint32_t index;   ///< of the sample, among those of all pixels
    uint32_t number;  ///< pairs taken so far
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

/// The lower 16 bits of x, each followed by a zero.
static inline uint32_t px_spread32(uint32_t x)
{
    x &= 0xffffu;
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

/// Sample number `sample` of a pixel that has up to 2^bits of them. Where the numbers
/// outgrow 32 bits, pixels far apart share theirs.
static inline PxSampler px_sampler(uint32_t x, uint32_t y, uint32_t picture, uint32_t sample,
                                   uint32_t bits)
{
    uint32_t pixel = px_spread32(x) | px_spread32(y) << 1; /* Morton's (1966) order */
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
