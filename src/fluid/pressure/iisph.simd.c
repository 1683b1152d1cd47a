/// Implicit incompressible SPH (Ihmsen et al. 2014). The density predicted from the velocities for
/// the end of the step is the rest density (004 Eqs. 6.2, 6.3). Warm started with the pressure of
/// the last step.
///
/// Their relaxed Jacobi iteration is replaced by that of poisson.h, which also converges where
/// particles crowd, unless "solve" is "published".
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"

static const double defaults[] = {
    [PX_IMPLICIT_MAX_ERROR] = 0.01, [PX_IMPLICIT_MAX_ITERATIONS] = 200,
    [PX_IMPLICIT_DAMPING] = 0.1,    [PX_IMPLICIT_COARSE] = 1,
    [PX_IMPLICIT_ERROR] = 0,        [PX_IMPLICIT_SOLVE] = 0};

static PxStatus solve(PxFluid *fluid)
{
    return PX_ISA_NAME(px_implicit_solve)(fluid, (PxImplicitKind){.warm = true});
}

extern const PxPressureModel PX_ISA_NAME(px_iisph);
const PxPressureModel PX_ISA_NAME(px_iisph) = {
    .info = {"iisph", "constant density", px_implicit_fields, PX_COUNT(defaults), defaults},
    .step_limit = px_implicit_step_limit,
    .yields = true,
    .solve = solve,
};
