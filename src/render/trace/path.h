/// The light that comes into the camera along one ray, followed backwards.
#ifndef PX_RENDER_TRACE_PATH_H
#define PX_RENDER_TRACE_PATH_H

#include "render/trace/rays.h"
#include "render/trace/sampler.h"

/// What a sample of a pixel saw: light, and how much of it is not background. Light is
/// already weighted with the cover.
typedef struct PxSeen {
    PxV3 light;
    float cover;
} PxSeen;

/// Clear things that a point is in; where several overlap the one of the highest rank is
/// there and the others are not [Schmidt and Budge 2002]. That way a liquid that reaches a
/// little into its glass touches it without a gap of air.
enum { PX_MOST_NESTED = 8 };
typedef struct PxMedia {
    uint32_t look[PX_MOST_NESTED];
    int count;
} PxMedia;

typedef struct PxPathDef {
    const PxScenery *scenery;
    const PxRays *rays;
    PxMedia start;    ///< what the camera is in: px_media_at()
    PxV3 open_light;  ///< on level ground without anything above it: px_sky_irradiance()
    int most_bounces; ///< in all
    int most_scatter; ///< of those, off what is not a mirror or clear
    float clamp;      ///< brightest a single sample may be; fireflies are cut there
} PxPathDef;

/// What clear things a place is in.
PxMedia px_media_at(const PxScenery *scenery, const PxRays *rays, PxV3 place);

/// Follows the light for the point (x, y) of the picture: x from -aspect to aspect to the
/// right, y from -1 to 1 upwards.
PxSeen px_path_trace(const PxPathDef *def, float x, float y, PxSampler *sampler);

/// The same with x-rays from the camera, which go straight through: the part that
/// arrives behind all things, as white.
PxSeen px_xray_trace(const PxPathDef *def, float x, float y, PxSampler *sampler);

#endif
