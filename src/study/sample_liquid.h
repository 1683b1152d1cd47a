/// A liquid surface by formula, for benches and tests of pictures without a run.
#ifndef PX_STUDY_SAMPLE_LIQUID_H
#define PX_STUDY_SAMPLE_LIQUID_H

#include "render/scenery.h"

/// A closed mesh of about `triangles` triangles with normals: a slab of `size` (m, bottom at y = 0,
/// centred over the origin) with waves on its top, and a ball above it. Errors: PX_ERR_MEMORY.
PxStatus px_sample_liquid(PxScenery *scenery, uint32_t look, PxV3 size, uint32_t triangles);

#endif
