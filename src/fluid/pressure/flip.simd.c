/// Velocities made free of divergence on a grid; the density is kept by shifting.
///
/// The grid sees velocities that are smooth over a spacing, and changes only those (mac.h).
/// Particles are then moved apart where they would be compressed, without changing their
/// velocities.
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"

static double step_limit(const PxFluid *f, const char **why)
{
    return px_flip_sees(f) ? px_flip_step_limit(f, why) : px_implicit_step_limit(f, why);
}

static PxStatus solve(PxFluid *fluid)
{
    return PX_ISA_NAME(px_implicit_solve)(fluid,
                                          px_flip_sees(fluid) ? px_flip_kind : px_dfsph_kind);
}

extern const PxPressureModel PX_ISA_NAME(px_flip);
const PxPressureModel PX_ISA_NAME(px_flip) = {
    .info = {"flip", "divergence-free velocities by a staggered grid, density by shifts",
             px_implicit_fields, PX_IMPLICIT_PARAMS, px_flip_defaults},
    .step_limit = step_limit,
    .yields = true,
    .solve = solve,
};
