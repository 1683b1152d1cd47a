/// Predictive-corrective incompressible SPH (Solenthaler and Pajarola 2009; 004 Eq. 6.1).
///
/// Every step begins without pressure. The density at its end is predicted, pressure rises
/// by the error times one stiffness, that of a particle in a full neighbourhood, and so on
/// until the error is small.
///
/// Two departures. Where particles crowd, that stiffness is too much and the iteration grows;
/// there a particle's own is used. And since nothing is kept from the step before, pressure
/// that starts at the surface would take hundreds of iterations to reach the bottom of a
/// pool: the coarse grid carries it there ("coarse": 0 does without).
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"

static const double defaults[] = {[PX_IMPLICIT_MAX_ERROR] = 0.01,
                                  [PX_IMPLICIT_MAX_ITERATIONS] = 500,
                                  [PX_IMPLICIT_DAMPING] = 0.1,
                                  [PX_IMPLICIT_COARSE] = 1};

static PxStatus solve(PxFluid *fluid)
{
    return PX_ISA_NAME(px_implicit_solve)(fluid, (PxImplicitKind){.uniform = true});
}

extern const PxPressureModel PX_ISA_NAME(px_pcisph);
const PxPressureModel PX_ISA_NAME(px_pcisph) = {
    .info = {"pcisph", "constant density, predicted and corrected", px_implicit_fields,
             PX_COUNT(defaults), defaults},
    .step_limit = px_implicit_step_limit,
    .solve = solve,
};
