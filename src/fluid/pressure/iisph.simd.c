/// Implicit incompressible SPH (Ihmsen et al. 2014; 004 Eqs. 6.2, 6.3): the density at the end
/// of the step, predicted from the velocities, is the rest density. Begins with the pressure
/// of the last step.
///
/// Their relaxed Jacobi iteration is replaced by the one of poisson.h, which converges where
/// particles crowd.
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"

static const double defaults[] = {[PX_IMPLICIT_MAX_ERROR] = 0.01,
                                  [PX_IMPLICIT_MAX_ITERATIONS] = 200,
                                  [PX_IMPLICIT_DAMPING] = 0.1,
                                  [PX_IMPLICIT_COARSE] = 1};

static PxStatus solve(PxFluid *fluid)
{
    return PX_ISA_NAME(px_implicit_solve)(fluid, (PxImplicitKind){.warm = true});
}

extern const PxPressureModel PX_ISA_NAME(px_iisph);
const PxPressureModel PX_ISA_NAME(px_iisph) = {
    .info = {"iisph", "constant density", px_implicit_fields, PX_COUNT(defaults), defaults},
    .step_limit = px_implicit_step_limit,
    .solve = solve,
};
