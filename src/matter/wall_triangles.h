/// The triangles of a wall near a particle, from a hash grid or a tree, and the part of the kernel
/// that the wall fills, integrated over them (002 sections 4.1.2, 4.2.1 and 7.3).
///
/// The part is an integral over the wall's volume, and by the divergence theorem one over its
/// surface. A flat wall at distance d has part(d) (wall_profile.h), so a surface element dA at the
/// distance r and the height z over its plane has
///   dpart = z phi(r) dA,   phi = -d/dr [part(r) / (2 pi r)] / r,
/// and over a triangle, in polar coordinates about the foot of the point,
///   part = 1/(2 pi) integral of [part(z) - (z/r) part(r)] dtheta along its edges.
/// The gradient follows in the same way from part'. Both are exact for a flat wall however it is
/// cut into triangles, and change continuously around edges and corners: there is nothing for a
/// particle in a corner to jump between (002 Figure 7.5).
///
/// Threads: any number may query at once.
#ifndef PX_MATTER_WALL_TRIANGLES_H
#define PX_MATTER_WALL_TRIANGLES_H

#include "base/memory.h"
#include "matter/boundary.h"
#include "shape/mesh_tree.h"
#include "shape/shape.h"

typedef struct PxWallTriangles PxWallTriangles;

typedef enum PxTriangleSearch { PX_TRIANGLES_GRID, PX_TRIANGLES_TREE } PxTriangleSearch;

/// Copies the triangles of a shape that is a mesh without poses; `inside` as for walls. The shape
/// must outlive it. Errors: PX_ERR_MEMORY.
PxStatus px_wall_triangles_create(const PxShape *shape, bool inside, PxTriangleSearch search,
                                  PxTreeRule rule, PxWallTriangles **out);
void px_wall_triangles_free(PxWallTriangles *t); ///< the last owner frees it; NULL is fine
/// Adds an owner. NULL is fine. Threads: one at a time.
void px_wall_triangles_hold(PxWallTriangles *t);
size_t px_wall_triangles_bytes(const PxWallTriangles *t);

/// Call before queries: a grid made for another support is made again. Errors: PX_ERR_MEMORY.
PxStatus px_wall_triangles_fit(PxWallTriangles *t, const PxWallProfile *profile);

/// Sets distance, part and gradient around a point of the rest frame. A distance of the support or
/// more is returned as the support, also of a point so deep in the wall: particles do not get
/// there.
void px_wall_triangles_ask(const PxWallTriangles *t, PxVec3 rest, PxFill *out);

/// A point of contact with a triangle.
typedef struct PxWallSpot {
    PxVec3 point, normal; ///< the normal points to the side where matter may be
    double distance;      ///< m, signed
} PxWallSpot;

/// Lists the points of contact nearer than `reach`, at most the support, one for each direction:
/// those of triangles that share the nearest point are one. Returns their number, at most `most`,
/// the nearest first.
uint32_t px_wall_triangles_touch(const PxWallTriangles *t, PxVec3 rest, double reach,
                                 PxWallSpot *out, uint32_t most);

#endif
