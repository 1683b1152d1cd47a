/// The door to Embree: what a ray meets among the things of a scenery.
///
/// Without Embree at build time px_rays_create() answers PX_ERR_UNSUPPORTED and says
/// what to install; nothing else can be called then.
#ifndef PX_RENDER_TRACE_RAYS_H
#define PX_RENDER_TRACE_RAYS_H

#include "render/scenery.h"

typedef struct PxRays PxRays;

/// Makes the scenery's things ready to be met; it must stay as it is until the free.
/// The tree is built on the calling thread alone, so that it is the same every time.
/// Errors: PX_ERR_UNSUPPORTED, PX_ERR_MEMORY.
PxStatus px_rays_create(const PxScenery *scenery, PxRays **out);
void px_rays_free(PxRays *rays);

typedef struct PxRay {
    PxV3 from;
    PxV3 direction; ///< unit
    float least;    ///< m, nothing nearer is met
    float most;     ///< m, nor further
    float time;     ///< 0 .. 1 within the exposure
    uint32_t media; ///< px_rays_meet(): what it is in, one bit a look. Overlapping discs of
                    ///< something clear are one border, which is entered or left once.
} PxRay;

typedef struct PxHit {
    float t;           ///< m along the ray
    uint32_t thing;    ///< index
    PxV3 flat;         ///< unit normal of what was hit itself, pointing outwards
    PxV3 normal;       ///< the same of the smooth surface it stands for
    PxV3 colour;       ///< of the look, or of the thing's own
    float temperature; ///< degrees C; 0 where there is none
    float skip;        ///< m to go on before the same surface may be met again
} PxHit;

/// The nearest. Threads: any number at once, as of all questions below.
bool px_rays_meet(const PxRays *rays, const PxRay *ray, PxHit *hit);

/// Part of the light that comes through, straight on. What is clear takes what it
/// reflects and absorbs; all else stops everything.
PxV3 px_rays_pass(const PxRays *rays, const PxRay *ray);

/// One crossing of a surface.
typedef struct PxCrossing {
    float t;
    uint32_t thing;
    bool in;
} PxCrossing;

/// All of them in order, up to `most`; how many there are.
size_t px_rays_cross(const PxRays *rays, const PxRay *ray, PxCrossing *out, size_t most);

#endif
