/// The innermost loop of range queries: finds the points of a run within the radius.
#ifndef PX_SPATIAL_SCAN_H
#define PX_SPATIAL_SCAN_H

#include <stddef.h>
#include <stdint.h>

/// Points are tested eight at a time: this many must be readable after the last one.
/// Their values are not used.
#define PX_SCAN_WIDTH 8u

/// Points in the order of a search structure, and their original indices.
typedef struct PxScanPoints {
    const float *x, *y, *z;
    const uint32_t *index;
} PxScanPoints;

/// Squared distance; the fixed order of additions makes results reproducible.
static inline float px_squared_length(float dx, float dy, float dz)
{
    return (dx * dx + dy * dy) + dz * dz;
}

/// Appends to `out`, which holds `found` indices, those of the points [begin, end)
/// whose squared distance from (x, y, z) is below `hh`. Returns the new number found;
/// at most `most` indices are written.
static inline uint32_t px_scan_range(const PxScanPoints *points, size_t begin, size_t end, float x,
                                     float y, float z, float hh, uint32_t *out, uint32_t most,
                                     uint32_t found)
{
    for (size_t i = begin; i < end; i += PX_SCAN_WIDTH) {
        const float *px = points->x + i, *py = points->y + i, *pz = points->z + i;
        const uint32_t *index = points->index + i;
        uint32_t hit[PX_SCAN_WIDTH];
        uint32_t count = end - i < PX_SCAN_WIDTH ? (uint32_t)(end - i) : PX_SCAN_WIDTH;
        for (uint32_t k = 0; k < PX_SCAN_WIDTH; ++k) /* vectorised by the compiler */
            hit[k] = px_squared_length(px[k] - x, py[k] - y, pz[k] - z) < hh;
        if (most >= PX_SCAN_WIDTH && found <= most - PX_SCAN_WIDTH) {
            for (uint32_t k = 0; k < count; ++k) { /* branch-free: avoids mispredictions */
                out[found] = index[k];
                found += hit[k];
            }
        } else {
            for (uint32_t k = 0; k < count; ++k) {
                if (hit[k] && found < most)
                    out[found] = index[k];
                found += hit[k];
            }
        }
    }
    return found;
}

#endif
