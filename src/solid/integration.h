/// Time integration of solids: the family of models.
#ifndef PX_SOLID_INTEGRATION_H
#define PX_SOLID_INTEGRATION_H

#include "base/field.h"
#include "base/simd.h"
#include "phyxel/world.h"

extern const PxFamily px_integration_family;

struct PxSolid;

/// A time integration model: name, parameters, and its step. Each has its own file.
typedef struct PxIntegrationModel {
    PxModelInfo info;

    /// Advances the solids by solid->dt, in sub-steps; PxSolid lists inputs and results.
    PxStatus (*advance)(struct PxSolid *solid);
} PxIntegrationModel;

/// Finds a model by name for an instruction set; NULL: none.
const PxIntegrationModel *px_integration_find(const char *name, PxIsa isa);

#endif
