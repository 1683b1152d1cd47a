/// Viscous flows that have a formula: what the models of viscosity are measured against.
///
/// All are flows of a slab of fluid between two parallel plates that it sticks to, one at
/// x = 0 and one at x = gap. Sideways it ends at plates without friction, 4 spacings apart,
/// lengthwise nowhere: both ends are open, gravity (if any) points along the plates, so
/// pressure is zero throughout, and the flow in the middle third does not know of the
/// ends. No periodic boundary is needed.
#ifndef PX_STUDY_VISCOUS_FLOWS_H
#define PX_STUDY_VISCOUS_FLOWS_H

#include "phyxel/world.h"

typedef struct PxFlowCase {
    const char *model; ///< of viscosity
    uint32_t cells;    ///< spacings across the gap
    double reynolds;   ///< fastest flow times gap over nu: how far layers slide meanwhile
    double length;     ///< of the slab, in gaps, and twice the way of the fastest layer more
    double friction;   ///< of the plates, 0 .. 1
    int threads;
} PxFlowCase;

typedef struct PxFlowResult {
    double fastest; ///< speed at the place where it is greatest, over that of the formula
    double error;   ///< root of the mean square over the profile, over the fastest speed
    double worst;   ///< greatest deviation at any height over the fastest speed
    uint64_t steps;
    double iterations; ///< of the viscosity solve, a step
} PxFlowResult;

/// Plane Poiseuille flow: the slab falls between standing plates until u = g x (L - x) / (2 nu).
PxStatus px_flow_poiseuille(const PxFlowCase *flow, PxFlowResult *out);

/// Couette flow, begun: the plate at x = gap moves from t = 0 on. The profile is compared
/// with the series solution of the diffusion equation at t = `when` L^2 / nu.
PxStatus px_flow_couette(const PxFlowCase *flow, double when, PxFlowResult *out);

#endif
