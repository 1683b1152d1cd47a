/// Where a surface of discs has sharp edges: discs end there, or their rims would stick out.
///
/// Two discs whose normals differ much and that are each behind the other's plane meet at a convex
/// edge, and each ends at the plane of the other. (Points that share an edge as in Pauly et al.
/// 2003, "Shape modeling with point-sampled geometry", section 4.2, found by their normals.)
/// Nothing is left of a disc that lies on an edge and faces half way, so those beside it are drawn
/// larger to close the gap, which does no harm where they end at a plane.
#ifndef PX_RENDER_TRACE_DISC_EDGES_H
#define PX_RENDER_TRACE_DISC_EDGES_H

#include "render/scenery.h"

#include <stdint.h>

#define PX_EDGES 3 ///< a disc on the corner of a cube faces none of its three sides
#define PX_NO_EDGE UINT32_MAX

/// The discs whose planes end a disc.
typedef struct PxDiscEdges {
    uint32_t by[PX_EDGES]; ///< PX_NO_EDGE behind the last
} PxDiscEdges;

/// Finds them; room for `t->points` of them is the caller's, to be px_release()d.
/// Errors: PX_ERR_MEMORY, PX_ERR_ARGUMENT for places that are not finite.
PxStatus px_disc_edges_find(const PxThing *t, PxDiscEdges **out);

/// How many times as large as stated disc `k` is drawn; `edges` may be NULL.
float px_disc_edges_grow(const PxDiscEdges *edges, uint32_t k);

/// Is the place, as seen from the middles of the discs, beyond an edge of disc `k`?
bool px_disc_edges_beyond(const PxThing *t, const PxDiscEdges *edges, uint32_t k, PxV3 at);

#endif
