/// The family of viscosity models: what makes a fluid thick.
#ifndef PX_FLUID_VISCOSITY_VISCOSITY_H
#define PX_FLUID_VISCOSITY_VISCOSITY_H

#include "base/field.h"
#include "base/simd.h"
#include "phyxel/world.h"

extern const PxFamily px_viscosity_family;

struct PxFluid;

/// A model: its word and numbers, and what it does in a step. One file each.
typedef struct PxViscosityModel {
    PxModelInfo info;

    /// Longest step that a fluid of this material allows, s, with h half the support, m.
    /// INFINITY for a model without such a limit.
    double (*step_limit)(const PxMaterialDef *material, double h);

    /// Adds the acceleration by viscosity, the drag of boundaries included, and calls
    /// px_fluid_give_drag(). Called when every other acceleration but that of pressure is there.
    PxStatus (*solve)(struct PxFluid *fluid);
} PxViscosityModel;

/// The volumes that pairs are weighed with: V_i / sqrt(1 - share slip_i). Along a wall
/// without friction the fluid would go on as its mirror image; the pairs that would have
/// their other half in the wall count for it, or else a fluid would be a sixth thinner in
/// the layer next to such a wall. `share` says what a layer of a lattice, a spacing away,
/// has of the weights' moment along it, over what it has of the density (15 per cent).
/// NULL when there is no room.
float *px_viscosity_volume(struct PxFluid *fluid, float share);

/// The model of that name for an instruction set; NULL if there is none.
const PxViscosityModel *px_viscosity_find(const char *name, PxIsa isa);

#endif
