/// Collision of cloth with itself and with other cloth: vertices with triangles, edges with edges.
///
/// A hierarchy of boxes over all triangles (after van den Bergen 1997) holds, in every step, where
/// they are at the start and at the end. A part of a sheet whose normals have a direction in common
/// cannot meet itself (Volino and Magnenat-Thalmann 1994), so flat parts take no time. Each vertex
/// and each edge belongs to one of its triangles, so that every pair of them is tested once
/// (Curtis, Tamstorf and Manocha 2008). A pair touches if it is nearer than the thickness at the
/// start, or comes nearer within the step: the first such moment is found by conservative
/// advancement, in which every part of the way is shorter than the distance that is left (Li et al.
/// 2021).
///
/// Impulses with friction then keep the pairs apart (projected Gauss-Seidel, in a fixed order).
/// What would cross all the same after a few rounds becomes a zone that moves as a rigid body
/// (Provot 1997).
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

/// A vertex and a triangle (1, 2, 3), or two edges (0, 1) and (2, 3), that may touch.
typedef struct PxClothNear {
    uint32_t vertex[4];
    uint32_t cloth[2]; ///< bit 31 of the first: edges
} PxClothNear;

/// What may touch in a step.
typedef struct PxClothSearch {
    PxClothStep *step;
    double *thick; ///< by cloth: distance that is kept, m
    double slack;  ///< by so much more are the boxes larger, m
    PxClothNear *near;
    uint32_t count; ///< of them, in no certain order
    uint32_t most;  ///< room
} PxClothSearch;

/// Finds all pairs of parts whose boxes, with half the thickness and `slack` around them, overlap
/// between x and x + dt w. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_search(PxClothSearch *search);

/// Closest points of a point and a triangle: returns their distance; weight[] are those of the
/// corners.
double px_cloth_point_triangle(PxVec3 p, const PxVec3 t[3], double weight[3]);
/// Closest points of two segments, at the parts s and t of them: returns their distance.
double px_cloth_edge_edge(const PxVec3 a[2], const PxVec3 b[2], double *s, double *t);

#endif
