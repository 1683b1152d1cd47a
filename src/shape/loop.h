/// Loop's subdivision of triangle meshes (Loop 1987), with the rules of Hoppe et al. (1994) for
/// borders, creases and corners.
///
/// A plan holds the weights; it is made once from a reference shape and applied to any number of
/// columns and frames of the same mesh. Each level divides a triangle in four. Weights of a vertex
/// add up to 1.
///
///     inner edge              inner vertex with n edges        border and crease
///        1/8                  b = (5/8 - (3/8 + cos(2 pi / n) / 4)^2) / n
///       /   \                   b   b                           1/8 - 3/4 - 1/8   vertex
///     3/8 - 3/8               b  1-nb  b                        1/2 - x - 1/2     edge
///       \   /                   b   b
///        1/8
#ifndef PX_SHAPE_LOOP_H
#define PX_SHAPE_LOOP_H

#include "base/fail.h"
#include "base/vec.h"

#include <stdint.h>

/// Most levels: 256 triangles for one.
#define PX_LOOP_MOST_LEVELS 4u

typedef struct PxLoopDef {
    uint32_t vertices, triangles;
    const uint32_t (*triangle)[3];
    const float *place[3]; ///< reference shape, for creases and corners
    uint32_t first_vertex; ///< triangles with a vertex below this one stay as they are
    uint32_t levels;       ///< 0 to PX_LOOP_MOST_LEVELS
    double crease; ///< edges with a larger angle between their triangles stay sharp, degrees
} PxLoopDef;

typedef struct PxLoop PxLoop;

/// Errors: PX_ERR_ARGUMENT for corners that do not exist and for too many levels or triangles;
/// PX_ERR_MEMORY.
PxStatus px_loop_create(const PxLoopDef *def, PxLoop **out);
/// NULL is fine.
void px_loop_free(PxLoop *loop);

uint32_t px_loop_vertices(const PxLoop *loop);
/// *count triangles; triangle t is a part of triangle (*parent)[t] of the mesh.
const uint32_t (*px_loop_triangles(const PxLoop *loop, uint32_t *count,
                                   const uint32_t **parent))[3];

/// The values of a column at the new vertices. `out` has px_loop_vertices() of them.
/// Errors: PX_ERR_MEMORY.
PxStatus px_loop_values(const PxLoop *loop, const float *values, float *out);

/// The same of places, x, y and z, of which no old vertex is moved by more than `most`, nearly: the
/// values are changed until it is so (after Cheng et al. 2009). Loop's rules draw a surface into
/// its bends, and so into what lies under them. Errors: PX_ERR_MEMORY.
PxStatus px_loop_places(const PxLoop *loop, const float *const values[3], double most,
                        float *const out[3]);

/// For every new vertex, an old one that is near it.
void px_loop_sources(const PxLoop *loop, uint32_t *out);

#endif
