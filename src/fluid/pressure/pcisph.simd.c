/// Predictive-corrective incompressible SPH (Solenthaler and Pajarola 2009). See 004 Eq. 6.1.
///
/// Every step starts from zero pressure. An iteration predicts the density at the end of the step
/// and adds the residual times one stiffness, that of a particle in a full neighbourhood, to the
/// pressure.
///
/// Two differences, unless "solve" is "published". Where particles crowd, that stiffness makes the
/// iteration diverge, so the particle's own is used. And without a warm start the pressure of a
/// deep pool would take hundreds of iterations; the coarse grid supplies it ("coarse": 0 disables
/// it).
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"

static const double defaults[] = {
    [PX_IMPLICIT_MAX_ERROR] = 0.01, [PX_IMPLICIT_MAX_ITERATIONS] = 500,
    [PX_IMPLICIT_DAMPING] = 0.1,    [PX_IMPLICIT_COARSE] = 1,
    [PX_IMPLICIT_ERROR] = 0,        [PX_IMPLICIT_SOLVE] = 0};

static PxStatus solve(PxFluid *fluid)
{
    return PX_ISA_NAME(px_implicit_solve)(fluid, (PxImplicitKind){.predicts = true});
}

extern const PxPressureModel PX_ISA_NAME(px_pcisph);
const PxPressureModel PX_ISA_NAME(px_pcisph) = {
    .info = {"pcisph", "constant density, predicted and corrected", px_implicit_fields,
             PX_COUNT(defaults), defaults},
    .step_limit = px_implicit_step_limit,
    .yields = true,
    .solve = solve,
};
