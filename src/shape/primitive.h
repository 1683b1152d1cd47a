/// Analytic shapes, centred at the origin of their own frame: exact signed distance, bounds,
/// volume, area.
#ifndef PX_SHAPE_PRIMITIVE_H
#define PX_SHAPE_PRIMITIVE_H

#include "base/vec.h"
#include "phyxel/shape.h"

/// Half the cross section of a solid of revolution about y: a convex polyline with
/// the outside on its right. An open one starts and ends on the axis.
typedef struct PxProfile {
    int corners; ///< 3 or 4
    bool closed; ///< the last corner connects to the first
    double r[4], y[4];
} PxProfile;

static inline int px_profile_pieces(const PxProfile *profile)
{
    return profile->closed ? profile->corners : profile->corners - 1;
}

/// Lengths in m, scale applied.
typedef struct PxPrimitive {
    PxShapeKind kind;
    PxVec3 half; ///< box
    double radius, height;
    double thickness;
    PxVec3 normal;     ///< plane, unit
    PxProfile profile; ///< cylinder, cone, funnel
} PxPrimitive;

/// From a checked def of any kind but mesh.
PxPrimitive px_primitive(const PxShapeDef *def);

/// Signed distance, negative inside; *normal (may be NULL) is its gradient,
/// pointing outwards.
double px_primitive_distance(const PxPrimitive *primitive, PxVec3 point, PxVec3 *normal);

/// Tight bounds after rotation by the unit quaternion `turn` and translation by `at`.
PxBounds px_primitive_bounds(const PxPrimitive *primitive, PxQuat turn, PxVec3 at);

double px_primitive_volume(const PxPrimitive *primitive);
double px_primitive_area(const PxPrimitive *primitive);
/// See px_shape_thickness(); for a cone the mean of its two diameters.
double px_primitive_thickness(const PxPrimitive *primitive);

#endif
