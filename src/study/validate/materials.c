#include "study/validate/materials.h"

#include <stdlib.h>
#include <string.h>

void px_validate_material(const PxValidateCase *c, PxMaterialDef *out)
{
    if (strcmp(c->solver, "-") != 0)
        out->integration = px_integration_choice(c->solver);
    if (strncmp(c->model, "nu ", 3) == 0) {
        out->poisson = strtod(c->model + 3, NULL);
        return;
    }
    out->young_axes = (PxVec3){1 * out->young, 2 * out->young, 0.5 * out->young};
    out->poisson_axes = (PxVec3){0.2, 0.3, 0.15};
    out->shear_axes = (PxVec3){0.4 * out->young, 0.5 * out->young, 0.3 * out->young};
}
