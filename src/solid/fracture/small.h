/// Pieces too small to come off.
///
/// 000 section 5.6.5 snaps fronts so that slivers and tiny fragments do not arise. Fronts here end
/// on outlines and other sheets to a part of a cell, and where several meet, groups of a few
/// particles between them lose all of their bonds. How many do depends on the spacing, so the
/// number of pieces would grow with the resolution. A group with less rest volume than a cube of
/// `smallest` therefore keeps the bonds that this step would cut to the neighbour that held it
/// most.
#ifndef PX_SOLID_FRACTURE_SMALL_H
#define PX_SOLID_FRACTURE_SMALL_H

#include "solid/bonds.h"
#include "solid/solid.h"

/// Takes back those of the planned `strength` (an entry for each of the bonds) that would cut off
/// small pieces. Errors: PX_ERR_MEMORY.
PxStatus px_fracture_keep_small(const PxSolid *solid, const PxBonds *bonds, float *strength);

/// Edge of the cube that is the smallest piece of the material of row i, m.
double px_fracture_smallest(const PxSolid *solid, uint32_t i);

/// Shielding distance: no crack begins nearer to one that began at row i, m.
double px_fracture_shield(const PxSolid *solid, uint32_t i);

#endif
