/// Stateless random numbers: hashes of an id, a step and a counter, hence independent of the order
/// of calls, the number of threads and restarts from a checkpoint.
#ifndef PX_BASE_RANDOM_H
#define PX_BASE_RANDOM_H

#include <stdint.h>

/// A bijective mix of 64 bits: every input bit affects every output bit
/// (the finaliser of SplitMix64, Steele, Lea and Flood 2014).
static inline uint64_t px_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// 64 random bits for (id, step, what): `what` distinguishes several numbers of the
/// same particle in the same step.
static inline uint64_t px_random_bits(uint64_t id, uint64_t step, uint64_t what)
{
    uint64_t x = px_mix(id + 0x9e3779b97f4a7c15u);
    x = px_mix(x ^ (step + 0x9e3779b97f4a7c15u));
    return px_mix(x ^ (what + 0x9e3779b97f4a7c15u));
}

/// Uniform in [0, 1), 53 bits.
static inline double px_random_unit(uint64_t id, uint64_t step, uint64_t what)
{
    return (double)(px_random_bits(id, step, what) >> 11) * 0x1p-53;
}

#endif
