/// The matrix of cloth: which pairs of vertices have a block, where it is stored, and the vectors
/// of its solve.
///
/// Rows of the matrix are stored in slices of 8, so that a vector instruction works on 8 rows
/// (sliced ELLPACK, Kreutzer et al. 2014). Rows with a similar number of blocks share a slice.
/// Entry e of a slice holds one block of each of its 8 rows: value[72 e + 8 c + l] is component c
/// of the 3 x 3 block of row l, and column[8 e + l] the row that it multiplies. The diagonal is not
/// stored: a block multiplies the difference of two rows (cloth.h).
///
/// A pair of vertices has two blocks, of which one is the transpose of the other. One loop over
/// pairs computes and stores both, and writes nothing twice.
#ifndef PX_CLOTH_PATTERN_H
#define PX_CLOTH_PATTERN_H

#include "base/arena.h"
#include "cloth/coarse.h"

/// A triangle or hinge that two vertices share.
typedef struct PxClothPart {
    uint32_t of;       ///< index of face or hinge
    uint8_t corner[2]; ///< of the pair's vertices in it
} PxClothPart;

/// Two vertices, the first one lower. Its faces are parts [face, hinge), its hinges [hinge, face of
/// the next pair).
typedef struct PxClothPair {
    uint32_t vertex[2];
    uint32_t at[2]; ///< first value of the blocks (0, 1) and (1, 0)
    uint32_t face, hinge;
} PxClothPair;

typedef struct PxClothPattern {
    uint32_t slices;
    uint32_t *row;    ///< by vertex
    uint32_t *vertex; ///< by row; UINT32_MAX: none
    uint32_t *first;  ///< first entry by slice, and one more
    uint32_t *column; ///< 8 by entry
    float *value;     ///< 72 by entry, 0 where a row has fewer blocks
    uint32_t pairs;
    PxClothPair *pair; ///< and one more
    PxClothPart *part;
    uint32_t levels;
    PxClothLevel level[PX_CLOTH_LEVELS];
} PxClothPattern;

struct PxClothSystem;
/// Builds the pattern of a system whose faces and hinges are known. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_pattern_build(struct PxClothSystem *system);

/// Vectors of a solve: 24 floats a slice (x, y, z of 8 rows), or another number as stated.
typedef struct PxClothRows {
    float *own; ///< 48: xx, xy, xz, yy, yz, zz of the sums of rows, (1 + alpha dt) m without air
    float *diagonal; ///< 48: the diagonal blocks without contacts
    float *inverse;  ///< 48: of the diagonal blocks
    float *pressed;  ///< 48: what contacts add to the diagonal blocks; 0 without
    float *more;     ///< what contacts and gas add to a product (contact.h, gas.h)
    bool touched;    ///< there are contacts or gas
    float *hold;     ///< 32: 1 or 0 for rows held entirely, and the normal of others
    float *b;        ///< right side
    float *d;        ///< the unknown
    float *r, *p, *q;
    float *z;        ///< what is multiplied next: x, y, z, 0 by row
    double *partial; ///< two sums of each block of slices
    float alpha, beta;
    uint32_t levels; ///< of groups in use (coarse.h)
    float *left;     ///< r as x, y, z, 0 by row; only with levels
    PxClothGroups group[PX_CLOTH_LEVELS];
} PxClothRows;

#endif
