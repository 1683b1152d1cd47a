/// Where cracks begin: at points whose largest principal stress exceeds the tensile strength (000
/// section 5.6.4).
#ifndef PX_SOLID_FRACTURE_START_H
#define PX_SOLID_FRACTURE_START_H

#include "solid/fracture/fronts.h"

/// Begins cracks at random samples, one in the cell of each particle, where the stress passes the
/// strength. A crack shields its surroundings: no other begins near it. Errors: PX_ERR_MEMORY.
PxStatus px_cracks_start(PxCrackGrowth *growth, uint64_t step);

#endif
