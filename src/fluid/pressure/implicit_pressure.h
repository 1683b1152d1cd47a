/// Parameters that the implicit pressure models share, and their step around the pressure
/// equation of poisson.h.
#ifndef PX_FLUID_PRESSURE_IMPLICIT_PRESSURE_H
#define PX_FLUID_PRESSURE_IMPLICIT_PRESSURE_H

#include "base/field.h"
#include "fluid/fluid.h"

/// The parameters, in this order; a model that does not need the last one omits it.
enum {
    PX_IMPLICIT_MAX_ERROR,
    PX_IMPLICIT_MAX_ITERATIONS,
    PX_IMPLICIT_DAMPING,
    PX_IMPLICIT_COARSE,
    PX_IMPLICIT_MAX_DIVERGENCE,
    PX_IMPLICIT_PARAMS
};
extern const PxField px_implicit_fields[PX_IMPLICIT_PARAMS];

/// Parameters of the one solve for all fluids of a world: the smallest tolerances, the largest
/// iteration limit, and the coarse grid only if every fluid enables it.
void px_implicit_strictest(const PxFluid *fluid, bool divergence, double param[PX_IMPLICIT_PARAMS]);

/// Longest step, s, by the CFL condition on the fastest particle and on pressure-driven motion.
double px_implicit_step_limit(const PxFluid *fluid, const char **why);

/// V sqrt(rho alpha c) of every particle, for Monaghan's (1992) artificial viscosity on
/// approaching pairs; as in sesph, but with the top speed for the speed of sound. It dissipates
/// the energy that the lattice of the filling releases when it breaks up.
void px_implicit_weights(const PxFluid *fluid, float *weight);

/// Differences between the models.
typedef struct PxImplicitKind {
    bool divergence; ///< a divergence-free solve precedes the constant-density solve
    bool warm;       ///< warm start: the pressure of the last step is the first guess
    bool corrected;  ///< corrected divergence, density by shifts (projection.simd.c); the other
                     ///< members do not matter then
    bool uniform;    ///< scale by the lattice's diagonal where the particle's own is smaller
} PxImplicitKind;

PX_ISA_DECLARE(PxStatus, px_implicit_solve, (PxFluid * fluid, PxImplicitKind kind));

#endif
