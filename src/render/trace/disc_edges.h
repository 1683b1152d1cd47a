/// Sharp edges of surfaces made of discs: where discs are clipped, since their rims would stick
/// out.
///
/// Two discs whose normals differ much, each behind the other's plane, meet at a convex edge, and
/// each is clipped by the plane of the other. (Clip relations as in Pauly et al. 2003, "Shape
/// modeling with point-sampled geometry", section 4.2, found from the normals.) A disc on the edge
/// that faces half way is clipped completely, so its neighbours are drawn larger to close the gap;
/// they are clipped at the edge anyway.
#ifndef PX_RENDER_TRACE_DISC_EDGES_H
#define PX_RENDER_TRACE_DISC_EDGES_H

#include "render/scenery.h"

#include <stdint.h>

#define PX_EDGES 3 ///< a disc at the corner of a cube is clipped by three sides
#define PX_NO_EDGE UINT32_MAX

/// The discs whose planes clip a disc.
typedef struct PxDiscEdges {
    uint32_t by[PX_EDGES]; ///< PX_NO_EDGE after the last
} PxDiscEdges;

/// Finds the clipping discs of `t->points` discs; the caller px_release()s *out.
/// Errors: PX_ERR_MEMORY, PX_ERR_ARGUMENT for positions that are not finite.
PxStatus px_disc_edges_find(const PxThing *t, PxDiscEdges **out);

/// Factor of the radius with which disc `k` is drawn; `edges` may be NULL.
float px_disc_edges_scale(const PxDiscEdges *edges, uint32_t k);

/// Is the point clipped from disc `k`?
bool px_disc_edges_beyond(const PxThing *t, const PxDiscEdges *edges, uint32_t k, PxV3 at);

#endif
