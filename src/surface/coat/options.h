/// Options of a material's coat in a scene: "none", or "surfels" and its parameters.
#ifndef PX_SURFACE_COAT_OPTIONS_H
#define PX_SURFACE_COAT_OPTIONS_H

#include "base/field.h"
#include "phyxel/model.h"
#include "surface/coat/coat.h"

extern const PxFamily px_coat_family;

/// False for "none". Otherwise fills *out for particles of that spacing (m).
bool px_coat_chosen(const PxModelChoice *choice, double spacing, PxCoatDef *out);

#endif
