/// Finds what is under the mouse: particles, rigid bodies and walls along a ray.
#ifndef VIEWER_PICK_H
#define VIEWER_PICK_H

#include "shot.h"

typedef struct Pick {
    PxVec3 at;         ///< where the ray meets it
    double distance;   ///< from the eye, m
    bool particle;     ///< a particle; else a wall or rigid body
    uint32_t index;    ///< of the particle, or of the display's body
    uint32_t material; ///< of the particle
} Pick;

/// The nearest thing along a ray of unit length; containers are seen through from outside. False if
/// there is none.
bool pick(const PxDisplay *display, const Shot *shot, PxVec3 eye, PxVec3 ray, Pick *out);

#endif
