/// The pressure that is reported: what the momentum equation transmits along gravity.
///
/// The stress of a particle (Irving and Kirkwood 1950) is
///   sigma_i = 1/V_i (1/2 sum_j (P_i + P_j) |dW/dr| / r (r r) + P_i sum_faces d |grad wall| n n /
///   s^3)
/// Its mean pressure, a third of the trace, is up to 5 per cent wrong beside walls, where the
/// stress along a wall differs from that across it (a wall pushes along its normal only), and 3 per
/// cent in disordered fluids. Momentum along gravity is what has to be carried: the mean of
/// up . sigma . up over a horizontal plane is the weight above it, however particles lie. So this
/// component is reported in worlds with gravity (docs/decisions.md 29). Where emitters are at work
/// the mean pressure stays: they wait by it, whatever the direction of their pipes.
#ifndef PX_FLUID_PRESSURE_REPORTED_H
#define PX_FLUID_PRESSURE_REPORTED_H

#include "fluid/fluid.h"

/// Sets the pressure of the particles that flow, if there is gravity. `force` is P_i = p_i V_i^2 of
/// the owned rows.
/// Errors: PX_ERR_MEMORY.
PX_ISA_DECLARE(PxStatus, px_report_pressure, (PxFluid * fluid, const float *force));

#endif
