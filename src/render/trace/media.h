/// The clear media around a ray, and what happens to it at their interfaces.
#ifndef PX_RENDER_TRACE_MEDIA_H
#define PX_RENDER_TRACE_MEDIA_H

#include "render/trace/rays.h"

/// Stack of the clear media that a point is in; where several overlap, the one of the highest
/// priority wins (nested dielectrics) [Schmidt and Budge 2002]. So a liquid that reaches a little
/// into its glass touches it without a gap of air.
enum { PX_MOST_NESTED = 8 };
typedef struct PxMedia {
    uint32_t look[PX_MOST_NESTED];
    int count;
} PxMedia;

/// The media that a point is in.
PxMedia px_media_at(const PxScenery *scenery, const PxRays *rays, PxV3 place);

/// The look of the medium that counts; NULL: air.
const PxLook *px_media_dominant(const PxMedia *media, const PxScenery *scenery);

/// Bits of the looks, for PxRay.media.
uint32_t px_media_bits(const PxMedia *media);

/// The media behind the interface of the look `index`, which a ray with direction `d` meets.
PxMedia px_media_beyond(const PxMedia *media, uint32_t index, bool enters);

/// Is the surface an interface, or inside a medium of higher priority?
bool px_media_hides(const PxMedia *media, const PxMedia *beyond, uint32_t index, bool enters,
                    const PxScenery *scenery);

/// Reflects or refracts a direction at the interface of the look `index`, by the number u in [0,
/// 1): the new direction. *media become those behind it if it is refracted.
PxV3 px_media_cross(PxMedia *media, const PxScenery *scenery, PxV3 d, const PxHit *hit,
                    uint32_t index, float u);

/// Offset of a ray's origin against self-intersection.
static inline PxV3 px_offset_origin(PxV3 at, PxV3 flat, PxV3 direction, float t)
{
    float size = fmaxf(fabsf(at.x), fmaxf(fabsf(at.y), fabsf(at.z))) + t;
    return px_v3_mad(at, flat, copysignf(1e-5f * size, px_v3_dot(flat, direction)));
}

#endif
