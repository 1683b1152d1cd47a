/// The family of pressure models, which keep a fluid from being compressed.
#ifndef PX_FLUID_PRESSURE_PRESSURE_H
#define PX_FLUID_PRESSURE_PRESSURE_H

#include "base/field.h"
#include "base/simd.h"

extern const PxFamily px_pressure_family;

struct PxFluid;

/// A model: its name, its parameters and its functions. One file each.
typedef struct PxPressureModel {
    PxModelInfo info;

    /// Longest stable step for the current state of the fluid, s; *why names what limits it.
    double (*step_limit)(const struct PxFluid *fluid, const char **why);

    bool yields; ///< boundaries yield within its solve (fluid/yield.h)

    /// Adds the pressure acceleration of every particle and stores its pressure.
    PxStatus (*solve)(struct PxFluid *fluid);
} PxPressureModel;

/// The model of that name for an instruction set; NULL for unknown names.
const PxPressureModel *px_pressure_find(const char *name, PxIsa isa);

#endif
