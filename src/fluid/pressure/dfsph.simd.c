/// Divergence-free SPH (Bender and Koschier 2015).
///
/// The divergence-free solve makes dt D(v + dt a) <= 0. Then, with all other forces added, the
/// constant-density solve makes rho + dt D(v + dt a) <= 1. Both are warm started, so that a fluid
/// at rest needs few iterations. The first keeps the velocities from causing compression that the
/// second would have to undo. It is skipped if the divergence at the end of the last step was
/// within `max_divergence`.
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"

static PxStatus solve(PxFluid *fluid)
{
    return PX_ISA_NAME(px_implicit_solve)(fluid, px_dfsph_kind);
}

extern const PxPressureModel PX_ISA_NAME(px_dfsph);
const PxPressureModel PX_ISA_NAME(px_dfsph) = {
    .info = {"dfsph", "constant density and divergence-free velocities", px_implicit_fields,
             PX_IMPLICIT_PARAMS, px_dfsph_defaults},
    .step_limit = px_implicit_step_limit,
    .yields = true,
    .solve = solve,
};
