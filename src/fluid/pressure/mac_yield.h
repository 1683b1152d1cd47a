/// Rigid bodies in the pressure equation of the staggered grid (Batty, Bertails and Bridson 2007).
///
/// A face that body b closes by a part c moves volume c (V + W x r) . e, where e is the axis of the
/// face and r its place relative to the body's centre of mass. The pressures of the cells below and
/// above it push the body by
///   F = h^2 c (p_below - p_above) e,   T = r x F,
/// so that a step changes V by dt F / M and W by dt I^-1 T. The term that this adds to the pressure
/// equation is symmetric and positive, because the pressures act on the same places that move
/// volume. It has rank six for a body. The preconditioner leaves it out: a light body costs
/// iterations, but no stability.
#ifndef PX_FLUID_PRESSURE_MAC_YIELD_H
#define PX_FLUID_PRESSURE_MAC_YIELD_H

#include "fluid/pressure/mac.h"
#include "fluid/yield.h"

/// A face that a body closes at least in part.
typedef struct PxMacYieldFace {
    uint32_t body;
    uint32_t cell;         ///< the one above it
    uint32_t below, above; ///< rows of the two cells in the solve; its count: not filled
    int axis;
    float start;   ///< velocity of the body there before pressure acts, m/s
    double closed; ///< part of the face
    PxVec3 moment; ///< r x e, m
} PxMacYieldFace;

typedef struct PxMacYieldBody {
    PxYielding *yielding;
    PxBoundary *boundary;
    PxVec3 force, torque; ///< scratch of a pass over the faces
} PxMacYieldBody;

typedef struct PxMacYield {
    PxMacYieldBody *body;
    uint32_t bodies;
    PxMacYieldFace *face; ///< in the order of cells
    uint32_t faces;
} PxMacYield;

/// Lists the faces of bodies beside filled cells, and adds to mac->wall what drag and tension have
/// given the bodies. mac->yield stays NULL without any. Errors: PX_ERR_MEMORY.
PxStatus px_mac_yield_begin(PxMac *mac);

/// Does the boundary with that number yield?
bool px_mac_yields(const PxMac *mac, uint16_t boundary);

/// Finds the rows of the faces' cells, by mac->number; `count` stands for cells that are not
/// filled.
void px_mac_yield_number(PxMac *mac, uint32_t count);

/// Adds the bodies' term of the equation for the pressures p of rows to `image`, and returns its
/// product with p. p[count] and image[count] exist. Leaves the bodies' change of velocity in
/// `gained` and `turned` of fluid->yield.
double px_mac_yield_apply(const PxMac *mac, const double *p, double *image);

/// Sets mac->wall of the bodies' faces to their velocity before the solve, or with what the last
/// px_mac_yield_apply() gave them.
void px_mac_yield_walls(PxMac *mac, bool gained);

/// Lets pools count as open that a body closes like a piston: a uniform pressure would move it. A
/// body within the fluid does not. `sealed` is that of PxMacPools.
void px_mac_yield_open(const PxMac *mac, const uint32_t *root, uint32_t *sealed);

/// Gives the bodies the impulses of the pressures in mac->p. `more` times the size of each impulse
/// along an axis is added to it. Returns the work on the fluid, J.
double px_mac_yield_push(PxMac *mac, int axis, double more);

/// Sum of these impulses along the axis, and of their sizes, N s.
void px_mac_yield_measure(const PxMac *mac, int axis, double *sum, double *sizes);

#endif
