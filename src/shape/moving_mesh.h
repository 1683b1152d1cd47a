/// A closed mesh that moves through poses: distance to it at any moment of a step.
///
/// A step lasts from moment 0 to moment 1 (matter/boundary.h). At both moments the vertices
/// have the positions that the poses give; in between they move on straight lines. One tree of
/// bounding boxes serves all moments: each box is computed for both ends of the step, and the box
/// interpolated between them contains the triangles interpolated in the same way.
///
/// The sign of the distance is that of the angle-weighted pseudo-normal of the nearest face, edge
/// or vertex (Baerentzen and Aanaes 2005), exact for closed meshes. Where parts of a pose
/// intersect, the nearest surface alone decides.
#ifndef PX_SHAPE_MOVING_MESH_H
#define PX_SHAPE_MOVING_MESH_H

#include "shape/poses.h"

typedef struct PxMovingMesh PxMovingMesh;

/// The nearest point of the surface.
typedef struct PxMovingSpot {
    uint32_t triangle;
    double weight[3]; ///< of its corners
    PxVec3 point;     ///< m
    double distance;  ///< m, negative inside
    PxVec3 normal;    ///< unit, outwards
} PxMovingSpot;

/// Owns the poses from then on, also on failure. Its place in the world is scaled, turned (a unit
/// quaternion) and moved. `mesh` gives the triangles and is not kept. Errors: PX_ERR_MEMORY.
PxStatus px_moving_mesh_create(const PxMesh *mesh, PxPoses *poses, double scale, PxQuat turn,
                               PxVec3 at, PxMovingMesh **out);
void px_moving_mesh_free(PxMovingMesh *moving); ///< NULL is fine

/// Sets the moments of a step: `time` and `time + step`. Threads: not while others query.
void px_moving_mesh_set(PxMovingMesh *moving, double time, double step);

const PxPoses *px_moving_mesh_poses(const PxMovingMesh *moving);
uint32_t px_moving_mesh_vertices(const PxMovingMesh *moving);
/// Position of a vertex at a moment, m.
PxVec3 px_moving_mesh_vertex(const PxMovingMesh *moving, double when, uint32_t vertex);
/// Bounds of the mesh during the whole step.
PxBounds px_moving_mesh_bounds(const PxMovingMesh *moving);
/// Bounds of all poses.
PxBounds px_moving_mesh_reach(const PxMovingMesh *moving);
/// The furthest way of a vertex in the step, m.
double px_moving_mesh_travel(const PxMovingMesh *moving);
/// Times of both moments, s: together with the files they determine all positions.
void px_moving_mesh_times(const PxMovingMesh *moving, double time[2]);

/// Speeds and times of px_poses_speed() and px_poses_limit(), in m and s.
double px_moving_mesh_speed(const PxMovingMesh *moving);
double px_moving_mesh_limit(const PxMovingMesh *moving, double now, double most, double limit);

/// The nearest surface point. Threads: any number at once.
void px_moving_mesh_closest(const PxMovingMesh *moving, double when, PxVec3 point,
                            PxMovingSpot *out);
/// Displacement, m, of the matter at a spot during the step.
PxVec3 px_moving_mesh_way(const PxMovingMesh *moving, const PxMovingSpot *spot);
/// Moves a point with the nearest triangle, and turned with it, from one moment to another.
PxVec3 px_moving_mesh_carry(const PxMovingMesh *moving, double from, PxVec3 point, double to);

/// The place of a point that is bound to a triangle: weights of the corners a[] give its foot,
/// `arm` leads from there to the point. When the corners are at b[], it has turned with them.
PxVec3 px_triangle_carry(const PxVec3 a[3], const PxVec3 b[3], const double weight[3], PxVec3 arm);
/// Weights of the corners with which a point of the triangle is their mean.
void px_triangle_weights(const PxVec3 corner[3], PxVec3 point, double weight[3]);
/// Numbers of the vertices of all triangles.
const uint32_t (*px_moving_mesh_triangles(const PxMovingMesh *moving, uint32_t *count))[3];
/// Corners of a triangle at a moment.
void px_moving_mesh_corners(const PxMovingMesh *moving, double when, uint32_t triangle,
                            PxVec3 out[3]);

/// A corner of a triangle, to be shown.
typedef struct PxMovingCorner {
    PxVec3 at[2];  ///< at both moments, m
    PxVec3 normal; ///< at moment 0, unit: of the vertex, or of the face where the mesh has an edge
} PxMovingCorner;

PxMovingCorner px_moving_mesh_corner(const PxMovingMesh *moving, uint32_t triangle, int corner);

/// Calls `visit` for every vertex within `radius` of a point at a moment, in a fixed order.
void px_moving_mesh_within(const PxMovingMesh *moving, double when, PxVec3 point, double radius,
                           void (*visit)(void *user, uint32_t vertex, PxVec3 place), void *user);

#endif
