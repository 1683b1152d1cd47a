/// Places of cloth between its vertices that are nearest to a boundary.
///
/// If the normals of a boundary at the corners of a triangle of cloth differ, the boundary may be
/// higher between them: an edge or a corner of a box. The place with the smallest signed distance
/// is then searched on each edge of the triangle and inside it (Macklin et al. 2020). Only the
/// boundary's distance function is needed.
#ifndef PX_CONTACT_CLOTH_PLACES_H
#define PX_CONTACT_CLOTH_PLACES_H

#include "cloth/cloth.h"
#include "matter/boundary.h"

/// A place on an edge of cloth (two corners, the third weight is 0) or in a triangle.
typedef struct PxClothPlace {
    uint32_t corner[3];
    double weight[3];
    uint32_t cloth;
    double keep;     ///< distance that it keeps from boundaries, m
    double distance; ///< to the boundary, m
    PxVec3 normal;   ///< of the boundary there
} PxClothPlace;

/// Distance of a vertex.
typedef struct PxClothNear {
    double distance; ///< m; INFINITY: far
    PxVec3 normal;
} PxClothNear;

/// What is searched, and what was found.
typedef struct PxClothSearch {
    const PxClothStep *step;
    const PxBoundary *boundary;
    bool yields;     ///< a body that rests on cloth: places at its rim are found more exactly
    const PxVec3 *x; ///< where the vertices are,
    double when;     ///< and the moment of the boundary
    bool before;     ///< both move yet, by w and the travel of the boundary; all near places count
    double reach;    ///< nearer places are found, distances that are kept
    uint8_t *uneven; ///< by face: the boundary is not convex there, so several places are searched;
                     ///< set by a search before the motion. NULL: one place is enough
    PxClothNear *near;
    PxClothPlace *found; ///< in no order
    uint32_t most;
    _Atomic uint32_t count;
    _Atomic uint32_t close; ///< vertices near the boundary
} PxClothSearch;

/// Finds places. Room for `near` is the caller's, one for each vertex; `found` grows in the scratch
/// memory of the step. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_places_find(PxClothSearch *search);

/// The point with these weights of three vertices.
PxVec3 px_cloth_mean(const PxVec3 *x, const uint32_t corner[3], const double weight[3]);

/// Replaces the normal of a boundary at a place of cloth, whose vertices are at x[], by that of the
/// contact, and the distance by the gap along it. At the nearest place of an edge or triangle the
/// distance does not change along it, so the contact's normal is at right angles to it. Where an
/// edge or corner of the boundary has come through the cloth, the boundary's own normal is that of
/// one of its faces, and the other faces would cut cloth that slides along it.
void px_cloth_square(const double weight[3], const PxVec3 x[3], PxVec3 *normal, double *distance);

/// Gap at the start of a step, along the normal *normal, of a place at `from` that moves by `way`
/// relative to a boundary: both are those of the first point of the way that is near, or of its
/// end. `x` is where the vertices are at the end.
double px_cloth_gap(const PxBoundary *boundary, const PxClothPlace *place, const PxVec3 x[3],
                    PxVec3 from, PxVec3 way, PxVec3 *normal);

#endif
