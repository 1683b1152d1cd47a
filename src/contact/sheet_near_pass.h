/// Vector loops of sheet_near.c and sheets.c: a particle against the triangles of a branch.
#ifndef PX_CONTACT_SHEET_NEAR_PASS_H
#define PX_CONTACT_SHEET_NEAR_PASS_H

#include "base/simd.h"

/// Up to 8 triangles that are neighbours in the hierarchy (contact/sheet_tree.h), at the start of a
/// step; lanes without one are NaN. Places are floats from `at`.
typedef struct PxSheetBranch {
    double at[3];
    uint32_t face[8]; ///< UINT32_MAX: none
    float a[3][8];    ///< first corner
    float ab[3][8], ac[3][8];
    float normal[3][8];        ///< of unit length; 0: no area
    float beyond[3][3][8];     ///< by edge (ab, bc, ca): corner of the triangle beyond it, from
                               ///< a; NaN: border
    float bb[8], bc[8], cc[8]; ///< products of ab and ac
    float turn[8];             ///< over their determinant; NaN: no area, nothing is inside
    float over[3][8];          ///< over the squares of the edges; 0: no length
    float mean[3];             ///< unit normal; 0: none
    float low, high;           ///< components of all corners along it, from `at`
} PxSheetBranch;

/// A particle and a branch.
typedef struct PxSheetLanes {
    float at[3];        ///< the particle
    unsigned near;      ///< bits of the triangles in reach
    unsigned least;     ///< bits: no triangle beyond an edge is nearer
    float square[8];    ///< of the distance, m^2
    float apart[3][8];  ///< from the nearest point to the particle, m
    float weight[3][8]; ///< barycentric, of the nearest point; exactly 0 if it is on an edge
} PxSheetLanes;

/// Boxes of branches. The fourth side is the branch's mean normal.
#define PX_SHEET_NEAR 512
typedef struct PxSheetEight {
    uint32_t branch[8];
    float low[4][8], high[4][8], normal[3][8];
} PxSheetEight;
typedef struct PxSheetBoxes {
    uint32_t count; ///< padded to 8 with NaN
    PxSheetEight eight[PX_SHEET_NEAR / 8];
} PxSheetBoxes;

/// Sets the rest of a branch from a, b and c of its triangles: out->ab and out->ac are their
/// second and third corners before.
PX_ISA_DECLARE(void, px_sheet_branch_end, (PxSheetBranch * out));

/// Takes the boxes over that meet the box [low, high], whose sides are along the axes.
PX_ISA_DECLARE(void, px_sheet_meets,
               (const PxSheetBoxes *from, const float low[3], const float high[3],
                PxSheetBoxes *to));

/// Lists the branches whose boxes a place is nearer to than the root of `square`. Returns their
/// number.
PX_ISA_DECLARE(uint32_t, px_sheet_reaches,
               (const PxSheetBoxes *boxes, const float at[3], float square,
                uint32_t out[PX_SHEET_NEAR]));

/// Distances of the particle at out->at to the triangles of a branch. `square`: of the reach.
PX_ISA_DECLARE(void, px_sheet_measure,
               (const PxSheetBranch *branch, float square, PxSheetLanes *out));

/// With the unit normal of the particle's first plane and the triangles `mask`. Returns bits: the
/// direction from that triangle's nearest point, which is a least distance, has a cosine below
/// `alike` with the normal. Raises *top to the largest component along the normal of corners, from
/// the particle.
PX_ISA_DECLARE(unsigned, px_sheet_compare,
               (const PxSheetBranch *branch, const PxSheetLanes *lanes, unsigned mask,
                const float normal[3], float alike, float *top));

/// After px_sheet_measure(): bits of the triangles in reach that the particle may come as near to
/// as half of `keep` or of its distance, while it moves by `way` and their corners by vectors in a
/// box. Others stay below the plane through their nearest point, across the direction from there,
/// and the particle that far above it.
PX_ISA_DECLARE(unsigned, px_sheet_may_meet,
               (const PxSheetLanes *lanes, const float way[3], const float low[3],
                const float high[3], float keep));

/// Bits of the triangles of a branch that the way between two places, from branch->at, may cross:
/// all that it does, and some that it misses by less than a thousandth of their size.
PX_ISA_DECLARE(unsigned, px_sheet_may_cross,
               (const PxSheetBranch *branch, const float from[3], const float to[3]));

/// Particles by row, for pairs that a sheet may separate.
typedef struct PxSheetRows {
    const float *quad;  ///< position, and the distance of the nearest sheet or `reach`
    const float *clear; ///< PxSheetClear: normal and top
    float reach;
} PxSheetRows;

/// Sets the bits of those of 8 rows whose way from row i a sheet within reach of i may cross.
PX_ISA_DECLARE(unsigned, px_sheet_may_part,
               (const PxSheetRows *rows, uint32_t i, const uint32_t row[8]));

#endif
