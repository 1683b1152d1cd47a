/// Collision of cloth with itself and with other cloth: vertices with triangles, edges with edges.
///
/// A hierarchy of hulls over all triangles (after van den Bergen 1997; cloth/collide_visit.h)
/// holds, in every step, where they are at the start and at the end. A part of a sheet whose
/// normals have a direction in common cannot meet itself (Volino and Magnenat-Thalmann 1994), so
/// flat parts take no time. Each vertex and each edge belongs to one of its triangles, so that
/// every pair of them is tested once (Curtis, Tamstorf and Manocha 2008).
///
/// What comes nearer than the thickness within a step becomes a contact of the solve
/// (cloth/contact.h). The moment is found by conservative advancement, in which every part of the
/// way is shorter than the distance that is left (Li et al. 2021). Three further measures keep
/// cloth from crossing:
/// - Pairs that would lose nearly all of their distance in spite of their contacts are tied
///   together: within the solve, their relative velocity is removed.
/// - What would cross in spite of ties moves as a rigid body (cloth/zones.h), unless handles hold
///   cloth.
/// - If pairs would cross in spite of that, the displacements of their pieces, and of those that
///   touch them, are cut to the part that is free of crossings (Li et al. 2020, section 4.4), and
///   the changes of their velocities by the same part. Kinetic energy is convex in that part, and
///   elastic energy is to first order, so neither exceeds its larger value at the two ends.
/// Hence cloth that does not cross at the start of a step does not cross at its end.
///
/// What starts crossed is drawn apart along the gradient of the length of the curve in which it
/// intersects (Volino and Magnenat-Thalmann 2006); there, contact rests until it is free.
#ifndef PX_CLOTH_COLLIDE_H
#define PX_CLOTH_COLLIDE_H

#include "cloth/contact.h"

/// A vertex and a triangle (1, 2, 3), or two edges (0, 1) and (2, 3), that may touch.
typedef struct PxClothNear {
    uint32_t vertex[4];
    uint32_t cloth[2]; ///< bit 31 of the first: edges
    double distance;   ///< at the start, m
    float reach;       ///< by which they approach at most on the ways of the search, m
    bool touches;      ///< it is a contact already
} PxClothNear;

/// An edge that crosses a triangle at the start.
typedef struct PxClothCut {
    uint32_t edge[2], of; ///< and the triangle whose edge it is
    uint32_t face;
    double part;      ///< of the edge
    double weight[3]; ///< of the corners
} PxClothCut;

/// What may touch in a step.
typedef struct PxClothSearch {
    PxClothStep *step;
    const PxVec3 *way;          ///< by vertex: displacement in the step, m
    double *thick;              ///< by cloth: distance that is kept, m
    bool first;                 ///< the first search at these places: what is crossed is wanted too
    uint8_t *fresh;             ///< by vertex: its way is another than that of the last search
    double slack;               ///< by so much more are the hulls larger, m
    struct PxClothVisit *visit; ///< hulls of the last search
    PxClothNear *near;
    uint32_t count; ///< of them, in no certain order
    uint32_t most;  ///< room
    PxClothCut *cut;
    uint32_t cuts, most_cuts; ///< the same
} PxClothSearch;

/// Finds all pairs that come nearer than the thickness between x and x + way, or would do so on
/// ways that differ by up to half the slack. The first search finds what is crossed at x too; the
/// next ones look only for pairs with fresh vertices. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_search(PxClothSearch *search);

/// Distance of a vertex and a triangle or of two edges at x[], the weights of their closest points,
/// 0 in sum, and the vector between these.
double px_cloth_pair_distance(bool edges, const PxVec3 x[4], double weight[4], PxVec3 *apart);
/// No two points of a pair whose vertices move by way[] approach by more than this, m.
double px_cloth_pair_reach(bool edges, const PxVec3 way[4]);

/// Collision within one step.
typedef struct PxClothCollision {
    PxClothStep *step;
    bool any; ///< some cloth collides
    PxClothSearch search;
    PxVec3 *way;      ///< of the present test
    PxVec3 *seen;     ///< that of the search
    float *off;       ///< by vertex: how far the ends of the two are apart, m
    uint8_t *tangled; ///< by vertex: it belongs to something that is crossed
    double *stiff;    ///< by cloth: of contacts, N/m
    double *loaded;   ///< the same of the bodies that press on its pile
    struct PxClothFound *found;
    uint32_t most;
    int tied;           ///< rounds of ties in this step
    uint64_t crossed;   ///< edges that cross a triangle at the start
    double *part;       ///< by piece: of the way that is free; NULL: all of it
    uint32_t crossings; ///< pairs of pieces that cross each other
} PxClothCollision;

/// Searches along x + dt w, adds contacts that draw apart what is crossed and those of what comes
/// near on that way, and ends the past of their vertices. Before the step is assembled.
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_collide_begin(PxClothCollision *c, PxClothStep *step);
/// Adds contacts for what comes near on the way from x to x + dt w; *found is their number.
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_collide_find(PxClothCollision *c, uint32_t *found);
/// Ties what would cross on that way; *found is the number of pairs. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_collide_tie(PxClothCollision *c, uint32_t *found);
/// Finds what would cross on that way; *found is the number of pairs. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_collide_crossing(PxClothCollision *c, uint32_t *found);
/// Joins the vertices of each of the pairs that were found last, in `up` (base/union_find.h).
void px_cloth_collide_join(const PxClothCollision *c, uint32_t found, uint32_t *up);
/// What was moved from `safe` to `at`, and would now cross something, goes back: the vertices of
/// such pairs, until none is left. *back is their number. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_collide_back(PxClothCollision *c, PxVec3 *at, const PxVec3 *safe, uint32_t *back);
/// Sets c->part of the straight ways from x to `at` that are free of crossings.
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_collide_stop(PxClothCollision *c, const PxVec3 *at);

/// Finds the edges of colliding cloth that cross triangles of colliding cloth at the places
/// step->x, sorted; *cut is in scratch. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_cuts(PxClothStep *step, PxClothCut **cut, uint32_t *cuts);

/// Builds the hierarchy of a system whose vertices are at `x`. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_tree_build(PxClothSystem *system, const PxVec3 *x);

/// Closest points of a point and a triangle: returns their distance; weight[] are those of the
/// corners.
double px_cloth_point_triangle(PxVec3 p, const PxVec3 t[3], double weight[3]);
/// Closest points of two segments, at the parts s and t of them: returns their distance.
double px_cloth_edge_edge(const PxVec3 a[2], const PxVec3 b[2], double *s, double *t);

#endif
