/// Stress, strength and outline of a solid at any point of its rest shape, from its particles.
#ifndef PX_SOLID_FRACTURE_FIELD_H
#define PX_SOLID_FRACTURE_FIELD_H

#include "solid/solid.h"
#include "spatial/grid.h"

/// Level of `filled` that bounds a body. A plane face of the body has 0.5; edges and corners less.
/// Cracks end a little outside, so that they cut all bonds at an edge.
#define PX_FRACTURE_OUTLINE 0.3

/// A row as the search for neighbours reads it.
typedef struct PxFractureSpot {
    float x[3];         ///< rest position, m
    float cell;         ///< edge of its cell, m
    uint32_t row, body; ///<
} PxFractureSpot;

typedef struct PxFractureField {
    const PxSolid *solid;
    const PxVec3 *origin; ///< by body: its rest origin, m
    const float *weak[5]; ///< by row: PX_FRACTURE_WEAK; NULL: nothing is painted
    const float *molten;  ///< by row: molten fraction (px_melt_strength()); NULL: nothing melts
    PxMat3 *stress;  ///< by row: Cauchy stress in the axes of its frame, larger across scores, Pa
    float *strength; ///< by row: tensile strength, Pa; 0: does not fracture
    float *largest;  ///< by row: bound of the largest principal stress, Pa
    const PxGrid *grid;   ///< of the rest positions: of the smallest cells, and of all larger ones
    uint32_t small;       ///< number of rows with the smallest cells
    PxFractureSpot *spot; ///< in the order of the grids
    PxVec3 *rest;         ///< by row: rest position, m
    float *cell;          ///< by row: edge of its cell in the rest shape, m
    float largest_cell;   ///< m
} PxFractureField;

/// What a point of the rest shape feels.
typedef struct PxFractureSample {
    double filled;    ///< part of the surroundings that the body fills: 1 inside, 0 outside
    PxVec3 slope;     ///< its gradient, 1/m
    double stress;    ///< largest principal stress, Pa
    double strength;  ///< mean of the particles near it, Pa; 0: no particle is near
    PxVec3 normal;    ///< of the plane on which that stress acts, in the rest shape
    uint32_t nearest; ///< row of the nearest particle
    bool through;     ///< of a front: hardly anything is left in its way
} PxFractureSample;

/// Computes stress and strength of all rows from the gradients in `solid`, in its scratch. *due:
/// the stress of some row passes its strength. Errors: PX_ERR_MEMORY.
PxStatus px_fracture_stresses(PxFractureField *field, const PxSolid *solid, bool *due);

/// Sorts the rows for px_fracture_sample(). Errors: PX_ERR_MEMORY.
PxStatus px_fracture_field(PxFractureField *field, const PxVec3 *origin, PxGrid grid[2]);

/// Samples the field at a point of the rest shape of a body.
PxFractureSample px_fracture_sample(const PxFractureField *field, uint32_t body, PxVec3 at);

/// The same, without stress and strength.
PxFractureSample px_fracture_outline(const PxFractureField *field, uint32_t body, PxVec3 at);

#define PX_FRACTURE_RUNS 18

/// Runs of `spot` that may lie within a cell of their grid of the point. Returns their number.
int px_fracture_runs(const PxFractureField *field, uint32_t body, PxVec3 at,
                     PxRange run[PX_FRACTURE_RUNS]);

#endif
