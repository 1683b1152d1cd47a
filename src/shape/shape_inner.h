/// The members of PxShape, for the files that implement it.
#ifndef PX_SHAPE_SHAPE_INNER_H
#define PX_SHAPE_SHAPE_INNER_H

#include "shape/mesh.h"
#include "shape/mesh_tree.h"
#include "shape/moving_mesh.h"
#include "shape/primitive.h"
#include "shape/shape.h"
#include "spatial/kdtree.h"

/// Geometry is kept in the shape's own frame with the scale applied: a rotation and
/// a translation lead to the world frame.
struct PxShape {
    PxShapeKind kind;
    PxQuat turn; ///< unit
    PxVec3 at;
    PxPrimitive primitive; ///< all kinds but mesh
    PxMesh *mesh;          ///< mesh only, with all attributes of its file
    PxMeshTree *tree;      ///< mesh only
    PxMesh *exposed;       ///< its surface without what lies in overlaps of shells; NULL: the same
    PxMovingMesh *moving;  ///< mesh with poses only; `mesh` is then its pose at time 0
    PxBounds own_bounds;   ///< in the shape's own frame
    PxBounds bounds;       ///< in the world frame
    double volume, area, thickness;
    struct PxCloud *cloud; ///< PX_SHAPE_POINTS only
    uint32_t holders;      ///< references besides the first owner's
    PxShape *of;           ///< the shape whose mesh and tree it shares; NULL: they are its own
};

/// Given particles, in the order in which they were given.
typedef struct PxCloud {
    PxVec3 *point;
    size_t count;
    double cell, radius; ///< m: edge of the cube, and radius of the ball, of a particle's volume
    PxKdTree tree;
} PxCloud;

/// Signed distance to the union of the balls; *normal may be NULL.
double px_cloud_distance(const PxCloud *cloud, PxVec3 point, PxVec3 *normal);
void px_cloud_free(PxCloud *cloud);

/// All points; with a spacing above the cell every n-th, so that each represents spacing^3.
PxStatus px_cloud_fill(const PxCloud *cloud, double spacing, size_t most, PxPoints *out);

static inline PxVec3 px_shape_to_world(const PxShape *shape, PxVec3 own)
{
    return px_add(shape->at, px_rotate(shape->turn, own));
}

static inline PxVec3 px_shape_to_own(const PxShape *shape, PxVec3 world)
{
    return px_rotate(px_quat_conjugate(shape->turn), px_sub(world, shape->at));
}

#endif
