/// The family of pressure models: what keeps a fluid from being compressed.
#ifndef PX_FLUID_PRESSURE_PRESSURE_H
#define PX_FLUID_PRESSURE_PRESSURE_H

#include "base/field.h"
#include "base/simd.h"

extern const PxFamily px_pressure_family;

struct PxFluid;

/// A model: its word and numbers, and what it does in a step. One file each.
typedef struct PxPressureModel {
    PxModelInfo info;

    /// Longest stable step of this model for the fluid as it is, s, and what it is that short for.
    double (*step_limit)(const struct PxFluid *fluid, const char **why);

    /// Adds the pressure acceleration of every particle, and leaves its pressure.
    PxStatus (*solve)(struct PxFluid *fluid);
} PxPressureModel;

/// The model of that name for an instruction set; NULL if there is none.
const PxPressureModel *px_pressure_find(const char *name, PxIsa isa);

#endif
