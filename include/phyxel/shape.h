/// Shapes: what bodies are filled with particles from and what walls are made of.
#ifndef PHYXEL_SHAPE_H
#define PHYXEL_SHAPE_H

#include "phyxel/status.h"
#include "phyxel/vector.h"

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
    PX_SHAPE_FUNNEL,   ///< the shell of a frustum, open at both ends, `thickness` of wall
    PX_SHAPE_MESH,     ///< closed triangle mesh, from a file (OBJ, PLY, STL) or from memory
    PX_SHAPE_KINDS
} PxShapeKind;

/// A shape and where it stands. Start from px_shape_def_default(kind).
/// Points are scaled, then turned, then moved.
typedef struct PxShapeDef {
    PxShapeKind kind;
    PxVec3 size;                   ///< m, box
    double radius;                 ///< m; cone and funnel: at the bottom, inside for the funnel
    double radius_top;             ///< m, cone and funnel; 0 makes a pointed cone
    double height;                 ///< m
    double thickness;              ///< m, funnel wall, measured square to it
    PxVec3 normal;                 ///< plane, any length but 0
    const char *mesh;              ///< path of the mesh file; NULL: the mesh is the next four
    const float (*vertex)[3];      ///< m; all arrays are copied when the shape is used
    const uint32_t (*triangle)[3]; ///< vertices, counter-clockwise seen from outside
    uint32_t vertices, triangles;
    double scale;       ///< > 0
    PxQuat rotation;    ///< need not be of unit length
    PxVec3 at;          ///< m
    double reserved[2]; ///< 0: room for fields to come, since defs contain shapes
} PxShapeDef;

PX_API PxShapeDef px_shape_def_default(PxShapeKind kind);

/// "box", "sphere", ... as scene files say it.
PX_API const char *px_shape_kind_name(PxShapeKind kind);

#ifdef __cplusplus
}
#endif
#endif
