/// A material as the engine uses it: the validated def and values derived from it.
#ifndef PX_MATTER_MATERIAL_H
#define PX_MATTER_MATERIAL_H

#include "base/slot.h"
#include "phyxel/world.h"

typedef struct PxMaterial {
    PX_SLOT_MEMBERS;
    PxMaterialDef def;    ///< its `name` points at the array above
    double particle_mass; ///< kg, density * spacing^3
    double melted[2];     ///< smallest and largest molten fraction of its particles in this step
} PxMaterial;

#endif
