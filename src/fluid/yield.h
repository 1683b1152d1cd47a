/// Boundaries that yield to the fluid within the pressure solve: rigid bodies.
///
/// A body lighter than the fluid that it displaces is unstable if it gets the fluid's force only
/// after the step, because the fluid then does not know that the body gives way. Here the body's
/// response is part of the pressure equation (strong coupling; Gissler et al. 2019). A pressure P
/// pushes body b by
///   F = sum_i P_i grad wall_ib / s^3,   T = sum_i P_i r_i x grad wall_ib / s^3
/// and changes its velocity by dt F / M and its spin by dt I^-1 T, which changes the rate of
/// compression of row i by
///   - (dt F / M) . grad wall_ib - (dt I^-1 T) . (r_i x grad wall_ib).
/// The term is symmetric and positive, as the rest of the equation is. It has rank six for a body,
/// so an iteration costs one more pass over the rows that touch bodies.
#ifndef PX_FLUID_YIELD_H
#define PX_FLUID_YIELD_H

#include "fluid/fluid.h"

/// One that yields.
typedef struct PxYielding {
    const PxBoundary *boundary;
    uint32_t first, end;  ///< its entries
    PxVec3 change, twist; ///< of its velocity and spin so far in the step, beyond the velocity that
                          ///< wall_flux has, m/s and rad/s
    PxVec3 gained, turned; ///< the same with the pressure of the last pass
} PxYielding;

/// A row within the support of such a boundary.
typedef struct PxYieldEntry {
    uint32_t row;
    PxVec3 gradient; ///< of the boundary's part, 1/m
    PxVec3 moment;   ///< r x gradient
} PxYieldEntry;

/// A row that presses on points of boundaries that yield point by point.
typedef struct PxYieldPress {
    uint32_t row;
    uint32_t point[3];
    double weight[3]; ///< of the points, 1 in sum
    PxVec3 gradient;  ///< of the boundary's part, 1/m
} PxYieldPress;

/// Inverse mass C of a point: xx, xy, xz, yy, yz, zz, 1/kg; or a mass, kg.
typedef struct PxYieldMass {
    double m[6];
} PxYieldMass;

/// A press on a point.
typedef struct PxYieldUse {
    uint32_t press;
    double weight; ///< of the point
} PxYieldUse;

/// Points that yield, each on its own: vertices of cloth (contact/sheets.h). Their response is that
/// of rigid bodies with force per point instead of force and torque:
///   dv_k = C_k dt sum_i w_ik P_i grad wall_i / s^3,
/// which changes the rate of compression of row i by - sum_k w_ik dv_k . grad wall_i.
typedef struct PxYieldPoints {
    uint32_t count, presses, blocks;
    const PxYieldMass *per_mass;
    const PxYieldPress *press;
    uint32_t *block; ///< first press of each block of PX_BLOCK rows, and their number at the end
    uint32_t *uses;  ///< by point, and one more: its first entry in
    PxYieldUse *use; ///< the presses of each point, in their order
    PxVec3 *force;   ///< by point, scratch
    PxVec3 *change;  ///< by point, m/s: as in PxYielding
    PxVec3 *gained;
} PxYieldPoints;

typedef struct PxYield {
    PxYielding *one;
    uint32_t count;
    PxYieldEntry *entry;
    uint32_t entries;
    PxYieldPoints *points; ///< NULL: none
    float *flux;           ///< by row: gradient times the boundaries' change of velocity, 1/s
    bool frozen;           ///< pressure does not move them: for solves that only shift particles
} PxYield;

/// Lists the boundaries of the fluid that yield and what they gained so far from drag and tension.
/// fluid->yield stays NULL without any. Before the solves, after all other forces.
/// Errors: PX_ERR_MEMORY.
PxStatus px_yield_begin(PxFluid *fluid);

/// Velocities of the fluid that a pass starts from: none, those at the start of the step, or with
/// all forces so far.
typedef enum PxYieldBase { PX_YIELD_NONE, PX_YIELD_START, PX_YIELD_FORCES } PxYieldBase;

/// Sets yield->flux for the pressures P in the fluid's quads. `factor` multiplies the gradients of
/// row i by factor[stride i]; NULL: 1.
void px_yield_respond(PxFluid *fluid, double dt, PxYieldBase base, const float *factor,
                      size_t stride);

/// Keeps what the last pass changed, after a solve with the pressure of that pass.
void px_yield_keep(PxFluid *fluid);

/// Adds the change of the boundaries' velocities to wall_flux, after the last solve.
void px_yield_end(PxFluid *fluid);

/// Adds a bound of the absolute sum of each row of the term above, per dt^2 s^3, to bound[row].
/// `factor` as above.
void px_yield_bound(const PxFluid *fluid, const float *factor, size_t stride, float *bound,
                    double scale);

#endif
