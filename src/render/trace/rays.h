/// Ray intersection by Embree.
///
/// Built without Embree px_rays_create() returns PX_ERR_UNSUPPORTED and says what to install; no
/// other function can be called then.
#ifndef PX_RENDER_TRACE_RAYS_H
#define PX_RENDER_TRACE_RAYS_H

#include "render/scenery.h"

typedef struct PxRays PxRays;

/// Builds the acceleration structure; the scenery must not change until px_rays_free(). It is built
/// on the calling thread alone, so that it is the same every time.
/// Errors: PX_ERR_FORMAT for a thing with a number that is not finite or too large,
/// PX_ERR_UNSUPPORTED, PX_ERR_MEMORY.
PxStatus px_rays_create(const PxScenery *scenery, PxRays **out);
void px_rays_free(PxRays *rays);

typedef struct PxRay {
    PxV3 from;
    PxV3 direction; ///< unit
    float least;    ///< least distance of hits, m
    float most;     ///< largest distance, m
    float time;     ///< 0 .. 1 within the exposure
    uint32_t media; ///< px_rays_intersect(): bits of the clear looks that it is in. Overlapping
                    ///< discs of a clear look are one interface, entered or left once.
} PxRay;

typedef struct PxHit {
    float t;           ///< distance, m
    uint32_t thing;    ///< index of the thing
    PxV3 geometric;    ///< unit geometric normal, outwards
    PxV3 normal;       ///< unit shading normal
    PxV3 colour;       ///< albedo: the look's or the thing's own
    float temperature; ///< degrees C; 0: none
    float wetness;     ///< 0 .. 1; the colour is the wet one already
    float skip;        ///< least distance to the next hit on the same surface, m
} PxHit;

/// Finds the nearest hit. A ray whose origin or direction is not finite or too far away hits
/// nothing. Threads: any number at once, as for the functions below.
bool px_rays_intersect(const PxRays *rays, const PxRay *ray, PxHit *hit);

/// Transmittance along a straight ray: clear surfaces reflect and absorb, all others occlude.
PxV3 px_rays_transmittance(const PxRays *rays, const PxRay *ray);
/// The same where clear surfaces occlude too, since their light is counted otherwise.
PxV3 px_rays_open(const PxRays *rays, const PxRay *ray);

/// One crossing of a surface.
typedef struct PxCrossing {
    float t;
    uint32_t thing;
    bool in;
    float cosine; ///< of the angle between the ray and the surface's normal, at least 0
} PxCrossing;

/// All crossings in order, at most `most`; returns how many.
size_t px_rays_crossings(const PxRays *rays, const PxRay *ray, PxCrossing *out, size_t most);

#endif
