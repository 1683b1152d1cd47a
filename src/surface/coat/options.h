/// What a scene may say about the coat of a material: none, or surfels and their numbers.
#ifndef PX_SURFACE_COAT_OPTIONS_H
#define PX_SURFACE_COAT_OPTIONS_H

#include "base/field.h"
#include "phyxel/model.h"
#include "surface/coat/coat.h"

extern const PxFamily px_coat_family;

/// False for "none". Otherwise *out is what the numbers say, for particles of that spacing (m).
bool px_coat_chosen(const PxModelChoice *choice, double spacing, PxCoatDef *out);

#endif
