/// Cloth as pictures show it: threads that cross in a plain weave, a texture, a back of another
/// colour.
#ifndef PX_RENDER_TRACE_FABRIC_H
#define PX_RENDER_TRACE_FABRIC_H

#include "render/scenery.h"
#include "render/trace/rays.h"

/// Sets colour and normal of a hit on triangle `prim` of a thing with texture coordinates, at the
/// barycentric coordinates u and v. `direction` is that of the ray.
void px_fabric_shade(const PxFabric *fabric, const PxThing *thing, uint32_t prim, float u, float v,
                     PxV3 direction, PxHit *hit);

#endif
