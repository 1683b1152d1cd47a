/// Search of crack parts by place: triangles of sheets, segments of fronts, points that moved.
#ifndef PX_SOLID_FRACTURE_NEAR_H
#define PX_SOLID_FRACTURE_NEAR_H

#include "base/vec.h"
#include "solid/fracture/field.h"

/// Items sorted by place, in the scratch memory of a step.
typedef struct PxCrackIndex {
    PxGrid *grid;         ///< NULL: no items
    const PxVec3 *origin; ///< by body: its rest origin, m
    uint32_t *item;       ///< in the order of the grid
} PxCrackIndex;

/// Sorts `count` items of the bodies `body` at `at` so that those within `reach` of a point are
/// found. Errors: PX_ERR_MEMORY.
PxStatus px_crack_index(PxCrackIndex *index, const PxFractureField *field, PxGrid *grid,
                        const PxVec3 *at, const uint32_t *body, uint32_t count, double reach);

/// Runs of `item` that may lie within reach of the point. Returns their number.
int px_crack_index_runs(const PxCrackIndex *index, uint32_t body, PxVec3 at, PxRange run[9]);

#endif
