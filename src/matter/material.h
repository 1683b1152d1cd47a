/// A material as the engine uses it: the def, checked, with what follows from it.
#ifndef PX_MATTER_MATERIAL_H
#define PX_MATTER_MATERIAL_H

#include "phyxel/world.h"

#define PX_NAME_SIZE 64

typedef struct PxMaterial {
    char name[PX_NAME_SIZE];
    PxMaterialDef def;    ///< its `name` points at the array above
    double particle_mass; ///< kg, density * spacing^3
    double melted[2];     ///< least and greatest molten part that there is of it in this step
} PxMaterial;

#endif
