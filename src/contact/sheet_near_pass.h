/// Input and output of the vector loops of sheet_near.c: 8 particles against a list of triangles.
#ifndef PX_CONTACT_SHEET_NEAR_PASS_H
#define PX_CONTACT_SHEET_NEAR_PASS_H

#include "base/simd.h"

/// A triangle at the start of a step, for particles near it.
typedef struct PxSheetTriangle {
    double at[3]; ///< its first corner, a
    float ab[3], ac[3];
    float beyond[3][3]; ///< by edge (ab, bc, ca): corner of the triangle beyond it, from a; NaN:
                        ///< border
    float bb, bc, cc;   ///< products of ab and ac
    float turn;         ///< over their determinant; NaN: no area, nothing is inside
    float over[3];      ///< over the squares of the edges; 0: no length
} PxSheetTriangle;

/// Most triangles of one call.
#define PX_SHEET_CHUNK 128

/// By triangle, 8 lanes each.
typedef struct PxSheetLanes {
    float square[PX_SHEET_CHUNK][8];   ///< of the distance, m^2
    float apart[PX_SHEET_CHUNK][3][8]; ///< from the nearest point to the particle, m
    uint8_t least[PX_SHEET_CHUNK];     ///< bit of a lane: no triangle beyond an edge is nearer
} PxSheetLanes;

/// 8 particles and some triangles.
typedef struct PxSheetChunk {
    const PxSheetTriangle *triangle; ///< all of them
    const uint32_t *face;            ///< which ones,
    uint32_t count;                  ///< and how many
    double middle[3];                ///< of the particles
    float at[3][8];                  ///< the particles, from there
} PxSheetChunk;

/// Distances of the particles to the triangles. Lowers least[lane], the square of the least
/// distance so far, and sets best[lane] to `first` and the number of that triangle in the chunk.
PX_ISA_DECLARE(void, px_sheet_measure,
               (const PxSheetChunk *chunk, uint32_t first, float least[8], uint32_t best[8],
                PxSheetLanes *out));

/// With the unit normals of the particles' first planes. Sets bits of other[]: the direction from
/// that triangle's nearest point, which is a least distance within reach, has a cosine below
/// `alike` with the normal. Raises top[lane] to the largest component along the normal of corners
/// of triangles within reach, from the particle.
PX_ISA_DECLARE(void, px_sheet_compare,
               (const PxSheetChunk *chunk, const PxSheetLanes *lanes, const float normal[3][8],
                float reach, float alike, uint8_t *other, float top[8]));

/// Particles by row, for pairs that a sheet may separate.
typedef struct PxSheetRows {
    const float *quad;  ///< position, and the distance of the nearest sheet or `reach`
    const float *clear; ///< PxSheetClear: normal and top
    float reach;
} PxSheetRows;

/// Sets the bits of those of 8 rows whose way from row i a sheet may cross: bits 0 to 7 within
/// reach of i, 8 to 15 within reach of the other row alone.
PX_ISA_DECLARE(unsigned, px_sheet_may_part,
               (const PxSheetRows *rows, uint32_t i, const uint32_t row[8]));

#endif
