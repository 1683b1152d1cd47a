/// What the implicit pressure models share: their numbers, and the step around the
/// pressure equation of poisson.h.
#ifndef PX_FLUID_PRESSURE_IMPLICIT_PRESSURE_H
#define PX_FLUID_PRESSURE_IMPLICIT_PRESSURE_H

#include "base/field.h"
#include "fluid/fluid.h"

/// Their numbers, in this order; a model that has no use for the last leaves it out.
enum {
    PX_IMPLICIT_MAX_ERROR,
    PX_IMPLICIT_MAX_ITERATIONS,
    PX_IMPLICIT_DAMPING,
    PX_IMPLICIT_COARSE,
    PX_IMPLICIT_MAX_DIVERGENCE,
    PX_IMPLICIT_PARAMS
};
extern const PxField px_implicit_fields[PX_IMPLICIT_PARAMS];

/// The numbers of a solve that all fluids of a world share: the least errors, the most
/// iterations, and the coarse grid only if nobody does without.
void px_implicit_strictest(const PxFluid *fluid, bool divergence, double param[PX_IMPLICIT_PARAMS]);

/// Longest step: neither the fastest particle nor pressure itself goes too far.
double px_implicit_step_limit(const PxFluid *fluid, const char **why);

/// V sqrt(rho alpha c) of every particle, for Monaghan's (1992) artificial viscosity on pairs
/// that approach; as in sesph, but with the top speed for the speed of sound. Without any,
/// particles that leave the lattice they were filled on jostle on for ever with what it
/// releases: in a column of water at rest, 1 m deep, 0.25 m/s on average, whichever the
/// pressure model.
void px_implicit_weights(const PxFluid *fluid, float *weight);

/// In which ways the models differ.
typedef struct PxImplicitKind {
    bool divergence; ///< velocities are freed of compression before the density is kept
    bool warm;       ///< begins with the pressure of the last step
    bool uniform;    ///< one stiffness for all, not each particle's own
} PxImplicitKind;

PX_ISA_DECLARE(PxStatus, px_implicit_solve, (PxFluid * fluid, PxImplicitKind kind));

#endif
