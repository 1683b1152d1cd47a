/// A bounding volume hierarchy over the triangles of a mesh: nearest point, inside
/// test, first hit of a ray. It copies the corners, so the mesh may be freed.
/// Degenerate triangles are left out.
/// Threads: any number may query at once.
#ifndef PX_SHAPE_MESH_TREE_H
#define PX_SHAPE_MESH_TREE_H

#include "shape/mesh.h"

typedef struct PxMeshTree PxMeshTree;

/// Errors: PX_ERR_ARGUMENT when no triangle has an area, PX_ERR_MEMORY.
/// The mesh must have passed px_mesh_check().
PxStatus px_mesh_tree_create(const PxMesh *mesh, PxMeshTree **out);
void px_mesh_tree_free(PxMeshTree *tree);

typedef struct PxMeshSpot {
    PxVec3 point;      ///< on the triangle
    PxVec3 face;       ///< unit normal of the triangle, outwards
    double distance;   ///< from the query point, or along the ray; >= 0
    uint32_t triangle; ///< number in the mesh
    bool in_face;      ///< in the interior of the triangle, not on an edge or corner
    int side; ///< of the nearest point: 1 or -1 if the query point is clearly before or behind all
              ///< triangles that meet there, else 0
} PxMeshSpot;

/// The nearest point of the mesh, if there is one nearer than `within` (may be
/// INFINITY).
bool px_mesh_tree_closest(const PxMeshTree *tree, PxVec3 point, double within, PxMeshSpot *out);

/// A lower bound of the distance to the surface: at least 2/3 of the true distance,
/// or of `within` if that is less. Cheaper than the nearest point.
double px_mesh_tree_clearance(const PxMeshTree *tree, PxVec3 point, double within);

/// Generalised winding number of the mesh about the point: 1 inside, 0 outside, 2
/// where two parts overlap, fractional for open meshes. For a closed mesh the error
/// of the approximation is below 0.25.
double px_mesh_tree_winding(const PxMeshTree *tree, PxVec3 point);

/// The same summed over all triangles: exact up to rounding, and slow.
double px_mesh_tree_winding_exact(const PxMeshTree *tree, PxVec3 point);

/// Is the point outside, by a look at a grid? False does not mean that it is inside.
bool px_mesh_tree_surely_outside(const PxMeshTree *tree, PxVec3 point);

/// Winding number above one half.
bool px_mesh_tree_inside(const PxMeshTree *tree, PxVec3 point);
/// The same, cheaper, where the nearest point of the surface is known.
bool px_mesh_tree_inside_from(const PxMeshTree *tree, PxVec3 point, const PxMeshSpot *nearest);

/// First triangle hit by origin + t direction for t in (from, to), from either
/// side; out->distance is t. `direction` need not be of unit length.
bool px_mesh_tree_ray(const PxMeshTree *tree, PxVec3 origin, PxVec3 direction, double from,
                      double to, PxMeshSpot *out);

/// Does a triangle of the mesh pass through triangle abc? Those that share a corner with it do not
/// count.
bool px_mesh_tree_crossed(const PxMeshTree *tree, PxVec3 a, PxVec3 b, PxVec3 c);

/// The point of triangle abc nearest to p; *in_face (may be NULL) as above.
PxVec3 px_triangle_closest(PxVec3 p, PxVec3 a, PxVec3 b, PxVec3 c, bool *in_face);

/// Part of a triangle: its face, edge PX_PART_EDGE + k from corner k to the next, or a corner.
enum { PX_PART_FACE = 0, PX_PART_EDGE = 1, PX_PART_CORNER = 4 };

/// The same with the part of the triangle on which the point lies.
PxVec3 px_triangle_closest_part(PxVec3 p, PxVec3 a, PxVec3 b, PxVec3 c, int *part);

/// A node of a tree over triangles: the children of a branch follow it.
typedef struct PxTreeNode {
    PxBounds bounds;
    uint32_t first; ///< leaf: first triangle; branch: right child, the left is next in line
    uint32_t count; ///< triangles of a leaf, 0 for a branch
} PxTreeNode;

/// Deepest stack that a search of such a tree needs.
#define PX_TREE_STACK 64

/// How the splitting axis of a node is chosen (Klosowski 1998; 002 section 4.2.1). LONGEST: the
/// axis along which the triangles' centres extend furthest. SUM and LARGER: the axis for which the
/// sum of the volumes of the two children, or the larger of them, is least. The triangles are then
/// split at the median of their centres.
typedef enum PxTreeRule { PX_TREE_LONGEST, PX_TREE_SUM, PX_TREE_LARGER } PxTreeRule;

/// Builds a tree over the `count` triangles in order[], which it sorts as the leaves have them:
/// split at the median of middle[], by number in the mesh. `node` has room for 2 count. Returns the
/// number of nodes.
uint32_t px_tree_build(const PxMesh *mesh, const PxVec3 *middle, uint32_t *order, uint32_t count,
                       PxTreeNode *node);
/// The same by another rule than the longest axis.
uint32_t px_tree_build_by(const PxMesh *mesh, const PxVec3 *middle, uint32_t *order, uint32_t count,
                          PxTreeRule rule, PxTreeNode *node);

#endif
