/// The family of viscosity models, which damp differences of velocity in a fluid.
#ifndef PX_FLUID_VISCOSITY_VISCOSITY_H
#define PX_FLUID_VISCOSITY_VISCOSITY_H

#include "base/field.h"
#include "base/simd.h"
#include "phyxel/world.h"

extern const PxFamily px_viscosity_family;

struct PxFluid;

/// A model: its name, its parameters and its functions. One file each.
typedef struct PxViscosityModel {
    PxModelInfo info;

    /// Longest stable step for a fluid of this material, s; h is the smoothing length, m.
    /// INFINITY for a model without such a limit.
    double (*step_limit)(const PxMaterialDef *material, double h);

    /// Adds the viscous acceleration, including the drag of boundaries, and calls
    /// px_fluid_give_drag(). Called after all other accelerations except pressure.
    PxStatus (*solve)(struct PxFluid *fluid);
} PxViscosityModel;

/// Volumes that weight the pairs: V_i / sqrt(1 - share slip_i). At a frictionless wall the
/// mirror image of the fluid would contribute pairs; the existing pairs are scaled up for them,
/// else the layer next to the wall would be a sixth less viscous. `share` belongs to a layer of
/// the lattice one spacing away: its fraction of the second moment of the weights along the
/// layer, over its fraction of the density (15 per cent). NULL when memory runs out.
float *px_viscosity_volume(struct PxFluid *fluid, float share);

/// The model of that name for an instruction set; NULL for unknown names.
const PxViscosityModel *px_viscosity_find(const char *name, PxIsa isa);

#endif
