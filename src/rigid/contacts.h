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
    PxMat3 own;                 ///< from the frame of the shape to the rest frame
    PxVec3 middle;              ///< of a ball that holds it, in the world
    double radius;              ///< of that ball; INFINITY for a plane or a container
    double size;                ///< length of its details: smallest extent, m
    double when;                ///< moment of the step; matters for walls with poses
} PxCollider;

/// A point where two bodies touch or may touch.
typedef struct PxTouch {
    uint32_t feature; ///< key of the feature and of its part; odd if it is the second's
    PxVec3 at;        ///< in the world, on the feature, m
    PxVec3 normal;    ///< from the second body to the first, unit
    double distance;  ///< m; negative: overlap
    bool corner;      ///< its feature is a point
    PxVec3 anchor[2]; ///< points of the first and the second body, in the world, whose motion along
                      ///< the normal changes the distance: of balls the centre, of rims that roll
                      ///< their middle, else the point itself
} PxTouch;

enum { PX_MOST_TOUCHES = 64 };

/// How far two bodies may approach each other.
typedef struct PxReach {
    PxVec3 move; ///< of the first relative to the second, m
    double more; ///< in any direction besides, m
} PxReach;

/// Finds points nearer than the bodies reach, sorted by feature; returns their number. `first` is a
/// rigid body.
uint32_t px_contacts_find(const PxCollider *first, const PxCollider *second, const PxReach *reach,
                          PxTouch out[PX_MOST_TOUCHES]);

/// Is the distance to this body a convex function? Then a point at the distance d with the normal n
/// that moves by m is at least d + n m away.
bool px_contacts_convex(const PxCollider *body);

/// Extent of the overlap of two bodies around a point where they touch, m; *at becomes its middle.
double px_contacts_depth(const PxCollider *first, const PxCollider *second, PxVec3 *at);

/// Lower bound of the distance of two bodies, m, from the balls that hold them.
double px_contacts_clearance(const PxCollider *first, const PxCollider *second);

#endif
