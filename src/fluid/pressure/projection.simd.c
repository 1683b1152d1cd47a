/// Divergence-free projection with corrected gradients; the density is kept by shifting.
///
/// Velocities are made free of divergence by pressure whose rate and force are exact for linear
/// fields (corrected.h), so shear and rotation cost no energy. Particles are then moved apart where
/// they would be compressed, without changing their velocities (as in Cornelis et al. 2019).
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"

static const double defaults[] = {[PX_IMPLICIT_MAX_ERROR] = 0.05,
                                  [PX_IMPLICIT_MAX_ITERATIONS] = 200,
                                  [PX_IMPLICIT_DAMPING] = 0.3,
                                  [PX_IMPLICIT_COARSE] = 1,
                                  [PX_IMPLICIT_MAX_DIVERGENCE] = 0.01};

static PxStatus solve(PxFluid *fluid)
{
    return PX_ISA_NAME(px_implicit_solve)(fluid, (PxImplicitKind){.corrected = true});
}

extern const PxPressureModel PX_ISA_NAME(px_projection);
const PxPressureModel PX_ISA_NAME(px_projection) = {
    .info = {"projection", "divergence-free velocities with corrected gradients, density by shifts",
             px_implicit_fields, PX_COUNT(defaults), defaults},
    .step_limit = px_implicit_step_limit,
    .solve = solve,
};
