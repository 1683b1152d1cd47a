/// Divergence-free SPH (Bender and Koschier 2015).
///
/// First the velocities are freed of compression: dt D(v + dt a) <= 0. Then, with all other
/// forces added, the density is kept: rho + dt D(v + dt a) <= 1. Both begin with pressure
/// of the last step, so that a fluid at rest needs few iterations. The first keeps velocities
/// from carrying what the second would have to undo with a push. How far they are from that
/// is known from the end of the last step; when it is within `max_divergence`, there is
/// nothing to solve for.
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"

static const double defaults[] = {[PX_IMPLICIT_MAX_ERROR] = 0.01,
                                  [PX_IMPLICIT_MAX_ITERATIONS] = 200,
                                  [PX_IMPLICIT_DAMPING] = 0.1,
                                  [PX_IMPLICIT_COARSE] = 1,
                                  [PX_IMPLICIT_MAX_DIVERGENCE] = 0.1};

static PxStatus solve(PxFluid *fluid)
{
    return PX_ISA_NAME(px_implicit_solve)(fluid,
                                          (PxImplicitKind){.divergence = true, .warm = true});
}

extern const PxPressureModel PX_ISA_NAME(px_dfsph);
const PxPressureModel PX_ISA_NAME(px_dfsph) = {
    .info = {"dfsph", "constant density and divergence-free velocities", px_implicit_fields,
             PX_COUNT(defaults), defaults},
    .step_limit = px_implicit_step_limit,
    .solve = solve,
};
