/// Which triangles of cloth are near a box, a point or its way: boxes over the hierarchy of
/// triangles that cloth has for its own collisions (cloth/collide.h).
///
/// The boxes are floats, rounded outward, and fitted anew in every step; the hierarchy stays. Only
/// branches and the nodes above them have one (PxClothUpper): the box of a triangle is found where
/// it is needed.
#ifndef PX_CONTACT_SHEET_TREE_H
#define PX_CONTACT_SHEET_TREE_H

#include "base/arena.h"
#include "cloth/cloth.h"

#include <string.h>

typedef struct PxSheetBox {
    float low[4], high[4]; ///< x, y, z and 0, so that one comparison is of four floats
} PxSheetBox;

/// Do two boxes meet?
static inline bool px_sheet_boxes_meet(const PxSheetBox *a, const PxSheetBox *b)
{
    typedef float Four __attribute__((vector_size(16)));
    typedef long long Two __attribute__((vector_size(16)));
    Four al, ah, bl, bh;
    memcpy(&al, a->low, sizeof al);
    memcpy(&ah, a->high, sizeof ah);
    memcpy(&bl, b->low, sizeof bl);
    memcpy(&bh, b->high, sizeof bh);
    Two meet = (Two)((al <= bh) & (ah >= bl));
    return (meet[0] & meet[1]) == -1;
}

/// Sets *to, which may be one of them, to the box around two.
static inline void px_sheet_box_join(PxSheetBox *to, const PxSheetBox *a, const PxSheetBox *b)
{
    for (int k = 0; k < 4; ++k) {
        to->low[k] = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
        to->high[k] = a->high[k] > b->high[k] ? a->high[k] : b->high[k];
    }
}

typedef struct PxSheetTree {
    const PxClothSystem *system;
    const PxVec3 *x, *to; ///< vertices at the start of the step, and at its end if `move` is known
    PxSheetBox *box;      ///< by PxClothUpper: of its triangles at the start
    PxSheetBox *move;     ///< the same: of the displacements of their corners; NULL: not known yet
} PxSheetTree;

/// Fits the boxes to the positions x of the vertices. Errors of both: PX_ERR_MEMORY.
PxStatus px_sheet_tree_fit(PxSheetTree *tree, const PxClothSystem *system, const PxVec3 *x,
                           PxArena *scratch, const PxThreads *threads);

/// Fits `move` to the displacements to - x.
PxStatus px_sheet_tree_move(PxSheetTree *tree, const PxVec3 *to, PxArena *scratch,
                            const PxThreads *threads);

/// A box that contains the places a and b and all that is nearer to them than `reach`.
PxSheetBox px_sheet_box(PxVec3 a, PxVec3 b, double reach);

/// A walk over the triangles whose boxes meet a box: `at` is 0 at first.
typedef struct PxSheetWalk {
    PxSheetBox box;
    uint32_t at;          ///< PxClothUpper
    uint32_t node, until; ///< in the branch that it is in, and the end of that
} PxSheetWalk;

/// The next triangle, in an order that depends on the topology alone; UINT32_MAX: there are no
/// more.
uint32_t px_sheet_next(const PxSheetTree *tree, PxSheetWalk *walk);

/// As px_sheet_next(), by branches: the number of the next one that the box meets.
uint32_t px_sheet_next_branch(const PxSheetTree *tree, PxSheetWalk *walk);

/// A walk over the triangles that points may come nearer to than `keep` on straight ways, while
/// they make theirs: those whose distance at the start is at most the largest relative
/// displacement and `keep`.
typedef struct PxSheetSweep {
    PxSheetBox place, way;
    float keep;               ///< with the rounding of the place
    uint32_t at, node, until; ///< as in PxSheetWalk
} PxSheetSweep;

PxSheetSweep px_sheet_sweep(PxVec3 from, PxVec3 to, double keep);
/// Both points, with the larger `keep`.
PxSheetSweep px_sheet_sweep_both(const PxSheetSweep *a, const PxSheetSweep *b);

/// As px_sheet_next(), after px_sheet_tree_move().
uint32_t px_sheet_next_met(const PxSheetTree *tree, PxSheetSweep *sweep);

/// The corner opposite of edge k (from corner k to the next) in the triangle beyond that edge;
/// UINT32_MAX: the edge is a border.
static inline uint32_t px_sheet_across(const PxClothSystem *y, uint32_t face, int k)
{
    const PxClothEdge *e = &y->edges_of[y->face[face].edge[k]];
    int other = e->face[0] == face;
    uint32_t to = e->face[other];
    return to == UINT32_MAX ? to : y->face[to].corner[(e->side[other] + 2) % 3];
}

#endif
