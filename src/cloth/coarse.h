/// Coarse levels of the preconditioner: what groups of vertices do together.
///
/// With diagonal blocks alone the number of iterations of a solve grows with the step and with the
/// number of vertices, because a change travels by one vertex in each. Here the residuals of a
/// group of about 16 vertices are summed, divided by a mass and stiffness of the whole group, and
/// given back to its vertices; groups of groups likewise, and all of these corrections are added
/// (multilevel diagonal scaling: Bramble, Pasciak and Xu 1990; Zhang 1992). Groups overlap: a
/// vertex at a border belongs to up to PX_CLOTH_SHARES groups, with shares that sum to 1
/// (Vanek, Mandel and Brezina 1996 smooth constants to that end).
#ifndef PX_CLOTH_COARSE_H
#define PX_CLOTH_COARSE_H

#include "base/arena.h"

#define PX_CLOTH_SHARES 3u
#define PX_CLOTH_LEVELS 4u

/// Groups of the nodes of the level below: rows of the matrix in the first level, groups in others.
typedef struct PxClothLevel {
    uint32_t groups;
    uint32_t *first; ///< entries of each group, and one more
    uint32_t *node;  ///< by entry
    float *share;    ///< by entry: of the node in the group
    float *jump;     ///< by entry: part of the stiffness of the node that the group feels
    uint32_t *group; ///< of each node: [8 * (PX_CLOTH_SHARES * (node / 8) + k) + node % 8]
    float *part;     ///< the shares, in the same order
} PxClothLevel;

/// Data of a level in a solve: blocks xx, xy, xz, yy, yz, zz and vectors x, y, z, 0 of each group.
typedef struct PxClothGroups {
    float *own, *stiff, *inverse; ///< 6 by group
    float *r, *z;                 ///< 4 by group
} PxClothGroups;

struct PxClothSystem;
struct PxClothStep;

/// Builds the levels from the pattern of a system. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_levels_build(struct PxClothSystem *system);

/// Takes the arrays of a step from scratch. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_coarse_begin(struct PxClothStep *step);
/// Decides from the sums that px_cloth_assemble() leaves in rows.partial whether levels pay:
/// rows.levels is 0 if they do not.
void px_cloth_coarse_decide(struct PxClothStep *step);
/// Sets the blocks of groups from the diagonal, contacts and holds of the rows.
void px_cloth_coarse_set(struct PxClothStep *step);
/// Sets z of the first level from the residuals rows.left.
void px_cloth_coarse_apply(struct PxClothStep *step);

#endif
