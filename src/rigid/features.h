/// Features of a shape's surface with which it touches others: corners, convex edges and rims.
///
/// Contacts are found by testing the features of one body against the distance field of the other,
/// and the other way round. Flat faces need no features: what touches a face is a corner, an edge
/// or a rim of the other body. Features have a radius, so a sphere is one point and a capsule one
/// edge.
///
/// All places are in the frame in which the shape was defined (its rest frame).
#ifndef PX_RIGID_FEATURES_H
#define PX_RIGID_FEATURES_H

#include "phyxel/status.h"
#include "shape/shape.h"

#include <stdint.h>

typedef enum PxFeatureKind { PX_FEATURE_POINT, PX_FEATURE_EDGE, PX_FEATURE_RIM } PxFeatureKind;

typedef struct PxFeature {
    PxFeatureKind kind;
    double round;    ///< radius of its rounding, m
    PxVec3 a;        ///< point; one end of the edge; centre of the rim
    PxVec3 b;        ///< other end of the edge; unit axis of the rim
    PxVec3 side;     ///< rim: unit vector normal to the axis
    double ring;     ///< rim: its radius, m
    uint32_t end[2]; ///< edge: which features its ends are, if both are points of the same rounding
} PxFeature;

#define PX_NO_FEATURE UINT32_MAX

/// A ball around features that are near each other, with their roundings. A block of more than
/// PX_FEATURE_BLOCK has two others, which follow it.
enum { PX_FEATURE_BLOCK = 16 };
typedef struct PxFeatureBlock {
    PxVec3 middle;
    double radius;
    uint32_t begin, end; ///< in PxFeatures.order
    uint32_t next;       ///< the block after it and those in it
} PxFeatureBlock;

typedef struct PxFeatures {
    PxFeature *feature;
    uint32_t count;
    double longest;        ///< length of the longest edge, m
    PxFeatureBlock *block; ///< of all features, those of points first
    uint32_t blocks;
    uint32_t *order;  ///< the features, by block
    uint32_t holders; ///< references besides the first owner's
} PxFeatures;

/// None for a plane, for the inside of a container that is no mesh, and for a mesh with poses,
/// whose vertices are found by its tree. Errors: PX_ERR_MEMORY.
PxStatus px_features_create(const PxShape *shape, bool inside, PxFeatures **out);
/// Drops one reference; NULL is fine.
void px_features_free(PxFeatures *features);
/// Adds a reference. NULL is fine. Threads: one at a time.
void px_features_hold(PxFeatures *features);

#endif
