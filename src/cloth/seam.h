/// Seams: borders of cloth that are sewn together.
///
/// A seam joins stretches of the borders of two pieces of cloth, or of one. Both are divided by
/// arc length at rest: the point at a part q of one stretch is sewn to the point at the part q of
/// the other. Ties are at the vertices of the stretch with more edges, so borders with different
/// numbers of vertices fit. A tie is a spring between two points of edges,
///     f = -k (|d| - L) d / |d|  for |d| > L,
/// d the vector between them; its length L falls from the gap at the start to 0 while the seam
/// closes, and stays 0 after that. It is part of the solve of a step (cloth/contact.h).
#ifndef PX_CLOTH_SEAM_H
#define PX_CLOTH_SEAM_H

#include "cloth/contact.h"
#include "shape/shape.h"

/// One end of a tie: a point of an edge of a triangle, from its corner `side` to the next one.
/// Triangles keep their numbers when cloth tears.
typedef struct PxClothTieEnd {
    uint32_t face, side;
    double part; ///< of the edge, 0 .. 1
} PxClothTieEnd;

typedef struct PxClothTie {
    PxClothTieEnd end[2];
    double width;    ///< length of the seam that it holds, m
    double length;   ///< gap when sewing began, m; negative: it has not begun
    uint32_t ripped; ///< 1: it holds no more
} PxClothTie;

/// What is to be sewn; both sheets may be the same.
typedef struct PxClothSeamWish {
    const PxClothSheet *sheet[2];
    const PxVec3 *x[2];    ///< places of their vertices, m
    const char *name[2];   ///< for messages
    const PxShape *region; ///< only borders inside it count; NULL: all
    double within;         ///< only borders that near to the other sheet's count, m; 0: all
} PxClothSeamWish;

typedef struct PxClothSeam {
    PxClothTie *tie; ///< of malloc()
    size_t ties;
    uint32_t stretches; ///< pairs that were sewn
    uint32_t left[2];   ///< stretches that found no partner
    double length[2];   ///< of the sewn stretches at rest, m
    double gap;         ///< largest, m
    PxVec3 gap_at;      ///< where, on the first side
} PxClothSeam;

/// Finds the ties. Errors: PX_ERR_ARGUMENT if there is nothing to sew, PX_ERR_MEMORY.
PxStatus px_cloth_seam_make(const PxClothSeamWish *wish, PxClothSeam *out);
void px_cloth_seam_free(PxClothSeam *seam);

/// Part of the gap at the start that is left after the part `done` of the time of sewing: smooth,
/// without a jerk at both ends.
double px_cloth_seam_left(double done);

/// Sets the contact of a tie between two pieces whose first vertices and triangles are those;
/// `length` is the wanted gap at the end of the step.
void px_cloth_seam_contact(const PxClothStep *step, const PxClothTie *tie,
                           const uint32_t first_face[2], double length, PxClothContact *out);

/// Pairs of vertices that seams join, as lists by vertex. `pair` is sorted and lists each pair in
/// both orders. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_seam_lists(PxClothStep *step, uint32_t (*pair)[2], size_t pairs);

#endif
