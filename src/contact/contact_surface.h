/// The contact surface between two bodies whose surfaces overlap (000 section 5.8.3): for pictures,
/// not for forces, and never state.
///
/// Where both are, it is the set of places with k1 d1 = k2 d2 (Eqs. 5.36, 5.37): d the depth below
/// the surface of each, k its stiffness, so that a soft surface follows a stiff one. In the gap
/// between surfaces that are less than `reach` apart the same holds for the heights above them.
/// Nodes start from the points of each surface that are inside the other, are spread evenly, and
/// inserted until none has a gap beside it; their normals are those of a plane through their
/// neighbours (PCA).
#ifndef PX_CONTACT_CONTACT_SURFACE_H
#define PX_CONTACT_CONTACT_SURFACE_H

#include "base/memory.h"
#include "matter/wall.h"
#include "surface/point_surface.h"

/// A node: two surfels of opposite normals at one place.
typedef struct PxContactNode {
    PxVec3 at;     ///< m
    PxVec3 normal; ///< out of the first body, unit
    double depth;  ///< sum of the depths in both bodies, m; negative: the gap between them
} PxContactNode;

typedef PX_LIST(PxContactNode) PxContactNodes;

/// Stiffness of walls and rigid bodies.
#define PX_CONTACT_RIGID 1e15

/// One body: the points of its surface, or a wall at its pose at moment 1. Surfaces of few points
/// have no inside: those of less than 4 give no nodes.
typedef struct PxContactSide {
    const PxPointSurface *points; ///< NULL: a wall
    const PxWall *wall;
    double stiffness; ///< Young's modulus, Pa, > 0
} PxContactSide;

/// Two bodies; at least the first has points.
typedef struct PxContactPair {
    PxContactSide side[2];
    double spacing; ///< of the nodes, m; 0: the smaller of the surfaces' spacings
    double reach;   ///< widest gap between surfaces that touch, m: contact forces keep a small one
} PxContactPair;

/// Finds the nodes, none if the bodies do not overlap; appends them to `out`. `spacing` is the
/// distance at which they lie. Errors: PX_ERR_MEMORY.
PxStatus px_contact_surface(const PxContactPair *pair, PxArena *scratch, PxContactNodes *out,
                            double *spacing);

#endif
