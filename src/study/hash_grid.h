/// The classic hash grid: cells of one size over all of space, kept in a table by
/// the hash of their coordinates.
///
/// After Keiser (2006), section 7.1.1, with the function of Teschner et al. (2003).
/// It is here to be compared with: particles themselves live in the sorted grid.
/// What it costs depends on the number of points alone and not on the space they
/// spread over, but neighbouring cells lie nowhere near each other in memory.
///
/// What is within h is decided as in spatial/kdtree.h, exactly as by trying all.
#ifndef PX_STUDY_HASH_GRID_H
#define PX_STUDY_HASH_GRID_H

#include "base/arena.h"

/// Threads: any number may ask at once; nobody may while px_hash_build() runs.
typedef struct PxHash {
    const PxAllocator *allocator;
    uint32_t count;   ///< points
    uint32_t buckets; ///< a prime above twice that
    double edge;      ///< of a cell
    double inverse;   ///< 1 / edge
    uint64_t magic;   ///< for the remainder by `buckets`

    /* Points copied in the order of their buckets, and who they were; bucket b
     * has [start[b], start[b + 1]). */
    float *x, *y, *z;
    uint32_t *index, *start;
    size_t point_room, start_room; /* elements the arrays above have room for */
} PxHash;

void px_hash_init(PxHash *hash, const PxAllocator *allocator);
void px_hash_free(PxHash *hash);

/// Builds the grid anew with cells of `edge`, best the distance that will be asked
/// for; the points are copied and may go afterwards. Scratch (4 bytes a point) is
/// taken from `scratch` and given back. Allocates only when there are more points
/// than ever before. On failure the grid is empty. Errors: PX_ERR_ARGUMENT for a
/// point that is not finite or an edge that is not finite and positive,
/// PX_ERR_MEMORY.
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
