/// Blades: boundaries that cut the bonds of solids that they pass (000 section 5.10).
///
/// A bond is cut where the straight line between its particles, as they are now, meets a blade.
#ifndef PX_SOLID_FRACTURE_CUT_H
#define PX_SOLID_FRACTURE_CUT_H

#include "matter/boundary.h"
#include "solid/fracture/fracture.h"

/// Adds the cuts of the blades at the end of a step to what px_fracture_plan() has planned.
/// Only materials with a section `fracture` can be cut. Errors: PX_ERR_MEMORY.
PxStatus px_fracture_cut(PxFracture *fracture, const PxSolid *solid, const PxBonds *bonds,
                         const PxBoundary *const *blade, size_t blades);

#endif
