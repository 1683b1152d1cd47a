/// How solids are deformed, as those see it who move something along: where particles are in
/// the rest shape, and the affine map around each of them.
///
/// A point m of the rest shape is taken by particle j to origin + x_j + J_j (m - m_j). What
/// lies between particles blends their maps (000 Eq. 5.28).
#ifndef PX_SOLID_MAPS_H
#define PX_SOLID_MAPS_H

#include "phyxel/vector.h"

#include <stdint.h>

/// Good until the world is next changed. Particles come in the order of their ids, so that
/// whoever remembers one by its number need not look again until `version` is another one.
typedef struct PxSolidMaps {
    uint32_t count;
    const float *rest;         ///< 4 a particle: m_j, m, and the radius of its support, m
    const float *affine;       ///< 12 a particle: J_j row by row, then x_j, m, from `origin`
    const float *velocity;     ///< 3 a particle, m/s; NULL: 0
    const uint32_t *body;      ///< slot of the body it belongs to
    PxVec3 origin;             ///< what x_j are counted from, m
    const PxVec3 *rest_origin; ///< by body: what m_j are counted from; NULL: the world's origin.
                               ///< rest_origin + m_j is where a particle was when the rest shape
                               ///< was taken: at the start, or when it last absorbed
    uint64_t version;          ///< another one whenever particles or the rest shape changed
} PxSolidMaps;

#endif
