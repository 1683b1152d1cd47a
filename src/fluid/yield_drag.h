/// Boundaries that yield to viscous drag within the implicit viscosity solve: rigid bodies.
///
/// With the velocity V* of a body without drag, its change y (of velocity and spin) in the step
/// obeys
///   (M + sum_i c_i J_i^T J_i) y = sum_i c_i J_i^T (v'_i - J_i V*),   c_i = dt m_i nu_i drag_i,
/// where J_i y is the velocity of its matter at particle i. Eliminating y from the equation of the
/// fluid subtracts c_i J_i S^-1 sum_j c_j J_j^T from its matrix, S being the 6 x 6 matrix above;
/// the result is symmetric and positive. Without it, a body lighter than the fluid that sticks to
/// it would overshoot.
#ifndef PX_FLUID_YIELD_DRAG_H
#define PX_FLUID_YIELD_DRAG_H

#include "fluid/touches.h"

typedef struct PxDragEntry {
    uint32_t row;
    double drag; ///< c, kg
    PxVec3 arm;  ///< from the pivot, m
    PxWallTouch *touch;
} PxDragEntry;

typedef struct PxDragBody {
    uint32_t first, end; ///< its entries
    double factor[6][6]; ///< S = L L^T, lower triangle
    double right[6];     ///< right-hand side of its equation
} PxDragBody;

typedef struct PxYieldDrag {
    PxDragBody *body;
    uint32_t bodies;
    PxDragEntry *entry;
    uint32_t entries;
} PxYieldDrag;

/// Lists the particles that drag bodies which yield. `velocity` has the quads of the velocities
/// without viscosity. `pushed`: these include the pressure so far, and so do those of the bodies;
/// else a body would count as falling freely, and its drag be that of a greater speed.
/// Errors: PX_ERR_MEMORY.
PxStatus px_yield_drag_begin(PxFluid *fluid, const float *velocity, bool pushed, PxYieldDrag *out);

/// Adds what the bodies' motion by the velocities without viscosity gives to the right-hand side.
void px_yield_drag_right(const PxFluid *fluid, const PxYieldDrag *drag, float *right);

/// Subtracts the bodies' term of the product of the matrix with `p` from `product`, both quads.
void px_yield_drag_apply(const PxFluid *fluid, const PxYieldDrag *drag, const float *p,
                         float *product);

/// Gives the touches the velocities of the bodies at the end; `change` is the solution.
void px_yield_drag_end(const PxFluid *fluid, const PxYieldDrag *drag, const float *change);

#endif
