/// A kd-tree over points: range queries of any radius, and the k nearest points.
///
/// After Keiser (2006), section 7.1.2: buckets of points in the leaves only, cells
/// cut by the sliding-midpoint rule (Arya and Fu 2000; Mount's ANN library).
/// Unlike a grid it needs no distance when it is built and does not mind points
/// that crowd in some places; it costs more to build.
///
/// A point is within h when ((dx dx + dy dy) + dz dz) < h h in float arithmetic,
/// and the answer is exactly that of trying all points: rounding is monotone, so
/// a cell whose own distance, computed by the same formula, is not below h h
/// holds no point that is.
#ifndef PX_SPATIAL_KDTREE_H
#define PX_SPATIAL_KDTREE_H

#include "base/arena.h"

typedef struct PxKdNode PxKdNode;

/// Threads: any number may ask at once; nobody may while px_kdtree_build() runs.
typedef struct PxKdTree {
    const PxAllocator *allocator;
    uint32_t count; ///< points
    uint32_t nodes;

    /* Points copied in the order of the leaves, and who they were. */
    float *x, *y, *z;
    uint32_t *index;
    PxKdNode *node;
    size_t point_room, node_room; /* elements the arrays above have room for */
} PxKdTree;

void px_kdtree_init(PxKdTree *tree, const PxAllocator *allocator);
void px_kdtree_free(PxKdTree *tree);

/// Builds the tree anew; the points are copied and may go afterwards. Scratch
/// (32 bytes a point) is taken from `scratch` and given back. Allocates only
/// when there are more points or nodes than ever before. On failure the tree is
/// empty. Errors: PX_ERR_ARGUMENT for a point that is not finite, PX_ERR_MEMORY.
PxStatus px_kdtree_build(PxKdTree *tree, const float *x, const float *y, const float *z,
                         uint32_t count, PxArena *scratch);

/// Writes the indices of the points within `h` of (x, y, z) to out[0 .. most) and
/// returns how many there are, which may be more than `most`: then only the
/// first `most` are written. (Entries of `out` behind those found may be
/// overwritten.) `out` may be NULL if `most` is 0. They come in the tree's order,
/// a fixed one for given points. None for an `h` that is not positive and for
/// a place that is NaN.
uint32_t px_kdtree_range(const PxKdTree *tree, float x, float y, float z, float h, uint32_t *out,
                         uint32_t most);

/// The `k` nearest points, nearest first, of two at the same distance the one
/// with the smaller index. out[] and squared[] (squared distances) have room for
/// `k`. Returns how many there are: `k`, or all points if those are fewer.
uint32_t px_kdtree_nearest(const PxKdTree *tree, float x, float y, float z, uint32_t k,
                           uint32_t *out, float *squared);

/// Bytes held.
size_t px_kdtree_bytes(const PxKdTree *tree);

#endif
