/// Divergence-free projection with corrected gradients; the density is kept by shifting.
///
/// Velocities are made free of divergence by pressure whose rate and force are exact for linear
/// fields (corrected.h), so shear and rotation cost no energy. Particles are then moved apart where
/// they would be compressed, without changing their velocities (as in Cornelis et al. 2019).
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"

#include <math.h>

static const double defaults[] = {[PX_IMPLICIT_MAX_ERROR] = 0.05,
                                  [PX_IMPLICIT_MAX_ITERATIONS] = 200,
                                  [PX_IMPLICIT_DAMPING] = 0.3,
                                  [PX_IMPLICIT_COARSE] = 1,
                                  [PX_IMPLICIT_MAX_DIVERGENCE] = 0.01};

/* The pressure of the last step is no safe guide to the length of the next one: until it has built
 * up, and while it fluctuates, steps would be too long for the pressure that they find. Alternate
 * layers of particles then move against each other, which the corrected rate hardly sees, and water
 * 50 layers deep falls through its own pattern. So the static pressure that belongs to the top
 * speed, rho v^2 / 2, limits every step at walls. */
static double step_limit(const PxFluid *f, const char **why)
{
    double limit = px_implicit_step_limit(f, why), h = 0.5 * (double)f->kernel.h;
    double speed = 0.7 * sqrt(0.5) * f->top_speed;
    if (f->boundaries == 0 || !(f->courant * h < limit * speed))
        return limit;
    *why = "its pressure";
    return f->courant * h / speed;
}

static PxStatus solve(PxFluid *fluid)
{
    return PX_ISA_NAME(px_implicit_solve)(fluid, (PxImplicitKind){.corrected = true});
}

extern const PxPressureModel PX_ISA_NAME(px_projection);
const PxPressureModel PX_ISA_NAME(px_projection) = {
    .info = {"projection", "divergence-free velocities with corrected gradients, density by shifts",
             px_implicit_fields, PX_COUNT(defaults), defaults},
    .step_limit = step_limit,
    .yields = true,
    .solve = solve,
};
