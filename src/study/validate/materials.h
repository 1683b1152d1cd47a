/// Materials of the validation cases of solids.
#ifndef PX_STUDY_VALIDATE_MATERIALS_H
#define PX_STUDY_VALIDATE_MATERIALS_H

#include "phyxel/world.h"
#include "study/validate/validate.h"

/// Sets the integration named by the case's solver, and its model: "nu 0.45" is Poisson's ratio,
/// any other word an orthotropic material.
void px_validate_material(const PxValidateCase *c, PxMaterialDef *out);

#endif
