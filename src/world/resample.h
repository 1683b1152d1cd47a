/// Dynamic resampling of solids that break (000 section 5.7): cells are split into their 8 children
/// near the fronts of cracks, and where a particle has lost its neighbours.
///
/// 000 splits where the sum of weights, Eq. 5.34, has fallen; by then the crack has passed at the
/// coarse resolution. Here cells are also split before a front reaches them, so that fine cells are
/// cut.
#ifndef PX_WORLD_RESAMPLE_H
#define PX_WORLD_RESAMPLE_H

#include "world/world_parts.h"

/// How often cells may be split below the spacing at most.
#define PX_RESAMPLE_DEPTH 3

/// Errors: PX_ERR_ARGUMENT if the material's cells were to be split more often at that spacing.
PxStatus px_resample_check(const PxMaterialDef *def, double spacing);

/// How often cells of the material may be split below the spacing.
int px_resample_depth(const PxWorld *world, uint32_t material);

/// Does anything in the world break? Then its cells may be split.
bool px_resamples(const PxWorld *world);

/// Marks cells that are to be split, by row of the elastic set. Errors: PX_ERR_MEMORY.
PxStatus px_resample_mark(PxWorld *world, uint8_t *split);

/// Notes a cell of the elastic set that is split. False: no memory.
bool px_resample_note(PxWorld *world, uint32_t row);

/// Lowers the bonds of the children where sheets cross them. Call when the set is up to date again.
/// *changed: it must be updated once more. Errors: PX_ERR_MEMORY.
PxStatus px_resample_bonds(PxWorld *world, bool *changed);

#endif
