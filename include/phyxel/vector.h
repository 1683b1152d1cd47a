/// Vectors, rotations and boxes of the interface: double precision, SI units.
#ifndef PHYXEL_VECTOR_H
#define PHYXEL_VECTOR_H

typedef struct PxVec3 {
    double x, y, z;
} PxVec3;

/// A rotation as a unit quaternion; {0, 0, 0, 1} is the identity.
typedef struct PxQuat {
    double x, y, z, w;
} PxQuat;

/// Axis-aligned box; empty when low > high in some axis.
typedef struct PxBounds {
    PxVec3 low, high;
} PxBounds;

#endif
