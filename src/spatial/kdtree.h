/// A kd-tree over points: range queries of any radius, and the k nearest points.
///
/// After Keiser (2006), section 7.1.2: points are stored in buckets in the leaves,
/// cells are split by the sliding-midpoint rule (Arya and Fu 2000; Mount's ANN
/// library). Unlike a grid it needs no search radius when it is built and handles
/// uneven densities; it costs more to build.
///
/// A point is within h when ((dx dx + dy dy) + dz dz) < h h in float arithmetic,
/// and queries return exactly what a brute-force search would: rounding is
/// monotone, so a cell whose distance by the same formula is not below h h holds no
/// point within h.
#ifndef PX_SPATIAL_KDTREE_H
#define PX_SPATIAL_KDTREE_H

#include "base/arena.h"

typedef struct PxKdNode PxKdNode;

/// Threads: any number may query at once, but not while px_kdtree_build() runs.
typedef struct PxKdTree {
    const PxAllocator *allocator;
    uint32_t count; ///< points
    uint32_t nodes;

    /* Copies of the points in the order of the leaves, and their original indices. */
    float *x, *y, *z;
    uint32_t *index;
    PxKdNode *node;
    size_t point_room, node_room; /* capacities of the arrays above */
} PxKdTree;

void px_kdtree_init(PxKdTree *tree, const PxAllocator *allocator);
void px_kdtree_free(PxKdTree *tree);

/// Rebuilds the tree. The points are copied. Uses and releases 32 bytes per point of
/// `scratch`. Allocates only when there are more points or nodes than ever before.
/// On failure the tree is empty.
/// Errors: PX_ERR_ARGUMENT for a point that is not finite, PX_ERR_MEMORY.
PxStatus px_kdtree_build(PxKdTree *tree, const float *x, const float *y, const float *z,
                         uint32_t count, PxArena *scratch);

/// Writes the indices of the points within `h` of (x, y, z) to out[0 .. most), in the
/// tree's order, which is fixed for given points. Returns their number; if it exceeds
/// `most`, only the first `most` are written. Entries of `out` after those found may
/// be overwritten. `out` may be NULL if `most` is 0. Finds none if `h` is not
/// positive or a coordinate is NaN.
uint32_t px_kdtree_range(const PxKdTree *tree, float x, float y, float z, float h, uint32_t *out,
                         uint32_t most);

/// The `k` nearest points, nearest first; ties are ordered by index. out[] and
/// squared[] (squared distances) have room for `k`. Returns the number found: `k`, or
/// the number of points if that is less.
uint32_t px_kdtree_nearest(const PxKdTree *tree, float x, float y, float z, uint32_t k,
                           uint32_t *out, float *squared);

/// Bytes held.
size_t px_kdtree_bytes(const PxKdTree *tree);

#endif
