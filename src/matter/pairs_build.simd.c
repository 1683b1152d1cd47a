/// Neighbour search, which tests 8 candidates at a time.
#include "matter/pairs_build.h"

#if defined(PX_SIMD_AVX2)
/* Lanes that are near, moved to the front: for each mask of 8 bits the lane
 * numbers of its set bits, 4 bits each. */
static inline __m256i front_lanes(unsigned mask)
{
    /* 0x76543210 without the nibbles of unset bits. (BMI2 has an instruction for it; the table is
     * as fast and needs AVX2 only.) */
    extern const uint32_t px_front_lanes[256];
    const __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    __m256i nibbles = _mm256_srlv_epi32(_mm256_set1_epi32((int)px_front_lanes[mask]), shifts);
    return _mm256_and_si256(nibbles, _mm256_set1_epi32(7));
}
#endif

/* Writes the rows j in [begin, end) within reach to `out` and returns their number. May write up
 * to 7 entries more than that. */
PX_INLINE uint32_t near_rows(const PxPairsJob *job, PxRange run, PxF8 xi, PxF8 yi, PxF8 zi,
                             PxF8 reach_squared, uint32_t *out)
{
    const float *x = job->to.x, *y = job->to.y, *z = job->to.z;
    uint32_t count = 0;
    for (uint32_t j = run.begin; j < run.end; j += 8) {
        PxF8 dx = px_f8_load(x + j) - xi, dy = px_f8_load(y + j) - yi, dz = px_f8_load(z + j) - zi;
        PxF8 r2 = dx * dx + dy * dy + dz * dz;
        unsigned mask = px_f8_bits((PxI8)(r2 < reach_squared));
        if (run.end - j < 8)
            mask &= (1u << (run.end - j)) - 1;
#if defined(PX_SIMD_AVX2)
        __m256i rows = _mm256_add_epi32(_mm256_set1_epi32((int)j), front_lanes(mask));
        _mm256_storeu_si256((__m256i *)(out + count), rows);
        count += (uint32_t)__builtin_popcount(mask);
#else
        while (mask != 0) {
            out[count++] = j + (uint32_t)__builtin_ctz(mask);
            mask &= mask - 1;
        }
#endif
    }
    return count;
}

/* Cells [begin, end) of the from-grid. */
void PX_ISA_NAME(px_pairs_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    PxPairsJob *job = user;
    PxPairs *pairs = job->pairs;
    const PxGrid *from = job->from_grid;
    PxF8 reach_squared = px_f8(job->reach_squared);
    /* The place of a list in memory depends on the threads; its content does not. */
    uint64_t at = job->chunk[thread].at, chunk_end = job->chunk[thread].end, total = 0;
    PxGridWalk walk;
    px_grid_walk_start(&walk, job->to_grid, from->key[begin]);
    for (uint32_t c = begin; c < end; ++c) {
        PxRange run[9];
        int runs = px_grid_walk_rows(&walk, from->key[c], run);
        uint64_t candidates = 16; /* the last vector and its padding */
        for (int k = 0; k < runs; ++k)
            candidates += run[k].end - run[k].begin;
        for (uint32_t i = from->begin[c]; i < from->begin[c + 1]; ++i) {
            if (runs == 0) {
                pairs->start[i] = pairs->size[i] = 0;
                continue;
            }
            if (chunk_end - at < candidates) {
                uint64_t want = candidates > PX_PAIRS_CHUNK ? candidates : PX_PAIRS_CHUNK;
                want = (want + 7) & ~(uint64_t)7;
                at = atomic_fetch_add_explicit(&job->taken, want, memory_order_relaxed);
                chunk_end = at + want;
            }
            if (chunk_end > pairs->room) {
                pairs->size[i] = 0; /* no room: the caller retries with more */
                continue;
            }
            uint32_t *out = pairs->row + at;
            uint32_t count = 0;
            PxF8 xi = px_f8(job->from.x[i]), yi = px_f8(job->from.y[i]), zi = px_f8(job->from.z[i]);
            for (int k = 0; k < runs; ++k)
                count += near_rows(job, run[k], xi, yi, zi, reach_squared, out + count);
            pairs->start[i] = (uint32_t)at;
            pairs->size[i] = count;
            total += count;
            for (; (count & 7) != 0; ++count)
                out[count] = job->to.count;
            at += count;
        }
    }
    job->chunk[thread].at = at;
    job->chunk[thread].end = chunk_end;
    atomic_fetch_add_explicit(&job->total, total, memory_order_relaxed);
}
