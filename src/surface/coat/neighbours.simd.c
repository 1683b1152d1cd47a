/// Range query in a tree of boxes.
#include "surface/coat/neighbours.h"

/* Bits of those of 8 boxes that are nearer than sqrt(square) to a box. */
PX_INLINE unsigned near_boxes(float *const *box, uint32_t first, const PxF8 low[3],
                              const PxF8 high[3], PxF8 square)
{
    PxF8 sum = px_f8(0.0f);
    for (int k = 0; k < 3; ++k) {
        PxF8 below = low[k] - px_f8_load(box[3 + k] + first);
        PxF8 above = px_f8_load(box[k] + first) - high[k];
        PxF8 gap = px_f8_max(px_f8_max(below, above), px_f8(0.0f));
        sum += gap * gap;
    }
    return px_f8_bits(sum < square);
}

PX_INLINE unsigned near_points(const float *const at[3], uint32_t first, const PxF8 low[3],
                               const PxF8 high[3], PxF8 square)
{
    PxF8 sum = px_f8(0.0f);
    for (int k = 0; k < 3; ++k) {
        PxF8 x = px_f8_load(at[k] + first);
        PxF8 gap = px_f8_max(px_f8_max(low[k] - x, x - high[k]), px_f8(0.0f));
        sum += gap * gap;
    }
    return px_f8_bits(sum < square);
}

/* Appends the rows whose bits are set; writes 8. Branch-free, since the bits are unpredictable. */
PX_INLINE uint32_t write_rows(uint32_t *row, uint32_t first, unsigned bits)
{
#if defined(PX_SIMD_AVX2)
    extern const uint32_t px_front_lanes[256]; /* matter/pairs.c */
    const __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    __m256i lanes = _mm256_srlv_epi32(_mm256_set1_epi32((int)px_front_lanes[bits]), shifts);
    lanes = _mm256_and_si256(lanes, _mm256_set1_epi32(7));
    _mm256_storeu_si256((__m256i *)row, _mm256_add_epi32(_mm256_set1_epi32((int)first), lanes));
    return (uint32_t)__builtin_popcount(bits);
#else
    uint32_t count = 0;
    for (uint32_t k = 0; k < 8; ++k) {
        row[count] = first + k;
        count += bits >> k & 1u;
    }
    return count;
#endif
}

uint32_t PX_ISA_NAME(px_coat_tree_query_rows)(const PxCoatTree *tree, const float low[3],
                                              const float high[3], float reach, uint32_t *row,
                                              uint32_t room)
{
    if (tree->levels == 0)
        return 0;
    const PxF8 from[3] = {px_f8(low[0]), px_f8(low[1]), px_f8(low[2])};
    const PxF8 to[3] = {px_f8(high[0]), px_f8(high[1]), px_f8(high[2])};
    const PxF8 square = px_f8(reach * reach);
    uint32_t first[PX_COAT_LEVELS], count = 0, level = tree->levels - 1, top = level;
    unsigned left[PX_COAT_LEVELS];
    first[level] = 0;
    left[level] = near_boxes(tree->box[level], 0, from, to, square);
    for (;;) {
        if (left[level] == 0) {
            if (level++ == top)
                break;
            continue;
        }
        uint32_t node = first[level] + (uint32_t)__builtin_ctz(left[level]);
        left[level] &= left[level] - 1;
        if (level > 0) {
            first[--level] = 8 * node;
            left[level] = near_boxes(tree->box[level], 8 * node, from, to, square);
            continue;
        }
        unsigned near = near_points(tree->at, 8 * node, from, to, square);
        if (tree->count - 8 * node < 8)
            near &= (1u << (tree->count - 8 * node)) - 1;
        count += write_rows(row + count, 8 * node, near);
        if (count > room)
            return UINT32_MAX;
    }
    for (uint32_t k = 0; tree->name != NULL && k < count; ++k)
        row[k] = tree->name[row[k]];
    return count;
}
