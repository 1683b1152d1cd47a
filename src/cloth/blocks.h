/// The blocks of the matrix between vertices.
///
/// What they need of a triangle or hinge is first written in floats, in the order in which it is
/// read: each triangle takes part in 3 blocks and each hinge in 6.
#ifndef PX_CLOTH_BLOCKS_H
#define PX_CLOTH_BLOCKS_H

#include "cloth/cloth.h"

/// A triangle. Columns and normals are x, y, z, 0; stiffness is that of its whole area, N s^2/m,
/// multiplied by px_cloth_factor().
typedef struct PxClothFacePart {
    float f[2][4], normal[4]; ///< see PxClothFaceState; normal 0 for Green strain
    float across[4];          ///< of PxClothFaceLoad, times the root of dt / 9
    float c[4], spin, taut[3];
    float gradient[3][2];
    float even; ///< 1 for Green strain, whose tension acts in all directions; else 0
    float air;  ///< 1: `across` counts
} PxClothFacePart;

/// A hinge: slopes of its four corners times the root of the stiffness as x, y, z, 0; with the
/// linear model 0, 0, 0 and the weight.
typedef struct PxClothHingePart {
    float corner[4][4];
} PxClothHingePart;

void px_cloth_face_part(const PxClothStep *step, uint32_t face);
void px_cloth_hinge_part(const PxClothStep *step, uint32_t hinge);

/// Block function; `user` is a PxClothStep: computes and stores the blocks of pairs.
void px_cloth_pair_block(void *user, uint32_t begin, uint32_t end, int thread);

#endif
