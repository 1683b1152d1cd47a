/// The family of integrations: how solids are moved through a step.
#ifndef PX_SOLID_INTEGRATION_H
#define PX_SOLID_INTEGRATION_H

#include "base/field.h"
#include "base/simd.h"
#include "phyxel/world.h"

extern const PxFamily px_integration_family;

struct PxSolid;

/// A model: its word and numbers, and what it does in a step. One file each.
typedef struct PxIntegrationModel {
    PxModelInfo info;

    /// Moves the solids by a step of solid->dt; see PxSolid for what is there before and after.
    PxStatus (*advance)(struct PxSolid *solid);
} PxIntegrationModel;

/// The model of that name for an instruction set; NULL if there is none.
const PxIntegrationModel *px_integration_find(const char *name, PxIsa isa);

#endif
