/// Path tracing: the radiance that reaches the camera along one ray.
#ifndef PX_RENDER_TRACE_PATH_H
#define PX_RENDER_TRACE_PATH_H

#include "render/trace/caustics.h"
#include "render/trace/media.h"
#include "render/trace/sampler.h"

/// Radiance and opacity of a sample; the radiance is premultiplied with the opacity.
typedef struct PxRadiance {
    PxV3 light;
    float opacity;
} PxRadiance;

typedef struct PxPathDef {
    const PxScenery *scenery;
    const PxRays *rays;
    PxMedia start;              ///< media of the camera: px_media_at()
    PxV3 open_light;            ///< sky irradiance of open ground: px_sky_irradiance()
    int most_bounces;           ///< most segments
    int most_scatter;           ///< most of those at surfaces that are neither clear nor panes
    float clamp;                ///< upper bound of a sample's radiance, against fireflies
    const PxCaustics *caustics; ///< light through clear things; NULL: straight, as shadow rays go
} PxPathDef;

/// Traces a path for the point (x, y) of the picture: x from -aspect to aspect to the right, y from
/// -1 to 1 upwards.
PxRadiance px_path_trace(const PxPathDef *def, float x, float y, PxSampler *sampler);

/// X-ray picture: straight transmittance through all things, as white.
PxRadiance px_xray_trace(const PxPathDef *def, float x, float y, PxSampler *sampler);

#endif
