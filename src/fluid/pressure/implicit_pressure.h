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
    PX_IMPLICIT_ERROR, ///< 0: the tolerance bounds the mean compression, 1: the largest
    PX_IMPLICIT_SOLVE, ///< 0: the iteration of poisson.h, 1: that of the model's publication
    PX_IMPLICIT_MAX_DIVERGENCE,
    PX_IMPLICIT_PARAMS
};
extern const PxField px_implicit_fields[PX_IMPLICIT_PARAMS];

/// Parameters of the one solve for all fluids of a world, from all materials: the smallest
/// tolerances, the largest iteration limit and damping, the largest compression if a fluid asks for
/// that, and the coarse grid and the published iteration only if every fluid enables them.
/// `otherwise` as in PxImplicitKind.
void px_implicit_strictest(const PxFluid *fluid, bool divergence, const double *otherwise,
                           double param[PX_IMPLICIT_PARAMS]);

/// Longest step, s, by the CFL condition on the fastest particle and on pressure-driven motion.
double px_implicit_step_limit(const PxFluid *fluid, const char **why);

/// V sqrt(rho alpha c) of every particle, for Monaghan's (1992) artificial viscosity on
/// approaching pairs; as in sesph, but with the top speed for the speed of sound. It dissipates
/// the energy that the lattice of the filling releases when it breaks up.
/// `otherwise` as in PxImplicitKind.
void px_implicit_weights(const PxFluid *fluid, const double *otherwise, float *weight);

/// Differences between the models.
typedef struct PxImplicitKind {
    bool divergence; ///< a divergence-free solve precedes the constant-density solve
    bool warm;       ///< warm start: the pressure of the last step is the first guess
    bool corrected;  ///< corrected divergence, density by shifts (projection.simd.c); the other
                     ///< members do not matter then
    bool grid;       ///< the same with velocities projected on a grid (flip.simd.c)
    bool predicts;   ///< the predictions and corrections of PCISPH
    const double *otherwise; ///< parameters for those that a material does not state (NAN)
} PxImplicitKind;

/// `dfsph` and `flip`, which `auto` chooses from, and their default parameters.
extern const PxImplicitKind px_dfsph_kind, px_flip_kind;
extern const double px_dfsph_defaults[PX_IMPLICIT_PARAMS], px_flip_defaults[PX_IMPLICIT_PARAMS];

/// Does the grid see all matter of the world? Elastic matter and fluid share cells where they
/// touch, but only fluid may not be compressed there; rigid bodies yield within the solve
/// (fluid/yield.h), which the grid's does not know. Such worlds are solved as `dfsph` does.
bool px_flip_sees(const PxFluid *fluid);

/// Is `flip` the better choice? It is, unless the grid does not see all matter, or tension or
/// cohesion act, which vary within the cells of the grid and are not balanced there, or emitters
/// push particles that the grid takes for free ones.
bool px_flip_applies(const PxFluid *fluid);

/// Longest step with `flip`, s.
double px_flip_step_limit(const PxFluid *fluid, const char **why);

/// Solves with the iteration of poisson.h, or with that of the publications: relaxed Jacobi (Ihmsen
/// et al. 2014; with half of the diagonal's step), Jacobi that only adds pressure (Bender and
/// Koschier 2015), one stiffness for all particles and densities at predicted positions
/// (Solenthaler and Pajarola 2009). These use no coarse grid and correct all compression at once.
PX_ISA_DECLARE(PxStatus, px_implicit_solve, (PxFluid * fluid, PxImplicitKind kind));

#endif
