/// A liquid surface by formula, for benches and tests of pictures without a run.
#ifndef PX_STUDY_SAMPLE_LIQUID_H
#define PX_STUDY_SAMPLE_LIQUID_H

#include "render/scenery.h"

/// A slab of `size` (m, its bottom at y = 0, its middle over the origin) whose top is
/// rippled by waves, and a ball over it; closed, about `triangles` of them, with
/// normals. Errors: PX_ERR_MEMORY.
PxStatus px_sample_liquid(PxScenery *scenery, uint32_t look, PxV3 size, uint32_t triangles);

#endif
