/// Cracks in matter that has melted.
///
/// Cracks lie in the rest shape, so they need matter that keeps its rest place: particles that
/// are wholly solid (coupling/rest_update.h). What melts gets a new rest shape and new bonds, which
/// closes cracks in it. Then the sheets there belong to nothing and are removed, and a front that
/// has come to molten matter ends. Cracks in the solid remainder stay.
#ifndef PX_SOLID_FRACTURE_HEAL_H
#define PX_SOLID_FRACTURE_HEAL_H

#include "solid/fracture/cracks.h"
#include "solid/fracture/field.h"

/// Removes the triangles that have no matter at any corner that could break, and the fronts that
/// have none at some node. Numbers of cracks and vertices stay. Returns the number of fronts
/// removed.
uint32_t px_cracks_heal(PxCracks *cracks, const PxFractureField *field);

#endif
