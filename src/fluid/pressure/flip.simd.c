/// Velocities made free of divergence on a grid; the density is kept by shifting.
///
/// The grid sees velocities that are smooth over a spacing, and changes only those (mac.h).
/// Particles are then moved apart where they would be compressed, without changing their
/// velocities.
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"

#include <math.h>

static const double defaults[] = {[PX_IMPLICIT_MAX_ERROR] = 0.05,
                                  [PX_IMPLICIT_MAX_ITERATIONS] = 500,
                                  [PX_IMPLICIT_DAMPING] = 0.3,
                                  [PX_IMPLICIT_COARSE] = 1,
                                  [PX_IMPLICIT_MAX_DIVERGENCE] = 0.0005};

/* Elastic matter and fluid share cells of the grid where they touch, but only fluid may not be
 * compressed there; rigid bodies yield within the solve (fluid/yield.h), which the grid's does not
 * know. In worlds with such matter all is solved for as dfsph does. */
static bool is_coupled(const PxFluid *f)
{
    bool coupled = f->solid_fraction != NULL;
    for (size_t k = 0; k < f->boundaries; ++k)
        coupled = coupled || f->boundary[k]->per_mass > 0;
    return coupled;
}

/* Particles under pressure move at most `courant` smoothing lengths per step, free drops at
 * most 2.5 times that, as with the other implicit models. Their limit by the pressure is not
 * needed: the grid does not see the motion between neighbours that it keeps stable. */
static double step_limit(const PxFluid *f, const char **why)
{
    if (is_coupled(f))
        return px_implicit_step_limit(f, why);
    double flow = fmax(f->speed_within, 0.4 * f->speed_max);
    *why = "the speed of its particles";
    return flow > 0 ? f->courant * 0.5 * (double)f->kernel.h / flow : (double)INFINITY;
}

static PxStatus solve(PxFluid *fluid)
{
    if (is_coupled(fluid))
        return PX_ISA_NAME(px_implicit_solve)(fluid,
                                              (PxImplicitKind){.divergence = true, .warm = true});
    return PX_ISA_NAME(px_implicit_solve)(fluid, (PxImplicitKind){.grid = true});
}

extern const PxPressureModel PX_ISA_NAME(px_flip);
const PxPressureModel PX_ISA_NAME(px_flip) = {
    .info = {"flip", "divergence-free velocities by a staggered grid, density by shifts",
             px_implicit_fields, PX_COUNT(defaults), defaults},
    .step_limit = step_limit,
    .solve = solve,
};
