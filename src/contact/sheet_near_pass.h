/// Input and output of the vector loops of sheet_near.c: 8 particles against a list of triangles.
#ifndef PX_CONTACT_SHEET_NEAR_PASS_H
#define PX_CONTACT_SHEET_NEAR_PASS_H

#include "base/simd.h"

/// A triangle a, a + ab, a + ac; places are relative to the middle of the particles, m.
typedef struct PxSheetTriangle {
    float a[3], ab[3], ac[3];
    float beyond[3][3]; ///< by edge (ab, bc, ca): corner of the triangle beyond it, from a; NaN:
                        ///< border
} PxSheetTriangle;

/// Most triangles of one call.
#define PX_SHEET_CHUNK 128

/// By triangle, 8 lanes each.
typedef struct PxSheetLanes {
    float square[PX_SHEET_CHUNK][8];   ///< of the distance, m^2
    float apart[PX_SHEET_CHUNK][3][8]; ///< from the nearest point to the particle, m
    uint8_t least[PX_SHEET_CHUNK];     ///< bit of a lane: no triangle beyond an edge is nearer
} PxSheetLanes;

/// Distances of the particles at[axis][lane] to `count` triangles. Lowers least[lane], the square
/// of the least distance so far, and sets best[lane] to `first` and the number of that triangle.
PX_ISA_DECLARE(void, px_sheet_measure,
               (const PxSheetTriangle *triangle, uint32_t count, const float at[3][8],
                uint32_t first, float least[8], uint32_t best[8], PxSheetLanes *out));

/// With the unit normals of the particles' first planes. Sets bits of other[]: the direction from
/// that triangle's nearest point, which is a least distance within reach, has a cosine below
/// `alike` with the normal. Raises top[lane] to the largest component along the normal of corners
/// of triangles within reach, from the particle.
PX_ISA_DECLARE(void, px_sheet_compare,
               (const PxSheetTriangle *triangle, uint32_t count, const float at[3][8],
                const PxSheetLanes *lanes, const float normal[3][8], float reach, float alike,
                uint8_t *other, float top[8]));

#endif
