/// Contacts between two bodies: features of each against the distance field of the other.
#ifndef PX_RIGID_CONTACTS_H
#define PX_RIGID_CONTACTS_H

#include "rigid/rigid.h"

/// A body in its pose.
typedef struct PxCollider {
    const PxWall *wall;         ///< its shape and side
    const PxFeatures *features; ///< may be NULL
    PxVec3 pivot, place;        ///< the point `pivot` of the rest frame is at `place`
    PxMat3 turn;                ///< from the rest frame
    PxVec3 middle;              ///< of a ball that holds it, in the world
    double radius;              ///< of that ball; INFINITY for a plane or a container
    double size;                ///< length of its details: smallest extent, m
} PxCollider;

/// A point where two bodies touch or may touch.
typedef struct PxTouch {
    uint32_t feature; ///< key of the feature and of its part; odd if it is the second's
    PxVec3 at;        ///< in the world, on the feature, m
    PxVec3 normal;    ///< from the second body to the first, unit
    double distance;  ///< m; negative: overlap
    double round[2];  ///< rounding of the first and of the second: the point lies so far from the
                      ///< middle of the rounding, along the normal
} PxTouch;

enum { PX_MOST_TOUCHES = 64 };

/// Finds points nearer than `margin`, sorted by feature; returns their number. `first` is a rigid
/// body.
uint32_t px_contacts_find(const PxCollider *first, const PxCollider *second, double margin,
                          PxTouch out[PX_MOST_TOUCHES]);

/// Extent of the overlap of two bodies around a point where they touch, m; *at becomes its middle.
double px_contacts_depth(const PxCollider *first, const PxCollider *second, PxVec3 *at);

/// Lower bound of the distance of two bodies, m, from the balls that hold them.
double px_contacts_clearance(const PxCollider *first, const PxCollider *second);

#endif
