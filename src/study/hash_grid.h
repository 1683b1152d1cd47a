/// The classic hash grid: cells of one size, stored in a table by the hash of their coordinates.
///
/// After Keiser (2006), section 7.1.1, with the hash function of Teschner et al. (2003). For
/// comparison only: particles use the sorted grid. Its cost depends on the number of points and not
/// on the extent of space, but neighbouring cells are far apart in memory.
///
/// Results are exact, equal to brute force, as in spatial/kdtree.h.
#ifndef PX_STUDY_HASH_GRID_H
#define PX_STUDY_HASH_GRID_H

#include "base/arena.h"

/// Threads: any number may query at once, none during px_hash_build().
typedef struct PxHash {
    const PxAllocator *allocator;
    uint32_t count;   ///< points
    uint32_t buckets; ///< a prime above twice that
    double edge;      ///< of a cell
    double inverse;   ///< 1 / edge
    uint64_t magic;   ///< for the remainder by `buckets`

    /* Points copied in the order of their buckets, and their indices; bucket b
     * has [start[b], start[b + 1]). */
    float *x, *y, *z;
    uint32_t *index, *start;
    size_t point_room, start_room; /* elements the arrays above have room for */
} PxHash;

void px_hash_init(PxHash *hash, const PxAllocator *allocator);
void px_hash_free(PxHash *hash);

/// Builds the grid with cells of `edge`, best the query distance. The points are copied and may be
/// freed afterwards. Scratch (4 bytes for each point) is taken from `scratch` and released.
/// Allocates only when there are more points than ever before. On failure the grid is empty.
/// Errors: PX_ERR_ARGUMENT for a point that is not finite or an edge that is not finite and
/// positive, PX_ERR_MEMORY.
PxStatus px_hash_build(PxHash *hash, const float *x, const float *y, const float *z, uint32_t count,
                       float edge, PxArena *scratch);

/// Writes the indices of the points within `h` of (x, y, z) to out[0 .. most) and
/// returns how many there are, which may be more than `most`: then only the
/// first `most` are written. (Entries of `out` behind those found may be
/// overwritten.) `out` may be NULL if `most` is 0. They come cell by cell, x
/// fastest, bucket mates of a cell with its first, by rising index within a
/// bucket. None for an `h` that is not positive and for a place that is NaN.
/// Any `h` is allowed, but beyond about three edges all points are tried.
uint32_t px_hash_range(const PxHash *hash, float x, float y, float z, float h, uint32_t *out,
                       uint32_t most);

/// Bytes held.
size_t px_hash_bytes(const PxHash *hash);

#endif
