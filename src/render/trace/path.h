/// Path tracing: the radiance that reaches the camera along one ray.
#ifndef PX_RENDER_TRACE_PATH_H
#define PX_RENDER_TRACE_PATH_H

#include "render/trace/rays.h"
#include "render/trace/sampler.h"

/// Radiance and opacity of a sample; the radiance is premultiplied with the opacity.
typedef struct PxRadiance {
    PxV3 light;
    float opacity;
} PxRadiance;

/// Stack of the clear media that a point is in; where several overlap, the one of the highest
/// priority wins (nested dielectrics) [Schmidt and Budge 2002]. So a liquid that reaches a little
/// into its glass touches it without a gap of air.
enum { PX_MOST_NESTED = 8 };
typedef struct PxMedia {
    uint32_t look[PX_MOST_NESTED];
    int count;
} PxMedia;

typedef struct PxPathDef {
    const PxScenery *scenery;
    const PxRays *rays;
    PxMedia start;    ///< media of the camera: px_media_at()
    PxV3 open_light;  ///< sky irradiance of open ground: px_sky_irradiance()
    int most_bounces; ///< most segments
    int most_scatter; ///< most of those at surfaces that are neither clear nor panes
    float clamp;      ///< upper bound of a sample's radiance, against fireflies
} PxPathDef;

/// The media that a point is in.
PxMedia px_media_at(const PxScenery *scenery, const PxRays *rays, PxV3 place);

/// Traces a path for the point (x, y) of the picture: x from -aspect to aspect to the right, y from
/// -1 to 1 upwards.
PxRadiance px_path_trace(const PxPathDef *def, float x, float y, PxSampler *sampler);

/// X-ray picture: straight transmittance through all things, as white.
PxRadiance px_xray_trace(const PxPathDef *def, float x, float y, PxSampler *sampler);

#endif
