/// The visit of the hierarchy of hulls in a search (cloth/collide.h), 8 directions at a time.
///
/// Along each direction a hull has the least and the largest place of its vertices at the start and
/// at the end of their ways (a k-DOP, Klosowski et al. 1998, at two moments). Vertices move
/// straight. Hence two hulls that are apart along a direction on the same side at both moments are
/// apart in between. This is tighter than a box around start and end where cloth moves by more than
/// the size of its triangles.
#ifndef PX_CLOTH_COLLIDE_VISIT_H
#define PX_CLOTH_COLLIDE_VISIT_H

#include "base/simd.h"
#include "cloth/collide.h"

#include <stdatomic.h>

/// Two nodes; the same one twice: all pairs within it.
typedef struct PxClothTask {
    uint32_t a, b;
} PxClothTask;

typedef struct PxClothVisit {
    PxClothSearch *out;
    const PxClothStep *s;
    const PxClothSystem *y;
    bool known;      ///< there are hulls and masks of a search before
    PxVec3 origin;   ///< to which places are relative, so that floats resolve them
    double largest;  ///< place, m
    double rounding; ///< by which places in floats may be wrong, m
    float *place;    ///< 16 by vertex: its places along the directions at the start, and at the end
    float *hull;     ///< 32 by node: least and largest at the start, the same at the end, with half
                     ///< the thickness, at the end with half the slack too
    uint32_t *mask;  ///< by node: directions, of 26, that all its normals have in common
    uint32_t *around; ///< by vertex: the same of its triangles
    uint8_t *fresh;   ///< by node: a vertex in it is fresh
    PxClothTask *task;
    uint32_t tasks, most;
    _Atomic uint32_t found, cuts;
} PxClothVisit;

/// Block functions; `user` is a PxClothVisit.
/// Places of fresh vertices.
PX_ISA_DECLARE(void, px_cloth_visit_places, (void *user, uint32_t begin, uint32_t end, int thread));
/// Hulls and masks of faces with fresh vertices.
PX_ISA_DECLARE(void, px_cloth_visit_faces, (void *user, uint32_t begin, uint32_t end, int thread));
/// Pairs of tasks.
PX_ISA_DECLARE(void, px_cloth_visit_tasks, (void *user, uint32_t begin, uint32_t end, int thread));
/// Joins the hulls of the children of a node.
PX_ISA_DECLARE(void, px_cloth_visit_join, (const PxClothVisit *visit, uint32_t node));
/// Lists the tasks; more than `most` are only counted.
PX_ISA_DECLARE(void, px_cloth_visit_divide, (PxClothVisit * visit));

/// Adds a vertex of f and the triangle g, or edges of both, if they may touch (collide_search.c).
void px_cloth_visit_add(PxClothVisit *visit, const uint32_t vertex[4], bool edges, uint32_t f,
                        uint32_t g);
/// Adds the own edges of f that cross g at the start (collide_search.c).
void px_cloth_visit_cut(PxClothVisit *visit, uint32_t f, uint32_t g);

#endif
