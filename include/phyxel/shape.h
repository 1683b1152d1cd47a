/// Shapes of bodies, walls and regions.
#ifndef PHYXEL_SHAPE_H
#define PHYXEL_SHAPE_H

#include "phyxel/status.h"
#include "phyxel/vector.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PxShapeKind {
    PX_SHAPE_BOX,      ///< size = full edge lengths, centre at the origin
    PX_SHAPE_SPHERE,   ///< radius
    PX_SHAPE_CYLINDER, ///< radius, height along y, centre at the origin
    PX_SHAPE_CAPSULE,  ///< radius, height of the straight part along y
    PX_SHAPE_PLANE,    ///< the half space below the plane through the origin with `normal`
    PX_SHAPE_CONE,     ///< a solid frustum: radius (bottom), radius_top, height along y
    PX_SHAPE_FUNNEL,   ///< the shell of a frustum, open at both ends, of wall thickness `thickness`
    PX_SHAPE_MESH,     ///< closed triangle mesh, from a file (OBJ, PLY, STL) or from memory
    PX_SHAPE_KINDS,    ///< number of the kinds above, which have a volume
    PX_SHAPE_SHEET,    ///< cloth only: a rectangle of size.x by size.z in the plane y = 0
    PX_SHAPE_PARTICLES ///< scenes only: particles at the points of the file `mesh` (PLY or CSV)
} PxShapeKind;

/// How a mesh moves between two poses.
typedef enum PxPosesBetween {
    PX_POSES_LINEAR, ///< on a straight line with constant velocity
    PX_POSES_SMOOTH  ///< on a smooth curve through all poses (Catmull and Rom)
} PxPosesBetween;

/// A shape with its scale, rotation and position, which are applied in this order. Start from
/// px_shape_def_default(kind).
typedef struct PxShapeDef {
    PxShapeKind kind;
    PxVec3 size;              ///< m, box
    double radius;            ///< m; cone and funnel: at the bottom; funnel: the inner radius
    double radius_top;        ///< m, cone and funnel; 0: a cone with a tip
    double height;            ///< m
    double thickness;         ///< m, of the funnel's wall, along its normal
    PxVec3 normal;            ///< plane, of any length except 0
    const char *mesh;         ///< path of the mesh file; NULL: the mesh is in the next four members
    const float (*vertex)[3]; ///< m; all arrays are copied when the shape is used
    const uint32_t (*triangle)[3]; ///< vertices, counter-clockwise seen from outside
    uint32_t vertices, triangles;
    double scale;      ///< > 0
    PxQuat rotation;   ///< need not be of unit length
    PxVec3 at;         ///< m
    const char *poses; ///< mesh of a wall: file of its poses (PC2), or numbered mesh files, a '#'
                       ///< for each digit; the mesh gives the triangles; NULL: it is rigid
    double pose_fps;   ///< frames per second of the poses, > 0
    double pose_start; ///< time of the first pose, s
    bool pose_loop;    ///< after the last pose follows the first; else it stays in the last
    int pose_between;  ///< PxPosesBetween
    double columns, rows; ///< sheet: cells along x and z; 0: square cells, 40 along the longer side
    const char *part;     ///< object or group of an OBJ file that is the mesh; NULL: all of it
} PxShapeDef;

PX_API PxShapeDef px_shape_def_default(PxShapeKind kind);

/// "box", "sphere", ... as in scene files.
PX_API const char *px_shape_kind_name(PxShapeKind kind);

#ifdef __cplusplus
}
#endif
#endif
