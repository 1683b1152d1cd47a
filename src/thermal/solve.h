/// Conduction by one step of backward Euler; call px_heat_conduct().
///
///   E(T') + dt K T' = E(T) + dt (what walls give)
///
/// E is heat with latent heat and all, piecewise linear and rising, and K the pairs' and walls'
/// conductances. The left side is the slope of a strictly convex function of T', so there is one
/// solution, and it lies between the temperatures that there were (its matrix, with the slopes of
/// E for a diagonal, has no negative element in its inverse).
///
/// Newton's method: the slope of E where the iterate is, conjugate gradients in single precision
/// for the correction, and then what is left over afresh from the iterate. The iterate is the sum
/// of two doubles and its flows are summed in double, since a step may pass 1e11 times the heat
/// that a difference of temperatures holds: differences must be known far better than temperatures.
/// So errors of the correction only cost another one.
///
/// From the correction two iterates are tried: the temperatures it says, which is right where all
/// is stiff, and those of the heat it says, which is right where melting holds a temperature
/// (Voller and Swaminathan 1991). When neither halves what is left over, the one that is best along
/// the way to the first is taken, which always comes closer since the function is convex.
///
/// Heat changes by the flows between pairs and from walls that the last iterate makes, so it is
/// kept however far the solve came. When that is not far enough, all flows are cut by the same part
/// such that no temperature leaves the range there was.
#ifndef PX_THERMAL_SOLVE_H
#define PX_THERMAL_SOLVE_H

#include "thermal/job.h"

/// Takes the job's energies, temperatures and what was given on by job->dt. Errors: PX_ERR_MEMORY.
PxStatus px_heat_solve(PxHeatJob *job);

#endif
