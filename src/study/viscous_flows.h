/// Viscous flows with analytic solutions, for the models of viscosity.
///
/// A slab of fluid flows between two parallel no-slip plates at x = 0 and x = gap. Sideways it is
/// bounded by frictionless plates 4 spacings apart; both ends are open. Gravity (if any) points
/// along the plates, so pressure is zero everywhere, and the ends do not affect the middle
/// third. No periodic boundary is needed.
#ifndef PX_STUDY_VISCOUS_FLOWS_H
#define PX_STUDY_VISCOUS_FLOWS_H

#include "phyxel/world.h"

typedef struct PxFlowCase {
    const char *model; ///< of viscosity
    uint32_t cells;    ///< spacings across the gap
    double reynolds;   ///< largest speed times gap over nu
    double length;     ///< of the slab in gaps, without twice the path of the fastest layer
    double friction;   ///< of the plates, 0 .. 1
    int threads;
} PxFlowCase;

typedef struct PxFlowResult {
    double fastest; ///< largest speed over that of the formula
    double error;   ///< rms error of the profile, over the largest speed
    double worst;   ///< largest error of the profile, over the largest speed
    uint64_t steps;
    double iterations; ///< of the viscosity solve, a step
} PxFlowResult;

/// Plane Poiseuille flow: the slab falls between fixed plates until u = g x (L - x) / (2 nu).
PxStatus px_flow_poiseuille(const PxFlowCase *flow, PxFlowResult *out);

/// Start of Couette flow: the plate at x = gap moves from t = 0 on. The profile is compared
/// with the series solution of the diffusion equation at t = `when` L^2 / nu.
PxStatus px_flow_couette(const PxFlowCase *flow, double when, PxFlowResult *out);

#endif
