/// Caustics: light of the sun and of lamps that clear things focus, by photon mapping [Jensen
/// 1996].
///
/// Photons are aimed at the clear things. Those that were refracted or reflected by one are kept
/// where they meet a surface that scatters, and the light there is their density. With such a map
/// shadow rays do not pass through clear things.
#ifndef PX_RENDER_TRACE_CAUSTICS_H
#define PX_RENDER_TRACE_CAUSTICS_H

#include "base/parallel.h"
#include "render/trace/rays.h"

typedef struct PxCaustics PxCaustics;

/// Traces `photons` photons; *out is NULL if nothing in the scenery is clear or nothing shines. The
/// same bits for any number of threads. Errors: PX_ERR_MEMORY, PX_ERR_STOPPED.
PxStatus px_caustics_create(const PxScenery *scenery, const PxRays *rays, uint32_t photons,
                            uint32_t seed, const PxThreads *threads, PxCaustics **out);
/// Accepts NULL.
void px_caustics_free(PxCaustics *caustics);

/// Irradiance by photons at a point of a surface with that normal.
PxV3 px_caustics_light(const PxCaustics *caustics, PxV3 at, PxV3 normal);

#endif
