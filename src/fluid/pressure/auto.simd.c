/// The default: `flip` where it applies, else `dfsph`, each with its own numbers.
///
/// Chosen anew in every step, because events and calls change what a world contains. Parameters
/// that are not stated (NAN) are those of the chosen model.
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/pressure/pressure.h"

#include <math.h>

static const double defaults[PX_IMPLICIT_PARAMS] = {[PX_IMPLICIT_MAX_ERROR] = NAN,
                                                    [PX_IMPLICIT_MAX_ITERATIONS] = NAN,
                                                    [PX_IMPLICIT_DAMPING] = NAN,
                                                    [PX_IMPLICIT_COARSE] = NAN,
                                                    [PX_IMPLICIT_MAX_DIVERGENCE] = NAN};

static double step_limit(const PxFluid *f, const char **why)
{
    return px_flip_applies(f) ? px_flip_step_limit(f, why) : px_implicit_step_limit(f, why);
}

static PxStatus solve(PxFluid *f)
{
    bool grid = px_flip_applies(f);
    PxImplicitKind kind = grid ? px_flip_kind : px_dfsph_kind;
    kind.otherwise = grid ? px_flip_defaults : px_dfsph_defaults;
    return PX_ISA_NAME(px_implicit_solve)(f, kind);
}

extern const PxPressureModel PX_ISA_NAME(px_auto);
const PxPressureModel PX_ISA_NAME(px_auto) = {
    .info = {"auto",
             "flip in worlds of fluids, walls and rigid bodies without tension and emitters, else "
             "dfsph",
             px_implicit_fields, PX_IMPLICIT_PARAMS, defaults},
    .step_limit = step_limit,
    .yields = true,
    .solve = solve,
};
