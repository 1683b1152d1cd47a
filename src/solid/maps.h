/// The deformation of solids for skins and coats: rest position and affine map of each particle.
///
/// Particle j maps a point m of the rest shape to origin + x_j + J_j (m - m_j). Points between
/// particles blend the maps of their neighbours (000 Eq. 5.28).
#ifndef PX_SOLID_MAPS_H
#define PX_SOLID_MAPS_H

#include "phyxel/vector.h"

#include <stdint.h>

/// Valid until the world next changes. Particles are ordered by id, so that indices remain valid
/// while `version` is the same.
typedef struct PxSolidMaps {
    uint32_t count;
    const float *rest;         ///< 4 a particle: m_j, m, and its support, m
    const float *affine;       ///< 12 a particle: J_j by rows, then x_j relative to `origin`, m
    const float *velocity;     ///< 3 a particle, m/s; NULL: 0
    const uint32_t *body;      ///< slot of its body
    const uint32_t *piece;     ///< number of its component among those of its body, from 0 on
    const float *cell;         ///< edge of its cell in the rest shape, m
    PxVec3 origin;             ///< of the x_j, m
    const PxVec3 *rest_origin; ///< by body: origin of its m_j; NULL: the world's origin.
                               ///< rest_origin + m_j is the particle's position when the rest shape
                               ///< was created or last updated
    uint64_t version;          ///< changes with the set of particles and with the rest shape
} PxSolidMaps;

#endif
