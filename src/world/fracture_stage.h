/// Fracture in a step: plans the growth of cracks with the stresses at the end of the elastic
/// stage, and commits it when the step cannot fail any more (solid/fracture/).
#ifndef PX_WORLD_FRACTURE_STAGE_H
#define PX_WORLD_FRACTURE_STAGE_H

#include "world/world_parts.h"

PxStatus px_fracture_stage_init(PxWorld *world);
void px_fracture_stage_free(PxWorld *world);

/// Reads the cracks from their tables if these have been restored. Errors: PX_ERR_FORMAT,
/// PX_ERR_MEMORY.
PxStatus px_fracture_stage_begin(PxWorld *world);

/// At the start of the elastic stage, before contact begins: keeps the last cracks from having
/// added energy (solid/fracture/relax.h).
void px_fracture_stage_relax(PxWorld *world, PxSolid *solid);

/// `solid` is the elastic set at the end of the elastic stage. Errors: PX_ERR_MEMORY.
PxStatus px_fracture_stage_plan(PxWorld *world, PxSolid *solid);
void px_fracture_stage_commit(PxWorld *world);

/// Longest step in which stress is looked at often enough and fronts do not move too far, s.
double px_fracture_limit(const PxWorld *world);

/// The longest step between two looks at the stress of a material, s; INFINITY: it does not break,
/// or its solve is implicit.
double px_fracture_look(const PxMaterialDef *def, double spacing);

/// For statistics.
uint64_t px_fracture_fronts(const PxWorld *world);
double px_fracture_area(const PxWorld *world);

#endif
