/// Conduction by one step of backward Euler; call px_heat_conduct().
///
///   E(T') + dt K T' = E(T) + dt (heat flow from walls)
///
/// E is the enthalpy including latent heat, piecewise linear and strictly increasing; K holds the
/// conductances of pairs and walls. The left side is the gradient of a strictly convex function of
/// T', so the solution is unique. It lies within the range of the old temperatures, since K plus
/// the diagonal of the slopes of E is an M-matrix.
///
/// Newton's method: linearise E at the iterate, solve for the correction by conjugate gradients in
/// single precision, and recompute the residual from the new iterate, so that errors of a
/// correction only cost another iteration. The iterate is the sum of two doubles and its flows are
/// summed in double: a step may transport 1e11 times the heat that a temperature difference
/// stores, so differences must be far more accurate than temperatures.
///
/// Each correction gives two candidates: the corrected temperatures, best where conduction
/// dominates, and the temperatures of the corrected enthalpies, best in the melting range
/// (Voller and Swaminathan 1991). If neither halves the residual, a line search towards the first
/// follows, which always makes progress because the function is convex.
///
/// Heat changes by the flows of the last iterate between pairs and from walls, so it is conserved
/// even if the solve has not converged. In that case all flows are scaled by one factor so that no
/// temperature leaves the old range.
#ifndef PX_THERMAL_SOLVE_H
#define PX_THERMAL_SOLVE_H

#include "thermal/job.h"

/// Advances energies, temperatures and heat received of the job by job->dt. Errors: PX_ERR_MEMORY.
PxStatus px_heat_solve(PxHeatJob *job);

#endif
