/// Tangent frame of a surfel that has none yet.
#ifndef PX_SURFACE_TANGENTS_H
#define PX_SURFACE_TANGENTS_H

#include "base/vec.h"

#include <math.h>

/// Two orthonormal tangents of the unit vector n: t[0] x t[1] = n.
static inline void px_tangents(PxVec3 n, PxVec3 t[2])
{
    PxVec3 aside = fabs(n.x) < 0.6 ? px_vec(1, 0, 0) : px_vec(0, 0, 1);
    t[0] = px_normalized(px_cross(n, aside), px_vec(1, 0, 0));
    t[1] = px_cross(n, t[0]);
}

#endif
