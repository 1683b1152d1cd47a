/// Collision of cloth with itself and with other cloth: vertices with triangles, edges with edges.
///
/// A hierarchy of boxes over all triangles (after van den Bergen 1997) holds, in every step, where
/// they are at the start and at the end. Each vertex and each edge belongs to one of its triangles,
/// so that every pair of them is tested once (Curtis, Tamstorf and Manocha 2008). A pair touches if
/// it is nearer than the thickness at the start, or comes nearer within the step: the first such
/// moment is found by conservative advancement, in which every part of the way is shorter than the
/// distance that is left (Li et al. 2021).
///
/// Impulses with friction then keep the pairs apart (projected Gauss-Seidel, in a fixed order).
/// What would cross all the same after a few rounds becomes a zone that moves as one (after Provot
/// 1997, without its rotation).
#ifndef PX_CLOTH_COLLIDE_H
#define PX_CLOTH_COLLIDE_H

#include "cloth/cloth.h"

typedef struct PxClothCollision {
    uint64_t touching; ///< pairs that carried a load
    uint64_t zones;    ///< vertices whose velocity became that of a zone
    uint64_t crossed;  ///< pairs that cross in spite of it
} PxClothCollision;

/// Changes the velocities step->w such that nothing crosses between x and x + dt w. Vertices that
/// are held are not moved. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_collide(PxClothStep *step, PxClothCollision *out);

/// Builds the hierarchy of a system whose vertices are at `x`. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_tree_build(PxClothSystem *system, const PxVec3 *x);

/// Closest points of a point and a triangle: returns their distance; weight[] are those of the
/// corners.
double px_cloth_point_triangle(PxVec3 p, const PxVec3 t[3], double weight[3]);
/// Closest points of two segments, at the parts s and t of them: returns their distance.
double px_cloth_edge_edge(const PxVec3 a[2], const PxVec3 b[2], double *s, double *t);

#endif
